"""Each manifold against independent geometry."""

import itertools

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.sparse.csgraph import shortest_path
from scipy.spatial import cKDTree
from scipy.stats import chi2_contingency
from sklearn.datasets import make_moons

from geoforest_cli.problems.manifolds import (
    MANIFOLDS,
    branching_tree,
    lemniscate,
    swiss_roll,
    trefoil,
)
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


def test_sphere_as_written_keeps_digits_that_the_cosine_loses():
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
        members = many.latent[:, 0] == k
        assert np.mean(members) == pytest.approx(share, abs=0.03)
        np.testing.assert_allclose(many.points[members].mean(0), centre, atol=0.15)
    assert draw("gaussian_mixture", truth="euclidean").truth.kind == "continuous"
    assert draw("gaussian_mixture", kind="as_run", truth="component").truth.kind == "component"


def test_noise_of_old_seeds_is_what_it_was():
    points = draw("helix", 30).points
    noisy = add_noise(points, 4, 70.0, np.random.default_rng(1), "normal")
    expected = np.random.default_rng(1).normal(0.0, np.sqrt(70.0), size=(30, 4))
    assert np.array_equal(noisy[:, 3:], expected)
    assert np.array_equal(noisy, add_noise(points, 4, 70.0, np.random.default_rng(1)))


def test_permuted_noise_has_the_signals_marginals_and_no_more():
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
def test_distances_between_moons_are_infinite_along_them_arcs(kind):
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


def along_a_graph(points, radius):
    """Shortest paths over the chords of up to `radius` between densely drawn points."""
    pairs = cKDTree(points).sparse_distance_matrix(cKDTree(points), radius)
    return shortest_path(pairs.tocsr(), directed=False)


@pytest.mark.nightly
@pytest.mark.parametrize(
    ("name", "radius"),
    [("trefoil", 0.2), ("branching_tree", 0.006), ("linked_circles", 0.05)],
)
def test_distances_on_curves_are_those_of_a_fine_graph(name, radius):
    sample = draw(name, 4000, "as_written")
    D = sample.truth.distances()[::97, ::97]
    graph = along_a_graph(sample.points, radius)[::97, ::97]
    assert np.array_equal(np.isinf(D), np.isinf(graph))
    finite = np.isfinite(D)
    np.testing.assert_allclose(graph[finite], D[finite], atol=1e-2)


def test_distances_on_the_figure_of_eight_are_of_its_two_loops():
    # a graph would take the short cut between the arms near the crossing: they are kept apart
    # but for the crossing itself
    sample = draw("lemniscate", 4000, "as_written")
    steps = np.linalg.norm(np.diff(sample.points, axis=0), axis=1)
    along = np.concatenate([[0], np.cumsum(steps)])
    total = along[-1] + np.linalg.norm(sample.points[0] - sample.points[-1])
    assert total == pytest.approx(2 * lemniscate.LOOP, rel=1e-6)
    D = sample.truth.distances()
    half = total / 2
    for i, j in [(5, 1000), (5, 1990), (10, 3990), (1999, 2001), (900, 3100), (1500, 2500)]:
        a, b = sorted((along[i], along[j]))
        if b < half or a >= half:
            expected = min(b - a, half - (b - a))
        else:
            expected = min(a, half - a) + min(b - half, total - b)
        assert D[i, j] == pytest.approx(expected, abs=2e-5)


def test_the_length_of_the_trefoil_against_quadrature():
    def speed(t):
        return np.sqrt(
            (np.cos(t) + 4 * np.cos(2 * t)) ** 2
            + (-np.sin(t) + 4 * np.sin(2 * t)) ** 2
            + 9 * np.cos(3 * t) ** 2
        )

    for end in (0.1, 1.0, 2.5, 2 * np.pi):
        length = quad(speed, 0, end, limit=200)[0]
        assert trefoil.arc_length(np.array([end]))[0] == pytest.approx(length, rel=1e-10)


def test_distances_on_the_plane_are_chords():
    sample = draw("plane", 40, "as_run")
    chords = np.linalg.norm(sample.points[:, None] - sample.points[None], axis=2)
    np.testing.assert_allclose(sample.truth.distances(), chords, atol=1e-12)
    assert np.linalg.matrix_rank(sample.points - sample.points.mean(0)) == 2
    grid = draw("plane", 49, "as_written")
    assert len(np.unique(grid.points.round(9), axis=0)) == 49


def test_distances_on_the_tree_go_through_the_forks():
    truth = branching_tree.AlongEdges(
        np.array([0, 3, 4, 5, 3]), np.array([0.0, 1.0, 1.0, 1.0, 0.25]), branching_tree.EDGES
    )
    # the foot, the ends of three twigs, a quarter up the first twig
    expected = [[0, 3, 3, 3, 2.25], [3, 0, 2, 4, 0.75], [3, 2, 0, 4, 1.25]]
    np.testing.assert_allclose(truth.distances()[:3], expected)


def test_distances_on_the_cone_are_those_of_the_sector():
    sample = draw("cone", 300, "as_run")
    r, angle = sample.latent.T
    D = sample.truth.distances()
    # unrolled from an edge opposite to the first point, so that no line from it is cut
    turned = (angle - angle[0] + np.pi) % (2 * np.pi) - np.pi
    flat = np.column_stack([r * np.cos(turned / 2), r * np.sin(turned / 2)])
    np.testing.assert_allclose(D[0], np.linalg.norm(flat - flat[0], axis=1), atol=1e-12)
    # and the line is as long in space: followed in small steps along the cone
    t = np.linspace(0, 1, 20_001)[:, None]
    line = flat[0] + t * (flat[7] - flat[0])
    ring, round_ = np.hypot(*line.T), 2 * np.arctan2(line[:, 1], line[:, 0])
    path = np.column_stack(
        [ring / 2 * np.cos(round_), ring / 2 * np.sin(round_), ring * np.sqrt(0.75)]
    )
    assert np.linalg.norm(np.diff(path, axis=0), axis=1).sum() == pytest.approx(D[0, 7], rel=1e-6)
