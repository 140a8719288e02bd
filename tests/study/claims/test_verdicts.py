"""The rule of decision against a slow version of it, and what must hold of any claim."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from geoforest_cli.study.claims.contrasts import Contrast, GridPoint
from geoforest_cli.study.claims.model import Region
from geoforest_cli.study.claims.verdicts import ALPHA, Rule, decide, sentence_state

REGIONS = [Region(0.0, open=True), Region(high=0.0, open=True), Region(0.0), Region(-0.5, 0.5)]


def one_sided(values, region, *sides):
    """p of the mean on a side of each bound."""
    finite = [(b, s) for b, s in zip(region, sides, strict=False) if math.isfinite(b)]
    return [stats.ttest_1samp(values, bound, alternative=side).pvalue for bound, side in finite]


def at_least(p, wanted):
    """The worst of all truths with too few: each n - wanted + 1 of them by Bonferroni."""
    subsets = itertools.combinations(p, len(p) - wanted + 1)
    return max(min(1.0, len(subset) * min(subset)) for subset in subsets)


def naive(points, region, wanted):
    """p for and against, of an array (points, contrasts, repetitions)."""
    inside, outside = [], []
    for point in points:
        inside.append(max(max(one_sided(values, region, "greater", "less")) for values in point))
        beyond = [one_sided(values, region, "less", "greater") for values in point]
        combined = [min(1.0, len(both) * min(both)) for both in beyond]
        outside.append(min(1.0, len(point) * min(combined)))
    return at_least(inside, wanted), at_least(outside, len(points) - wanted + 1)


@pytest.mark.parametrize(("quantifier", "wanted"), [("all", 5), ("most", 3), (0.7, 4), ("mean", 1)])
@pytest.mark.parametrize("region", REGIONS, ids=str)
def test_claims_are_decided_as_by_hand(region, quantifier, wanted):
    rng = np.random.default_rng(0)
    for shift in (-0.9, -0.2, 0.0, 0.2, 0.9):
        values = shift + 0.15 * rng.standard_normal((5, 2, 6))
        points = [
            GridPoint({"x": x}, [Contrast({"than": j}, [(1.0, dict(enumerate(v)))])
                                 for j, v in enumerate(point)])
            for x, point in enumerate(values)
        ]  # fmt: skip
        decision = decide(points, Rule(region, quantifier))
        judged = values.mean(axis=0, keepdims=True) if quantifier == "mean" else values
        support, refute = naive(judged, region, wanted)
        assert (decision.p_support, decision.p_refute) == pytest.approx((support, refute))
        state = "supported" if support <= ALPHA else "refuted" if refute <= ALPHA else "undecided"
        assert decision.state == state


@st.composite
def claims(draw):
    """Points with several contrasts, ties, single repetitions, gaps and cells that failed."""
    shift = draw(st.sampled_from([-3.0, 0.0, 3.0]))
    numbers = st.integers(-8, 8).map(lambda v: v / 4 + shift)
    points = []
    for x in range(draw(st.integers(1, 4))):
        contrasts = []
        for baseline in range(draw(st.integers(1, 3))):
            values = draw(st.lists(numbers, max_size=5))
            terms = [(1.0, dict(enumerate(values)))] if values else []
            missing = draw(st.sampled_from([0, 0, 1])) if values else 1
            contrasts.append(Contrast({"than": baseline}, terms, missing))
        points.append(GridPoint({"x": x}, contrasts))
    quantifier = draw(st.sampled_from(["all", "most", "mean", 0.3, 0.9]))
    return points, Rule(draw(st.sampled_from(REGIONS)), quantifier, draw(st.sampled_from([0, 0.2])))


@settings(max_examples=40)
@given(claims(), st.booleans())
def test_the_interval_shown_never_contradicts_the_verdict(claim, strict):
    points, rule = claim
    decision = decide(points, rule, strict=strict)
    if decision is None or decision.estimate is None or decision.estimate.interval() is None:
        return
    (low, high), slip = decision.estimate.interval(), 1e-9
    if decision.state == "supported":
        assert rule.region.low - slip <= low <= high <= rule.region.high + slip
    elif decision.state == "refuted":
        assert high < rule.region.low - rule.tie + slip or low > rule.region.high + rule.tie - slip
    elif decision.state == "tie":  # with a lead or a lag over 0
        assert -rule.tie - slip <= low <= high <= rule.tie + slip


@settings(max_examples=40)
@given(claims(), st.sampled_from([-50.0, 0.0, 50.0]))
def test_what_is_decided_is_so_whatever_missing_cells_had_given(claim, value):
    points, rule = claim
    certain = decide(points, rule, strict=True)
    # a mean is one of values that are there and of those that are not
    if certain and certain.state in {"supported", "refuted"} and rule.quantifier != "mean":
        there = Contrast({}, [(1.0, {r: value + r / 100 for r in range(4)})])
        filled = [
            GridPoint(point.at, [there if part.missing else part for part in point.contrasts])
            for point in points
        ]
        assert decide(filled, rule).state == certain.state


@pytest.mark.parametrize(
    ("states", "holds", "state"),
    [
        ("undecided, refuted", "all", "refuted"), ("not judged, refuted", "all", "refuted"),
        ("supported, tie", "all", "tie"), ("supported, not judged", "all", "not judged"),
        ("supported, refuted, tie", "most", "tie"),
        ("supported, not judged, undecided", 1, "supported"),
        ("undecided, refuted, refuted", 1, "undecided"),
    ],
)  # fmt: skip
def test_a_sentence_needs_enough_of_its_parts(states, holds, state):
    for order in itertools.permutations(states.split(", ")):
        assert sentence_state(order, holds) == state
