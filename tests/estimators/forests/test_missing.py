"""Missing values in the forests."""

from typing import NamedTuple

import numpy as np
import pytest
from sklearn.tree import DecisionTreeClassifier

from geoforest_cli.estimators.forests import supervised
from geoforest_cli.estimators.forests.classifiers import (
    MorfClassifier,
    RandomForestClassifier,
    SporfClassifier,
)
from geoforest_cli.estimators.forests.kernels import sides
from geoforest_cli.estimators.forests.kernels.rules import TreeNode
from geoforest_cli.estimators.forests.regressor import RandomForestRegressor
from geoforest_cli.estimators.forests.sides import Sides, to_larger_sides
from tests import naive

T = np.sort(np.random.default_rng(6).uniform(0, 1, 90))
CURVE = np.c_[4 * T, 6 * T**2, 9 * np.sqrt(T), np.random.default_rng(7).normal(size=90)]
HOLES = np.where(np.random.default_rng(8).random(CURVE.shape) < 0.15, np.nan, CURVE)
Y = (T > 0.5).astype(int)


@pytest.mark.parametrize(
    "estimator",
    [MorfClassifier(2), RandomForestClassifier(2, missing="refuse"),
     RandomForestRegressor(2, missing="refuse")],
)  # fmt: skip
def test_missing_values_are_refused_where_they_are_not_allowed(estimator):
    with pytest.raises(ValueError, match="contains NaN"):
        estimator.fit(HOLES, Y)


@pytest.mark.parametrize("forest", [RandomForestClassifier, SporfClassifier, RandomForestRegressor])
def test_predictions_with_holes(forest):
    model = forest(60, oob_score=True, random_state=0).fit(HOLES, Y)
    assert np.array_equal(model.apply(HOLES), model.forest_.leaf_of.T)
    assert model.oob_score_ > 0.6
    assert model.feature_importances_.shape == (4,)
    assert model.feature_importances_.sum() == pytest.approx(1)
    # as scikit-learn's trees, which have nothing to cut in a column without any value
    empty = np.where(np.arange(4) == 2, np.nan, HOLES)
    assert forest(5, random_state=0).fit(empty, Y).score(empty, Y) > 0.5


@pytest.mark.parametrize("kind", [SporfClassifier, RandomForestRegressor])
def test_a_forest_of_complete_rows_learns_its_larger_sides_once(kind, monkeypatch):
    model = kind(8, random_state=0).fit(CURVE, Y)
    calls = []

    def count(*args):
        calls.append(args)
        return to_larger_sides(*args)

    monkeypatch.setattr(supervised, "to_larger_sides", count)
    model.predict(CURVE)
    assert not calls
    first = model.predict(HOLES)
    assert np.array_equal(model.predict(HOLES), first)
    assert len(calls) == 1
    # another fit forgets them
    again, fresh = model.fit(CURVE[::2], Y[::2]), kind(8, random_state=0).fit(CURVE[::2], Y[::2])
    assert np.array_equal(again.predict(HOLES), fresh.predict(HOLES))


def test_the_better_side_learns_that_values_are_missing():
    # the hole itself tells the class
    X = np.random.default_rng(0).normal(size=(80, 3))
    y = np.arange(80) % 2
    X[y == 1, 1] = np.nan
    rules = {"bootstrap": False, "max_features": "all", "random_state": 0}
    model = RandomForestClassifier(3, missing="best", **rules).fit(X, y)
    assert model.forest_.n_leaves().tolist() == [2, 2, 2]
    assert model.feature_importances_.tolist() == [0, 1, 0]
    assert model.score(X, y) == 1


def test_all_columns_have_copies():
    X = np.array([[1.0, np.nan], [3.0, 5.0], [2.0, 7.0]])
    sides = Sides.of(X)
    assert sides.table(X).tolist() == [[1, 3, 1, 9], [3, 5, 3, 5], [2, 7, 2, 7]]
    assert sides.fold(np.array([1.0, 2, 4, 8])).tolist() == [5, 10]
    huge = Sides.of(np.array([[-1.7e308], [1.7e308], [np.nan]]))
    assert np.isfinite([huge.below, huge.above]).all()


def stump(X, y, forest=RandomForestClassifier, **rules):
    rules = {"bootstrap": False, "max_features": "all", "max_depth": 1} | rules
    return forest(1, random_state=0, **rules).fit(X, y)


@pytest.mark.parametrize("seed", range(20))
@pytest.mark.parametrize("forest", [RandomForestClassifier, RandomForestRegressor])
def test_a_cut_and_its_side_are_the_best_of_all(seed, forest):
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 6, size=(30, 3)).astype(float) if seed % 2 else rng.normal(size=(30, 3))
    X[rng.random(X.shape) < 0.3] = np.nan
    y = rng.integers(0, 2, 30)
    cut = stump(X, y, forest)
    left = cut.apply(X)[:, 0] == 1
    score, _ = naive.best_cut_with_missing(X, y)
    assert naive.impurity_of(y, left) == pytest.approx(score)


def test_sides_are_those_of_scikit_learn():
    for seed in range(20):
        rng = np.random.default_rng(seed)
        x = rng.normal(size=(40, 1))
        y = (x[:, 0] > 0).astype(int)
        x[rng.random(40) < 0.3] = np.nan
        tree = DecisionTreeClassifier(max_depth=1).fit(x, y)
        new = np.r_[rng.normal(size=(9, 1)), [[np.nan]]]
        assert np.array_equal(stump(x, y).predict(new), tree.predict(new)), seed
        # nothing was missing in training: to the side of more rows
        full = np.sort(rng.normal(size=(41, 1)), axis=0)
        y = (np.arange(41) < 5 + seed).astype(int)
        tree = DecisionTreeClassifier(max_depth=1).fit(full, y)
        assert stump(full, y).predict(new)[-1] == tree.predict(new)[-1]


def test_what_lacks_nothing_in_a_node_goes_to_its_larger_side():
    # only the second column lacks values
    x = np.arange(20.0)
    X = np.c_[x, np.where(x == 3, np.nan, 0.0)]
    for n_left in (4, 16):
        model = stump(X, (x < n_left).astype(int))
        assert model.predict([[np.nan, 0.0]]).tolist() == [int(n_left == 16)]


@pytest.mark.parametrize("forest", [RandomForestClassifier, SporfClassifier, RandomForestRegressor])
def test_complete_tables_grow_the_trees_of_a_forest_that_refuses(forest):
    best, refusing = (
        forest(5, missing=rule, random_state=0).fit(CURVE, Y) for rule in ("best", "refuse")
    )
    for name in ("features", "threshold", "leaf_of", "weights"):
        assert np.array_equal(getattr(best.forest_, name), getattr(refusing.forest_, name))
    assert np.array_equal(best.predict(CURVE), refusing.predict(CURVE))
    # also where a single other row lacks a value
    model = forest(5, random_state=0).fit(np.r_[CURVE, HOLES[:1]], np.r_[Y, 0])
    assert np.isfinite(model.predict(HOLES)).all()
    assert np.isfinite(best.predict(HOLES)).all()


class _Drawn(NamedTuple):
    first: np.ndarray
    features: np.ndarray
    weights: np.ndarray


def test_each_candidate_with_missing_values_is_doubled_whole():
    """Columns 0 and 2 lack values here, column 1 elsewhere; copies are numbered from 3 on."""
    columns = np.arange(30.0).reshape(6, 5)
    columns[3:] = columns[:3]
    columns[3, 1], columns[5, 2], columns[4, 4] = 99, 99, 99
    node = TreeNode(np.arange(5, dtype=np.int32), 0, 4, 4, np.ones(5, np.int32))
    first = np.array([0, 3, 4, 6, 0, 0, 0], np.int32)
    features, weights = np.zeros(20, np.int32), np.zeros(20, np.float32)
    features[:6], weights[:6] = [0, 1, 2, 1, 1, 2], [1, -2, -3, 4, 5, 6]
    candidates = _Drawn(first, features, weights)
    missing = np.array([True, True, True])
    assert sides.add_right_sides(columns, node, missing, candidates, 3) == 5
    assert first[:6].tolist() == [0, 3, 4, 6, 9, 11]
    assert weights[:11].tolist() == [1, -2, -3, 4, 5, 6, 1, -2, -3, 5, 6]
    # left: small for weights above zero, so the lower copy of these; right the other way round
    assert features[:11].tolist() == [0, 4, 5, 1, 1, 2, 3, 1, 2, 4, 5]
