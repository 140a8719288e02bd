"""Cells that failed, numbers that cannot be had, and what is not judged."""

import math

import pandas as pd
import pytest

from tests.study.claims.by_hand import GREATER, B, C, around, judge, rows

AHEAD, BEHIND = around({"a": 0.8, "b": 0.5}), around({"a": 0.5, "b": 0.8})
LOST = rows({("a", 1): [0.8, None, 0.81], ("b", 1): [0.5, 0.5, 0.5]})


def test_a_claim_that_missing_cells_could_turn_is_not_judged():
    result = judge(GREATER, pd.concat([AHEAD, LOST]))
    assert (result.verdict, result.preliminary) == ("not judged", "supported")
    assert judge(GREATER, pd.concat([BEHIND, LOST])).verdict == "refuted"
    enough = pd.concat([AHEAD, AHEAD.assign(x=2), AHEAD.assign(x=3), LOST])
    assert judge({**GREATER, "quantifier": "most"}, enough).verdict == "supported"


@pytest.mark.parametrize("lead", [0.0, 0.005])
def test_a_tie_that_missing_cells_could_turn_is_not_judged(lead):
    close_rows = around({"a": 0.5 + lead, "b": 0.5}).assign(x=2)
    claim = {**GREATER, "tie": 0.01, "quantifier": "most"}
    assert judge(claim, pd.concat([AHEAD, close_rows, LOST])).verdict == "not judged"


def test_a_method_that_was_left_out_is_the_reason():
    claim, lacking = {**GREATER, "than": [B, C]}, {"c": "it needs torch"}
    result = judge(claim, AHEAD, lacking=lacking)
    assert (result.verdict, "it needs torch" in result.reason) == ("not judged", True)
    assert judge(claim, BEHIND, lacking=lacking).verdict == "refuted"


@pytest.mark.parametrize(
    ("claim", "others", "chance"),
    [
        ({"check": "at_least", "times_chance": 2.0}, {}, [0.1, 0.1, 0.0]),
        ({"check": "at_least", "times_chance": 2.0}, {}, [0.1, 0.1]),
        ({"check": "ratio", "over": B, "at_least": 1.5}, {("b", 1): [0.1, 0.1, 0.0]}, []),
        ({"check": "range", "axis": "x", "tolerance": 1.0}, {}, []),
        ({"check": "slope", "axis": "x", "at_least": 0.1}, {("a", 4): [0.5, None, 0.5]}, []),
    ],
)
def test_a_number_that_cannot_be_had_is_missing(claim, others, chance):
    ours = rows({("a", 1): [0.5, 0.51, 0.52]} | others)
    result = judge(claim, pd.concat([ours, rows({("a", 1): chance}, metric="chance")]))
    assert result.verdict == "not judged"
    assert all(point.missing > 0 for point in result.points)


def test_disconnected_rows_are_neither_values_nor_failures():
    frame = around({"a": 0.8, "b": 0.5}, n=3)
    frame.loc[2, ["value", "status"]] = [math.nan, "disconnected"]
    assert judge(GREATER, frame).n == 2
    lost = judge(GREATER, frame.assign(status="disconnected", value=math.nan))
    assert (lost.verdict, lost.points[0].missing) == ("not judged", 0)


def test_a_failed_cell_without_inner_values_is_missing_at_each():
    frame = around({"a": {0: 0.8, 1: 0.8}, "b": {0: 0.5, 1: 0.5}}, n=3)
    lost = rows({("b", 0): [None]}).assign(x=None, repetition=3)
    result = judge(GREATER, pd.concat([frame, lost], ignore_index=True))
    assert [(point.at["x"], point.missing) for point in result.points] == [(0, 1), (1, 1)]
