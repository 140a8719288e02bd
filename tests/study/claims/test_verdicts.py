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
from geoforest_cli.study.claims.verdicts import (
    ALPHA,
    Rule,
    decide,
    least,
    over_points,
    sentence_state,
)

REGIONS = [
    Region(low=0.0, open=True),
    Region(high=0.0, open=True),
    Region(low=0.0),
    Region(-0.5, 0.5),
]


def one_sided(values, bound, side):
    if math.isinf(bound):
        return 0.0 if (bound > 0) == (side == "less") else 1.0
    return stats.ttest_1samp(values, bound, alternative=side).pvalue


def at_least(p, wanted):
    """The worst of all truths with too few: each n - wanted + 1 of them by Bonferroni."""
    several = itertools.combinations(p, len(p) - wanted + 1)
    return max(min(1.0, len(some) * min(some)) for some in several)


def naive(points, region, quantifier):
    """p for and against: (points, contrasts, repetitions)."""
    if quantifier == "mean":
        points = points.mean(axis=0, keepdims=True)
    inside, outside = [], []
    for point in points:
        p = [(one_sided(v, region.low, "greater"), one_sided(v, region.high, "less"),
              one_sided(v, region.low, "less"), one_sided(v, region.high, "greater"))
             for v in point]  # fmt: skip
        inside.append(max(max(low, high) for low, high, _, _ in p))
        beyond = [min(1.0, region.bounds * min(low, high)) for _, _, low, high in p]
        outside.append(min(1.0, len(point) * min(beyond)))
    n = len(points)
    wanted = least(quantifier, n)
    return at_least(inside, wanted), at_least(outside, n - wanted + 1)


@pytest.mark.parametrize("quantifier", ["all", "most", 0.8, "mean"])
@pytest.mark.parametrize("region", REGIONS, ids=str)
def test_claims_are_decided_as_by_hand(region, quantifier):
    rng = np.random.default_rng(0)
    states = set()
    for shift in (-0.9, -0.2, 0.0, 0.2, 0.9):
        values = shift + 0.15 * rng.standard_normal((5, 2, 6))
        points = [
            GridPoint({"x": x}, [Contrast({"than": j}, [(1.0, dict(enumerate(v)))])
                                 for j, v in enumerate(point)])
            for x, point in enumerate(values)
        ]  # fmt: skip
        found = decide(points, Rule(region, quantifier))
        support, refute = naive(values, region, quantifier)
        assert (found.p_support, found.p_refute) == pytest.approx((support, refute))
        state = "supported" if support <= ALPHA else "refuted" if refute <= ALPHA else "undecided"
        assert found.state == state
        states.add(state)
    assert {"supported", "refuted"} <= states


@settings(max_examples=50)
@given(st.lists(st.floats(1e-4, 1), min_size=1, max_size=7), st.data())
def test_so_many_of_the_points_is_a_partial_conjunction(p, data):
    wanted = data.draw(st.integers(1, len(p)))
    holds, fails = over_points(np.array(p), np.array(p), wanted)
    assert holds == pytest.approx(at_least(p, wanted))
    assert fails == pytest.approx(at_least(p, len(p) - wanted + 1))


@st.composite
def claims(draw):
    """Points with several contrasts, ties, single repetitions, gaps and cells that failed."""
    numbers = st.integers(-8, 8).map(lambda v: v / 4)
    shift = draw(st.sampled_from([-3.0, 0.0, 3.0]))
    points = []
    for x in range(draw(st.integers(1, 4))):
        contrasts = []
        for rival in range(draw(st.integers(1, 3))):
            values = draw(st.lists(numbers, max_size=5))
            terms = [(1.0, {r: v + shift for r, v in enumerate(values)})] if values else []
            missing = draw(st.sampled_from([0, 0, 1])) if values else 1
            contrasts.append(Contrast({"than": rival}, terms, missing))
        points.append(GridPoint({"x": x}, contrasts))
    quantifier = draw(st.sampled_from(["all", "most", "mean", 0.3, 0.9]))
    return points, Rule(draw(st.sampled_from(REGIONS)), quantifier, draw(st.sampled_from([0, 0.2])))


@settings(max_examples=40)
@given(claims(), st.booleans())
def test_the_interval_shown_never_contradicts_the_verdict(claim, strict):
    points, rule = claim
    found = decide(points, rule, strict=strict)
    if found is None or found.estimate is None or found.estimate.interval() is None:
        return
    (low, high), slip = found.estimate.interval(), 1e-9
    bound = rule.region.low if math.isfinite(rule.region.low) else rule.region.high
    if found.state == "supported":
        assert rule.region.low - slip <= low
        assert high <= rule.region.high + slip
    elif found.state == "refuted":
        assert high < rule.region.low - rule.tie + slip or low > rule.region.high + rule.tie - slip
    elif found.state == "tie":
        assert bound - rule.tie - slip <= low
        assert high <= bound + rule.tie + slip


@settings(max_examples=40)
@given(claims(), st.sampled_from([-50.0, 0.0, 50.0]))
def test_what_is_decided_is_so_whatever_missing_cells_would_have_given(claim, value):
    points, rule = claim
    certain = decide(points, rule, strict=True)
    if certain is None or certain.state not in {"supported", "refuted"}:
        return
    if rule.quantifier == "mean":  # of values that are there and of those that are not
        return
    there = {r: value + r / 100 for r in range(4)}
    filled = [
        GridPoint(p.at, [Contrast(c.label, [(1.0, there)]) if c.missing else c
                         for c in p.contrasts])
        for p in points
    ]  # fmt: skip
    assert decide(filled, rule).state == certain.state


@pytest.mark.parametrize(
    ("states", "holds", "state"),
    [
        ("supported supported", "all", "supported"),
        ("supported refuted", "all", "refuted"),
        ("undecided refuted", "all", "refuted"),
        ("not-judged refuted", "all", "refuted"),
        ("supported tie", "all", "tie"),
        ("supported undecided", "all", "undecided"),
        ("supported not-judged", "all", "not judged"),
        ("supported supported refuted", "most", "supported"),
        ("supported refuted refuted", "most", "refuted"),
        ("supported refuted tie", "most", "tie"),
        ("supported refuted not-judged", "most", "not judged"),
        ("supported refuted undecided", 1, "supported"),
        ("undecided refuted refuted", 1, "undecided"),
        ("refuted refuted refuted", 1, "refuted"),
        ("supported refuted undecided", 2, "undecided"),
    ],
)
def test_a_sentence_needs_enough_of_its_parts(states, holds, state):
    given = [one.replace("-", " ") for one in states.split()]
    for order in itertools.permutations(given):
        assert sentence_state(order, holds) == state
