"""Missing values in the forests."""

from typing import NamedTuple

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer
from sklearn.ensemble import RandomForestClassifier as TheirForest
from sklearn.impute import KNNImputer
from sklearn.tree import DecisionTreeClassifier

from geoforest_cli.core.errors import DataError
from geoforest_cli.estimators.forests import supervised
from geoforest_cli.estimators.forests.classifiers import (
    MorfClassifier,
    RandomForestClassifier,
    SporfClassifier,
)
from geoforest_cli.estimators.forests.donors import MOST_DONORS, N_DONORS, Draws, _mixed
from geoforest_cli.estimators.forests.geodesic_forest import GeodesicForest
from geoforest_cli.estimators.forests.geodesic_neighbors import GeodesicNeighbors
from geoforest_cli.estimators.forests.kernels import sides
from geoforest_cli.estimators.forests.kernels.rules import Node
from geoforest_cli.estimators.forests.regressor import RandomForestRegressor
from geoforest_cli.estimators.forests.sides import Sides, to_larger_sides
from geoforest_cli.estimators.forests.unsupervised import merge
from tests import naive

RNG = np.random.default_rng(6)
T = np.sort(RNG.uniform(0, 1, 90))
CURVE = np.c_[4 * T, 6 * T**2, 9 * np.sqrt(T), RNG.normal(size=90)]
HOLES = np.where(RNG.random(CURVE.shape) < 0.15, np.nan, CURVE)
Y = (T > 0.5).astype(int)


def test_nan_is_refused_unless_allowed():
    for estimator in (
        GeodesicForest(2), MorfClassifier(2), RandomForestClassifier(2, missing="refuse"),
        RandomForestRegressor(2, missing="refuse"),
    ):  # fmt: skip
        with pytest.raises(ValueError, match="NaN"):
            estimator.fit(HOLES, Y)
    with pytest.raises(ValueError, match="infinity"):
        GeodesicForest(2, missing="random").fit(np.where(np.isnan(HOLES), np.inf, HOLES))
    empty = HOLES.copy()
    empty[:, 2] = np.nan
    for estimator in (
        GeodesicForest(2, missing="random"),
        RandomForestClassifier(2, missing="random"),
    ):
        with pytest.raises(DataError, match="column 2 has no value"):
            estimator.fit(empty, Y)
    # as scikit-learn's trees, which have nothing to cut there
    assert RandomForestClassifier(5, random_state=0).fit(empty, Y).score(empty, Y) > 0.7


def fill(draws, points, seed):
    return draws.donors(points).fill(np.uint64(seed))


def test_draws_are_values_of_near_rows_and_follow_the_seed():
    draws = Draws.of(HOLES)
    one, again, two = (fill(draws, HOLES, seed) for seed in (1, 1, 2))
    assert np.array_equal(one, again)
    assert not np.array_equal(one, two)
    kept = ~np.isnan(HOLES)
    assert np.array_equal(one[kept], HOLES[kept])
    # rows alike draw alike, wherever they stand
    assert np.array_equal(fill(draws, HOLES[[7, 3, 7]], 1), one[[7, 3, 7]])
    donors = draws.donors(HOLES)
    many = np.array([donors.fill(np.uint64(seed)) for seed in range(100)])
    for row, column, values in zip(donors.row, donors.column, donors.values, strict=True):
        assert set(many[:, row, column]) == set(values)
    # holes draw for themselves
    assert len({tuple(draw) for draw in many[:30, donors.row, donors.column].T}) == len(donors.row)


def test_donors_are_the_rows_that_scikit_learn_averages():
    donors = Draws.of(HOLES).donors(HOLES)
    spread = np.nanstd(HOLES, axis=0)
    filled = KNNImputer(n_neighbors=N_DONORS).fit_transform(HOLES / spread) * spread
    np.testing.assert_allclose(donors.values.mean(axis=1), filled[donors.row, donors.column])
    assert (donors.counts == N_DONORS).all()


def test_few_donors_and_rows_without_any_value():
    X = np.array([[0.0, np.nan], [1.0, 5.0], [np.nan, np.nan], [2.0, 7.0]])
    donors = Draws.of(X).donors(X)
    assert donors.counts.tolist() == [2, 3, 2]
    assert donors.values[0, :2].tolist() == [5.0, 7.0]
    assert donors.values[1, :3].tolist() == [0.0, 1.0, 2.0]
    assert set(fill(Draws.of(X), X, 3)[:, 1]) <= {5.0, 7.0}
    # more columns are missing beside this one than rows are looked at first
    rare = np.full((200, 2), np.nan)
    rare[:, 0] = np.arange(200)
    rare[190:192, 1] = [3.0, 4.0]
    assert Draws.of(rare).donors(rare[:1]).values[0, :2].tolist() == [3.0, 4.0]


def test_of_many_rows_some_are_donors():
    many = np.c_[np.arange(2.0 * MOST_DONORS), np.full(2 * MOST_DONORS, np.nan)]
    many[[77, 78], 1] = [1.0, 2.0]
    draws = Draws.of(many)
    assert len(draws.rows) <= MOST_DONORS + 1
    assert fill(draws, many[:3], 0)[0, 1] in {1.0, 2.0}


def test_missing_values_raise_no_warning_whatever_the_scale():
    wide = HOLES * [1e300, 1e-300, 1.0, 1e155]
    for draws in (Draws.of(wide), Draws.of(HOLES)):
        assert np.isfinite(draws.span).all()
    assert np.isfinite(fill(Draws.of(wide), wide, 5)).all()
    SporfClassifier(3, missing="random", random_state=0).fit(HOLES, Y).predict(HOLES)


@pytest.mark.parametrize("rescale", ["none", "standard", "min_max"])
def test_neighbours_with_holes(rescale):
    forest = GeodesicForest(60, missing="random", rescale=rescale, random_state=0).fit(HOLES)
    assert np.array_equal(forest.apply(HOLES), forest.forest_.leaf_of.T)
    rows = forest.kneighbors(None, 8, return_distance=False)
    complete = GeodesicForest(60, rescale=rescale, random_state=0).fit(CURVE)
    best = complete.kneighbors(None, 8, return_distance=False)
    gaps, least = (np.median(np.abs(r - np.arange(90)[:, None])) for r in (rows, best))
    assert least <= gaps < 2 * least + 4
    other = GeodesicForest(60, missing="random", rescale=rescale, random_state=1).fit(HOLES)
    assert np.array_equal(merge([forest, other]).apply(HOLES)[:, 60:], other.apply(HOLES))
    threads = GeodesicForest(60, missing="random", rescale=rescale, random_state=0, n_jobs=2)
    assert np.array_equal(threads.fit(HOLES).forest_.leaf_of, forest.forest_.leaf_of)


def test_a_complete_table_has_the_trees_of_a_forest_that_refuses():
    one, two = (
        GeodesicForest(5, missing=rule, random_state=0).fit(CURVE) for rule in ("refuse", "random")
    )
    assert np.array_equal(one.forest_.leaf_of, two.forest_.leaf_of)
    graph = GeodesicNeighbors(5, n_estimators=5, missing="random", random_state=0)
    assert graph.fit_transform(HOLES).nnz == 90 * 6


@pytest.mark.parametrize("rule", ["random", "best"])
@pytest.mark.parametrize("forest", [RandomForestClassifier, SporfClassifier, RandomForestRegressor])
def test_predictions_with_holes(forest, rule):
    model = forest(60, missing=rule, oob_score=True, random_state=0).fit(HOLES, Y)
    assert np.array_equal(model.apply(HOLES), model.forest_.leaf_of.T)
    assert model.oob_score_ > 0.6
    assert model.feature_importances_.shape == (4,)
    assert model.feature_importances_.sum() == pytest.approx(1)


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
    X = RNG.normal(size=(80, 3))
    y = np.arange(80) % 2
    X[y == 1, 1] = np.nan
    rules = {"bootstrap": False, "max_features": "all", "random_state": 0}
    model = RandomForestClassifier(3, missing="best", **rules).fit(X, y)
    assert model.forest_.n_leaves().tolist() == [2, 2, 2]
    assert model.feature_importances_.tolist() == [0, 1, 0]
    assert model.score(X, y) == 1


def test_all_columns_have_twins():
    X = np.array([[1.0, np.nan], [3.0, 5.0], [2.0, 7.0]])
    sides = Sides.of(X)
    assert sides.table(X).tolist() == [[1, 3, 1, 9], [3, 5, 3, 5], [2, 7, 2, 7]]
    assert sides.fold(np.array([1.0, 2, 4, 8])).tolist() == [5, 10]
    huge = Sides.of(np.array([[-1.7e308], [1.7e308], [np.nan]]))
    assert np.isfinite([huge.below, huge.above]).all()


def stump(X, y, forest=RandomForestClassifier, **rules):
    rules = {"bootstrap": False, "max_features": "all", "max_depth": 1} | rules
    return forest(1, random_state=0, **rules).fit(X, y)


@pytest.mark.parametrize("seed", range(40))
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


def test_as_accurate_as_scikit_learn_with_missing_values():
    X, y = load_breast_cancer(return_X_y=True)
    for how in ("at random", "large values"):
        rng = np.random.default_rng(1)
        chance = 0.2 if how == "at random" else 0.4 * X.argsort(0).argsort(0) / len(X)
        holes = np.where(rng.random(X.shape) < chance, np.nan, X)
        scores = [
            forest.fit(holes[::2], y[::2]).score(holes[1::2], y[1::2])
            for forest in (
                RandomForestClassifier(60, random_state=0),
                TheirForest(60, random_state=0),
            )
        ]
        assert scores[0] > scores[1] - 0.02


def test_donors_of_a_row_do_not_depend_on_the_rows_beside_it():
    rng = np.random.default_rng(0)
    table = rng.integers(0, 4, (200, 6)).astype(float)
    table[rng.random(table.shape) < 0.15] = np.nan
    draws = Draws.of(table)
    together = draws.donors(table)
    for i in range(len(table)):
        alone = draws.donors(table[i : i + 1])
        here = together.row == i
        np.testing.assert_array_equal(alone.values, together.values[here])


def test_every_bit_of_a_key_decides_about_every_bit_of_its_hash():
    keys = np.random.default_rng(0).integers(0, 2**63, 4000, dtype=np.uint64)
    bits = np.uint64(1) << np.arange(64, dtype=np.uint64)
    for bit in bits:
        changed = (_mixed(keys) ^ _mixed(keys ^ bit))[:, None] & bits != 0
        assert np.abs(changed.mean(axis=0) - 0.5).max() < 0.05  # more than six standard errors


class _Drawn(NamedTuple):
    first: np.ndarray
    features: np.ndarray
    weights: np.ndarray


def test_each_candidate_of_what_is_missing_is_doubled_with_all_of_its_columns():
    """Columns 0 and 2 lack values here, column 1 elsewhere; twins are numbered from 3 on."""
    columns = np.arange(30.0).reshape(6, 5)
    columns[3:] = columns[:3]
    columns[3, 1], columns[5, 2], columns[4, 4] = 99, 99, 99
    node = Node(np.arange(5, dtype=np.int32), 0, 4, 4, np.ones(5, np.int32), 0)
    first = np.array([0, 3, 4, 6, 0, 0, 0], np.int32)
    features, weights = np.zeros(20, np.int32), np.zeros(20, np.float32)
    features[:6], weights[:6] = [0, 1, 2, 1, 1, 2], [1, -2, -3, 4, 5, 6]
    candidates = _Drawn(first, features, weights)
    missing = np.array([True, True, True])
    assert sides.add_right_sides(columns, node, missing, candidates, 3) == 5
    assert first[:6].tolist() == [0, 3, 4, 6, 9, 11]
    assert weights[:11].tolist() == [1, -2, -3, 4, 5, 6, 1, -2, -3, 5, 6]
    # left: small for weights above zero, so the lower twin of these; right the other way round
    assert features[:11].tolist() == [0, 4, 5, 1, 1, 2, 3, 1, 2, 4, 5]
