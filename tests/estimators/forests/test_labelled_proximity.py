"""Outliers and prototypes of classes, against slow twins and closed forms."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_array
from sklearn.datasets import load_iris

from geoforest_cli import RandomForestClassifier, class_prototypes, outlier_scores
from geoforest_cli.core.errors import DataError, InvalidParameterError
from tests import naive

IRIS, SPECIES = load_iris(return_X_y=True)


@pytest.fixture(scope="module")
def noisy():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 3))
    y = np.where(X[:, 0] + rng.normal(size=60) > 0.3, "up", "down")
    return RandomForestClassifier(60, min_leaf=2, random_state=0).fit(X, y), y


@pytest.mark.parametrize("weights", ["uniform", "oob", "kerf", "gap"])
def test_outliers_and_prototypes_are_those_of_the_twins(noisy, weights):
    forest, y = noisy
    dense = forest.proximity(weights=weights)
    wanted = naive.outlier_scores(dense, y)
    least = np.unique(y, return_counts=True)[1].min()
    for proximity in (dense, forest.proximity(weights=weights, sparse=True)):
        np.testing.assert_allclose(outlier_scores(proximity, y), wanted, rtol=1e-9)
        for k in (1, 10, None):
            found = class_prototypes(proximity, y, k)
            for place, label in enumerate(found.classes):
                row, mates = naive.prototype(np.nan_to_num(dense), y, label, k or least - 1)
                assert found.rows[place] == row
                assert found.members[place].tolist() == [row, *mates]


def test_a_flower_among_those_of_another_species_is_an_outlier():
    y = SPECIES.copy()
    y[3] = 2
    forest = RandomForestClassifier(100, min_leaf=3, random_state=0).fit(IRIS, y)
    for weights in ("oob", "gap"):
        scores = outlier_scores(forest.proximity(weights=weights, sparse=True), y)
        assert scores.argmax() == 3
        assert scores[3] > 10


def test_a_closed_form():
    proximity = np.array(
        [
            [1, 0.5, 0.5, 0, 0],
            [0.5, 1, 1, 0, 0],
            [0.5, 1, 1, 0, 0],
            [0, 0, 0, 1, 0],
            [9, 0, 0, 0, 1],
        ]
    )
    y = ["a", "a", "a", "a", "b"]
    # raw: 10, 4, 4, infinite; median 7, distances 3, 3, 3, infinite
    np.testing.assert_allclose(outlier_scores(proximity, y), [1, -1, -1, np.inf, np.nan])
    # without classes: 10, 4, 4, infinite, 5/81; median 4, distances 6, 0, 0, infinite, 3.938...
    small = 4 - 5 / 81
    np.testing.assert_allclose(outlier_scores(proximity), [6 / small, 0, 0, np.inf, -1])
    found = class_prototypes(proximity, y, 2)
    assert found.classes.tolist() == ["a", "b"]
    assert found.rows.tolist() == [1, 4]
    assert [rows.tolist() for rows in found.members] == [[1, 2, 0], [4]]
    np.testing.assert_array_equal(
        found.medians([[1.0, 5.0], [2.0, 6.0], [4.0, 0.0], [9.0, 9.0], [3.0, 8.0]]),
        [[2.0, 5.0], [3.0, 8.0]],
    )


def test_equal_rows_are_no_outliers_and_unknown_ones_nan():
    assert outlier_scores(np.ones((4, 4))).tolist() == [0, 0, 0, 0]
    assert outlier_scores(np.eye(4)).tolist() == [0, 0, 0, 0]
    unknown = np.ones((4, 4))
    unknown[1] = np.nan
    np.testing.assert_array_equal(outlier_scores(unknown), [0, np.nan, 0, 0])
    np.testing.assert_array_equal(outlier_scores(csr_array(unknown)), [0, np.nan, 0, 0])
    assert np.isnan(outlier_scores(np.full((2, 2), np.nan))).all()


@settings(max_examples=30)
@given(st.integers(3, 20), st.integers(0, 2**32))
def test_the_order_of_rows_does_not_matter(n, seed):
    rng = np.random.default_rng(seed)
    proximity, y = rng.random((n, n)), rng.integers(0, 2, n)
    order = rng.permutation(n)
    turned = proximity[np.ix_(order, order)]
    scores = outlier_scores(proximity, y)
    np.testing.assert_allclose(outlier_scores(turned, y[order]), scores[order], rtol=1e-6)
    found, again = class_prototypes(proximity, y, n), class_prototypes(turned, y[order], n)
    np.testing.assert_array_equal(order[again.rows], found.rows)


def test_what_does_not_fit_is_one_sentence():
    with pytest.raises(DataError, match=r"the shape \(2, 3\), it must be square"):
        outlier_scores(np.ones((2, 3)))
    with pytest.raises(DataError, match=r"y has the shape \(3,\), a matrix of 2 rows needs \(2,\)"):
        outlier_scores(np.ones((2, 2)), [1, 2, 3])
    with pytest.raises(InvalidParameterError, match=r"range \[1, inf\) or None. Got 0 instead"):
        class_prototypes(np.ones((2, 2)), [1, 2], 0)
