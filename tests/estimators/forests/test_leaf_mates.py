"""The index of leaf mates, against exact neighbours and naive code of its kernels."""

from __future__ import annotations

import numpy as np
import pytest

from geoforest_cli.core.errors import DataError
from geoforest_cli.estimators.baselines.euclidean import Euclidean
from geoforest_cli.estimators.forests.kernels.binned import (
    CHILD,
    COLUMN,
    CUT,
    OTHER,
    SIGN,
    BinnedRules,
    drop_binned,
    grow_binned,
)
from geoforest_cli.estimators.forests.leaf_mates import LeafMates
from geoforest_cli.tables import find_neighbors

RULES = BinnedRules(40, 300, 4, 0.125, 0.015)


@pytest.fixture(scope="module")
def table():
    points = np.random.default_rng(0).normal(size=(3000, 8))
    points[:60] = points[60]  # more copies than a list holds
    return points


@pytest.fixture(scope="module")
def index(table):
    return LeafMates(10, screen=None, rescale="none", random_state=0).fit(table)


@pytest.mark.parametrize("new", [None, np.random.default_rng(1).normal(size=(200, 8))])
def test_most_neighbours_are_found_at_their_distances(index, table, new):
    distances, rows = index.kneighbors(new)
    exact = Euclidean().fit(table).kneighbors(new, 10)[0]
    assert (distances <= exact[:, -1:] + 1e-9).mean() > 0.8
    gaps = np.linalg.norm(table[rows] - (table if new is None else new)[:, None], axis=2)
    np.testing.assert_allclose(distances, gaps, atol=1e-12)


def test_copies_come_first_and_no_row_is_its_own_neighbour(index):
    distances, rows = index.kneighbors()
    assert not (rows == np.arange(3000)[:, None]).any()
    assert {*rows[3]} < {*range(61)} - {3}
    assert (distances[:61] == 0).all()


def test_lists_may_be_longer_than_those_of_the_fit(index):
    distances, rows = index.kneighbors(n_neighbors=400)
    assert all(len(set(row)) == 400 for row in rows[::50].tolist())
    assert (np.diff(distances) >= 0).all()


def test_a_table_of_one_leaf_is_compared_exactly():
    points = np.random.default_rng(0).normal(size=(150, 3))
    rows = LeafMates(screen=None, rescale="none").fit(points).kneighbors(n_neighbors=149)[1]
    assert (rows == Euclidean().fit(points).kneighbors(n_neighbors=149)[1]).all()


def test_threads_change_nothing(table):
    by_one, by_two = (
        find_neighbors(table, 5, "leaf_mates", n_jobs=n, screen="none") for n in (1, 2)
    )
    assert (by_one.indices == by_two.indices).all()
    assert (by_one.distances == by_two.distances).all()


def test_columns_that_depend_on_no_other_are_dropped_and_named():
    rng = np.random.default_rng(0)
    t = rng.uniform(size=400)
    model = LeafMates(random_state=0).fit(np.c_[t, t**2, rng.normal(size=(400, 8))])
    assert (model.kept_.tolist(), len(model.dropped_)) == ([0, 1], 8)
    assert model.note_.startswith("The screen keeps 2 of 10 columns")


def test_rows_of_a_leaf_are_those_that_reach_it():
    codes = np.random.default_rng(0).integers(0, 256, (500, 5)).astype(np.uint8)
    rows, nodes = grow_binned(codes, np.uint64(1), RULES)
    reached = np.empty(500, np.int64)
    drop_binned(codes, nodes, reached)
    leaves = np.flatnonzero(nodes[:, CHILD] < 0)
    assert sorted(rows.tolist()) == list(range(500))
    for leaf in leaves:
        begin, end = nodes[leaf, -2:]
        assert (reached[rows[begin:end]] == leaf).all()


def test_the_cut_of_the_root_is_the_best_of_all_by_two_gaussians():
    """Two clusters in one column: rounding aside, the cut is that of exact scores."""
    rng = np.random.default_rng(0)
    codes = np.r_[rng.normal(60, 5, 120), rng.normal(180, 9, 180)].round().astype(np.uint8)[:, None]
    nodes = grow_binned(codes, np.uint64(1), RULES)[1]
    values = codes[:, 0].astype(float)

    def score(cut):
        sides = values[values < cut], values[values >= cut]
        if min(map(len, sides)) < 0.125 * len(values):
            return np.inf
        least = 0.015 * (values.var() + 1 / 12)
        return sum(
            len(side) * np.log(max(side.var() + 1 / 12, least) / len(side) ** 2) for side in sides
        )

    best = min(range(1, 256), key=score)
    assert nodes[0, [COLUMN, OTHER, SIGN]].tolist() == [0, 0, 0]
    assert score(nodes[0, CUT]) == pytest.approx(score(best), rel=1e-4)


@pytest.mark.parametrize("shape", [(2, 1), (3, 3), (200, 1), (400, 2)])
@pytest.mark.parametrize("kind", ["constant", "copies", "normal"])
def test_degenerate_tables(shape, kind):
    points = np.random.default_rng(0).normal(size=shape)
    points = {"constant": 0 * points, "copies": np.round(points), "normal": points}[kind]
    distances, rows = LeafMates(1, screen=None).fit(points).kneighbors()
    assert np.isfinite(distances).all()
    assert (rows[:, 0] != np.arange(len(points))).all()


def test_values_too_large_to_square_are_scaled_or_refused():
    table = np.array([[1.0, 2], [-1e20, 2], [3, 4], [9, 9]])
    with pytest.raises(DataError, match="values up to"):
        LeafMates(rescale="none").fit(table)
    assert np.isfinite(LeafMates().fit(table).kneighbors(None, 2)[0]).all()
