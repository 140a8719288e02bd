"""Forests of so many rows that the trees see a sorted copy; the partition of a node's rows."""

from dataclasses import replace

import numpy as np
import pytest

from geoforest_cli.estimators.forests import growth as growing
from geoforest_cli.estimators.forests.geodesic_forest import GeodesicForest
from geoforest_cli.estimators.forests.kernels.leaves import drop
from geoforest_cli.estimators.forests.kernels.rules import Projection, TreeNode
from geoforest_cli.estimators.forests.kernels.trees import divide
from geoforest_cli.estimators.forests.kernels.workspace import new_workspace
from geoforest_cli.estimators.forests.presets import AS_WRITTEN


def many_rows(n_trees, monkeypatch, most, **more):
    """A forest with default settings, of 900 rows in 6 columns; more than `most` are many."""
    monkeypatch.setattr(growing, "_MANY_ROWS", most)
    X = np.random.default_rng(2).normal(size=(900, 6)) @ np.diag([3, 2, 1, 1, 1, 1])
    X[:, 1] += X[:, 0] ** 2
    forest = GeodesicForest(n_trees, screen=None, max_search=100, random_state=4, **more)
    return forest.fit(X), X


def test_forests_of_many_rows_see_them_in_another_order(monkeypatch):
    (forest, X), (plain, _) = (many_rows(8, monkeypatch, most) for most in (899, 900))
    threads, _ = many_rows(8, monkeypatch, 899, n_jobs=2)
    assert np.array_equal(threads.forest_.leaf_of, forest.forest_.leaf_of)
    ours, theirs = forest.forest_, plain.forest_
    # every row has its own leaf and its own bag count, as if nothing had been sorted
    assert np.array_equal(forest.apply(X).T, ours.leaf_of)
    assert np.array_equal(ours.in_bag, theirs.in_bag)
    first = slice(ours.first_node[1])
    assert np.array_equal(ours.threshold[first], theirs.threshold[first])
    assert not np.array_equal(ours.leaf_of[1:], theirs.leaf_of[1:])


def test_the_papers_forest_sees_many_rows_in_order_of_the_table(monkeypatch):
    calls = []
    monkeypatch.setattr(growing, "_MANY_ROWS", 99)
    monkeypatch.setattr(growing, "renumbered", lambda *seen: calls.append(seen) or seen[:2])
    X = np.random.default_rng(2).normal(size=(300, 4))
    GeodesicForest(2, **AS_WRITTEN, random_state=4).fit(X)
    assert not calls
    GeodesicForest(2, screen=None, random_state=4).fit(X)
    assert len(calls) == 1


@pytest.mark.parametrize("size", [1, 2, 3])
def test_a_node_is_divided_in_the_order_of_its_rows(size):
    rng = np.random.default_rng(size)
    columns, rows = rng.integers(-2, 3, (4, 50)) * 1.0, rng.permutation(50).astype(np.int32)
    features, weights = np.array([3, 0, 2], np.int32), np.array([1, -1, -1], np.float32)
    z = sum(weights[k] * columns[features[k]] for k in range(size))
    left = [row for row in rows[5:45] if z[row] < 1.0]
    right = [row for row in rows[5:45] if not z[row] < 1.0]
    expected = [*rows[:5], *left, *right, *rows[45:]]
    node = TreeNode(rows, 5, 45, 40, np.ones(50, np.int32))
    projection = Projection(features, weights, 0, size)
    assert divide(columns, node, projection, 1.0, new_workspace(50)) == 5 + len(left)
    assert rows.tolist() == expected


@pytest.mark.parametrize("size", [1, 2, 3])
@pytest.mark.parametrize("n", [1, 60])
def test_nodes_of_any_number_of_columns_send_rows_the_same_way(size, n):
    rng = np.random.default_rng(size)
    X = rng.integers(-2, 3, (n, 4)) * 1.0
    X[rng.random((n, 4)) < 0.1] = np.inf
    # a root, its left child, and leaves; twice the same tree
    children = np.tile(np.array([[1, 2], [3, 4], [-1, -1], [-1, -1], [-1, -1]], np.int32), (2, 1))
    features = np.array([*[3, 0, 2][:size], 1], np.int32)
    weights = np.array([*[1, -1, -1][:size], 1], np.float32)
    terms = np.array([size, 1, 0, 0, 0] * 2)
    threshold = np.array([1.0, 0.0, 0.0, 0.0, 0.0] * 2)
    trees = (
        children, threshold, np.r_[0, np.cumsum(terms)], np.tile(features, 2), np.tile(weights, 2),
    )  # fmt: skip
    leaves = np.empty((2, n), np.int32)
    with np.errstate(invalid="ignore"):
        z = sum(w * X[:, f] for w, f in zip(weights[:size], features[:size], strict=True))
        drop(np.c_[X, np.zeros(n)], np.array([0, 5, 10]), trees, leaves)
    expected = np.where(z < 1, np.where(X[:, 1] < 0, 3, 4), 2)
    assert np.array_equal(leaves, [expected, expected])


def test_rows_are_dropped_alike_alone_and_together():
    X = np.random.default_rng(3).normal(size=(600, 3))
    model = GeodesicForest(5, min_parent=4, random_state=0).fit(X)
    forest = model.forest_
    assert np.diff(forest.first_node).min() > 64  # too many to write side by side for a row
    assert all(np.array_equal(model.apply(X[[i]])[0], forest.leaf_of[:, i]) for i in (0, 7, 599))
    # more rows at once down larger trees, within a bound
    assert forest._rows_at_once(3) == (1 << 16) // 4
    large = replace(forest, first_node=np.array([0, 400_000]))
    assert large._rows_at_once(3) == 100_000
    assert large._rows_at_once(9_999) == (1 << 23) // 10_000
