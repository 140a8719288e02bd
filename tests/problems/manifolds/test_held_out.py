"""Swiss roll, S-curve, moons, circle, high spheres and parity against independent geometry."""

import itertools

import numpy as np
import pytest
from scipy.stats import chi2_contingency
from sklearn.datasets import make_moons

from geoforest_cli.problems.manifolds import MANIFOLDS, swiss_roll


def draw(name, n=200, kind="as_written", seed=0, **options):
    return MANIFOLDS[name].load()(n, kind, np.random.default_rng(seed), **options)


def roll(t, y):
    return np.stack([t * np.cos(t), y, t * np.sin(t)])


def s_shape(t, y):
    return np.stack([np.sin(t), y, np.sign(t) * (np.cos(t) - 1)])


@pytest.mark.parametrize(("name", "surface"), [("swiss_roll", roll), ("s_curve", s_shape)])
def test_rolled_rectangles_are_isometric_to_flat_ones(name, surface):
    sample = draw(name, 30)
    t, y = sample.latent.T
    np.testing.assert_allclose(surface(t, y).T, sample.points)
    D = sample.truth.distances()
    # the straight line of the flat rectangle, measured along the surface in space
    for i, j in [(0, 1), (3, 17), (5, 29)]:
        if name == "swiss_roll":
            fine = np.linspace(t.min(), t.max(), 200_001)
            arcs = swiss_roll.arc_length(fine)
            s = np.linspace(*swiss_roll.arc_length(t[[i, j]]), 200_001)
            along = np.interp(s, arcs, fine)
        else:
            along = np.linspace(t[i], t[j], 200_001)
        path = surface(along, np.linspace(y[i], y[j], 200_001))
        length = np.linalg.norm(np.diff(path, axis=1), axis=0).sum()
        assert D[i, j] == pytest.approx(length, rel=1e-6)
    chords = np.linalg.norm(sample.points[:, None] - sample.points[None], axis=2)
    assert np.all(chords <= D + 1e-9)


def test_moons_are_those_of_scikit_learn():
    expected, labels = make_moons(100, shuffle=False)
    sample = draw("moons", 100)
    np.testing.assert_allclose(sample.points, expected, atol=1e-12)
    assert np.array_equal(sample.latent[:, 0], labels)


@pytest.mark.parametrize("kind", ["as_written", "as_run"])
def test_distances_between_moons_are_infinite_and_along_them_arcs(kind):
    sample = draw("moons", 41, kind)
    D = sample.truth.distances()
    which = sample.latent[:, 0]
    assert np.isinf(D[which[:, None] != which]).all()
    # on a unit circle the chord is 2 sin(arc / 2)
    same = which[:, None] == which
    chords = np.linalg.norm(sample.points[:, None] - sample.points[None], axis=2)
    np.testing.assert_allclose(2 * np.sin(D[same] / 2), chords[same], atol=1e-12)
    assert D[same].max() <= np.pi
    component = draw("moons", 41, kind, truth="component")
    assert np.array_equal(component.truth.labels, which)


@pytest.mark.parametrize("kind", ["as_written", "as_run"])
def test_distances_on_the_circle_are_the_shorter_arcs(kind):
    sample = draw("circle", 60, kind)
    D = sample.truth.distances()
    np.testing.assert_allclose(
        D, np.arccos(np.clip(sample.points @ sample.points.T, -1, 1)), atol=1e-7
    )
    assert D.max() <= np.pi
    if kind == "as_written":
        assert D[0, 59] == pytest.approx(2 * np.pi / 60)


@pytest.mark.parametrize(("name", "dims"), [("sphere5", 5), ("sphere10", 10)])
def test_high_spheres_are_uniform_and_their_distances_angles(name, dims):
    sample = draw(name, 300)
    cosine = sample.points @ sample.points.T
    D = sample.truth.distances()
    off = ~np.eye(300, dtype=bool)
    np.testing.assert_allclose(D[off], np.arccos(cosine[off]), rtol=1e-7)
    many = draw(name, 20_000).points
    np.testing.assert_allclose(many.mean(0), 0, atol=0.02)
    np.testing.assert_allclose(np.cov(many.T), np.eye(dims) / dims, atol=0.01)
    # uniform by area: the fourth moment of a coordinate is 3 / (p (p + 2))
    np.testing.assert_allclose(np.mean(many**4, 0), 3 / (dims * (dims + 2)), rtol=0.1)


def test_angles_of_near_and_opposite_points_keep_their_digits():
    from geoforest_cli.problems.manifolds.unit_sphere import Angle

    tiny = 1e-9
    points = np.zeros((3, 5))
    points[0, 0], points[2, 0] = 1, -1
    points[1, :2] = np.cos(tiny), np.sin(tiny)
    D = Angle(points).distances()
    assert D[0, 1] == pytest.approx(tiny, rel=1e-6)
    assert D[0, 2] == pytest.approx(np.pi, rel=1e-15)


def test_parity_is_seen_by_three_columns_and_by_no_two():
    sample = draw("parity", 8000)
    signs = np.sign(sample.points)
    for i, j in itertools.combinations(range(3), 2):
        counts = np.histogram2d(sample.points[:, i], sample.points[:, j], bins=6)[0] + 0.5
        assert chi2_contingency(counts).pvalue > 0.001
        assert abs(np.corrcoef(signs[:, i], signs[:, j])[0, 1]) < 0.05
    assert np.mean(np.prod(signs, axis=1) == 1) > 0.98
    labels = sample.truth.labels
    np.testing.assert_allclose(np.bincount(labels) / 8000, 0.25, atol=0.02)
    for label in range(4):
        corner = np.unique(sample.latent[labels == label], axis=0)
        assert len(corner) == 1
        centre = 3 * (2 * corner[0] - 1)
        np.testing.assert_allclose(sample.points[labels == label].mean(0), centre, atol=0.1)
    straight = draw("parity", 50, truth="euclidean")
    chords = np.linalg.norm(straight.points[:, None] - straight.points[None], axis=2)
    np.testing.assert_allclose(straight.truth.distances(), chords)
