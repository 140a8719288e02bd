"""Which columns have a say."""

import numpy as np
import pytest

from geoforest_cli.estimators.adaptive.columns import kept_columns

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
