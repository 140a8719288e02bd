import math
import re

import numpy as np
import pytest

from geoforest_cli.study.engine.row_checks import tidy_rows
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
        ([], "must return a list of rows"),
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
    ("length", "shown"), [(58, "'" + 58 * "x" + "'"), (59, "'" + 56 * "x" + "...")]
)
def test_what_is_no_row_is_quoted_in_sixty_letters(length, shown):
    with pytest.raises(TypeError, match=f"not {re.escape(shown)}$"):
        tidy_rows(["x" * length], ())
