"""Judged claims as claims.json has them, every entry by hand or by scipy."""

import numpy as np
import pytest
from scipy import stats

from tests.study.claims.by_hand import B, C, judge, rows

OURS, FIRST, SECOND = [0.5, 0.6, 0.72, 0.58], [0.4, 0.42, 0.5, 0.41], [0.49, 0.61, 0.7, 0.6]
THIRD = [0.3, 0.32, 0.35, 0.31]
ABOUT = {
    "id": "c", "origin": "ours", "says": "s", "quote": "", "section": "", "primary": "",
    "unit": "sample", "caution": "", "where": {}, "print": None, "expect": "", "repetitions": None,
    "looks": {"taken": [], "declared": [], "undeclared": []},
}  # fmt: skip


def t_interval(values, level):
    return pytest.approx(
        stats.t.interval(level, len(values) - 1, np.mean(values), stats.sem(values))
    )


def test_a_claim_over_two_points_of_which_one_lacks_a_cell():
    frame = rows({
        ("a", 1): OURS, ("b", 1): FIRST, ("c", 1): THIRD,
        ("a", 2): OURS, ("b", 2): SECOND, ("c", 2): [*THIRD[:3], None],
    })  # fmt: skip
    found = judge({"check": "greater", "than": [B, C], "tie": 0.01}, frame)
    clear, close = np.subtract(OURS, FIRST), np.subtract(OURS, SECOND)
    points = found.pop("points")
    assert [(p.pop("low"), p.pop("high")) for p in points] == [
        t_interval(clear, 0.95), t_interval(close, 0.975),
    ]  # fmt: skip
    assert points == [
        {"at": {"x": 1, "than": "b as_run"}, "estimate": pytest.approx(clear.mean()),
         "level": 0.95, "n": 4, "contrasts": 2, "missing": 0, "verdict": "supported"},
        {"at": {"x": 2, "than": "b as_run"}, "estimate": pytest.approx(0.0, abs=1e-15),
         "level": 0.975, "n": 4, "contrasts": 2, "missing": 1, "verdict": "undecided"},
    ]  # fmt: skip
    # against: either of the points, and at it either of the rivals
    assert (found.pop("low"), found.pop("high")) == t_interval(close, 1 - 0.05 / 4)
    assert found == {
        **ABOUT, "verdict": "not judged",
        "reason": "cells failed or are missing at 1 of 2 points", "preliminary": "undecided",
        "estimate": pytest.approx(0.0, abs=1e-15), "level": 1 - 0.05 / 4, "n": 4,
        "deciding": {"x": 2, "than": "b as_run"}, "p_support": pytest.approx(0.5), "p_refute": 1.0,
        "check": "greater",
        "quantity": "precision of a as_run minus that of each of b as_run, c as_run",
        "allowed": [0.0, None], "quantifier": "all", "tie": 0.01, "supporting": 1, "refuting": 0,
        "note": "Clear by themselves: 1 supported of 2 points. Cells failed or are missing at 1 "
        "of 2 points.",
    }  # fmt: skip


def test_one_value_of_an_axis_has_no_range():
    found = judge({"check": "range", "axis": "x", "tolerance": 0.1}, rows({("a", 1): OURS}))
    nothing = {"estimate": None, "low": None, "high": None, "level": 0.95, "n": 0}
    assert found == {
        **ABOUT, **nothing, "verdict": "not judged", "reason": "cells failed or are missing",
        "preliminary": None, "deciding": {}, "p_support": None, "p_refute": None,
        "check": "range", "quantity": "difference in precision of a as_run between two values of x",
        "allowed": [-0.1, 0.1], "quantifier": "all", "tie": 0.0, "supporting": 0, "refuting": 0,
        "points": [{"at": {}, **nothing, "contrasts": 1, "missing": 1, "verdict": "not judged"}],
        "note": "Cells failed or are missing.",
    }  # fmt: skip
