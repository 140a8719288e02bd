"""Claims at their edges: bounds, ends of ranges, lost curves, and values that nobody changes."""

import copy
import dataclasses
import math

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from geoforest_cli.problems.metrics.kinds import average, bounded
from geoforest_cli.study.claims import decision, validation
from geoforest_cli.study.claims.estimates import away_from_ends, estimate
from geoforest_cli.study.claims.notes import looks_sentence
from geoforest_cli.study.claims.outcome import ErrorSummary, Outcome, finding
from geoforest_cli.study.claims.points import Region
from geoforest_cli.study.claims.results import EvaluationContext
from geoforest_cli.study.claims.verdicts import NO_DECISION, Rule
from geoforest_cli.study.config.loading import open_config
from geoforest_cli.study.plan import load
from tests.study.claims.by_hand import B, judge, rows

coarse = st.integers(-4, 4).map(lambda v: v / 4)
CURVES = {
    "check": "dominates", "metric": None, "x": "precision", "y": "recall", "along": "x",
    "than": [B],
}  # fmt: skip


@pytest.mark.parametrize(
    "value",
    [
        Region(0.0, 1.0), Rule(Region()), NO_DECISION, EvaluationContext(), Outcome("p"),
        ErrorSummary(0, 0, 0.0, 0), estimate([0.1, 0.2]), estimate([0.1, 0.2], draw=True),
        estimate([0.0, 1.0], bounded()), open_config("noise", "smoke"),
    ],
    ids=lambda value: type(value).__name__,
)  # fmt: skip
def test_what_was_found_is_not_changed_afterwards(value):
    for field in dataclasses.fields(value):
        with pytest.raises(dataclasses.FrozenInstanceError):
            setattr(value, field.name, None)


@given(coarse, coarse, coarse)
def test_without_error_a_mean_is_inside_or_outside_as_a_number_is(mean, one, other):
    low, high = min(one, other), max(one, other)
    exact = estimate([mean], exact=True)
    for closed in (True, False):
        holds = Region(low, high, open=not closed).holds(mean)
        assert decision.p_inside(mean, 0.0, 4, low, high, closed=closed) == float(not holds)
        assert exact.p_inside(low, high, closed=closed) == float(not holds)
    beyond = not Region(low, high).holds(mean)
    assert decision.p_outside(mean, 0.0, 4, low, high) == float(not beyond)
    assert exact.p_outside(low, high) == float(not beyond)


@given(st.lists(st.floats(0, 1), min_size=2, max_size=8), st.floats(0, 1), st.floats(0, 1))
def test_either_of_two_bounds_costs_twice_what_one_does(values, one, other):
    low, high = min(one, other), max(one, other)
    found = estimate(values, bounded())
    below, above = found.p_outside(low, math.inf), found.p_outside(-math.inf, high)
    assert found.p_outside(low, high) == pytest.approx(min(1.0, 2 * min(below, above)))
    assert found.p_outside(-math.inf, math.inf) == 1.0


def test_a_bounded_mean_is_followed_up_to_640_repetitions():
    assert estimate([1.0] * 640, bounded()).needed(0.5, 1) == 640
    assert estimate([1.0] * 641, bounded()).needed(0.5, 1) is None


@given(st.lists(st.integers(0, 64), min_size=2, max_size=8))
def test_both_ends_of_a_range_are_as_near(values):
    x = np.array(values) / 64
    assert away_from_ends(x, average()) == away_from_ends(1 - x, average())


@pytest.mark.parametrize(("bound", "verdict"), [(0.25, "supported"), (0.75, "refuted")])
def test_a_bound_may_lie_below_chance(bound, verdict):
    chance = rows({("a", 0): [1.0, 1.0, 1.0]}, "chance")
    frame = pd.concat([rows({("a", 0): [0.5, 0.51, 0.49]}), chance])
    found = judge({"check": "at_least", "times_chance": bound}, frame)
    assert (found["verdict"], found["estimate"]) == (verdict, pytest.approx(0.5, abs=0.01))


@pytest.mark.parametrize("given", [{"times_chance": 0.0}, {"times_chance": -1.0}, {},
                                   {"value": 1.0, "times_chance": 1.0}])  # fmt: skip
def test_a_bound_is_one_number_and_a_multiple_is_above_zero(given):
    with pytest.raises(ValidationError):
        judge({"check": "at_least", **given}, rows({("a", 0): [0.5, 0.6]}))


def curves(place, lost=()):
    """Curves of a above those of b at one place, without some (method, metric)."""
    found = []
    for method, lift in (("a", 0.2), ("b", 0.0)):
        for k, x in ((1, 0.9), (2, 0.7), (3, 0.5)):
            for metric, level in (("precision", x), ("recall", 0.2 * k + lift)):
                if (method, metric) not in lost:
                    noise = 0.01 * (method == "a") * (metric == "recall")
                    found.append(rows({(method, k): [level, level + noise]}, metric))
    return pd.concat(found, ignore_index=True).assign(place=place)


@pytest.mark.parametrize("metric", ["precision", "recall"])
@pytest.mark.parametrize("method", ["a", "b"])
def test_a_curve_that_is_lost_at_one_place_is_lost_there_alone(method, metric):
    frame = pd.concat([curves("first", [(method, metric)]), curves("then")], ignore_index=True)
    found = judge(CURVES, frame)
    assert (found["verdict"], found["preliminary"]) == ("not judged", "supported")
    first = [point for point in found["points"] if point["at"]["place"] == "first"]
    then = [point for point in found["points"] if point["at"]["place"] == "then"]
    assert [(point["missing"], point["n"]) for point in first] == [(1, 0)]
    assert {(point["missing"], point["verdict"]) for point in then} == {(0, "supported")}
    assert sorted(point["at"]["precision"] for point in then) == [0.5, 0.7, 0.9]


def test_a_slope_counts_what_failed_and_what_has_no_logarithm():
    frame = rows({
        ("a", 1): [1.0, 1.0, 1.01, 1.0], ("a", 2): [4.0, None, 4.0, 4.0],
        ("a", 4): [16.0, 16.0, 16.1, 0.0],
    })  # fmt: skip
    found = judge({"check": "slope", "axis": "x", "at_least": 1.0}, frame)
    assert [(point["missing"], point["n"]) for point in found["points"]] == [(2, 2)]
    assert found["estimate"] == pytest.approx(2.0, abs=0.01)


def test_along_the_share_of_a_split_the_largest_overlap_counts():
    frame = rows({("a", x): [0.8, 0.82, 0.81 + x / 100] for x in (0.5, 0.8)})
    claim = {"check": "range", "axis": "x", "tolerance": 0.1, "unit": "split"}
    for order in (frame, frame[::-1]):
        assert "(1/n + 1) s²" in judge(claim | {"split": {"train": "x"}}, order)["note"]


@pytest.mark.parametrize("lost", ["says", "method", "metric", "value"])
def test_a_key_that_is_missing_is_named_where_it_should_stand(lost):
    plan = load("noise")
    raw = {
        "id": "c",
        "origin": "ours",
        "says": "s",
        "check": "near",
        "metric": "precision",
        "target": 0.5,
        "tolerance": 0.1,
        "method": {"name": "gf", "variant": "recommended"},
    }
    changed = copy.deepcopy(raw)
    if lost == "value":
        del changed["method"]["variant"]
    else:
        del changed[lost]
    config = plan.config.model_copy(update={"claims": (raw | {"id": "other"}, changed)})
    place, name = (("claims", 1, "method"), "variant") if lost == "value" else (("claims", 1), lost)
    found = list(validation.checker(dataclasses.replace(plan, config=config)))
    assert found == [(place, f"'{name}' is missing")]


@pytest.mark.parametrize(
    ("message", "of_key"),
    [
        ("unknown key 'title'", True),
        ("the title 'title' is odd", False),
        ("unknown value 'x' of title", False),
    ],
)
def test_a_problem_stands_at_the_key_only_if_it_is_about_the_key(message, of_key):
    opened = open_config("noise", "paper")
    at = opened.locate(("title",), message)
    assert at == opened.document.locate(("title",), key=of_key)
    assert (at.column == 1) is of_key
    assert opened.locate((), message) == opened.document.locate(())


@pytest.mark.parametrize(
    ("number", "share"), [(2, "half"), (3, "a third"), (4, "a quarter"), (5, "1 / 5")]
)
def test_each_look_is_told_with_its_share(number, share):
    declared = [10 * (one + 1) for one in range(number)]
    for taken in range(1, number + 1):
        looks = {"taken": declared[:taken], "declared": declared, "undeclared": []}
        assert looks_sentence(None, looks) == (
            f"Look {taken} of {number}, at {10 * taken} repetitions, each at {share} of the level."
        )


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"low": None, "high": None}, "It is so: tie, 0.5"),
        ({"estimate": None, "low": None}, "It is so: tie"),
        ({"print": {"answer": "no numbers", "points": 0, "held": 0}, "low": None},
         "It is so: tie, 0.5"),
        ({"verdict": "not judged", "reason": "lost", "preliminary": None},
         "It is so: not judged (lost)"),
        ({"note": "Only of what is undecided.", "low": None}, "It is so: tie, 0.5"),
    ],
)  # fmt: skip
def test_a_finding_says_what_there_is(changes, words):
    claim = {
        "says": "It is so.",
        "quote": "",
        "verdict": "tie",
        "reason": "",
        "print": None,
        "preliminary": "tie",
        "estimate": 0.5,
        "low": 0.4,
        "high": 0.6,
        "level": 0.95,
    }
    assert finding(claim | changes) == words
