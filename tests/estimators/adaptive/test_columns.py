"""Which columns have a say."""

import numpy as np
import pytest

from geoforest_cli.estimators.adaptive.columns import effective_directions, kept_columns

RNG = np.random.default_rng(1)
T = RNG.uniform(size=300)
SHAPE = np.c_[np.cos(9 * T), np.sin(9 * T), T]
NOISE = RNG.lognormal(size=(300, 40))


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
        # constant columns alone are never kept
        (np.c_[np.ones(300), SHAPE[:, 0]], [1]),
        (np.ones((300, 2)), [0, 1]),
    ],
)
def test_those_that_depend_on_others(table, expected):
    kept = kept_columns(table, np.random.default_rng(0))
    assert kept.columns.tolist() == expected
    assert not kept.independent


def test_all_where_none_depends_on_another_and_that_is_said():
    few, many = (kept_columns(table, np.random.default_rng(0)) for table in (NOISE[:, :19], NOISE))
    assert few.columns.tolist() == list(range(19))
    assert many.columns.tolist() == list(range(40))
    assert (few.independent, many.independent) == (False, True)


def test_of_a_wide_table_all_that_depend_on_others_at_a_rate():
    rng = np.random.default_rng(3)
    causes = rng.normal(size=(60, 12))
    table = np.c_[causes @ rng.normal(size=(12, 300)) + rng.normal(size=(60, 300)), NOISE[:60]]
    kept = kept_columns(table, np.random.default_rng(0))
    assert kept.wide
    assert (kept.groups > 0).sum() < len(kept.columns)
    assert set(np.flatnonzero(kept.groups > 0)) <= set(kept.columns)
    assert (kept.columns >= 300).sum() <= 0.1 * len(kept.columns)


@pytest.mark.parametrize("causes", [1, 2, 3])
def test_rows_in_few_directions_are_not_wide(causes):
    rng = np.random.default_rng(4)
    table = rng.normal(size=(60, causes)) @ rng.normal(size=(causes, 300))
    assert not kept_columns(table, np.random.default_rng(0)).wide
    assert effective_directions(table, rng) <= causes + 1e-9
