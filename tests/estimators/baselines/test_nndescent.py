"""Neighbours by an approximate index, against exact ones."""

from __future__ import annotations

import numpy as np
import pytest

from geoforest_cli.core.errors import DataError
from geoforest_cli.estimators.baselines import nndescent
from geoforest_cli.estimators.baselines.euclidean import Euclidean
from geoforest_cli.estimators.baselines.nndescent import NnDescent
from geoforest_cli.tables import find_neighbors


@pytest.fixture(scope="module")
def table():
    points = np.random.default_rng(0).normal(size=(1500, 8))
    points[:60] = points[60]  # more copies than a list holds
    return points


@pytest.fixture
def indexed(table, monkeypatch):
    monkeypatch.setattr(nndescent, "_FEW", 100)
    return NnDescent(10, random_state=0).fit(table)


def test_nearly_all_neighbours_are_found(indexed, table):
    distances, rows = indexed.kneighbors()
    exact = Euclidean().fit(table).kneighbors(n_neighbors=10)[0]
    assert indexed._index is not None
    assert (distances <= exact[:, -1:] + 1e-9).mean() >= 0.95
    gaps = np.linalg.norm(table[rows] - table[:, None], axis=2)
    np.testing.assert_allclose(distances, gaps, atol=1e-12)
    assert not (rows == np.arange(1500)[:, None]).any()


def test_copies_come_first_in_the_order_of_their_rows(indexed):
    distances, rows = indexed.kneighbors()
    assert rows[3].tolist() == [0, 1, 2, 4, 5, 6, 7, 8, 9, 10]
    assert (distances[:61] == 0).all()


def test_new_rows_find_their_neighbours(indexed, table):
    new = np.random.default_rng(1).normal(size=(200, 8))
    distances, _ = indexed.kneighbors(new)
    exact = Euclidean().fit(table).kneighbors(new, 10)[0]
    assert (distances <= exact[:, -1:] + 1e-9).mean() >= 0.95
    again = indexed.kneighbors(new)[1]
    assert (indexed.kneighbors(new)[1] == again).all()


def test_lists_may_be_longer_than_the_index(indexed):
    distances, rows = indexed.kneighbors(n_neighbors=100)
    assert rows.shape == (1500, 100)
    assert (np.diff(distances) >= 0).all()


def test_few_rows_are_compared_exactly():
    points = np.random.default_rng(0).normal(size=(50, 3))
    rows = NnDescent().fit(points).kneighbors(n_neighbors=49)[1]
    assert (rows == Euclidean().fit(points).kneighbors(n_neighbors=49)[1]).all()
    with pytest.raises(DataError, match="k = 50 neighbours, but 1 to 49 are possible"):
        NnDescent().fit(points).kneighbors(n_neighbors=50)


def test_threads_change_nothing(table, monkeypatch):
    monkeypatch.setattr(nndescent, "_FEW", 100)
    one, two = (find_neighbors(table, 5, "nndescent", n_jobs=n, screen="none") for n in (1, 2))
    assert (one.indices == two.indices).all()
    assert (one.distances == two.distances).all()
