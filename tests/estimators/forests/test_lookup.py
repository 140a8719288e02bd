"""Neighbours by shared leaves: the kernels are those of the slow twin, bit for bit."""

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
    found = rng.integers(0, 5, (trees, n)).astype(np.int32)
    if kind == "copies":
        found[:, n // 2 :] = found[:, : n - n // 2]
    return found


def indexed(leaf_of, n_jobs=None):
    return LeafIndex.build(leaf_of, leaf_of.max(axis=1).astype(np.int64) + 1, n_jobs=n_jobs)


def expected(leaf_of, leaves, rows, k):
    found = [
        naive.nearest_by_leaves(leaf_of, leaves[:, q], int(own), k, SEED, mix)
        for q, own in enumerate(rows)
    ]
    shares, near = (np.array(part) for part in zip(*found, strict=True))
    return 1.0 - shares / len(leaf_of), near


@pytest.mark.parametrize("kind", ["large", "copies", "tiny", "alone", "one"])
@pytest.mark.parametrize("k", [1, 5, N - 1])
def test_neighbours_of_training_points_are_those_of_the_twin(kind, k):
    leaf_of = leaves_of(kind, np.random.default_rng(0))
    rows = np.arange(N)
    distances, near = indexed(leaf_of).nearest(leaf_of, rows, k, SEED)
    wanted = expected(leaf_of, leaf_of, rows, k)
    np.testing.assert_array_equal(distances, wanted[0])
    np.testing.assert_array_equal(near, wanted[1])


@settings(max_examples=25, deadline=None)
@given(st.integers(2, 30), st.integers(1, 5), st.integers(1, 6), st.integers(0, 2**32))
def test_neighbours_on_any_leaves_are_those_of_the_twin(n, trees, n_leaves, seed):
    leaf_of = np.random.default_rng(seed).integers(0, n_leaves, (trees, n)).astype(np.uint16)
    k = 1 + seed % (n - 1)
    distances, near = indexed(leaf_of).nearest(leaf_of, np.arange(n), k, SEED)
    wanted = expected(leaf_of, leaf_of, np.arange(n), k)
    np.testing.assert_array_equal(distances, wanted[0])
    np.testing.assert_array_equal(near, wanted[1])


@pytest.mark.parametrize("trees", [255, 256, 300])
def test_more_trees_than_a_byte_counts(trees):
    leaf_of = leaves_of("large", np.random.default_rng(2), n=12, trees=trees)
    leaf_of[:, 1] = leaf_of[:, 0]
    distances, near = indexed(leaf_of).nearest(leaf_of, np.arange(12), 4, SEED)
    wanted = expected(leaf_of, leaf_of, np.arange(12), 4)
    np.testing.assert_array_equal(distances, wanted[0])
    np.testing.assert_array_equal(near, wanted[1])
    assert distances[0, 0] == 0


@pytest.mark.parametrize("pairs", ["all", "in_bag", "oob"])
@pytest.mark.parametrize("trees", [3, 70])
def test_the_sparse_matrix_is_that_of_the_twin(pairs, trees, monkeypatch):
    rng = np.random.default_rng(4)
    leaf_of = leaves_of("tiny", rng, trees=trees)
    in_bag = rng.random(leaf_of.shape) < 0.6
    in_bag[:, 3], in_bag[:, 4] = True, False
    eligible = {"all": np.ones_like(in_bag), "in_bag": in_bag, "oob": ~in_bag}[pairs]
    together, counted = naive.leaf_counts(leaf_of, eligible)
    shares = np.where(together > 0, together / np.maximum(counted, 1), 0)
    np.fill_diagonal(shares, 1)
    found = sparse_proximity(leaf_of, in_bag, pairs)
    np.testing.assert_array_equal(found.toarray(), shares)
    assert found.nnz == np.count_nonzero(shares)
    assert found.has_canonical_format
    monkeypatch.setattr(proximities, "_ROWS_LISTED", 7)
    again = sparse_proximity(leaf_of, in_bag, pairs, n_jobs=2)
    np.testing.assert_array_equal(found.indices, again.indices)
    np.testing.assert_array_equal(found.data, again.data)


@pytest.mark.parametrize("k", [3, 9])
@pytest.mark.parametrize("met", [(), (2, 5)])
def test_random_points_fill_a_list_up_and_nothing_stays_marked(k, met):
    """Neither a row's own point nor what it has met; few are drawn, many sorted by their keys."""
    n, own = 12, 4
    place = np.random.default_rng(0).permutation(n).astype(np.int32)
    none = np.zeros(0, np.int64)
    places = lookup.Places(none, none, np.zeros(0, np.int32), np.argsort(place), place)
    scratch = lookup.Scratch(np.zeros(n, np.uint8), np.full(n + 1, -1, np.int32))
    scratch.touched[: len(met)] = place[list(met)]
    seen = set()
    for salt in range(40):
        indices = np.full(k, -1, np.int64)
        lookup._fill_up(indices, 0, own, np.uint64(salt), places, scratch, len(met))
        assert len(set(indices.tolist())) == k
        assert not scratch.shared.any()
        seen |= set(indices.tolist())
    assert seen == set(range(n)) - {own, *met}
