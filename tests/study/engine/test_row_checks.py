import math

import numpy as np
import pytest

from geoforest_cli.study.engine.row_checks import require_complete, tidy_rows
from geoforest_cli.study.experiment import Row


def test_numpy_scalars_become_plain():
    row = Row(np.str_("m"), np.float32(0.1), k=np.int32(3), part=np.str_("a"))
    (tidy,) = tidy_rows([row], ("k", "part"))
    assert tidy == {"k": 3, "part": "a", "metric": "m", "value": float(np.float32(0.1))}
    assert [type(value) for value in tidy.values()] == [int, str, str, float]


@pytest.mark.parametrize("value", [1, True, np.bool_(True), np.int8(1)])
def test_any_real_number_is_a_float(value):
    (tidy,) = tidy_rows([Row("m", value)], ())
    assert type(tidy["value"]) is float


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf])
def test_values_that_are_not_finite_are_kept(value):
    (tidy,) = tidy_rows([Row("m", value)], ())
    assert repr(tidy["value"]) == repr(value)


def test_a_status_says_why_there_is_no_number():
    (tidy,) = tidy_rows([Row("m", math.nan, "disconnected")], ())
    assert tidy["status"] == "disconnected"
    assert "status" not in tidy_rows([Row("m", 1.0)], ())[0]


@pytest.mark.parametrize(
    ("rows", "why"),
    [
        (None, "must return a list of rows, not None"),
        ([], "at least one row, not \\[\\]"),
        ({"metric": "m", "value": 1}, "must return a list of rows"),
        ([5], r"must return rows, Row\(metric, value, ...\), not 5"),
        ([{"metric": "m", "value": 1.0}], "must return rows"),
        ([Row("m", "1")], "a name and a number"),
        ([Row("m", None)], "a name and a number"),
        ([Row(3, 1.0)], "a name and a number"),
        ([Row("m", 1.0, q=1)], "'q', which is neither .* k"),
        ([Row("m", 1.0, k=[1])], "the columns of a row hold"),
        ([Row("m", 1.0, "lost")], "ok or disconnected or undefined, not 'lost'"),
        (["x" * 500], r"\.\.\."),
    ],
)
def test_rows_of_a_wrong_shape_are_refused_in_words(rows, why):
    with pytest.raises((TypeError, ValueError), match=why):
        tidy_rows(rows, ("k",))


@pytest.mark.parametrize(
    ("rows", "why"),
    [
        ([Row("m", 1, k=5), Row("m", 2, k=9), Row("m", 3, k=5)], "two rows of m for k = 5"),
        ([Row("m", 1, k=5, point=3), Row("m", 1, k=5, point=3)], "two .* k = 5 and point = 3"),
        ([Row("m", 1, k=5)], r"no row for k = 9 \(asked for: 5, 9\)"),
        ([Row("m", 1)], r"no row for k = 5 \(asked for: 5, 9\)"),
        ([Row("m", 1, k=5), Row("m", 1, k=9), Row("m", 1, k=99)], r"row for k = 99 \(asked for"),
        ([Row("mm", 1, k=5), Row("m", 1, k=9)], "unknown metric 'mm'; did you mean 'm'"),
        ([Row("m", math.nan, "undefined", k=5), Row("m", 1, k=5)], "two rows of m for k = 5"),
    ],
)
def test_rows_that_are_lost_later_are_refused(rows, why):
    tidy = tidy_rows(rows, ("k", "point"))
    with pytest.raises(ValueError, match=why):
        require_complete(tidy, ("m", "other"), {"k": (5, 9)})


def test_rows_of_all_inner_values_and_points():
    rows = [Row("m", 1.0, k=k, point=point) for k in (5, 9) for point in range(3)]
    # another metric does not depend on k
    tidy = tidy_rows([*rows, Row("other", 1.0)], ("k", "point"))
    require_complete(tidy, ("m", "other"), {"k": (5, 9)})
    require_complete(tidy_rows([Row("m", 1)], ()), ("m",), {})
    with pytest.raises(ValueError, match=r"two rows of m$"):
        require_complete(tidy_rows([Row("m", 1), Row("m", 1)], ()), ("m",), {})
