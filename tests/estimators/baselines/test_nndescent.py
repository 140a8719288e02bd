"""Neighbours by an approximate index, against exact ones."""

from __future__ import annotations

import sys
from itertools import product
from types import SimpleNamespace

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


@pytest.mark.nightly
@pytest.mark.parametrize("new", [None, np.random.default_rng(1).normal(size=(200, 8))])
def test_nearly_all_neighbours_are_found_and_copies_come_first(indexed, table, new):
    distances, rows = indexed.kneighbors(new)
    exact = Euclidean().fit(table).kneighbors(new, 10)[0]
    assert indexed._index is not None
    assert (distances <= exact[:, -1:] + 1e-9).mean() >= 0.95
    gaps = np.linalg.norm(table[rows] - (table if new is None else new)[:, None], axis=2)
    np.testing.assert_allclose(distances, gaps, atol=1e-12)
    if new is None:
        assert not (rows == np.arange(1500)[:, None]).any()
        assert {*rows[3]} < {*range(61)} - {3}
        assert (distances[:61] == 0).all()
        # lists may be longer than the index
        distances, rows = indexed.kneighbors(n_neighbors=100)
        assert rows.shape == (1500, 100)
        assert (np.diff(distances) >= 0).all()


def test_few_rows_are_compared_exactly():
    points = np.random.default_rng(0).normal(size=(50, 3))
    rows = NnDescent().fit(points).kneighbors(n_neighbors=49)[1]
    assert (rows == Euclidean().fit(points).kneighbors(n_neighbors=49)[1]).all()


@pytest.mark.nightly
def test_threads_change_nothing(table, monkeypatch):
    monkeypatch.setattr(nndescent, "_FEW", 100)
    one, two = (find_neighbors(table, 5, "nndescent", n_jobs=n, screen="none") for n in (1, 2))
    assert (one.indices == two.indices).all()
    assert (one.distances == two.distances).all()


@pytest.fixture
def made_up(monkeypatch):
    """An exact index in the place of pynndescent's, whose searches end too early for one row."""
    asked = []

    class Index:
        def __init__(self, points, **settings):
            asked.append((points.dtype, np.abs(points.mean(axis=0)).max() < 1e-3, settings))
            self.points = points
            self.neighbor_graph = (self.query(points, settings["n_neighbors"])[0], None)

        def query(self, points, k):
            asked.append((len(points), k))
            lengths = np.linalg.norm(points[:, None] - self.points, axis=2)
            rows = np.argsort(lengths, axis=1, kind="stable")[:, :k]
            rows[-1, -1] = -1
            return rows, None

    monkeypatch.setattr(nndescent, "_FEW", 10)
    monkeypatch.setattr(nndescent, "keep_compiled", lambda: asked.append("kept"))
    monkeypatch.setitem(sys.modules, "pynndescent", SimpleNamespace(NNDescent=Index))
    return asked


@pytest.mark.parametrize(("n", "k", "held"), [(50, 5, 30), (50, 16, 32), (20, 5, 19)])
def test_the_index_holds_twice_the_neighbours_and_thirty_at_least(made_up, n, k, held):
    points = np.random.default_rng(3).normal(size=(n, 3)) + 1e3
    table = np.r_[points, points[:2]]
    fitted = NnDescent(k, random_state=2**31 + 3).fit(table)
    settings = {"n_neighbors": held, "random_state": 3, "n_jobs": 1}
    assert made_up[:2] == ["kept", (np.float32, True, settings)]
    for count, new in product((held - 1, held, n), (None, table[:4] + 0.01)):
        del made_up[2:]
        distances, _ = fitted.kneighbors(new, count)
        exact = Euclidean().fit(table).kneighbors(new, count)[0]
        np.testing.assert_allclose(distances, exact, rtol=1e-5)
        # its own lists are taken as far as they go
        asked = 4 if new is not None else n if min(count + 1, n) > held else 0
        assert made_up[2:] == ([(asked, min(count + 1, n))] if asked else [])


def test_lists_are_made_in_parts_of_the_rows(made_up, monkeypatch):
    points = np.random.default_rng(3).normal(size=(23, 2))
    whole = NnDescent(4, random_state=0).fit(points).kneighbors()
    monkeypatch.setattr(nndescent, "_AT_ONCE", 5)
    for one, other in zip(
        whole, NnDescent(4, random_state=0).fit(points).kneighbors(), strict=True
    ):
        np.testing.assert_array_equal(one, other)


@pytest.mark.parametrize(("rows", "is_built"), [(10, False), (11, True)])
def test_few_distinct_rows_have_no_index(made_up, rows, is_built):
    points = np.arange(2.0 * rows).reshape(rows, 2)
    fitted = NnDescent(2).fit(np.r_[points, points])
    assert (fitted._index is not None) == is_built
    copy, other = fitted.kneighbors()[1][0].tolist()
    assert (copy, other in {1, rows + 1}) == (rows, True)


def test_values_that_single_precision_cannot_square_are_scaled_or_refused():
    table = np.array([[1.0, 2], [-1e20, 2], [3, 4], [9, 9]])
    with pytest.raises(DataError, match="values up to"):
        NnDescent().fit(table)
    assert np.isfinite(NnDescent(rescale="min_max").fit(table).kneighbors(None, 2)[0]).all()
