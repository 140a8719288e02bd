"""The regression forest against scikit-learn's trees and itself."""

import pickle

import numpy as np
import pytest
from sklearn.metrics import r2_score
from sklearn.tree import DecisionTreeRegressor

from geoforest_cli.estimators.forests.regressor import RandomForestRegressor
from tests import naive
from tests.estimators.forests.sampling import cuts_of, walk


def sample(seed, n=80, p=4, decimals=None):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, p)).astype(np.float32).astype(float)
    y = rng.normal(size=n).astype(np.float32).astype(float)
    return (X if decimals is None else X.round(decimals)), y


@pytest.mark.compiled
@pytest.mark.parametrize("seed", range(10))
def test_a_tree_is_that_of_scikit_learn(seed):
    X, y = sample(seed)
    ours = RandomForestRegressor(
        1, max_features="all", bootstrap=False, min_parent=5, random_state=seed
    ).fit(X, y)
    peer = DecisionTreeRegressor(min_samples_split=5, random_state=0).fit(X, y)
    pairs = set(zip(ours.apply(X)[:, 0].tolist(), peer.apply(X).tolist(), strict=True))
    assert len(pairs) == ours.forest_.n_leaves()[0] == peer.get_n_leaves()
    assert np.allclose(ours.predict(X), peer.predict(X))


@pytest.mark.parametrize("seed", range(10))
def test_every_cut_has_the_largest_decrease(seed):
    X, y = sample(seed, n=30, p=3, decimals=1)
    fitted = RandomForestRegressor(
        1, max_features="all", bootstrap=False, min_leaf=2, random_state=seed
    ).fit(X, y)
    for rows, cut in walk(fitted.forest_, X):
        lost = [
            naive.impurity_of(y[rows], left)
            for left in cuts_of(X[rows])
            if 2 <= left.sum() <= len(rows) - 2
        ]
        if cut is None:
            assert not lost or y[rows].var() == 0
        else:
            assert naive.impurity_of(y[rows], cut[0]) == pytest.approx(min(lost))


@pytest.mark.compiled
def test_out_of_bag_threads_and_pickles():
    rng = np.random.default_rng(0)
    X = rng.uniform(size=(400, 6))
    y = X[:, 0] + X[:, 1] ** 2 + rng.normal(0, 0.05, 400)
    first = RandomForestRegressor(80, oob_score=True, random_state=1).fit(X, y)
    second = RandomForestRegressor(80, oob_score=True, random_state=1, n_jobs=2).fit(X, y)
    assert np.array_equal(first.predict(X), second.predict(X))
    assert 0.8 < first.oob_score_ < first.score(X, y)
    assert np.array_equal(pickle.loads(pickle.dumps(first)).predict(X), first.predict(X))
    assert set(np.argsort(first.feature_importances_)[-2:]) == {0, 1}
    values = first.tree_values(X[:7])
    assert values.shape == (80, 7)
    assert np.allclose(values.mean(axis=0), first.predict(X[:7]))
    oblique = RandomForestRegressor(80, projection="oblique", random_state=1).fit(X, y)
    assert oblique.score(X, y) > 0.9


def test_out_of_bag_by_the_definition():
    X, y = sample(4, n=30)
    with pytest.warns(UserWarning, match="do not have OOB scores"):
        forest = RandomForestRegressor(2, min_parent=9, oob_score=True, random_state=0).fit(X, y)
    expected = np.full(30, np.nan)
    for i in range(30):
        means = [
            np.repeat(y, bag * (leaf == leaf[i])).mean()
            for bag, leaf in zip(forest.forest_.in_bag, forest.forest_.leaf_of, strict=True)
            if not bag[i]
        ]
        expected[i] = np.mean(means) if means else np.nan
    seen = ~np.isnan(expected)
    assert 5 < seen.sum() < 30
    np.testing.assert_allclose(forest.oob_prediction_, expected)
    assert forest.oob_score_ == pytest.approx(r2_score(y[seen], expected[seen]))
    np.testing.assert_allclose(forest.predict(X), forest.tree_values(X).mean(axis=0))


def test_bags_follow_the_weights_whatever_their_sum():
    X, y = np.zeros((3, 1)), np.arange(3.0)
    for total in (0.01, 1, 500):
        weights = total * np.array([0.2, 0.0, 0.8])
        forest = RandomForestRegressor(300, random_state=0).fit(X, y, sample_weight=weights)
        assert forest.forest_.in_bag.mean(axis=0) == pytest.approx([0.6, 0, 2.4], abs=0.12)
