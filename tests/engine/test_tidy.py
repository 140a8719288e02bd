import math

import numpy as np
import pytest

from geoforest_cli.engine.tidy import tidy_rows


def test_numpy_scalars_become_plain():
    row = {"metric": np.str_("m"), "value": np.float32(0.1), "k": np.int32(3), "part": np.str_("a")}
    (tidy,) = tidy_rows([row], ("k", "part"))
    assert tidy == {"k": 3, "part": "a", "metric": "m", "value": float(np.float32(0.1))}
    assert [type(value) for value in tidy.values()] == [int, str, str, float]


@pytest.mark.parametrize("value", [1, True, np.bool_(True), np.int8(1)])
def test_any_real_number_is_a_float(value):
    (tidy,) = tidy_rows([{"metric": "m", "value": value}], ())
    assert type(tidy["value"]) is float


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf])
def test_values_that_are_not_finite_are_kept(value):
    (tidy,) = tidy_rows([{"metric": "m", "value": value}], ())
    assert repr(tidy["value"]) == repr(value)


@pytest.mark.parametrize(
    ("rows", "why"),
    [
        (None, "must return a list of rows, not None"),
        ([], "must return a list of rows"),
        ({"metric": "m", "value": 1}, "must return a list of rows"),
        ([5], "must have 'metric' and 'value', not 5"),
        ([{"metric": "m"}], "must have 'metric' and 'value'"),
        ([{"metric": "m", "value": "1"}], "'value' a number"),
        ([{"metric": "m", "value": None}], "'value' a number"),
        ([{"metric": 3, "value": 1.0}], "'metric' must be a string"),
        ([{"metric": "m", "value": 1.0, "q": 1}], "'q', which is not in the grid .* k"),
        ([{"metric": "m", "value": 1.0, "k": [1]}], "an inner parameter must be"),
        (["x" * 500], r"\.\.\."),
    ],
)
def test_rows_of_a_wrong_shape_are_refused_in_words(rows, why):
    with pytest.raises((TypeError, ValueError), match=why):
        tidy_rows(rows, ("k",))
