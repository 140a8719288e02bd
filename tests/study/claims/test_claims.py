"""Every kind of check on hand-made rows: each verdict, missing cells, one repetition."""

import math

import numpy as np
import pandas as pd
import pytest
from pydantic import ValidationError

from geoforest_cli.core.errors import UserError
from geoforest_cli.study import intervals
from geoforest_cli.study.claims import validation
from geoforest_cli.study.claims.kinds import CHECKS
from geoforest_cli.study.repetition import Split
from tests.study.claims.by_hand import GREATER, B, C, judge, published, rows

GOOD = rows({("a", 0): [0.8, 0.82, 0.81], ("b", 0): [0.5, 0.52, 0.5]})
MIXED = rows({("a", 0): [0.8, 0.82, 0.81], ("b", 0): [0.9, 0.92, 0.9]})
NOISY = rows({("a", 0): [0.8, 0.2, 0.5], ("b", 0): [0.5, 0.6, 0.4]})
CLOSE = rows({("a", 0): [0.801, 0.82, 0.809], ("b", 0): [0.8, 0.82, 0.81]})
EQUAL = rows({("a", 0): [0.8, 0.82, 0.81], ("b", 0): [0.8, 0.82, 0.81]})


@pytest.mark.parametrize(
    ("frame", "verdict"),
    [(GOOD, "supported"), (MIXED, "refuted"), (NOISY, "undecided"), (EQUAL, "undecided")],
)
def test_greater(frame, verdict):
    found = judge(GREATER, frame)
    assert found["verdict"] == verdict
    assert found["low"] <= found["estimate"] <= found["high"]
    assert found["n"] == 3
    differences = [a - b for a, b in zip(frame["value"][:3], frame["value"][3:], strict=True)]
    assert found["estimate"] == pytest.approx(np.mean(differences))


def test_a_tie_at_one_point_among_leads():
    claim = GREATER | {"tie": 0.01}
    frame = pd.concat([GOOD, CLOSE.assign(x=1)], ignore_index=True)
    found = judge(claim, frame)
    assert found["verdict"] == "tie"
    assert found["deciding"] == {"x": 1, "than": "b as_run"}
    assert "1 supported, 1 tie of 2 points" in found["note"]
    behind = pd.concat([GOOD, CLOSE.assign(x=1), MIXED.assign(x=2)], ignore_index=True)
    assert judge(claim, behind)["verdict"] == "refuted"


def test_all_points_must_hold_and_most_is_enough_where_asked():
    frame = rows({
        ("a", 0): [0.8, 0.81], ("b", 0): [0.5, 0.5],
        ("a", 1): [0.8, 0.81], ("b", 1): [0.6, 0.612],
        ("a", 2): [0.3, 0.31], ("b", 2): [0.5, 0.512],
    })  # fmt: skip
    found = judge(GREATER, frame)
    assert found["verdict"] == "refuted"
    assert (found["supporting"], found["refuting"]) == (2, 1)
    assert "2 supported, 1 refuted of 3 points" in found["note"]
    assert judge(GREATER | {"quantifier": "most"}, frame)["verdict"] == "supported"
    assert judge(GREATER | {"where": {"x": [0, 1]}}, frame)["verdict"] == "supported"
    mean = judge(GREATER | {"quantifier": "mean"}, frame)
    assert mean["estimate"] == pytest.approx(0.095, abs=0.01)


def versus(rng, gaps, points=5, n=10):
    """Rows of a against b, c, ... that err more by so much, at every point."""
    names = "abcdefghi"[: len(gaps) + 1]
    means = dict(zip(names, [0.0, *gaps], strict=True))
    return rows({
        (name, x): list(0.3 + mean + 0.01 * rng.standard_normal(n))
        for name, mean in means.items() for x in range(points)
    })  # fmt: skip


@pytest.mark.parametrize("quantifier", ["mean", "most", "all", 0.8])
def test_one_better_rival_among_eight_turns_the_verdict(quantifier):
    """A made-up support vector machine that errs .05 less at every point."""
    rng = np.random.default_rng(0)
    rivals = [{"name": name, "variant": "as_run"} for name in "bcdefghi"]
    claim = {"check": "less", "than": rivals, "quantifier": quantifier}
    assert judge(claim, versus(rng, [0.1] * 8))["verdict"] == "supported"
    found = judge(claim, versus(rng, [0.1] * 7 + [-0.05]))
    assert found["verdict"] == "refuted"
    assert found["deciding"]["than"] == "i as_run"
    assert found["estimate"] == pytest.approx(0.05, abs=0.01)


def test_cells_that_cannot_turn_it_do_not():
    lost = rows({("a", 1): [0.8, None, 0.81], ("b", 1): [0.5, 0.5, 0.5]})
    refuted = judge(GREATER, pd.concat([MIXED, lost], ignore_index=True))
    assert refuted["verdict"] == "refuted"
    assert judge(GREATER, pd.concat([GOOD, lost]))["verdict"] == "not judged"
    most = pd.concat([GOOD, GOOD.assign(x=2), GOOD.assign(x=3), lost], ignore_index=True)
    assert judge(GREATER | {"quantifier": "most"}, most)["preliminary"] == "supported"


def test_a_method_that_was_left_out_is_the_reason():
    lacking = {"c": "it needs torch"}
    claim = GREATER | {"than": [B, C]}
    found = judge(claim, GOOD, lacking=lacking)
    assert found["verdict"] == "not judged"
    assert found["preliminary"] == "supported"
    assert found["reason"] == "c was left out: it needs torch"
    alone = judge(claim | {"than": [C]}, GOOD, lacking=lacking)
    assert (alone["verdict"], alone["preliminary"]) == ("not judged", None)
    assert alone["reason"] == "c was left out: it needs torch"
    # b is enough to refute it
    assert judge(claim, MIXED, lacking=lacking)["verdict"] == "refuted"


def test_what_was_changed_or_is_small_is_not_judged():
    found = judge(GREATER, GOOD, caution="changed by --set params.n=20")
    assert found["verdict"] == "not judged"
    assert found["reason"] == found["caution"] == "changed by --set params.n=20"
    assert found["preliminary"] == "supported"
    assert found["estimate"] == pytest.approx(0.3033, abs=1e-3)


def test_one_repetition_has_no_interval():
    frame = rows({("a", 0): [0.8], ("b", 0): [0.5]})
    found = judge(GREATER, frame)
    assert found["verdict"] == "undecided"
    assert "single repetition" in found["note"]
    assert judge(GREATER | {"interval": "none"}, frame)["verdict"] == "supported"


def test_what_is_undecided_says_how_many_repetitions_would_decide():
    frame = rows({("a", 0): [0.8, 0.5, 0.6], ("b", 0): [0.5, 0.45, 0.55]})
    found = judge(GREATER, frame)
    assert found["verdict"] == "undecided"
    assert 3 < found["repetitions"] < 20
    within = judge(GREATER, frame, design=(3, 20))
    assert within["repetitions"] > found["repetitions"]
    assert f"About {within['repetitions']} repetitions" in within["note"]
    assert "the next look is at 20" in within["note"]


def test_without_a_further_look_nothing_invites_to_repeat():
    frame = rows({("a", 0): [0.8, 0.5, 0.6], ("b", 0): [0.5, 0.45, 0.55]})
    for design, look in [((3,), 0), ((2, 3), 1)]:
        note = judge(GREATER, frame, design=design, look=look)["note"]
        assert "No further look is declared: the claim stays undecided." in note
        assert "would decide" not in note
    # halves of one table are one table
    halves = judge(GREATER | {"unit": "split", "split": {"test": 0.5}}, frame)
    assert halves["verdict"] == "undecided"
    assert halves["repetitions"] is None


def test_a_sentence_is_held_against_its_own_papers_numbers():
    claim = {"check": "at_most", "times_chance": 1.5, "origin": "paper"}
    frame = pd.concat([
        rows({("a", x): [0.05, 0.051, 0.052] for x in range(3)}),
        rows({("a", x): [0.05] * 3 for x in range(3)}, metric="chance"),
    ], ignore_index=True)  # fmt: skip
    printed = pd.concat([published(value, x=x) for x, value in enumerate((0.06, 0.11, 0.05))])
    found = judge(claim, frame, printed)
    assert found["verdict"] == "supported"
    assert (found["print"]["answer"], found["print"]["held"], found["print"]["points"]) == (
        "partly", 2, 3,
    )  # fmt: skip
    assert found["print"]["largest"] == pytest.approx(0.059)
    assert found["print"]["median"] == pytest.approx(0.009)
    assert judge(claim, frame, published(0.11))["print"]["answer"] == "refuted"
    assert judge(claim | {"quantifier": 0.6}, frame, printed)["print"]["answer"] == "supported"
    assert judge(claim, frame)["print"]["answer"] == "no numbers"
    assert judge(claim | {"origin": "ours"}, frame, printed)["print"] is None


def test_splits_of_one_table_are_not_independent():
    frame = rows({("a", 0): [0.5, 0.52, 0.56, 0.53, 0.5], ("b", 0): [0.48, 0.49, 0.5, 0.51, 0.49]})
    assert judge(GREATER, frame)["verdict"] == "supported"
    found = judge(GREATER, frame, unit="split", split=Split(test=0.5))
    assert found["verdict"] == "undecided"
    assert "(1/n + 1) s²" in found["note"]
    assert found["high"] - found["low"] == pytest.approx(
        math.sqrt(6) * 2 * intervals.half_width([0.02, 0.03, 0.06, 0.02, 0.01]), rel=1e-6
    )
    # a claim's own unit comes first
    assert judge(GREATER | {"unit": "seed"}, frame, unit="split")["verdict"] == "supported"
    with pytest.raises(UserError, match="needs 'split'"):
        judge(GREATER, frame, unit="split")


def test_the_share_of_a_split_can_be_a_grid_column():
    frame = rows({("a", x): [0.8, 0.82, 0.81] for x in (0.5, 0.9)})
    claim = {"check": "at_least", "value": 0.6, "unit": "split", "split": {"train": "x"}}
    found = judge(claim, frame)
    widths = [point["high"] - point["low"] for point in found["points"]]
    assert widths[0] / widths[1] == pytest.approx(math.sqrt((1 / 3 + 1) / (1 / 3 + 1 / 9)))
    assert "(1/n + 0.111 to 1) s²" in found["note"]
    pooled = judge(claim | {"quantifier": "mean"}, frame)
    assert pooled["high"] - pooled["low"] == pytest.approx(widths[0])


def test_every_check_is_in_the_table_and_unknown_ones_get_a_hint():
    for entry in CHECKS.values():
        assert entry.load().model_fields["check"]
    with pytest.raises(UserError, match="did you mean 'greater'"):
        validation.parse({"check": "graeter"})


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"origin": None}, "origin"),
        ({"origin": "reader"}, "agreement"),
        ({"quote": "word for word"}, "section"),
        ({"tie": -0.1}, "greater than or equal"),
        ({"check": "at_least", "than": None, "value": 0.5, "tie": 0.1}, "tie"),
        ({"unit": "split", "split": {"test": 0.5, "train": 0.5}}, "either 'test' or 'train'"),
        ({"adjust": "holm"}, "adjust"),
    ],
)
def test_a_claim_is_typed(changes, words):
    with pytest.raises(ValidationError, match=words):
        judge(GREATER | changes, GOOD)


def test_ratio():
    frame = rows({("a", 0): [2.0, 2.1, 1.9], ("b", 0): [1.0, 1.0, 1.0]})
    claim = {"check": "ratio", "over": B}
    assert judge(claim | {"at_most": 3.0}, frame)["verdict"] == "supported"
    assert judge(claim | {"at_most": 1.5}, frame)["verdict"] == "refuted"
    found = judge(claim | {"at_least": 1.5, "at_most": 2.5}, frame)
    assert found["verdict"] == "supported"
    assert found["estimate"] == pytest.approx(2.0, abs=0.01)
    zero = rows({("a", 0): [2.0, 2.1], ("b", 0): [0.0, 1.0]})
    assert judge(claim | {"at_most": 3.0}, zero)["verdict"] == "not judged"
    with pytest.raises(ValidationError, match="at_least"):
        judge(claim, frame)


def test_a_share_of_the_points():
    frame = rows({("a", x): [0.8, 0.81, 0.8] for x in range(4)} | {("a", 4): [0.1, 0.11, 0.1]})
    claim = {"check": "at_least", "value": 0.5}
    assert judge(claim, frame)["verdict"] == "refuted"
    found = judge(claim | {"quantifier": 0.8}, frame)
    assert found["verdict"] == "supported"
    assert found["estimate"] > 0.5
    assert judge(claim | {"quantifier": 0.9}, frame)["verdict"] == "refuted"


def test_disconnected_rows_are_neither_values_nor_failures():
    frame = rows({("a", 0): [0.8, 0.82, 0.81], ("b", 0): [0.5, 0.52, 0.5]})
    frame.loc[2, ["value", "status"]] = [math.nan, "disconnected"]
    found = judge(GREATER, frame)
    assert found["verdict"] == "supported"
    assert found["n"] == 2
    lost = judge(GREATER, frame.assign(status="disconnected", value=math.nan))
    assert lost["verdict"] == "not judged"
    assert lost["reason"] == "no repetition gave a number"


def test_range():
    flat = rows({("a", x): [0.5 + 0.01 * x, 0.501 + 0.0101 * x] for x in (1, 2, 3)})
    narrow = judge({"check": "range", "axis": "x", "tolerance": 0.05}, flat)
    assert narrow["verdict"] == "supported"
    assert abs(narrow["estimate"]) == pytest.approx(0.02, abs=1e-3)
    assert narrow["deciding"] == {"x": "3 against 1"}
    wide = judge({"check": "range", "axis": "x", "tolerance": 0.01}, flat)
    assert wide["verdict"] == "refuted"
    alone = judge({"check": "range", "axis": "x", "tolerance": 1.0, "where": {"x": 1}}, flat)
    assert alone["verdict"] == "not judged"
