"""Each manifold against independent geometry."""

import numpy as np
import pytest
from scipy.integrate import quad

from geoforest_cli.problems.manifolds import MANIFOLDS
from geoforest_cli.problems.manifolds.noise import add_noise, min_max
from geoforest_cli.problems.manifolds.sample import GreatCircle, equal_spaced
from geoforest_cli.problems.manifolds.sphere import RADIUS


def draw(name, n=200, kind="as_written", seed=0, **options):
    return MANIFOLDS[name].load()(n, kind, np.random.default_rng(seed), **options)


def test_linear_is_a_straight_line():
    sample = draw("linear")
    D = sample.truth.distances()
    chord = np.linalg.norm(sample.points[:, None] - sample.points[None], axis=2)
    np.testing.assert_allclose(D, chord, atol=1e-9)
    as_run = draw("linear", kind="as_run")
    t = as_run.latent[:, 0]
    np.testing.assert_allclose(
        as_run.truth.distances(),
        np.abs(5 * (t[:, None] ** 2 - t**2) + 9 * (t[:, None] - t)),
        atol=1e-9,
    )
    assert t.min() > 0
    assert t.max() < 1


@pytest.mark.parametrize(("kind", "low"), [("as_written", 2 * np.pi), ("as_run", 3 * np.pi)])
def test_helix_arc_length_against_quadrature(kind, low):
    sample = draw("helix", 40, kind)
    t = sample.latent[:, 0]
    assert t.min() > low
    assert t.max() < 9 * np.pi
    assert np.all(np.diff(t) > 0)

    def speed(s):
        return np.hypot(np.hypot(np.cos(s) - s * np.sin(s), np.sin(s) + s * np.cos(s)), 1)

    D = sample.truth.distances()
    for i, j in [(0, 1), (0, 39), (17, 25)]:
        assert D[i, j] == pytest.approx(quad(speed, t[i], t[j])[0], rel=1e-9)


def test_sphere_distances_are_great_circles():
    sample = draw("sphere", 200)
    np.testing.assert_allclose(np.linalg.norm(sample.points, axis=1), RADIUS)
    D = sample.truth.distances()
    cosine = np.clip(sample.points @ sample.points.T / RADIUS**2, -1, 1)
    far = (np.abs(cosine) < 0.99) & ~np.eye(200, dtype=bool)
    np.testing.assert_allclose(D[far], RADIUS * np.arccos(cosine[far]), rtol=1e-10)
    as_run = draw("sphere", 200, "as_run")
    np.testing.assert_allclose(
        as_run.truth.distances()[far],
        RADIUS * np.arccos(np.clip(as_run.points @ as_run.points.T / RADIUS**2, -1, 1))[far],
    )
    assert D.max() <= np.pi * RADIUS + 1e-9


def test_sphere_as_written_keeps_its_digits_where_the_cosine_loses_them():
    angle = 1e-9
    points = RADIUS * np.array([[1, 0, 0], [np.cos(angle), np.sin(angle), 0], [-1, 0, 0]])
    D = GreatCircle(points, RADIUS).distances()
    assert D[0, 1] == pytest.approx(RADIUS * angle, rel=1e-6)
    assert D[0, 2] == pytest.approx(RADIUS * np.pi, rel=1e-15)
    assert GreatCircle(points, RADIUS, clipped_cosine=True).distances()[0, 1] == 0


def test_mixture_has_two_truths_and_its_moments():
    written = draw("gaussian_mixture", 4000)
    labels = written.truth.labels
    for k, (share, centre) in enumerate([(0.3, -3), (0.3, 0), (0.4, 3)]):
        assert np.mean(labels == k) == pytest.approx(share, abs=0.03)
        np.testing.assert_allclose(written.points[labels == k].mean(0), centre, atol=0.15)
        np.testing.assert_allclose(np.cov(written.points[labels == k].T), np.eye(3), atol=0.15)
    run = draw("gaussian_mixture", 300, "as_run")
    chord = np.linalg.norm(run.points[:, None] - run.points[None], axis=2)
    np.testing.assert_allclose(run.truth.distances(), chord)
    many = draw("gaussian_mixture", 4000, "as_run")
    for k, (share, centre) in enumerate([(0.3, 0), (0.3, 3), (0.4, -3)]):
        own = many.latent[:, 0] == k
        assert np.mean(own) == pytest.approx(share, abs=0.03)
        np.testing.assert_allclose(many.points[own].mean(0), centre, atol=0.15)
    assert draw("gaussian_mixture", truth="euclidean").truth.kind == "continuous"
    assert draw("gaussian_mixture", kind="as_run", truth="component").truth.kind == "component"


def test_noise_of_old_seeds_is_what_it_was():
    points = draw("helix", 30).points
    noisy = add_noise(points, 4, 70.0, np.random.default_rng(1), "normal")
    expected = np.random.default_rng(1).normal(0.0, np.sqrt(70.0), size=(30, 4))
    assert np.array_equal(noisy[:, 3:], expected)
    assert np.array_equal(noisy, add_noise(points, 4, 70.0, np.random.default_rng(1)))


def test_permuted_noise_has_the_marginals_of_the_signal_and_no_more():
    points = draw("helix", 500).points
    noise = add_noise(points, 7, 70.0, np.random.default_rng(1), "permuted")[:, 3:]
    for j, column in enumerate(noise.T):
        assert np.array_equal(np.sort(column), np.sort(points[:, j % 3]))
        assert abs(np.corrcoef(column, points[:, j % 3])[0, 1]) < 0.2
    assert not np.array_equal(noise[:, 0], noise[:, 3])
    assert np.abs(np.corrcoef(noise.T) - np.eye(7)).max() < 0.2


def test_factors_stand_behind_all_noise_columns_and_no_signal():
    points = draw("helix", 2000).points
    noisy = add_noise(points, 40, 70.0, np.random.default_rng(1), "factors")
    values = np.sort(np.linalg.eigvalsh(np.cov(noisy[:, 3:].T)))[::-1]
    # five factors with half of 40 columns' variance, and a rest of 35 per column
    assert values[4] > 2.5 * 35 > values[5]
    assert np.abs(np.corrcoef(noisy.T)[:3, 3:]).max() < 0.1


def test_min_max_and_equal_spacing():
    scaled = min_max(np.array([[1.0, 5], [3, 5], [2, 5]]))
    assert scaled.tolist() == [[0, 0], [1, 0], [0.5, 0]]
    np.testing.assert_allclose(equal_spaced(0, 1, 3), [0.25, 0.5, 0.75])
