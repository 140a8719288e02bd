"""Judged claims as claims.json has them, every entry by hand or by scipy."""

import dataclasses
import math

import numpy as np
import pytest
from scipy import stats

from geoforest_cli.problems.metrics.kinds import REAL, bounded, positive
from geoforest_cli.study.claims.estimates import estimate
from geoforest_cli.study.claims.verdicts import NO_DECISION
from tests.study.claims.by_hand import A, B, C, judge, rows

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


def test_a_range_is_that_of_every_pair_of_values():
    values = {1: OURS, 2: FIRST, 4: THIRD}
    frame = rows({("a", x): series for x, series in values.items()})
    found = judge({"check": "range", "axis": "x", "tolerance": 0.1}, frame)
    [point] = found["points"]
    assert point["contrasts"] == 3
    assert found["deciding"] == {"x": "4 against 1"}
    assert found["estimate"] == pytest.approx(np.mean(np.subtract(THIRD, OURS)))


def test_no_decision_says_nothing():
    assert dataclasses.asdict(NO_DECISION) == {
        "state": "undecided", "p_support": None, "p_refute": None, "estimate": None, "low": None,
        "high": None, "n": 0, "level": 0.95, "deciding": {}, "repetitions": None,
    }  # fmt: skip


@pytest.mark.parametrize("kind", [REAL, positive, bounded()])
def test_an_interval_is_that_of_the_mean_unless_a_draw_is_asked_for(kind):
    draw = estimate(OURS, kind, draw=True)
    mean = estimate(OURS, kind)
    assert draw.interval(0.025) == draw.interval(0.025, beyond=False) == mean.interval(0.025)
    spread = np.std(OURS, ddof=1) * math.sqrt(1 + 1 / 4)
    half = stats.t.ppf(0.975, 3) * spread
    beyond = np.mean(OURS) - half, np.mean(OURS) + half
    assert draw.interval(0.025, beyond=True) == pytest.approx(beyond)
    assert draw.p_inside(0.5, 0.9) == mean.p_inside(0.5, 0.9)
    above = stats.t.sf((np.mean(OURS) - 0.4) / spread, 3)
    assert draw.p_outside(-math.inf, 0.4) == pytest.approx(above)
    assert draw.needed(0.5, 1) == draw.needed(0.5, 1, beyond=False) == mean.needed(0.5, 1)


def test_without_error_there_is_no_interval_and_no_number_of_repetitions():
    found = estimate([0.5, 0.5], exact=True)
    assert (found.interval(0.01), found.needed(0.4, 1)) == ((0.5, 0.5), None)
    assert (found.p_inside(0.5, 1.0), found.p_inside(0.5, 1.0, closed=False)) == (0.0, 1.0)
    assert (found.p_outside(0.5, 1.0), found.p_outside(0.6, 1.0)) == (1.0, 0.0)


@pytest.mark.parametrize("kind", [REAL, positive])
def test_equal_values_show_nothing_to_a_t_test(kind):
    found = estimate([2.0] * 4, kind)
    assert (found.p_inside(0.0, 3.0), found.p_outside(3.0, 4.0)) == (1.0, 1.0)
    assert found.interval(0.025) == (None, None)
    assert found.mean == pytest.approx(2.0)


def test_one_rival_is_named_alone():
    claim = judge({"check": "greater", "than": [B]}, rows({("a", 1): OURS, ("b", 1): FIRST}))
    assert claim["quantity"] == "precision of a as_run minus that of b as_run"
    assert claim["deciding"] == {"x": 1, "than": "b as_run"}
    assert A["name"] in claim["quantity"]
