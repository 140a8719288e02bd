"""Columns that have a say."""

import numpy as np
import pytest

from geoforest_cli.estimators.adaptive.columns import kept_columns

_RNG = np.random.default_rng(1)
T = _RNG.uniform(size=300)
SHAPE = np.c_[np.cos(9 * T), np.sin(9 * T), T]
NOISE = _RNG.lognormal(size=(300, 40))


@pytest.mark.parametrize(
    ("table", "expected"),
    [
        (np.c_[SHAPE, NOISE], [0, 1, 2]),
        (np.c_[NOISE[:, :4], SHAPE], [4, 5, 6]),
        # one column, or one in twenty, is not worth dropping
        (np.c_[SHAPE, NOISE[:, 0]], [0, 1, 2, 3]),
        (np.c_[SHAPE, np.ones(300), NOISE[:, 0]], [0, 1, 2, 4]),
        (np.c_[SHAPE, NOISE[:, :2]], [0, 1, 2]),
        (np.c_[SHAPE[:, [0, 1, 2] * 15], NOISE[:, :2]], list(range(47))),
        # fewer than ten rows
        (np.c_[SHAPE[:9, [2, 2]], NOISE[:9, :2]], [0, 1, 2, 3]),
        # constant columns alone are never kept
        (np.c_[np.ones(300), SHAPE[:, 0]], [1]),
        (np.ones((300, 2)), [0, 1]),
    ],
)
def test_those_that_depend_on_others(table, expected):
    kept = kept_columns(table, np.random.default_rng(0))
    assert kept.columns.tolist() == expected
    assert not kept.independent


@pytest.mark.parametrize(("p", "independent"), [(19, False), (20, True)])
def test_of_twenty_independent_columns_all_are_kept(p, independent):
    kept = kept_columns(NOISE[:, :p], np.random.default_rng(0))
    assert kept.columns.tolist() == list(range(p))
    assert kept.independent == independent


def test_of_a_wide_table_all_that_depend_on_others_at_a_rate():
    rng = np.random.default_rng(3)
    causes = rng.normal(size=(60, 12))
    table = np.c_[causes @ rng.normal(size=(12, 300)) + rng.normal(size=(60, 300)), NOISE[:60]]
    kept = kept_columns(table, np.random.default_rng(0))
    assert kept.wide
    assert (kept.groups > 0).sum() < len(kept.columns)
    assert set(np.flatnonzero(kept.groups > 0)) <= set(kept.columns)
    assert (kept.columns >= 300).sum() <= 0.1 * len(kept.columns)
