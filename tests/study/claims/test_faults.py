"""Faults that verdicts once had, each on rows with its numbers."""

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from geoforest_cli.study.repetition import Split
from geoforest_cli.study.report import tables
from tests.study.claims.by_hand import GREATER, SENTENCE, B, around, judge, judged, rows

AHEAD, BEHIND, LEVEL = (around({"a": a, "b": 0.5}) for a in (0.6, 0.4, 0.5))
OF = {"sentence": "best"}


def test_1_a_hair_at_one_point_is_a_tie_and_refutes_nothing():
    claim = {"check": "less", "than": [B], "tie": 0.005}
    lower = {0: 0.3, 1: 0.3, 2: 0.30019}
    frame = around({"a": lower, "b": {0: 0.4, 1: 0.4, 2: 0.3}}, n=20, spread=1e-5)
    found = judge(claim, frame)
    assert (found.verdict, found.deciding["x"]) == ("tie", 2)
    assert found.estimate == pytest.approx(0.00019)
    beyond = around({"a": lower | {2: 0.306}, "b": {0: 0.4, 1: 0.4, 2: 0.3}}, n=20, spread=1e-5)
    assert judge(claim, beyond).verdict == "refuted"
    # the error reaches over the margin
    unclear = around({"a": lower | {2: 0.306}, "b": {0: 0.4, 1: 0.4, 2: 0.3}}, n=3, spread=0.01)
    assert judge(claim, unclear).verdict == "undecided"


def test_2_a_clear_lead_of_20_repetitions_over_3_is_supported():
    rng = np.random.default_rng(0)
    ours, theirs = 0.6 + 0.02 * rng.standard_normal(20), 0.424 + 0.02 * rng.standard_normal(3)
    found = judge(GREATER, rows({("a", 0): list(ours), ("b", 0): list(theirs)}))
    assert (found.verdict, found.test) == ("supported", "Welch's t")
    assert found.estimate == pytest.approx(ours.mean() - theirs.mean())
    limits = stats.ttest_ind(ours, theirs, equal_var=False).confidence_interval(0.95)
    assert (found.low, found.high) == pytest.approx(limits)


def test_3_a_mean_of_queries_has_the_interval_of_the_summary():
    frame = around({"a": 0.8}, n=5, spread=0.05, metric="spearman")
    found = judge({"check": "at_least", "value": 0.5, "metric": "spearman"}, frame)
    line = tables.summary(frame).iloc[0]
    assert (found.verdict, found.test) == ("supported", "t")
    assert (found.low, found.high) == pytest.approx(
        (line["mean"] - line["half"], line["mean"] + line["half"])
    )


def test_3_four_of_1000_tables_are_counted():
    frame = rows({("a", 0): [0.005, 0.0, 0.01, 0.005, 0.0]}, metric="false_any")
    claim = {"check": "at_most", "value": 0.01, "metric": "false_any"}
    found = judge(claim, frame, trials=200)
    assert (found.test, found.n, found.estimate) == ("binomial", 1000, 0.004)
    limits = stats.binomtest(4, 1000).proportion_ci(0.95, "exact")
    assert (found.low, found.high) == pytest.approx(limits)
    assert limits == pytest.approx((0.0011, 0.0102), abs=1e-4)
    assert found.verdict == "undecided"
    assert judge({**claim, "value": 0.011}, frame, trials=200).verdict == "supported"


@pytest.mark.parametrize(
    ("claim", "frame", "verdict"),
    [
        ({**GREATER, "exact": True}, around({"a": 0.6, "b": 0.5}, spread=0.3), "supported"),
        (GREATER, rows({("a", 0): [0.6], ("b", 0): [0.5]}), "undecided"),
        ({**GREATER, "exact": True}, rows({("a", 0): [0.6], ("b", 0): [0.5]}), "supported"),
    ],
)
def test_4_what_is_exact_or_single_shows_no_interval(claim, frame, verdict):
    found = judge(claim, frame)
    assert found.verdict == verdict
    for shown in (found, *found.points):
        assert (shown.low, shown.high) == (None, None)
        assert shown.estimate == pytest.approx(0.1)


def test_5_splits_are_judged_on_this_table_and_beside_it_on_all_tables():
    frame = rows({("a", 0): [0.5, 0.52, 0.56, 0.53, 0.5], ("b", 0): [0.48, 0.49, 0.5, 0.51, 0.49]})
    found = judge(GREATER, frame, unit="split", split=Split(test=0.5))
    assert (found.verdict, found.population) == ("supported", "undecided")
    plain = judge(GREATER, frame)
    assert (found.low, found.high, plain.population) == (plain.low, plain.high, None)


@pytest.mark.parametrize(
    ("holds", "places", "verdict"),
    [
        ("all", [AHEAD, AHEAD, AHEAD], "supported"),
        ("all", [AHEAD, AHEAD, BEHIND], "refuted"),
        ("all", [AHEAD, AHEAD, LEVEL], "tie"),
        ("most", [AHEAD, AHEAD, BEHIND], "supported"),
        ("most", [AHEAD, BEHIND, BEHIND], "refuted"),
        (1, [AHEAD, BEHIND, BEHIND], "supported"),
        (1, [BEHIND, BEHIND, BEHIND], "refuted"),
    ],
)
def test_6_a_sentence_is_decided_by_all_its_parts(holds, places, verdict):
    frame = pd.concat([frame.assign(x=x) for x, frame in enumerate(places)])
    parts = [{**GREATER, **OF, "tie": 0.01, "where": {"x": x}} for x in range(len(places))]
    sentence = judged(parts, frame, {"best": {**SENTENCE, "holds": holds}}).sentence("best")
    assert (sentence.verdict, sentence.parts) == (verdict, ("c0", "c1", "c2"))


def test_7_readings_stand_beside_and_never_decide():
    frame = pd.concat([AHEAD, BEHIND.assign(x=1)])
    part, reading = ({**GREATER, **OF, "where": {"x": x}} for x in (0, 1))
    found = judged([part, {**reading, "reading": True}], frame, {"best": SENTENCE})
    sentence = found.sentence("best")
    assert (sentence.verdict, sentence.readings) == ("supported", ("c1",))
    assert found.claim("c1").verdict == "refuted"


def test_6_a_claim_of_ours_is_part_of_no_sentence():
    found = judged([{**GREATER, **OF}, {**GREATER, "check": "less"}], AHEAD, {"best": SENTENCE})
    assert found.sentence("best").parts == ("c0",)
    assert found.claim("c1").verdict == "refuted"


def test_11_an_exact_claim_has_no_threshold_to_try():
    claim = {"check": "at_most", "value": 0.5, "exact": True, "threshold": "paper", **OF}
    found = judged([claim], around({"a": 0.45}), {"best": SENTENCE})
    assert found.claim("c0").verdict == "supported"
    assert (found.claim("c0").half, found.claim("c0").twice) == (None, None)
    assert not found.sentence("best").hangs
