"""Neighbours by shared leaves: the kernels are those of slow code, bit for bit."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from geoforest_cli.estimators.forests import proximity as proximities
from geoforest_cli.estimators.forests.kernels import lookup
from geoforest_cli.estimators.forests.kernels.rng import mix
from geoforest_cli.estimators.forests.proximity import LeafIndex, sparse_proximity
from tests import naive

N, TREES, SEED = 40, 6, 12


def leaves_of(kind, rng, n=N, trees=TREES):
    """Leaf numbers of trees whose leaves are large, of one point, all in one, or of copies."""
    if kind == "one":
        return np.zeros((trees, n), np.int32)
    if kind == "tiny":
        return np.array([rng.permutation(n) // 2 for _ in range(trees)], np.int32)
    if kind == "alone":
        return np.array([rng.permutation(n) for _ in range(trees)], np.int32)
    leaf_of = rng.integers(0, 5, (trees, n)).astype(np.int32)
    if kind == "copies":
        leaf_of[:, n // 2 :] = leaf_of[:, : n - n // 2]
    return leaf_of


def agree(leaf_of, leaves, rows, k, n_jobs=None):
    """Compare the lists of queries with those of slow code, and return their distances."""
    nodes = leaf_of.max(axis=1).astype(np.int64) + 1
    index = LeafIndex.build(leaf_of, nodes, n_jobs=n_jobs)
    distances, neighbors = index.nearest(leaves, rows, k, SEED, n_jobs)
    lists = [
        naive.nearest_by_leaves(leaf_of, leaves[:, q], int(row), k, SEED, mix)
        for q, row in enumerate(rows)
    ]
    shares, wanted = (np.array(part) for part in zip(*lists, strict=True))
    np.testing.assert_array_equal(distances, 1.0 - shares / len(leaf_of))
    np.testing.assert_array_equal(neighbors, wanted)
    return distances


@pytest.mark.parametrize("kind", ["large", "copies", "tiny", "alone", "one"])
@pytest.mark.parametrize("k", [1, 5, N - 1])
def test_neighbours_of_old_and_new_points_are_those_of_slow_code(kind, k):
    rng = np.random.default_rng(0)
    leaf_of = leaves_of(kind, rng)
    agree(leaf_of, leaf_of, np.arange(N), k)
    new = leaf_of[:, rng.integers(0, N, 15)]
    new[0] = leaf_of[0, rng.integers(0, N, 15)]
    agree(leaf_of, new, np.full(15, -1), k + 1)


@settings(max_examples=25, deadline=None)
@given(st.integers(2, 30), st.integers(1, 5), st.integers(1, 6), st.integers(0, 2**32))
def test_neighbours_on_any_leaves_are_those_of_slow_code(n, trees, n_leaves, seed):
    leaf_of = np.random.default_rng(seed).integers(0, n_leaves, (trees, n)).astype(np.uint16)
    agree(leaf_of, leaf_of, np.arange(n), 1 + seed % (n - 1))


@pytest.mark.parametrize("trees", [255, 256, 300])
def test_more_trees_than_a_byte_counts(trees):
    leaf_of = leaves_of("large", np.random.default_rng(2), n=12, trees=trees)
    leaf_of[:, 1] = leaf_of[:, 0]
    assert agree(leaf_of, leaf_of, np.arange(12), 4)[0, 0] == 0


@pytest.mark.parametrize(("most", "n_jobs"), [(7, 1), (7, 2), (64, 3)])
def test_neighbours_do_not_depend_on_threads_or_blocks(most, n_jobs, monkeypatch):
    monkeypatch.setattr(proximities, "_BLOCK", most)
    leaf_of = leaves_of("large", np.random.default_rng(3), n=100)
    agree(leaf_of, leaf_of, np.arange(100), 7, n_jobs)


@pytest.mark.parametrize("pairs", ["all", "in_bag", "oob"])
@pytest.mark.parametrize("trees", [3, 70])
def test_the_sparse_matrix_is_that_of_slow_code(pairs, trees, monkeypatch):
    rng = np.random.default_rng(4)
    leaf_of = leaves_of("tiny", rng, trees=trees)
    in_bag = rng.random(leaf_of.shape) < 0.6
    in_bag[:, 3], in_bag[:, 4] = True, False
    eligible = {"all": np.ones_like(in_bag), "in_bag": in_bag, "oob": ~in_bag}[pairs]
    together, counted = naive.leaf_counts(leaf_of, eligible)
    shares = np.where(together > 0, together / np.maximum(counted, 1), 0)
    np.fill_diagonal(shares, 1)
    for most, n_jobs in ((512, 1), (7, 2)):
        monkeypatch.setattr(proximities, "_ROWS_LISTED", most)
        matrix = sparse_proximity(leaf_of, in_bag, pairs, n_jobs)
        np.testing.assert_array_equal(matrix.toarray(), shares)
        assert matrix.nnz == np.count_nonzero(shares)
        assert matrix.has_canonical_format


@pytest.mark.parametrize("k", [3, 9])
@pytest.mark.parametrize("met", [(), (2, 5)])
def test_random_points_fill_a_list_up_and_nothing_stays_marked(k, met):
    """Neither a row's own point nor what it has met; few are drawn, many sorted by their keys."""
    n, point = 12, 4
    position = np.random.default_rng(0).permutation(n).astype(np.int32)
    none = np.zeros(0, np.int64)
    places = lookup.Places(none, none, np.zeros(0, np.int32), np.argsort(position), position)
    scratch = lookup.Scratch(np.zeros(n, np.uint8), np.full(n + 1, -1, np.int32))
    scratch.touched[: len(met)] = position[list(met)]
    seen = set()
    for salt in range(40):
        indices = np.full(k, -1, np.int64)
        lookup._fill_up(indices, 0, point, np.uint64(salt), places, scratch, len(met))
        assert len(set(indices.tolist())) == k
        assert not scratch.shared.any()
        seen |= set(indices.tolist())
    assert seen == set(range(n)) - {point, *met}
