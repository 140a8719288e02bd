"""Prediction under a learned distance: who votes, and what the trees are."""

import numpy as np
import pandas as pd
import pytest

from geoforest_cli.estimators.forests import learned_neighbors
from geoforest_cli.estimators.forests.learned_neighbors import LearnedNeighbors
from geoforest_cli.estimators.forests.regressor import RandomForestRegressor


class Stand:
    """Neighbours as they are told."""

    def __init__(self, rows):
        self.rows = np.array(rows)

    def kneighbors(self, points, k, *, return_distance):
        assert not return_distance
        return self.rows[: len(points), :k]


def predict(y, rows, k, **more):
    model = LearnedNeighbors(k, **more)
    model.n_features_in_ = 1
    if np.asarray(y).dtype.kind == "f":
        model.classes_, model._targets = None, np.array(y)[:, None]
    else:
        model.classes_, codes = np.unique(y, return_inverse=True)
        model._targets = np.eye(len(model.classes_))[codes]
    model.smerf_ = Stand(rows)
    return model.predict(np.zeros((len(rows), 1)))


def test_the_nearest_decides_among_equally_frequent_classes():
    y = ["a", "b", "c", "a", "b"]
    rows = [[1, 0, 3, 4, 2], [0, 1, 4, 3, 2], [2, 1, 4, 0, 3], [4, 3, 2, 1, 0]]
    assert predict(y, rows, 4).tolist() == ["b", "a", "b", "b"]
    assert predict(y, rows, 3).tolist() == ["a", "b", "b", "b"]
    # more than there are is all of them
    assert predict(y, rows, 9).tolist() == ["b", "a", "b", "b"]
    assert predict([1.0, 2, 6, 8, 0], rows, 3).tolist() == [11 / 3, 1, 8 / 3, 14 / 3]


@pytest.mark.parametrize("loss", ["squared", "absolute"])
def test_the_forest_learns_the_loss(loss, monkeypatch):
    asked = []

    class Learner:
        def __init__(self, n_estimators, **rules):
            asked.append((n_estimators, rules))

        def fit(self, _points, distances):
            asked.append(distances)
            return self

    monkeypatch.setattr(learned_neighbors, "Smerf", Learner)
    y = np.array([0.0, 1.0, 4.0])
    LearnedNeighbors(loss=loss, random_state=3).fit(np.zeros((3, 2)), y)
    gaps = np.abs(y[:, None] - y)
    np.testing.assert_array_equal(asked[1], gaps if loss == "absolute" else gaps**2 / 2)
    expected = {"projection": "axis", "max_features": "sqrt", "min_parent": 4}
    assert asked[0] == (200, expected | {"n_jobs": None, "random_state": 3})
    LearnedNeighbors().fit(np.zeros((3, 2)), ["x", "y", "x"])
    assert asked[3].tolist() == [[0, 1, 0], [1, 0, 1], [0, 1, 0]]


@pytest.mark.compiled
@pytest.mark.nightly
def test_leaves_vote_as_a_regression_forest_does():
    rng = np.random.default_rng(0)
    X = rng.uniform(size=(150, 3))
    y = X[:, 0] + rng.normal(0, 0.05, 150)
    new = rng.uniform(size=(40, 3))
    # by Proposition 2 every cut is a regression tree's; with all columns as candidates the trees
    # differ by their bags only
    ours = LearnedNeighbors(
        n_estimators=300, max_features=3, min_parent=5, vote="leaves", random_state=0
    ).fit(X, y)
    peer = RandomForestRegressor(300, max_features="all", min_parent=5, random_state=0).fit(X, y)
    assert np.corrcoef(ours.predict(new), peer.predict(new))[0, 1] > 0.995
    assert np.abs(ours.predict(new) - peer.predict(new)).max() < 0.05


@pytest.mark.parametrize("kind", ["int64", "Int64", "int8", "boolean", "bool", "category"])
def test_classes_of_pandas_are_those_of_numpy(kind):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 3))
    y = (X[:, 0] > 0).astype(int)
    given = pd.Series(y).astype(bool).astype(kind) if "bool" in kind else pd.Series(y).astype(kind)
    expected = LearnedNeighbors(5, n_estimators=10, random_state=0).fit(X, y)
    fitted = LearnedNeighbors(5, n_estimators=10, random_state=0).fit(X, given)
    assert len(fitted.classes_) == 2
    np.testing.assert_array_equal(fitted.predict(X).astype(int), expected.predict(X))


def test_responses_that_are_missing_are_refused():
    X = np.random.default_rng(0).normal(size=(60, 3))
    with pytest.raises(ValueError, match="requires y to be passed, but the target y is None"):
        LearnedNeighbors().fit(X, None)
    for kind in ("Int64", "boolean"):
        y = pd.Series([1, None, 0] * 20, dtype=kind)
        with pytest.raises(ValueError, match="Input y contains NaN"):
            LearnedNeighbors().fit(X, y)
