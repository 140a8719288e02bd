"""The guarded graph against its slow twin."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial.distance import cdist
from sklearn.datasets import load_digits

from geoforest_cli.estimators.adaptive import graph as graphs
from geoforest_cli.estimators.adaptive.graph import GuardedGraph, Starts
from geoforest_cli.estimators.base.neighbors import distinct_points
from geoforest_cli.estimators.spherelets.graph import neighborhood_graph
from tests.estimators.adaptive import twins


def drawn(shape, n, seed):
    rng = np.random.default_rng(seed)
    if shape == "flat":
        return rng.normal(size=(n, 4))
    if shape == "apart":
        return np.concatenate([rng.normal(size=(n // 2, 2)), 50 + rng.normal(size=(n // 3, 2))])
    if shape == "grid":
        points = rng.integers(6, size=(n, 3)).astype(float)
        return points[distinct_points(points).row]
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
    np.testing.assert_allclose(graph.guard[:3], twins.guard(points, min(30, m - 1)), rtol=1e-9)
    lengths, found = graph.nearest(Starts.at(np.arange(m)), m)
    expected = twins.guarded_lengths(points, min(30, m - 1))
    every = np.empty((m, m))
    np.put_along_axis(every, found, lengths, axis=1)
    np.testing.assert_allclose(every, expected, rtol=1e-9)
    assert np.array_equal(found[:, 0], np.arange(m))


@settings(max_examples=15)
@given(shape=st.sampled_from(["flat", "spiral", "apart"]), seed=st.integers(0, 99))
def test_the_nearest_few_are_the_first_of_all(shape, seed):
    points = drawn(shape, 60, seed)
    graph = built(points)
    starts = Starts.at(np.arange(len(points)))
    every = graph.nearest(starts, len(points))
    few = graph.nearest(starts, 7)
    assert np.array_equal(few[0], every[0][:, :7])
    assert np.array_equal(few[1], every[1][:, :7])


def test_points_as_near_as_each_other_come_in_their_order():
    points = drawn("grid", 120, 3)
    lengths, found = built(points).nearest(Starts.at(np.arange(len(points))), 20)
    tied = lengths[:, 1:] == lengths[:, :-1]
    assert tied.mean() > 0.3
    assert (np.diff(found, axis=1)[tied] > 0).all()


def test_all_points_are_connected_by_the_shortest_bridges():
    points = drawn("apart", 90, 2)
    # fewer neighbours are known than a cluster has points
    graph = built(points, 12)
    lengths, _ = graph.nearest(Starts.at(np.arange(len(points))), len(points))
    assert np.isfinite(lengths).all()
    edges = graph.edges.tocoo()
    across = (edges.row < 45) & (edges.col >= 45)
    assert edges.data[across].tolist() == [cdist(points[:45], points[45:]).min()]


def test_graphs_have_the_indices_that_every_scipy_takes():
    """SciPy 1.15 and 1.16 find spanning trees of no others."""
    near = np.array([[1, 2], [0, 2], [1, 0]], np.int64)
    weights = neighborhood_graph(near, np.ones((3, 2))).weights
    assert weights.indices.dtype == weights.indptr.dtype == np.int32


def test_three_clusters_far_apart_are_one_piece():
    rng = np.random.default_rng(0)
    points = np.concatenate([rng.normal(size=(40, 2)) + 99 * i for i in range(5)])
    lengths, _ = built(points, 12).nearest(Starts.at(np.arange(200)), 200)
    assert np.isfinite(lengths).all()


def test_the_guard_tells_flat_from_bent():
    a, b = 2 * np.pi * np.random.default_rng(0).uniform(size=(2, 500))
    torus = np.c_[(2 + np.cos(a)) * np.cos(b), (2 + np.cos(a)) * np.sin(b), np.sin(a)]
    flat, bent = built(drawn("flat", 500, 0), 75).guard, built(torus, 75).guard
    assert flat.growth < 0.05
    assert flat.limit > 1.5
    assert bent.growth > 0.2
    assert bent.limit < 1.4


def sphere(n, dims):
    points = np.random.default_rng(n).normal(size=(n, dims))
    return points / np.linalg.norm(points, axis=1)[:, None]


@pytest.mark.parametrize("most", [2000, 200])
def test_many_dimensions_are_not_taken_for_bent(monkeypatch, most):
    """Paths are long detours there, and the longer the farther."""
    monkeypatch.setattr(graphs, "_MEASURED", most)
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


def test_some_points_speak_for_all_where_there_are_many(monkeypatch):
    points = drawn("spiral", 400, 0)
    every = built(points)
    monkeypatch.setattr(graphs, "_MEASURED", 200)
    half = built(points)
    assert half.guard != every.guard
    np.testing.assert_allclose(half.guard, every.guard, atol=0.1)


def test_new_points_are_joined_by_the_same_rules():
    points = drawn("spiral", 200, 5)
    new = points[:150:10] + 1e-9
    graph = built(points)
    lengths, found = graph.nearest(graph.starts(new), 20)
    own, expected = graph.nearest(Starts.at(np.arange(0, 150, 10)), 20)
    np.testing.assert_allclose(lengths, own, atol=1e-7)
    assert (found == expected).mean() > 0.97


def test_a_new_point_has_edges_where_detours_are_short():
    points = drawn("spiral", 120, 6)
    graph = built(points)
    new = np.array([[0.4, 0.2]])
    starts = graph.starts(new)
    chords = cdist(new, points)[0]
    near = np.argsort(chords)[:30]
    lengths = twins.path_lengths(graph.base.toarray())
    through = (chords[near[:10], None] + lengths[near[:10]][:, near]).min(axis=0)
    joined = near[(np.arange(30) < 10) | (through <= graph.guard.limit * chords[near])]
    assert sorted(starts.nodes.tolist()) == sorted(joined.tolist())
    np.testing.assert_allclose(starts.lengths, chords[starts.nodes])


@pytest.mark.parametrize("n_jobs", [2, 3])
def test_threads_change_nothing(n_jobs, monkeypatch):
    monkeypatch.setattr(graphs, "_BLOCK", 64)
    points = drawn("spiral", 300, 7)
    one, more = built(points), built(points, n_jobs=n_jobs)
    assert one.guard == more.guard
    starts = Starts.at(np.arange(300))
    for a, b in zip(one.nearest(starts, 30), more.nearest(starts, 30), strict=True):
        assert np.array_equal(a, b)


def test_one_point_and_two():
    assert built(np.zeros((1, 2))).nearest(Starts.at(np.array([0])), 1)[1].tolist() == [[0]]
    pair = built(np.array([[0.0], [3.0]]))
    assert pair.nearest(Starts.at(np.arange(2)), 2)[0].tolist() == [[0, 3], [0, 3]]


@pytest.mark.parametrize("ranks", [3, graphs._JOINED, graphs._JOINED + 2])
def test_neighbours_that_are_all_joined_say_nothing_of_detours(ranks):
    ratios = np.full((20, ranks), 1.3)
    guard = graphs._guard(ratios, np.ones_like(ratios, dtype=bool))
    assert tuple(guard[:3]) == (1.0, 0.0, graphs._LEAST)
