"""Ordinary tables with classes."""

import os
import sys

import numpy as np
import pytest
from sklearn.datasets import load_diabetes, load_wine

from geoforest_cli.core.errors import Unavailable
from geoforest_cli.problems.datasets import CATALOGUE, LABELLED
from geoforest_cli.problems.datasets import tables as module

BROUGHT = [name for name, entry in LABELLED.items() if not entry.files]
FETCHED = [name for name in LABELLED if name not in BROUGHT]


def words(name):
    """Rows, columns and classes as the line of the catalogue says them."""
    return LABELLED[name].about


def check(name):
    table = LABELLED[name].load()()
    n, p = table.points.shape
    assert table.points.dtype == np.float64
    assert np.isfinite(table.points).all()
    assert table.labels.shape == (n,)
    assert n >= 50
    assert p >= 3
    assert f"{p} columns" in words(name)
    counts = np.unique(table.labels, return_counts=True)[1]
    # a row has others of its class among its ten nearest, and no class is nearly all rows
    assert counts.min() > 10
    assert counts.max() < 0.75 * n
    if "thirds" in words(name):
        assert set(table.labels) == {"low", "middle", "high"}
        assert counts.min() > 0.3 * n


def test_twenty_tables_sixteen_of_them_from_packages():
    assert list(LABELLED) == sorted(LABELLED)
    assert (len(BROUGHT), len(FETCHED)) == (16, 4)
    assert all(LABELLED[name].files in CATALOGUE for name in FETCHED)


@pytest.mark.parametrize("name", BROUGHT)
def test_tables_of_packages(name):
    check(name)


@pytest.mark.data
@pytest.mark.parametrize("name", FETCHED)
def test_tables_that_are_fetched(name):
    if "GEOFOREST_DATA" not in os.environ:
        pytest.skip("GEOFOREST_DATA is not set")
    check(name)


def test_tables_are_those_of_the_packages():
    points, classes = load_wine(return_X_y=True)
    wine = LABELLED["wine"].load()()
    assert np.array_equal(wine.points, points)
    assert np.array_equal(wine.labels.astype(int), classes)
    diabetes = LABELLED["diabetes"].load()()
    response = load_diabetes().target
    low = response[diabetes.labels == "low"].max()
    assert low < response[diabetes.labels == "middle"].min()
    assert response[diabetes.labels == "middle"].max() < response[diabetes.labels == "high"].min()


def test_the_target_is_no_column():
    """No column tells the classes of a table of statsmodels by itself, as its target would."""
    for name in BROUGHT:
        table = LABELLED[name].load()()
        for column in table.points.T:
            values, codes = np.unique(column, return_inverse=True)
            if len(values) > len(np.unique(table.labels)):
                continue
            purity = [len(np.unique(table.labels[codes == i])) for i in range(len(values))]
            assert max(purity) > 1, name


def test_thirds_of_equal_values_stay_together():
    assert module.thirds([1, 1, 1, 1, 2, 3]).tolist() == ["low"] * 4 + ["high"] * 2


def test_without_statsmodels_a_sentence_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "statsmodels.datasets.fair", None)
    with pytest.raises(Unavailable, match=r"pip install 'geoforest\[tables\]'"):
        module.affairs()
