"""What is shown never contradicts the verdict; claims are decided as the calibrated arrays are."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from geoforest_cli.study.claims import decision
from geoforest_cli.study.claims.decision import ALPHA
from geoforest_cli.study.claims.points import Contrast, GridPoint, Region
from geoforest_cli.study.claims.verdicts import Rule, decide
from geoforest_cli.study.intervals import half_width
from tools import error_rates

REGIONS = [
    Region(low=0.0, open=True),
    Region(high=0.0, open=True),
    Region(low=0.0),
    Region(-0.5, 0.5),
    Region(0.0, 0.0),
]
coarse = st.integers(-8, 8).map(lambda v: v / 4)
fine = st.floats(-2, 2, allow_subnormal=False)


@st.composite
def claims(draw):
    """Points with ragged contrasts, gaps in the values, ties, single repetitions."""
    numbers = draw(st.sampled_from([coarse, fine]))
    shift = draw(st.sampled_from([-3.0, 0.0, 3.0]))
    points = []
    for x in range(draw(st.integers(1, 5))):
        contrasts = []
        for rival in range(draw(st.integers(1, 3))):
            values = draw(st.lists(numbers, min_size=0, max_size=6))
            missing = draw(st.sampled_from([0, 0, 0, 1]))
            shifted = {r: v + shift for r, v in enumerate(values)}
            contrasts.append(Contrast({"than": rival}, shifted, missing))
        points.append(GridPoint({"x": x}, contrasts, draw(st.sampled_from([0.0, 0.0, 1.0]))))
    rule = Rule(
        draw(st.sampled_from(REGIONS)),
        draw(st.sampled_from(["all", "most", "mean", 0.3, 0.9])),
        draw(st.sampled_from([0.0, 0.2])),
        exact=draw(st.booleans()),
        prediction=draw(st.booleans()),
    )
    return points, rule


@given(claims(), st.randoms(use_true_random=False))
def test_contrasts_are_judged_in_whatever_order_they_come(claim, order):
    points, rule = claim
    mixed = [
        GridPoint(p.at, order.sample(p.contrasts, len(p.contrasts)), p.overlap) for p in points
    ]
    found, again = decide(points, rule, strict=True), decide(mixed, rule, strict=True)
    assert (found is None) == (again is None)
    if found is not None:
        # of contrasts with the same p-values either may be shown
        assert again.state == found.state
        assert (again.p_support, again.p_refute) == pytest.approx((found.p_support, found.p_refute))


@settings(max_examples=100, deadline=None)
@given(claims(), st.booleans())
def test_the_numbers_shown_never_contradict_the_verdict(claim, strict):
    points, rule = claim
    found = decide(points, rule, strict=strict)
    if found is None:
        assert not any(c.values for p in points for c in p.contrasts) or rule.quantifier == "mean"
        return
    assert (found.state == "supported") <= (found.p_support <= ALPHA)
    assert (found.state == "refuted") <= (found.p_refute <= ALPHA)
    if found.low is None:
        assert found.state == "undecided"
        return
    region, slip = rule.region, 1e-9
    assert found.low <= found.estimate <= found.high
    if found.state == "supported":
        assert region.low - slip <= found.low
        assert found.high <= region.high + slip
    elif found.state == "refuted":
        assert found.high < region.low + slip or found.low > region.high - slip
    elif found.state == "tie":
        bound = region.low if math.isfinite(region.low) else region.high
        assert bound - rule.tie - slip <= found.low
        assert found.high <= bound + rule.tie + slip
    elif not (strict or rule.exact):
        assert not (region.low + slip < found.low and found.high < region.high - slip)
        assert found.high >= region.low - slip
        assert found.low <= region.high + slip


@settings(max_examples=50, deadline=None)
@given(claims())
def test_unknown_cells_never_make_a_claim_clearer(claim):
    """Whatever is decided without them is decided the same way with any values of theirs."""
    points, rule = claim
    certain = decide(points, rule, strict=True)
    if certain is None or certain.state not in {"supported", "refuted"} or rule.exact:
        return
    for value in (-50.0, 50.0):
        filled = [
            GridPoint(
                point.at,
                [
                    Contrast(c.label, {r: value + r / 100 for r in range(4)}) if c.missing else c
                    for c in point.contrasts
                ],
                point.overlap,
            )
            for point in points
        ]
        if rule.quantifier != "mean":
            assert decide(filled, rule).state in {certain.state, "tie"}


@pytest.mark.parametrize("quantifier", ["all", "most", 0.8, "mean"])
@pytest.mark.parametrize("region", REGIONS[:4], ids=str)
@pytest.mark.parametrize("prediction", [False, True])
def test_claims_are_decided_as_the_calibrated_arrays_are(quantifier, region, prediction):
    rng = np.random.default_rng(0)
    for shift, overlap in itertools.product((-1.0, 0.0, 1.0), (0.0, 0.25)):
        values = rng.standard_normal((12, 4, 3, 6)) * 0.4 + shift
        least = decision.wanted(quantifier, 1 if quantifier == "mean" else 4)
        arrays = values.mean(axis=1, keepdims=True) if quantifier == "mean" else values
        support, refute = error_rates.p_values(
            arrays, least, low=region.low, high=region.high, closed=not region.open,
            overlap=overlap, prediction=prediction,
        )  # fmt: skip
        for claim, p_support, p_refute in zip(values, support, refute, strict=True):
            points = [
                GridPoint(
                    {"x": x},
                    [Contrast({"than": j}, dict(enumerate(v))) for j, v in enumerate(point)],
                    overlap,
                )
                for x, point in enumerate(claim)
            ]
            found = decide(points, Rule(region, quantifier, prediction=prediction))
            assert found.p_support == pytest.approx(p_support)
            assert found.p_refute == pytest.approx(p_refute)
            assert (found.state == "supported") == (p_support <= ALPHA)


@given(st.lists(st.floats(-2, 2), min_size=2, max_size=9), st.floats(-1, 1))
def test_a_contrast_is_tested_as_scipy_does(values, bound):
    if max(values) - min(values) < 1e-6:
        return
    mean, error = np.mean(values), decision.standard_error(values)
    freedom = len(values) - 1
    inside = decision.p_inside(mean, error, freedom, bound, np.inf)
    outside = decision.p_outside(mean, error, freedom, bound, np.inf)
    assert inside == pytest.approx(stats.ttest_1samp(values, bound, alternative="greater").pvalue)
    assert outside == pytest.approx(stats.ttest_1samp(values, bound, alternative="less").pvalue)


@given(
    st.lists(st.floats(0.0001, 1), min_size=1, max_size=8), st.integers(1, 8)
)  # fmt: skip
def test_partial_conjunctions_are_the_worst_of_all_that_could_be_true(values, least):
    """At least u of n hold unless some n - u + 1 do not: the largest Bonferroni p over these."""
    n = len(values)
    if least > n:
        return
    support, refute = decision.over_points(np.array(values), np.array(values), least)
    brute = max(
        min(1.0, min(several) * (n - least + 1))
        for several in itertools.combinations(values, n - least + 1)
    )
    assert support == pytest.approx(brute)
    # fewer than u hold: at least n - u + 1 do not
    other = max(min(1.0, min(several) * least) for several in itertools.combinations(values, least))
    assert refute == pytest.approx(other)


def test_nothing_is_known_of_a_single_repetition():
    found = decide([GridPoint({}, [Contrast({}, {0: 5.0})])], Rule(Region(low=0.0)))
    assert (found.state, found.estimate, found.low, found.n) == ("undecided", 5.0, None, 1)
    assert found.repetitions is None
    assert decide([], Rule(Region())) is None


def test_intervals():
    assert half_width([1.0]) is None
    values = [0.1, 0.25, 0.2, 0.7]
    low, high = stats.t.interval(0.95, 3, np.mean(values), stats.sem(values))
    assert half_width(values) == pytest.approx((high - low) / 2)


def test_a_claim_about_all_points_needs_what_its_worst_one_needs():
    """Whether the others hold does not count: one that fails is enough."""
    rng = np.random.default_rng(0)
    below, above = rng.normal(-0.3, 1, 6), rng.normal(3, 0.1, 6)
    assert below.mean() < 0
    points = [GridPoint({"x": i}, [Contrast({}, dict(enumerate(v)))]) for i, v in
              enumerate([above, below, above])]  # fmt: skip
    found = decide(points, Rule(REGIONS[0], "all", 0.0))
    # of three points, any of which may refute it
    needed = decision.repetitions_needed(-below.mean(), below.std(ddof=1), tests=3)
    assert (found.state, found.deciding, found.repetitions) == ("undecided", {"x": 1}, needed)


@pytest.mark.parametrize("tests", [1, 12])
@pytest.mark.parametrize("effect", [0.9, 1.6, 2.5, 4.0, 8.0])
def test_few_repetitions_are_those_of_the_noncentral_t(effect, tests):
    def suffice(n):
        critical = stats.t.isf(ALPHA / tests, n - 1)
        return stats.nct.sf(critical, n - 1, effect * np.sqrt(n)) >= 0.8

    expected = next(n for n in range(2, 60) if suffice(n))
    assert decision.repetitions_needed(2 * effect, 2.0, tests=tests) == expected
