"""Faults that verdicts once had, each on rows with its numbers."""

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from geoforest_cli.problems.metrics.kinds import average
from geoforest_cli.study.repetition import Split
from geoforest_cli.study.report import tables
from tests.study.claims.by_hand import GREATER, OF, SENTENCE, B, around, judge, judged, rows

AHEAD, BEHIND = around({"a": 0.6, "b": 0.5}), around({"a": 0.4, "b": 0.5})
SINGLE = rows({("a", 0): [0.6], ("b", 0): [0.5]})


@pytest.mark.parametrize(
    ("difference", "n", "spread", "verdict"),
    [(0.00019, 20, 1e-5, "tie"), (-0.00019, 20, 1e-5, "tie"), (0.0052, 20, 1e-5, "refuted"),
     (0.006, 4, 0.001, "undecided"), (-0.0045, 4, 0.003, "undecided")],
)  # fmt: skip
def test_1_a_hair_at_one_point_is_a_tie_and_refutes_nothing(difference, n, spread, verdict):
    lower = {0: 0.3, 1: 0.3, 2: 0.4 + difference}
    frame = around({"a": lower, "b": dict.fromkeys(lower, 0.4)}, n=n, spread=spread)
    result = judge({"check": "less", "than": [B], "tie": 0.005}, frame)
    assert (result.verdict, result.deciding["x"]) == (verdict, 2)
    assert result.estimate == pytest.approx(difference)


def test_2_a_clear_lead_of_20_repetitions_over_3_is_supported():
    rng = np.random.default_rng(0)
    ours, theirs = 0.6 + 0.02 * rng.standard_normal(20), 0.424 + 0.02 * rng.standard_normal(3)
    result = judge(GREATER, rows({("a", 0): list(ours), ("b", 0): list(theirs)}))
    assert (result.verdict, result.test) == ("supported", "Welch's t")
    limits = stats.ttest_ind(ours, theirs, equal_var=False).confidence_interval(0.95)
    assert (result.low, result.high) == pytest.approx(limits)


def test_3_a_mean_of_queries_has_the_interval_of_the_summary():
    frame = around({"a": 0.8}, n=5, spread=0.05, metric="spearman")
    result = judge({"check": "at_least", "value": 0.5, "metric": "spearman"}, frame)
    mean, half = tables.summary(frame).loc[0, ["mean", "half"]]
    assert (result.low, result.high) == pytest.approx((mean - half, mean + half))


def test_3_four_of_1000_tables_are_counted():
    frame = rows({("a", 0): [0.005, 0.0, 0.01, 0.005, 0.0]}, metric="false_any")
    claim = {"check": "at_most", "value": 0.01, "metric": "false_any"}
    result = judge(claim, frame, trials=200)
    assert (result.verdict, result.n, result.estimate) == ("undecided", 1000, 0.004)
    limits = stats.binomtest(4, 1000).proportion_ci(0.95, "exact")  # .0011 to .0102
    assert (result.low, result.high) == pytest.approx(limits)
    assert judge({**claim, "value": 0.011}, frame, trials=200).verdict == "supported"
    assert judge(claim, frame, kinds={"false_any": average()}).test == "t"


@pytest.mark.parametrize(
    ("exact", "frame", "verdict"),
    [(True, around({"a": 0.6, "b": 0.5}, spread=0.3), "supported"), (True, SINGLE, "supported"),
     (False, SINGLE, "undecided")],
)  # fmt: skip
def test_4_what_is_exact_or_single_shows_no_interval(exact, frame, verdict):
    result = judge({**GREATER, "exact": exact}, frame)
    assert result.verdict == verdict
    for shown in (result, *result.points):
        assert (shown.low, shown.high, shown.estimate) == (None, None, pytest.approx(0.1))


def test_5_splits_are_judged_on_this_table_and_on_all_tables():
    frame = rows({("a", 0): [0.5, 0.52, 0.56, 0.53, 0.5], ("b", 0): [0.48, 0.49, 0.5, 0.51, 0.49]})
    result = judge(GREATER, frame, unit="split", split=Split(test=0.5))
    assert (result.verdict, result.population) == ("supported", "undecided")
    plain = judge(GREATER, frame)
    assert (result.low, result.high, plain.population) == (plain.low, plain.high, None)


@pytest.mark.parametrize(
    ("holds", "refuted", "verdict"),
    [("all", 0, "supported"), ("all", 1, "refuted"), ("most", 1, "supported"),
     ("most", 2, "refuted"), (1, 2, "supported"), (1, 3, "refuted")],
)  # fmt: skip
def test_6_a_sentence_is_decided_by_all_its_parts(holds, refuted, verdict):
    frame = pd.concat([(BEHIND if x < refuted else AHEAD).assign(x=x) for x in range(3)])
    parts = [{**GREATER, **OF, "where": {"x": x}} for x in range(3)]
    # a claim of ours is none
    sentences = {"best": {**SENTENCE, "holds": holds}}
    (result,) = judged([*parts, GREATER], frame, sentences, registered=["c0", "c1"]).sentences
    assert (result.verdict, result.registration, len(result.parts)) == (verdict, "post hoc", 3)


def test_7_readings_stand_beside_and_never_decide():
    frame = pd.concat([AHEAD, BEHIND.assign(x=1)])
    part, reading = ({**GREATER, **OF, "where": {"x": x}} for x in (0, 1))
    verdicts = judged([part, {**reading, "reading": True}], frame)
    assert (verdicts.sentences[0].verdict, verdicts.sentences[0].readings) == ("supported", ("c1",))
    assert verdicts.claims[1].verdict == "refuted"


def test_11_exact_claims_may_have_the_papers_threshold_untried():
    claim = {"check": "at_most", "value": 0.5, "exact": True, "threshold": "paper", **OF}
    verdicts = judged([claim], around({"a": 0.45}))
    assert (verdicts.claims[0].verdict, verdicts.claims[0].twice) == ("supported", None)
    assert not verdicts.sentences[0].hangs
