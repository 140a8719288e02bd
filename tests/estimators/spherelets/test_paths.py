"""Shortest paths against SciPy's, to the last bit."""

from typing import NamedTuple

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_array
from scipy.sparse.csgraph import dijkstra

from geoforest_cli.estimators.spherelets.graph import Graph, shortest_paths
from geoforest_cli.estimators.spherelets.kernels import paths


def drawn(seed, n, degree, weights):
    rng = np.random.default_rng(seed)
    i, j = rng.integers(n, size=(2, int(n * degree)))
    lengths = rng.choice(weights, len(i)) if weights else rng.exponential(size=len(i))
    table = np.zeros((n, n))
    table[i, j] = table[j, i] = lengths
    np.fill_diagonal(table, 0.0)
    return csr_array(table)


@settings(max_examples=40)
@given(
    seed=st.integers(0, 1000), n=st.integers(1, 40), degree=st.floats(0.2, 6),
    weights=st.sampled_from([(), (1.0,), (1e-12, 1.0, 1.0 / 3.0)]),
)  # fmt: skip
def test_paths_are_those_of_scipy(seed, n, degree, weights):
    """With equal weights, tiny ones, components apart and nodes that are reached several times."""
    table = drawn(seed, n, degree, weights)
    graph = Graph(table, np.zeros(n, np.int32), 1)
    np.testing.assert_array_equal(shortest_paths(graph), dijkstra(table))


def as_graph(table):
    return paths.PathGraph(
        table.indptr.astype(np.int64), table.indices.astype(np.int32), table.data
    )


class Sources(NamedTuple):
    first: np.ndarray
    nodes: np.ndarray
    lengths: np.ndarray


def with_sources(seed, n, m):
    """A graph, m points with edges to three of its nodes each, and SciPy's lengths from these."""
    rng = np.random.default_rng(seed)
    table = drawn(seed, n, 2.0, ())
    nodes = np.array([rng.choice(n, 3, replace=False) for _ in range(m)])
    lengths = rng.exponential(size=(m, 3))
    graph = as_graph(table)
    sources = Sources(np.arange(0, 3 * m + 1, 3), nodes.ravel(), lengths.ravel())
    between = dijkstra(table)
    return graph, sources, (lengths[:, :, None] + between[nodes]).min(axis=1)


@settings(max_examples=25)
@given(seed=st.integers(0, 1000), n=st.integers(3, 30), m=st.integers(1, 4))
def test_from_points_outside_paths_begin_at_their_edges(seed, n, m):
    graph, sources, wanted = with_sources(seed, n, m)
    targets = np.tile(np.arange(n), (m, 1))
    lengths = np.empty((m, n))
    paths.lengths_to(graph, sources, targets, np.full(m, np.inf), n + 1, lengths)
    np.testing.assert_allclose(lengths, wanted)
    # no path that is longer is followed: what is known then is the shortest all the same
    farthest = np.median(np.where(np.isfinite(wanted), wanted, 0.0), axis=1)
    paths.lengths_to(graph, sources, targets, farthest, n + 1, lengths)
    finite = np.isfinite(lengths)
    np.testing.assert_allclose(lengths[finite], wanted[finite])
    assert finite[wanted <= farthest[:, None] - 1e-9].all()


@settings(max_examples=25)
@given(seed=st.integers(0, 1000), n=st.integers(3, 30), m=st.integers(1, 4))
def test_the_nearest_nodes_by_paths_are_the_first_of_all(seed, n, m):
    graph, sources, wanted = with_sources(seed, n, m)
    k = (n + 1) // 2
    lengths, nodes = np.empty((m, k)), np.empty((m, k), np.int64)
    paths.nearest(graph, sources, lengths, nodes)
    np.testing.assert_allclose(lengths, np.sort(wanted, axis=1)[:, :k])
    for s in range(m):
        reached = np.isfinite(lengths[s])
        assert (nodes[s][~reached] == -1).all()
        np.testing.assert_allclose(wanted[s, nodes[s][reached]], lengths[s][reached])


def test_of_equally_near_nodes_the_first_are_listed():
    table = np.zeros((6, 6))
    table[0, 1:] = table[1:, 0] = 1.0
    graph = as_graph(csr_array(table))
    sources = Sources(np.array([0, 1]), np.array([0]), np.array([0.0]))
    lengths, nodes = np.empty((1, 4)), np.empty((1, 4), np.int64)
    paths.nearest(graph, sources, lengths, nodes)
    assert nodes.tolist() == [[0, 1, 2, 3]]
    assert lengths.tolist() == [[0.0, 1.0, 1.0, 1.0]]


@settings(max_examples=25)
@given(seed=st.integers(0, 1000), n=st.integers(3, 30), m=st.integers(1, 4))
def test_a_path_within_a_bound_is_found_and_no_other(seed, n, m):
    graph, sources, wanted = with_sources(seed, n, m)
    rng = np.random.default_rng(seed)
    targets = np.array([rng.choice(n, 3, replace=False) for _ in range(m)])
    lengths = np.take_along_axis(wanted, targets, axis=1)
    factors = rng.choice([0.5, 0.999, 1.001, 2.0], size=lengths.shape)
    bounds = np.where(np.isfinite(lengths), lengths, 1.0) * factors
    is_within = np.empty((m, 3), np.bool_)
    paths.within(graph, sources, targets, bounds, is_within)
    np.testing.assert_array_equal(is_within, lengths <= bounds)


def test_a_source_that_reaches_too_few_nodes_ends_with_none():
    """After one that reaches all: nothing of what it found is left."""
    table = np.zeros((7, 7))
    for i, j in ((0, 1), (1, 2), (2, 3), (5, 6)):
        table[i, j] = table[j, i] = 1.0
    graph = as_graph(csr_array(table))
    # edges to nodes of both pieces, to one of the small piece, to the node apart, to none
    sources = Sources(
        np.array([0, 2, 3, 4, 4]), np.array([0, 5, 6, 4]), np.array([0.0, 0.5, 2.0, 3.0])
    )
    lengths, ends = np.empty((4, 6)), np.empty((4, 6), np.int64)
    paths.nearest(graph, sources, lengths, ends)
    assert ends.tolist() == [
        [0, 5, 1, 6, 2, 3], [6, 5, -1, -1, -1, -1], [4, *[-1] * 5], [-1] * 6,
    ]  # fmt: skip
    none = np.inf
    assert lengths.tolist() == [
        [0, 0.5, 1, 1.5, 2, 3], [2, 3, none, none, none, none], [3, *[none] * 5], [none] * 6,
    ]  # fmt: skip
    # all that are reached, one fewer, and one
    for k in (2, 1):
        few, nodes = np.empty((4, k)), np.empty((4, k), np.int64)
        paths.nearest(graph, sources, few, nodes)
        assert nodes.tolist() == ends[:, :k].tolist()
        assert few.tolist() == lengths[:, :k].tolist()


def test_no_more_nodes_are_looked_at_than_is_said():
    line = np.diag(np.ones(5), 1)
    graph = as_graph(csr_array(line + line.T))
    sources = Sources(np.array([0, 1, 2]), np.array([0, 3]), np.array([0.0, 0.25]))
    targets = np.array([[1, 3, 5], [3, 2, 5]])
    lengths = np.empty((2, 3))
    for most, first, second in (
        (0, [np.inf] * 3, [np.inf] * 3),
        (2, [1.0, np.inf, np.inf], [0.25, 1.25, np.inf]),
        (5, [1.0, 3.0, np.inf], [0.25, 1.25, 2.25]),
        (9, [1.0, 3.0, 5.0], [0.25, 1.25, 2.25]),
    ):
        paths.lengths_to(graph, sources, targets, np.full(2, np.inf), most, lengths)
        assert lengths.tolist() == [first, second]
    # a path as long as the bound is followed to its end
    paths.lengths_to(graph, sources, targets, np.array([3.0, 1.24]), 9, lengths)
    assert lengths.tolist() == [[1.0, 3.0, np.inf], [0.25, np.inf, np.inf]]
    is_within = np.empty((2, 3), np.bool_)
    paths.within(graph, sources, targets, np.array([[1.0, 2.9, 5.0], [0.2, 1.25, 2.0]]), is_within)
    assert is_within.tolist() == [[True, False, True], [False, True, False]]
