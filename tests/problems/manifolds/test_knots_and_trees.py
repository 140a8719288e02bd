"""Trefoil, plane, tree, lemniscate, cone and linked circles against independent geometry."""

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.sparse.csgraph import shortest_path
from scipy.spatial import cKDTree

from geoforest_cli.problems.manifolds import MANIFOLDS, branching_tree, lemniscate, trefoil


def draw(name, n=200, kind="as_run", seed=0, **options):
    return MANIFOLDS[name].load()(n, kind, np.random.default_rng(seed), **options)


def along_a_graph(points, radius):
    """Shortest paths over the chords of up to `radius` between densely drawn points."""
    pairs = cKDTree(points).sparse_distance_matrix(cKDTree(points), radius)
    return shortest_path(pairs.tocsr(), directed=False)


@pytest.mark.parametrize(
    ("name", "radius"),
    [("trefoil", 0.2), ("branching_tree", 0.006), ("linked_circles", 0.05)],
)
def test_distances_on_curves_are_those_of_a_fine_graph(name, radius):
    sample = draw(name, 4000, "as_written")
    D = sample.truth.distances()[::97, ::97]
    graph = along_a_graph(sample.points, radius)[::97, ::97]
    assert np.array_equal(np.isinf(D), np.isinf(graph))
    near = np.isfinite(D)
    np.testing.assert_allclose(graph[near], D[near], atol=1e-2)


def test_distances_on_the_figure_of_eight_are_those_of_its_two_loops():
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
    sample = draw("plane", 40)
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
    sample = draw("cone", 300)
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
