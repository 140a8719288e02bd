"""Every kind of check on rows that turn it both ways; ties; points."""

import pandas as pd
import pytest

from geoforest_cli.study.claims.model import KINDS
from tests.study.claims.by_hand import AT_LEAST, GREATER, B, C, around, judge

LESS = {"check": "less", "than": [B, C]}
CHANGE = {**GREATER, "axis": "x", "at": [1, 2], "against": [8, 9]}
AT_MOST = {"check": "at_most", "value": 0.5}
OF_CHANCE = {"times_chance": 2.0}
NEAR_HALF = {"check": "near", "target": 0.5, "tolerance": 0.1}
RANGE = {"check": "range", "axis": "x", "tolerance": 0.1}
RATIO = {"check": "ratio", "over": B}
SLOPE = {"check": "slope", "axis": "x"}
ROOT, LINE = ({x: 3.0 * x**power for x in (1, 4, 9)} for power in (0.5, 1.0))
FLAT, FALLS = dict.fromkeys((1, 2, 8, 9), 0.4), {1: 0.9, 2: 0.8, 8: 0.5, 9: 0.5}
STEEP = {1: 0.8, 2: 0.7, 8: 0.2, 9: 0.2}

# the claim, means with which it holds, and means with which it does not
BOTH_WAYS = [
    (AT_LEAST, {"a": 0.6}, {"a": 0.4}),
    (AT_MOST, {"a": 0.4}, {"a": 0.6}),
    ({"check": "at_least", **OF_CHANCE}, {"a": 0.3, "chance": 0.1}, {"a": 0.1, "chance": 0.1}),
    ({"check": "at_most", **OF_CHANCE}, {"a": 0.1, "chance": 0.1}, {"a": 0.3, "chance": 0.1}),
    (NEAR_HALF, {"a": 0.55}, {"a": 0.65}),
    (GREATER, {"a": 0.6, "b": 0.5}, {"a": 0.5, "b": 0.6}),
    ({**GREATER, "margin": 0.05}, {"a": 0.6, "b": 0.5}, {"a": 0.6, "b": 0.58}),
    (LESS, {"a": 0.5, "b": 0.6, "c": 0.7}, {"a": 0.5, "b": 0.4, "c": 0.7}),
    (CHANGE, {"a": FALLS, "b": FLAT}, {"a": FALLS, "b": STEEP}),
    (RANGE, {"a": {1: 0.5, 2: 0.55, 3: 0.52}}, {"a": {1: 0.5, 2: 0.65, 3: 0.52}}),
    ({**RATIO, "at_least": 1.5}, {"a": 2.0, "b": 1.0}, {"a": 1.2, "b": 1.0}),
    ({**RATIO, "at_most": 1.5}, {"a": 1.2, "b": 1.0}, {"a": 2.0, "b": 1.0}),
    ({**SLOPE, "at_least": 0.4, "at_most": 0.6}, {"a": ROOT}, {"a": LINE}),
    ({**SLOPE, "than": [B]}, {"a": ROOT, "b": LINE}, {"a": LINE, "b": ROOT}),
]


def measured(means, **options):
    """Rows of methods; chance is another metric of a."""
    chance = around({"a": means.get("chance", 0.0)}, metric="chance", spread=0.0)
    others = {name: value for name, value in means.items() if name != "chance"}
    return pd.concat([around(others, **options), chance], ignore_index=True)


@pytest.mark.parametrize(("claim", "holds", "fails"), BOTH_WAYS)
def test_rows_turn_a_claim_both_ways(claim, holds, fails):
    assert judge(claim, measured(holds)).verdict == "supported"
    assert judge(claim, measured(fails)).verdict == "refuted"


def test_all_kinds_are_turned():
    assert {claim["check"] for claim, _, _ in BOTH_WAYS} == set(KINDS)


@pytest.mark.parametrize("margin", [0.0, 0.1])
@pytest.mark.parametrize(
    ("lead", "verdict"),
    [(0.02, "supported"), (0.005, "tie"), (0.0, "tie"), (-0.005, "tie"), (-0.02, "refuted")],
)
def test_within_so_much_of_the_margin_either_way_the_sides_tie(lead, verdict, margin):
    ahead = around({"a": 0.5 + margin + lead, "b": 0.5})
    assert judge({**GREATER, "margin": margin, "tie": 0.01}, ahead).verdict == verdict
    behind = around({"a": 0.5 - margin - lead, "b": 0.5})
    less = {"check": "less", "than": [B], "margin": -margin, "tie": 0.01}
    assert judge(less, behind).verdict == verdict


def test_a_change_of_a_lead_ties_too_and_equal_sides_are_exact():
    hardly = {"a": {1: 0.9, 2: 0.9, 8: 0.897, 9: 0.897}, "b": FLAT}
    assert judge({**CHANGE, "tie": 0.01}, around(hardly)).verdict == "tie"
    means = {"a": 0.6, "b": 0.5, "c": 0.6}
    equal = judge({**GREATER, "than": [B, C]}, around(means, spread=0.0))
    assert (equal.verdict, equal.deciding["than"]) == ("tie", "c as_run")


@pytest.mark.parametrize(
    ("quantifier", "verdict", "x"),
    [("all", "refuted", 3), ("most", "supported", 2), (0.6, "supported", 2), (0.9, "refuted", 3)],
)
def test_the_point_that_decides_is_the_worst_of_those_that_count(quantifier, verdict, x):
    frame = around({"a": {0: 0.9, 1: 0.8, 2: 0.7, 3: 0.1}})
    result = judge({**AT_LEAST, "quantifier": quantifier}, frame)
    assert (result.verdict, result.deciding) == (verdict, {"x": x})
    assert [point.verdict for point in result.points] == ["supported"] * 3 + ["refuted"]


def test_rows_are_those_of_where():
    frame = around({"a": {0: 0.9, 1: 0.2, 2: 0.8}})
    for places in ([0, 2], []):
        points = judge({**AT_LEAST, "where": {"x": [*places, 7]}}, frame).points
        assert [point.at["x"] for point in points] == places


def test_the_share_of_a_split_can_be_a_grid_column():
    frame = around({"a": {0.5: 0.8, 0.9: 0.8}}, n=3, spread=0.1)
    claim = {**AT_LEAST, "unit": "split", "split": {"train": "x"}}
    results = [judge({**claim, "where": {"x": share}}, frame).population for share in (0.5, 0.9)]
    assert results == ["undecided", "supported"]
