"""Every kind of check on rows that turn it both ways; ties; rows that are not there."""

import math

import numpy as np
import pandas as pd
import pytest

from geoforest_cli.core.errors import UserError
from geoforest_cli.problems.metrics.kinds import count
from geoforest_cli.study.claims.model import KINDS, Claim
from geoforest_cli.study.repetition import Split
from tests.study.claims.by_hand import GREATER, A, B, C, around, judge, rows

LESS = {"check": "less", "than": [B, C]}
CHANGE = {**GREATER, "axis": "x", "at": [1, 2], "against": [8, 9]}
SLOPE = {"check": "slope", "axis": "x"}


def power(exponent):
    return {x: 3.0 * x**exponent for x in (1, 4, 9)}


# the claim, means with which it holds, and means with which it does not
BOTH_WAYS = [
    ({"check": "at_least", "value": 0.5}, {"a": 0.6}, {"a": 0.4}),
    ({"check": "at_most", "value": 0.5}, {"a": 0.4}, {"a": 0.6}),
    ({"check": "at_least", "times_chance": 2.0}, {"a": 0.3, "chance": 0.1},
     {"a": 0.15, "chance": 0.1}),
    ({"check": "at_most", "times_chance": 2.0}, {"a": 0.15, "chance": 0.1},
     {"a": 0.3, "chance": 0.1}),
    ({"check": "near", "target": 0.5, "tolerance": 0.1}, {"a": 0.55}, {"a": 0.65}),
    ({"check": "near", "target": 0.5, "tolerance": 0.1}, {"a": 0.45}, {"a": 0.35}),
    ({"check": "near", "target": "chance", "tolerance": 0.1}, {"a": 0.25, "chance": 0.2},
     {"a": 0.35, "chance": 0.2}),
    (GREATER, {"a": 0.6, "b": 0.5}, {"a": 0.5, "b": 0.6}),
    ({**GREATER, "margin": 0.05}, {"a": 0.6, "b": 0.5}, {"a": 0.6, "b": 0.58}),
    (LESS, {"a": 0.5, "b": 0.6, "c": 0.7}, {"a": 0.5, "b": 0.4, "c": 0.7}),
    (CHANGE, {"a": {1: 0.9, 2: 0.8, 8: 0.5, 9: 0.5}, "b": dict.fromkeys((1, 2, 8, 9), 0.4)},
     {"a": {1: 0.9, 2: 0.8, 8: 0.5, 9: 0.5}, "b": {1: 0.8, 2: 0.7, 8: 0.2, 9: 0.2}}),
    ({"check": "range", "axis": "x", "tolerance": 0.1}, {"a": {1: 0.5, 2: 0.55, 3: 0.52}},
     {"a": {1: 0.5, 2: 0.65, 3: 0.52}}),
    ({"check": "ratio", "over": B, "at_least": 1.5}, {"a": 2.0, "b": 1.0}, {"a": 1.2, "b": 1.0}),
    ({"check": "ratio", "over": B, "at_most": 1.5}, {"a": 1.2, "b": 1.0}, {"a": 2.0, "b": 1.0}),
    ({**SLOPE, "at_least": 0.4, "at_most": 0.6}, {"a": power(0.5)}, {"a": power(1.0)}),
    ({**SLOPE, "than": [B]}, {"a": power(0.5), "b": power(1.0)},
     {"a": power(1.0), "b": power(0.5)}),
]  # fmt: skip


def measured(means, **options):
    """Rows of methods; those of chance are another metric of a."""
    chance = around({"a": means.get("chance", 0.0)}, metric="chance", spread=0.0)
    others = {name: value for name, value in means.items() if name != "chance"}
    return pd.concat([around(others, **options), chance], ignore_index=True)


@pytest.mark.parametrize(("claim", "holds", "fails"), BOTH_WAYS)
def test_rows_turn_a_claim_both_ways(claim, holds, fails):
    assert judge(claim, measured(holds)).verdict == "supported"
    assert judge(claim, measured(fails)).verdict == "refuted"
    # and with an error as large as all of it neither way
    wide = judge(claim, measured(fails, spread=0.9, n=3))
    assert wide.verdict != "supported"


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


def test_a_change_of_a_lead_ties_too():
    means = {"a": {1: 0.9, 2: 0.9, 8: 0.897, 9: 0.897}, "b": dict.fromkeys((1, 2, 8, 9), 0.4)}
    assert judge({**CHANGE, "tie": 0.01}, around(means)).verdict == "tie"


def test_equal_sides_tie_without_a_margin():
    frame = rows({("a", 0): [0.8, 0.82, 0.81], ("b", 0): [0.8, 0.82, 0.81]})
    assert judge(GREATER, frame).verdict == "tie"


def test_one_better_rival_among_eight_turns_the_verdict():
    rivals = [{"name": name, "variant": "as_run"} for name in "bcdefghi"]
    means = {"a": 0.3} | dict.fromkeys("bcdefgh", 0.4) | {"i": 0.25}
    found = judge({"check": "less", "than": rivals}, around(means))
    assert (found.verdict, found.deciding["than"]) == ("refuted", "i as_run")


@pytest.mark.parametrize(
    ("quantifier", "verdict", "x"),
    [("all", "refuted", 3), ("most", "supported", 2), (0.6, "supported", 2), (0.9, "refuted", 3)],
)
def test_the_point_that_decides_is_the_worst_of_those_that_count(quantifier, verdict, x):
    frame = around({"a": {0: 0.9, 1: 0.8, 2: 0.7, 3: 0.1}})
    found = judge({"check": "at_least", "value": 0.5, "quantifier": quantifier}, frame)
    assert (found.verdict, found.deciding) == (verdict, {"x": x})
    assert [point.verdict for point in found.points] == ["supported"] * 3 + ["refuted"]


def test_the_mean_over_points_is_taken_repetition_by_repetition():
    frame = rows({("a", 0): [0.1, 0.2, 0.9], ("a", 1): [0.5, 0.8, 0.3]})
    found = judge({"check": "at_least", "value": 0.1, "quantifier": "mean"}, frame)
    alone = judge({"check": "at_least", "value": 0.1}, rows({("a", 0): [0.3, 0.5, 0.6]}))
    assert (found.estimate, found.low, found.high) == pytest.approx(
        (alone.estimate, alone.low, alone.high)
    )


def test_a_ratio_is_that_of_geometric_means():
    frame = rows({("a", 0): [2.0, 8.0], ("b", 0): [1.0, 1.0]})
    assert judge({"check": "ratio", "over": B, "at_least": 1.0}, frame).estimate == pytest.approx(4)


def test_a_slope_is_the_exponent_of_a_power():
    found = judge({**SLOPE, "at_least": 0.0}, around({"a": power(0.75)}, spread=1e-9))
    assert found.estimate == pytest.approx(0.75)


def test_an_experiments_own_kind_of_metric_comes_first():
    frame = rows({("a", 0): [1.0, 0.0, 1.0, 1.0]})
    claim = {"check": "at_least", "value": 0.5}
    assert judge(claim, frame).test == "t"
    assert judge(claim, frame, kinds={"precision": count}).test == "binomial"


def test_a_claim_that_missing_cells_could_turn_is_not_judged():
    lost = rows({("a", 1): [0.8, None, 0.81], ("b", 1): [0.5, 0.5, 0.5]})
    good, bad = around({"a": 0.8, "b": 0.5}), around({"a": 0.5, "b": 0.8})
    found = judge(GREATER, pd.concat([good, lost]))
    assert (found.verdict, found.preliminary) == ("not judged", "supported")
    assert judge(GREATER, pd.concat([bad, lost])).verdict == "refuted"
    enough = pd.concat([good, good.assign(x=2), good.assign(x=3), lost])
    assert judge({**GREATER, "quantifier": "most"}, enough).verdict == "supported"


@pytest.mark.xfail(reason="a tie is kept though missing cells could make it a lead", strict=True)
def test_a_tie_that_missing_cells_could_turn_is_not_judged():
    ahead, level = around({"a": 0.8, "b": 0.5}), around({"a": 0.5, "b": 0.5})
    lost = rows({("a", 2): [0.8, None, 0.81], ("b", 2): [0.5, 0.5, 0.5]})
    claim = {**GREATER, "tie": 0.01, "quantifier": "most"}
    found = judge(claim, pd.concat([ahead, level.assign(x=1), lost]))
    assert found.verdict == "not judged"


def test_a_method_that_was_left_out_is_the_reason():
    claim, lacking = {**GREATER, "than": [B, C]}, {"c": "it needs torch"}
    found = judge(claim, around({"a": 0.8, "b": 0.5}), lacking=lacking)
    assert (found.verdict, found.preliminary) == ("not judged", "supported")
    assert "it needs torch" in found.reason
    assert judge(claim, around({"a": 0.5, "b": 0.8}), lacking=lacking).verdict == "refuted"


def test_what_was_changed_or_is_small_is_not_judged():
    found = judge(GREATER, around({"a": 0.8, "b": 0.5}), caution="too small")
    assert (found.verdict, found.reason, found.preliminary) == (
        "not judged", "too small", "supported",
    )  # fmt: skip


@pytest.mark.parametrize(
    ("claim", "values"),
    [
        ({"check": "at_least", "times_chance": 2.0}, {("chance", 0): [0.1, 0.1, 0.0]}),
        ({"check": "at_least", "times_chance": 2.0}, {("chance", 0): [0.1, 0.1]}),
        ({"check": "ratio", "over": B, "at_least": 1.5}, {("b", 0): [0.1, 0.1, 0.0]}),
        ({"check": "range", "axis": "x", "tolerance": 1.0}, {}),
        ({**SLOPE, "at_least": 0.1}, {("a", 4): [0.5, None, 0.5]}),
    ],
)
def test_a_number_that_cannot_be_had_is_missing(claim, values):
    chance = {("a", x): v for (name, x), v in values.items() if name == "chance"}
    others = {place: v for place, v in values.items() if place[0] != "chance"}
    ours = rows({("a", 1 if claim["check"] == "slope" else 0): [0.5, 0.51, 0.52]} | others)
    found = judge(claim, pd.concat([ours, rows(chance, metric="chance")]))
    assert found.verdict == "not judged"
    assert all(point.missing > 0 for point in found.points)


def test_disconnected_rows_are_neither_values_nor_failures():
    frame = around({"a": 0.8, "b": 0.5}, n=3)
    frame.loc[2, ["value", "status"]] = [math.nan, "disconnected"]
    found = judge(GREATER, frame)
    assert (found.verdict, found.n) == ("supported", 2)
    lost = judge(GREATER, frame.assign(status="disconnected", value=math.nan))
    assert (lost.verdict, lost.preliminary) == ("not judged", None)


def test_a_failed_cell_without_inner_values_is_missing_at_each_of_them():
    frame = around({"a": {0: 0.8, 1: 0.8}, "b": {0: 0.5, 1: 0.5}}, n=3)
    lost = rows({("b", 0): [None]}, inner=True).assign(repetition=3)
    found = judge(GREATER, pd.concat([frame, lost], ignore_index=True))
    assert [(point.at["x"], point.missing) for point in found.points] == [(0, 1), (1, 1)]


def test_rows_are_those_of_where():
    frame = around({"a": {0: 0.9, 1: 0.2, 2: 0.8}})
    claim = {"check": "at_least", "value": 0.5, "where": {"x": [0, 2]}}
    assert [point.at["x"] for point in judge(claim, frame).points] == [0, 2]
    assert judge({**claim, "where": {"x": 7}}, frame).verdict == "not judged"


def test_the_share_of_a_split_can_be_a_grid_column():
    frame = around({"a": {0.5: 0.8, 0.9: 0.8}}, n=3, spread=0.1)
    claim = {"check": "at_least", "value": 0.5, "unit": "split", "split": {"train": "x"}}
    assert (judge(claim, frame).verdict, judge(claim, frame).population) == (
        "supported", "undecided",
    )  # fmt: skip
    for share, population in ((0.5, "undecided"), (0.9, "supported")):
        assert judge({**claim, "where": {"x": share}}, frame).population == population


def test_a_claims_own_unit_comes_first():
    frame = around({"a": 0.8}, n=3)
    claim = {"check": "at_least", "value": 0.5}
    assert judge({**claim, "unit": "seed"}, frame, unit="split").population is None
    assert judge(claim, frame, unit="split", split=Split(test=0.5)).population == "supported"
    with pytest.raises(UserError, match="split"):
        judge(claim, frame, unit="split")


@pytest.mark.parametrize(
    ("claim", "words"),
    [
        (GREATER, "precision of a as_run minus that of b as_run"),
        (LESS, "precision of a as_run minus that of each of b as_run, c as_run"),
        (CHANGE, "precision of a as_run minus that of b as_run, at x 1, 2 minus that at 8, 9"),
        ({"check": "ratio", "over": B, "at_most": 2.0}, "precision of a as_run over that of b as_run"),
        ({**SLOPE, "than": [B]}, "exponent of the precision of a as_run in x minus that of b as_run"),
    ],
)  # fmt: skip
def test_the_quantity_of_a_claim_in_words(claim, words):
    base = {"id": "c", "says": "s", "metric": "precision", "method": A}
    assert Claim.model_validate(base | claim).quantity() == words


def test_equal_rows_in_another_order_give_the_same_verdicts():
    frame = around({"a": {0: 0.6, 1: 0.55}, "b": {0: 0.5, 1: 0.54}, "c": {0: 0.5, 1: 0.4}})
    mixed = frame.sample(frac=1, random_state=np.random.default_rng(0))
    for quantifier in ("all", "mean"):
        claim = {**GREATER, "than": [B, C], "quantifier": quantifier}
        found, again = judge(claim, frame), judge(claim, mixed)
        assert (found.verdict, found.deciding) == (again.verdict, again.deciding)
