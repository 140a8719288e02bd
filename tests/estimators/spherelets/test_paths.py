"""Shortest paths against SciPy's, to the last bit."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_array
from scipy.sparse.csgraph import dijkstra

from geoforest_cli.estimators.spherelets.graph import Graph, shortest_paths


def drawn(seed, n, degree, weights):
    rng = np.random.default_rng(seed)
    i, j = rng.integers(n, size=(2, int(n * degree)))
    chosen = rng.choice(weights, len(i)) if weights else rng.exponential(size=len(i))
    table = np.zeros((n, n))
    table[i, j] = table[j, i] = chosen
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


@pytest.mark.parametrize("longest", [1.5, 1e6])
def test_a_long_way_round_is_found_and_improved(longest):
    """A hub reaches all at first; a chain from node to node is shorter for the last."""
    n = 30
    table = np.zeros((n, n))
    table[0, 1:] = longest * np.arange(1, n)
    for i in range(1, n - 1):
        table[i, i + 1] = 1.0
    table = np.maximum(table, table.T)
    graph = Graph(csr_array(table), np.zeros(n, np.int32), 1)
    assert shortest_paths(graph)[0].tolist() == [0.0, *(longest + np.arange(n - 1.0))]
