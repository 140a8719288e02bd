"""Missing values in the forests."""

import numpy as np
import pytest

from geoforest_cli.core.errors import DataError
from geoforest_cli.estimators.forests.classifiers import RandomForestClassifier, SporfClassifier
from geoforest_cli.estimators.forests.geodesic_forest import GeodesicForest
from geoforest_cli.estimators.forests.geodesic_neighbors import GeodesicNeighbors
from geoforest_cli.estimators.forests.missing import Draws, Sides
from geoforest_cli.estimators.forests.regressor import RandomForestRegressor
from geoforest_cli.estimators.forests.unsupervised import merge

RNG = np.random.default_rng(6)
T = np.sort(RNG.uniform(0, 1, 90))
CURVE = np.c_[4 * T, 6 * T**2, 9 * np.sqrt(T), RNG.normal(size=90)]
HOLES = np.where(RNG.random(CURVE.shape) < 0.15, np.nan, CURVE)
Y = (T > 0.5).astype(int)


def test_nan_is_refused_unless_allowed():
    for estimator in (GeodesicForest(2), RandomForestClassifier(2), RandomForestRegressor(2)):
        with pytest.raises(ValueError, match="NaN"):
            estimator.fit(HOLES, Y)
    with pytest.raises(ValueError, match="infinity"):
        GeodesicForest(2, missing="random").fit(np.where(np.isnan(HOLES), np.inf, HOLES))
    empty = HOLES.copy()
    empty[:, 2] = np.nan
    for estimator in (
        GeodesicForest(2, missing="random"),
        RandomForestClassifier(2, missing="random"),
        RandomForestClassifier(2, missing="best"),
    ):
        with pytest.raises(DataError, match="column 2 has no value"):
            estimator.fit(empty, Y)


def test_draws_are_values_of_the_column_and_follow_the_seed():
    draws = Draws.of(HOLES)
    one, again, two = (draws.fill(HOLES, np.uint64(s)) for s in (1, 1, 2))
    assert np.array_equal(one, again)
    assert not np.array_equal(one, two)
    kept = ~np.isnan(HOLES)
    assert np.array_equal(one[kept], HOLES[kept])
    for j in range(4):
        assert set(one[:, j]) <= set(HOLES[kept[:, j], j])
        # rows that differ draw for themselves
        assert len(set(one[~kept[:, j], j])) > 0.6 * (~kept[:, j]).sum()
    # rows alike draw alike, wherever they stand
    assert np.array_equal(draws.fill(HOLES[[7, 3, 7]], np.uint64(1)), one[[7, 3, 7]])
    many = np.array([draws.fill(HOLES, np.uint64(s)) for s in range(200)])
    hole = tuple(np.argwhere(~kept)[0])
    seen = HOLES[kept[:, hole[1]], hole[1]]
    assert many[:, hole[0], hole[1]].mean() == pytest.approx(seen.mean(), abs=4 * seen.std() / 14)


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


def test_both_sides_are_on_offer():
    X = np.array([[1.0, np.nan], [3.0, 5.0], [2.0, 7.0]])
    sides = Sides.of(X)
    assert sides.table(X).tolist() == [[1, 3, 9], [3, 5, 5], [2, 7, 7]]
    assert sides.fold(np.array([1.0, 2, 4])).tolist() == [1, 6]
