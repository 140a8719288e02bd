"""Importances of the supervised forests: the decrease of impurity, as scikit-learn's."""

import numpy as np
import pytest
from scipy.stats import spearmanr
from sklearn import datasets, ensemble, tree
from sklearn.utils import Bunch

from geoforest_cli.estimators.forests.classifiers import (
    MorfClassifier,
    RandomForestClassifier,
    SporfClassifier,
)
from geoforest_cli.estimators.forests.regressor import RandomForestRegressor
from tests import naive
from tests.estimators.forests.sampling import walk


@pytest.mark.compiled
def test_projections_are_counted_apart():
    """A binary column that tells the classes is worth most, and cut seldom."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(400, 9))
    y = rng.integers(0, 2, 400)
    X[:, 4] = np.where(rng.uniform(size=400) < 0.9, y, 1 - y)
    fitted = RandomForestClassifier(100, random_state=0).fit(X, y)
    assert fitted.feature_importances_.argmax() == fitted.projection_shares_.argmin() == 4
    counts = np.bincount(fitted.forest_.features, minlength=9)
    np.testing.assert_allclose(fitted.projection_shares_, counts / counts.sum())


# of the four columns of iris two neighbours may change places: .8
@pytest.mark.compiled
@pytest.mark.nightly
@pytest.mark.parametrize(
    ("name", "least"),
    [("iris", 0.79), ("wine", 0.9), ("breast_cancer", 0.9), ("diabetes", 0.9), ("digits", 0.95)],
)
def test_columns_rank_as_in_scikit_learn(name, least):
    data: Bunch = getattr(datasets, f"load_{name}")()
    X, y = data.data, data.target
    forests = (
        (RandomForestRegressor, ensemble.RandomForestRegressor) if name == "diabetes" else
        (RandomForestClassifier, ensemble.RandomForestClassifier)
    )  # fmt: skip
    ours, theirs = (f(300, random_state=0).fit(X, y).feature_importances_ for f in forests)
    assert spearmanr(ours, theirs).statistic >= least
    assert np.abs(ours - theirs).max() < 0.1


@pytest.mark.parametrize("seed", range(5))
def test_a_tree_has_the_importances_of_scikit_learn(seed):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(250, 4)).astype(np.float32).astype(float)
    y = X[:, 0] + 0.5 * X[:, 1] ** 2 + rng.normal(size=250)
    # in small nodes several columns cut off the same rows, and which is taken is left open
    least = 80
    for ours, theirs, response in (
        (RandomForestClassifier, tree.DecisionTreeClassifier, np.digitize(y, [-0.5, 0.8])),
        (RandomForestRegressor, tree.DecisionTreeRegressor, y),
    ):
        mine = ours(1, max_features="all", bootstrap=False, min_parent=least, random_state=seed)
        importances = mine.fit(X, response).feature_importances_
        peer = theirs(min_samples_split=least, random_state=0)
        wanted = peer.fit(X, response).feature_importances_
        np.testing.assert_allclose(importances, wanted, atol=1e-12)


def _by_definition(forest, points, y, columns_of):
    """Drop the rows of each bag down its tree, node by node."""
    total = 0.0
    for t in range(forest.n_trees):
        credit = 0.0
        for rows, cut in walk(forest, points, t):
            if cut is not None:
                left, features, weights = cut
                decrease = len(rows) * y[rows].var() - naive.impurity_of(y[rows], left)
                credit = credit + decrease * columns_of(features, weights)
        total = total + credit / np.sum(credit)
    return total / total.sum()


def _members(p):
    return lambda features, _: np.isin(np.arange(p), features).astype(float)


def test_a_cut_counts_in_full_for_each_column_that_it_combines():
    rng = np.random.default_rng(3)
    X = rng.normal(size=(40, 5))
    y = (X[:, 0] + X[:, 1] + 0.5 * rng.normal(size=40) > 0).astype(int)
    fitted = SporfClassifier(6, nonzeros="poisson", random_state=0).fit(X, y)
    assert np.diff(fitted.forest_.first).max() > 1
    wanted = _by_definition(fitted.forest_, X, y, _members(5))
    np.testing.assert_allclose(fitted.feature_importances_, wanted)


def test_a_cut_counts_in_full_for_each_pixel_of_its_patch():
    rng = np.random.default_rng(4)
    X = rng.integers(0, 9, size=(40, 12)).astype(float)
    X[:, [0, 6]] = 3.0
    y = (X[:, 2:5].sum(axis=1) + rng.normal(size=40) > 12).astype(int)
    fitted = MorfClassifier(5, patch_width=(1, 3), random_state=0).fit(X, y)
    patches = fitted._images.patches
    varies = X.max(axis=0) > X.min(axis=0)

    def columns_of(features, weights):
        return patches.spread(np.bincount(features, weights, patches.size)) * varies

    wanted = _by_definition(fitted.forest_, fitted._images.table(X), y, columns_of)
    np.testing.assert_allclose(fitted.feature_importances_, wanted, atol=1e-12)
    assert (fitted.feature_importances_[[0, 6]] == 0).all()


def test_pixels_outside_all_patches_have_exactly_none():
    rng = np.random.default_rng(5)
    X = rng.normal(size=(60, 144))
    fitted = MorfClassifier(
        3, image_shape=(12, 12), patch_height=(2, 3), patch_width=(2, 3), max_depth=4,
        random_state=0,
    ).fit(X, X[:, 33] + X[:, 77] > 0)  # fmt: skip
    used = fitted.projection_shares_ > 0
    assert not used.all()
    assert (fitted.feature_importances_[~used] == 0).all()
    assert (fitted.feature_importances_ >= 0).all()


@pytest.mark.parametrize("factor", [1e-100, 1e100])
def test_the_unit_of_the_response_does_not_matter(factor):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 4))
    y = X[:, 2] + 0.1 * rng.normal(size=60)
    first, second = (
        RandomForestRegressor(5, max_depth=3, random_state=0).fit(X, f * y) for f in (1.0, factor)
    )
    assert np.isfinite(second.feature_importances_).all()
    assert first.feature_importances_.argmax() == second.feature_importances_.argmax() == 2
