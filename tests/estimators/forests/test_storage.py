"""What pickle keeps of a fitted forest: few bytes, and the same forest after them."""

import dataclasses
import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from geoforest_cli import GeodesicForest, GeodesicNeighbors, RandomForestClassifier
from geoforest_cli.estimators.forests.forest import Forest
from geoforest_cli.estimators.forests.storage import node_type, pack, unpack

RNG = np.random.default_rng(3)
X = RNG.normal(size=(300, 4))
HOLES = np.where(RNG.random(X.shape) < 0.05, np.nan, X)


def same(one, other):
    for each in dataclasses.fields(Forest):
        a, b = getattr(one, each.name), getattr(other, each.name)
        if isinstance(a, np.ndarray):
            assert a.dtype == b.dtype, each.name
            np.testing.assert_array_equal(a, b, strict=True)


@pytest.mark.parametrize("bootstrap", [True, False])
@pytest.mark.parametrize("trees", [2, 7])
def test_a_forest_is_the_same_after_pickling(bootstrap, trees):
    model = GeodesicForest(trees, bootstrap=bootstrap, random_state=0).fit(X)
    again = pickle.loads(pickle.dumps(model))
    same(model.forest_, again.forest_)
    new = X + 0.01
    for rows in (None, new):
        for one, other in zip(model.kneighbors(rows), again.kneighbors(rows), strict=True):
            np.testing.assert_array_equal(one, other)


def test_bags_of_weighted_rows_are_kept():
    y, weight = (X[:, 0] > 0).astype(int), RNG.random(len(X))
    model = RandomForestClassifier(5, random_state=0).fit(X, y, sample_weight=weight)
    again = pickle.loads(pickle.dumps(model))
    same(model.forest_, again.forest_)
    np.testing.assert_array_equal(model.predict_proba(X), again.predict_proba(X))


def test_a_tree_without_a_cut_is_the_same_after_pickling():
    with pytest.warns(UserWarning, match="most trees"):
        model = GeodesicForest(3, min_parent=1000, random_state=0).fit(X)
    same(model.forest_, pickle.loads(pickle.dumps(model)).forest_)


def test_missing_values_are_drawn_as_before():
    model = GeodesicForest(4, missing="random", random_state=0).fit(HOLES)
    again = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(model.apply(HOLES), again.apply(HOLES))


def test_pickle_keeps_neither_the_table_nor_what_is_made_again():
    wide = RNG.normal(size=(400, 300))
    model = GeodesicNeighbors(3, n_estimators=5, random_state=0).fit(wide)
    unasked = len(pickle.dumps(model))
    model.transform(wide)
    assert len(pickle.dumps(model)) == unasked < wide.nbytes / 10


def test_a_leaf_takes_two_bytes_at_most_where_nodes_are_few():
    assert GeodesicForest(3, random_state=0).fit(X).forest_.leaf_of.dtype == np.uint16
    assert node_type(60_000) is np.uint16
    assert node_type(70_000) is np.int32


@settings(max_examples=40, deadline=None)
@given(
    arrays.arrays(
        st.sampled_from([np.float64, np.int32, np.uint8]),
        arrays.array_shapes(min_dims=1, max_dims=2, min_side=0, max_side=6),
    )
)
def test_an_unpacked_array_is_the_packed_one(array):
    found = unpack(pack(array))
    assert found.dtype == array.dtype
    np.testing.assert_array_equal(found, array, strict=True)
