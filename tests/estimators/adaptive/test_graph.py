"""The guarded graph against slow code."""

import numpy as np
import pytest
from scipy.spatial.distance import cdist
from sklearn.datasets import load_digits

from geoforest_cli.estimators.adaptive import graph as graphs
from geoforest_cli.estimators.adaptive.graph import GuardedGraph, Starts
from geoforest_cli.estimators.base.copies import distinct_points
from tests.estimators.adaptive import slow


def drawn(shape, n, seed):
    rng = np.random.default_rng(seed)
    if shape == "flat":
        return rng.normal(size=(n, 4))
    if shape == "apart":
        return np.concatenate([rng.normal(size=(n // 2, 2)), 50 + rng.normal(size=(n // 3, 2))])
    if shape == "grid":
        points = rng.integers(6, size=(n, 3)).astype(float)
        return points[distinct_points(points, 0).row]
    t = 11 * rng.uniform(size=n)
    return np.c_[t * np.cos(t), t * np.sin(t)] + 0.3 * rng.normal(size=(n, 2))


def built(points, width=30, n_jobs=None):
    return GuardedGraph.fit(points, width, np.random.default_rng(0), n_jobs)


CASES = [("flat", 90), ("flat", 15), ("apart", 80), ("spiral", 150), ("spiral", 60)]


@pytest.mark.parametrize(("shape", "n"), CASES)
def test_lengths_are_those_of_all_pairs(shape, n):
    points = drawn(shape, n, 1)
    graph = built(points)
    m = len(points)
    np.testing.assert_allclose(graph.guard[:3], slow.guard(points, min(30, m - 1)), rtol=1e-9)
    lengths, nodes = graph.nearest(Starts.at(np.arange(m)), m)
    expected = slow.guarded_lengths(points, min(30, m - 1))
    every = np.empty((m, m))
    np.put_along_axis(every, nodes, lengths, axis=1)
    np.testing.assert_allclose(every, expected, rtol=1e-9)
    assert np.array_equal(nodes[:, 0], np.arange(m))


def test_points_as_near_as_each_other_come_in_their_order():
    points = drawn("grid", 120, 3)
    lengths, nodes = built(points).nearest(Starts.at(np.arange(len(points))), 20)
    tied = lengths[:, 1:] == lengths[:, :-1]
    assert tied.mean() > 0.3
    assert (np.diff(nodes, axis=1)[tied] > 0).all()


def test_all_points_are_connected_by_the_shortest_bridges():
    points = drawn("apart", 90, 2)
    # fewer neighbours are known than a cluster has points
    graph = built(points, 12)
    lengths, _ = graph.nearest(Starts.at(np.arange(len(points))), len(points))
    assert np.isfinite(lengths).all()
    edges = graph.edges.tocoo()
    across = (edges.row < 45) & (edges.col >= 45)
    assert edges.data[across].tolist() == [cdist(points[:45], points[45:]).min()]


def sphere(n, dims):
    points = np.random.default_rng(n).normal(size=(n, dims))
    return points / np.linalg.norm(points, axis=1)[:, None]


def test_many_dimensions_are_not_taken_for_bent(monkeypatch):
    """Paths are long detours there, and the longer the farther; half of the points say so."""
    monkeypatch.setattr(graphs, "_MEASURED", 200)
    guard = built(sphere(400, 10), 75).guard
    assert guard.flat
    assert guard.detour > 1.5
    assert (guard.growth, guard.limit) == (0.0, 3.0)
    correlated = np.random.default_rng(1).normal(size=(400, 10)) @ np.diag(1.0 / np.arange(1, 11))
    assert not built(correlated, 75).guard.flat
    digits = load_digits().data[:400]
    bent = built(digits, 75).guard
    assert bent.detour > 1.4
    assert not bent.flat
    assert bent.limit < 1.3


def test_new_points_are_joined_by_the_same_rules():
    points = drawn("spiral", 200, 5)
    new = points[:150:10] + 1e-9
    graph = built(points)
    lengths, nodes = graph.nearest(graph.starts(new), 20)
    of_nodes, expected = graph.nearest(Starts.at(np.arange(0, 150, 10)), 20)
    np.testing.assert_allclose(lengths, of_nodes, atol=1e-7)
    assert (nodes == expected).mean() > 0.97


def test_a_new_point_has_edges_where_detours_are_short():
    points = drawn("spiral", 120, 6)
    graph = built(points)
    new = np.array([[0.4, 0.2]])
    starts = graph.starts(new)
    chords = cdist(new, points)[0]
    neighbors = np.argsort(chords)[:30]
    lengths = slow.path_lengths(graph.base.toarray())
    through = (chords[neighbors[:10], None] + lengths[neighbors[:10]][:, neighbors]).min(axis=0)
    joined = neighbors[(np.arange(30) < 10) | (through <= graph.guard.limit * chords[neighbors])]
    assert sorted(starts.nodes.tolist()) == sorted(joined.tolist())
    np.testing.assert_allclose(starts.lengths, chords[starts.nodes])


def test_one_point_and_two():
    assert built(np.zeros((1, 2))).nearest(Starts.at(np.array([0])), 1)[1].tolist() == [[0]]
    pair = built(np.array([[0.0], [3.0]]))
    assert pair.nearest(Starts.at(np.arange(2)), 2)[0].tolist() == [[0, 3], [0, 3]]


@pytest.mark.parametrize("ranks", [3, graphs._JOINED, graphs._JOINED + 2])
def test_neighbours_that_are_all_joined_say_nothing_of_detours(ranks):
    ratios = np.full((20, ranks), 1.3)
    guard = graphs._guard(ratios, np.ones_like(ratios, dtype=bool))
    assert tuple(guard[:3]) == (1.0, 0.0, graphs._MIN_GUARD)
