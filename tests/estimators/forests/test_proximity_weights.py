"""The family of proximities: against slow code, closed forms and the forests' predictions."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_array
from sklearn.base import clone

from geoforest_cli import (
    GeodesicForest,
    MorfClassifier,
    RandomForestClassifier,
    RandomForestRegressor,
    Smerf,
    SporfClassifier,
    StructuredGeodesicForest,
)
from geoforest_cli.core.errors import DataError, InvalidParameterError
from geoforest_cli.estimators.forests.forest import Forest
from geoforest_cli.estimators.forests.smerf import response_distances
from geoforest_cli.estimators.forests.weights import dense_weighted, sparse_weighted
from tests import naive

X = np.random.default_rng(8).normal(size=(60, 6))
NEW = np.random.default_rng(9).normal(size=(9, 6))
Y = np.where(X[:, 0] + X[:, 1] > 0, "up", "down")
RESPONSE = X[:, 0] ** 2 + X[:, 1]
HOLES = np.where(np.random.default_rng(10).random(X.shape) < 0.1, np.nan, X)
WEIGHTS = ["uniform", "oob", "kerf", "gap"]
FORESTS = [
    (RandomForestClassifier(12, random_state=0), Y),
    (SporfClassifier(12, random_state=0), Y),
    (MorfClassifier(12, random_state=0), Y),
    (RandomForestRegressor(12, min_leaf=3, random_state=0), RESPONSE),
    (GeodesicForest(12, screen=None, min_parent=8, random_state=0), None),
    (StructuredGeodesicForest(12, image_shape=(2, 3), min_parent=8, random_state=0), None),
    (Smerf(12, min_parent=6, random_state=0), response_distances(RESPONSE)),
]
NAMES = [type(forest).__name__ for forest, _ in FORESTS]


def agrees(forest, weights, new=None):
    """Return whether dense and sparse proximities are those of slow code."""
    trees = forest.forest_
    leaves = None if new is None else forest.apply(new).T
    wanted = naive.weighted_proximity(trees.leaf_of, trees.in_bag, weights, leaves)
    dense = forest.proximity(new, weights=weights)
    np.testing.assert_allclose(dense, wanted, rtol=1e-12, atol=0)
    sparse = forest.proximity(new, weights=weights, sparse=True)
    assert isinstance(sparse, csr_array)
    assert sparse.has_canonical_format
    present = ~np.isnan(dense)
    np.testing.assert_array_equal(sparse.toarray()[present], dense[present])
    assert sparse.nnz <= np.count_nonzero(wanted)
    return dense


@pytest.mark.parametrize(("forest", "y"), FORESTS, ids=NAMES)
@pytest.mark.parametrize("weights", WEIGHTS)
def test_proximities_of_each_forest_are_those_of_slow_code(forest, y, weights):
    forest = clone(forest).fit(X, y)
    np.testing.assert_array_equal(forest.get_in_bag_counts().sum(axis=0), np.full(12, len(X)))
    training, new = agrees(forest, weights), agrees(forest, weights, NEW)
    if weights == "gap":
        assert not np.nan_to_num(training.diagonal()).any()
    else:
        np.testing.assert_array_equal(training, training.T)
    if weights in {"kerf", "gap"}:
        for rows in (training, new):
            sums = rows.sum(axis=1)
            np.testing.assert_allclose(sums[~np.isnan(sums)], 1, rtol=1e-12)


@pytest.mark.parametrize("kind", ["plain", "weighted", "classes", "holes"])
@pytest.mark.parametrize("model", [RandomForestClassifier, SporfClassifier])
def test_gap_averages_of_classes_are_out_of_bag_predictions(kind, model):
    forest = model(60, oob_score=True, min_leaf=2, random_state=3)
    drawn_rows = np.random.default_rng(11).integers(0, 3, len(X))
    weight = drawn_rows if kind == "weighted" else None
    points = HOLES if kind == "holes" else X
    if kind == "classes":
        forest.set_params(class_weight={"up": 3.0})
    forest.fit(points, Y, sample_weight=weight)
    gap = forest.proximity(weights="gap", sparse=True)
    indicators = (Y[:, None] == forest.classes_).astype(float)
    # the leaves keep shares in single precision
    np.testing.assert_allclose(gap @ indicators, forest.oob_decision_function_, atol=2e-7)
    new = forest.proximity(HOLES[:9], weights="gap")
    np.testing.assert_allclose(new @ indicators, forest.predict_proba(HOLES[:9]), atol=2e-7)
    if weight is not None:
        assert gap.toarray()[:, weight == 0].sum() == 0


@pytest.mark.parametrize("projection", ["axis", "oblique"])
def test_gap_averages_of_responses_are_out_of_bag_predictions(projection):
    forest = RandomForestRegressor(60, projection=projection, oob_score=True, random_state=3)
    forest.fit(X, RESPONSE)
    gap = forest.proximity(weights="gap")
    np.testing.assert_allclose(gap @ RESPONSE, forest.oob_prediction_, rtol=1e-11)
    new = forest.proximity(NEW, weights="gap")
    np.testing.assert_allclose(new @ RESPONSE, forest.predict(NEW), rtol=1e-11)


def test_kerf_averages_are_predictions_of_a_forest_without_bags():
    forest = RandomForestRegressor(
        20, max_features=1, min_leaf=4, bootstrap=False, random_state=0
    ).fit(X, RESPONSE)
    kerf = forest.proximity(weights="kerf")
    np.testing.assert_allclose(kerf @ RESPONSE, forest.predict(X), rtol=1e-11)
    kerf = forest.proximity(NEW, weights="kerf", sparse=True)
    np.testing.assert_allclose(kerf @ RESPONSE, forest.predict(NEW), rtol=1e-11)


def test_a_row_in_every_bag_has_no_out_of_bag_proximity():
    with pytest.warns(UserWarning, match="do not have OOB scores"):
        forest = RandomForestRegressor(2, oob_score=True, random_state=0).fit(X, RESPONSE)
    never = (forest.forest_.in_bag > 0).all(axis=0)
    assert 0 < never.sum() < len(X)
    np.testing.assert_array_equal(never, np.isnan(forest.oob_prediction_))
    for sparse in (False, True):
        gap = forest.proximity(weights="gap", sparse=sparse)
        np.testing.assert_allclose(gap @ np.ones(len(X)), np.where(never, np.nan, 1), rtol=1e-12)
        np.testing.assert_array_equal(np.isnan(gap.diagonal()), never)
    new = forest.proximity(NEW, weights="oob")
    assert np.isnan(new[:, never]).all()
    assert not np.isnan(new[:, ~never]).any()
    assert not forest.proximity(NEW, weights="oob", sparse=True)[:, never].nnz


@settings(max_examples=25)
@given(
    st.integers(2, 25), st.integers(1, 6), st.integers(1, 6), st.integers(0, 2**32),
    st.sampled_from(WEIGHTS),
)  # fmt: skip
def test_rows_in_another_order_and_copies(n, trees, n_leaves, seed, weights):
    rng = np.random.default_rng(seed)
    leaf_of = rng.integers(0, n_leaves, (trees, n)).astype(np.uint16)
    in_bag = rng.integers(0, 3, (trees, n)).astype(np.uint8)
    leaf_of[:, n - 1], in_bag[:, n - 1] = leaf_of[:, 0], in_bag[:, 0]
    forest = drawn(leaf_of, in_bag, n_leaves)
    order = rng.permutation(n)
    turned = drawn(leaf_of[:, order], in_bag[:, order], n_leaves)
    leaves = leaf_of[:, rng.integers(0, n, 4)]
    matrix, again = (dense_weighted(each, weights, leaves) for each in (forest, turned))
    np.testing.assert_array_equal(again, matrix[:, order])
    # rows with the same leaves and the same bags are equally near to all
    np.testing.assert_array_equal(matrix[:, 0], matrix[:, n - 1])
    threads = sparse_weighted(forest, weights, leaves, n_jobs=2).toarray()
    np.testing.assert_array_equal(threads, np.nan_to_num(matrix))


def drawn(leaf_of, in_bag, n_nodes):
    """A forest of which only leaves and bags are known."""
    nodes = np.arange(len(leaf_of) + 1) * n_nodes
    return Forest(nodes, *[np.zeros(0)] * 5, leaf_of, in_bag, np.zeros(0))


@pytest.mark.parametrize(("forest", "y"), [FORESTS[0], FORESTS[3], FORESTS[4]])
def test_out_of_bag_needs_bags(forest, y):
    without = clone(forest).set_params(bootstrap=False).fit(X, y)
    for weights in ("oob", "gap"):
        with pytest.raises(InvalidParameterError, match=f'^weights="{weights}" needs bootstrap'):
            without.proximity(weights=weights)
    with pytest.raises(ValueError, match="needs bootstrap=True: else no row is out of a bag"):
        without.get_in_bag_counts()


def test_misspelt_weights_and_other_pairs_are_one_sentence():
    forest = GeodesicForest(3, screen=None, pairs="oob", random_state=0).fit(X)
    with pytest.raises(InvalidParameterError, match=r"Did you mean 'gap'\?$"):
        forest.proximity(weights="gpa")
    with pytest.raises(InvalidParameterError, match='weights="gap" needs pairs="all", not \'oob\''):
        forest.proximity(weights="gap")
    with pytest.raises(InvalidParameterError, match='of new rows needs pairs="all"'):
        forest.proximity(NEW)


def test_a_matrix_beyond_the_memory_is_refused(monkeypatch):
    forest = RandomForestClassifier(3, random_state=0).fit(X, Y)
    small = type("Memory", (), {"available": 1000})
    monkeypatch.setattr("psutil.virtual_memory", lambda: small)
    for sparse in (False, True):
        with pytest.raises(DataError, match="GB are free"):
            forest.proximity(weights="gap", sparse=sparse)
