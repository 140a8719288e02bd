"""Which rule judges which values, against scipy's tests."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from geoforest_cli.problems.metrics.kinds import (
    REAL,
    MetricKind,
    average,
    bounded,
    positive,
)
from geoforest_cli.study.claims import decision
from geoforest_cli.study.claims.estimates import estimate
from geoforest_cli.study.claims.points import Region

VALUES = [0.62, 0.55, 0.71, 0.64]
BEYOND = (0.5, math.inf)
coarse = st.integers(-4, 4).map(lambda v: v / 4)


def t_above(values, bound):
    return stats.ttest_1samp(values, bound, alternative="greater").pvalue


@pytest.mark.parametrize("kind", [REAL, average(), average(-1, 1)])
def test_averages_inside_their_range_are_tested_by_t(kind):
    assert estimate(VALUES, kind).p_inside(*BEYOND) == pytest.approx(t_above(VALUES, 0.5))
    expected = stats.t.interval(0.95, 3, np.mean(VALUES), stats.sem(VALUES))
    assert estimate(VALUES, kind).interval(0.025) == pytest.approx(expected)


@pytest.mark.parametrize("values", [[0.99, 0.98, 1.0, 0.97], [0.6] * 4])
def test_averages_close_to_an_end_or_without_spread_are_not(values):
    expected = estimate(values, bounded()).p_inside(*BEYOND)
    assert estimate(values, average()).p_inside(*BEYOND) == expected
    assert expected > 0.05


def test_no_mean_is_beyond_the_ends_of_its_range():
    successes = estimate([1.0] * 40, bounded())
    assert successes.p_inside(0.9, 1.0) == pytest.approx(0.9**40)
    assert successes.p_inside(0.0, 1.0) == 0.0
    assert successes.p_outside(0.0, 1.0) == 1.0
    # "above 0" is not shown by zeros, "at least 0" needs no showing
    zeros = estimate([0.0] * 40, bounded())
    assert zeros.p_inside(0.0, math.inf, closed=False) == 1.0
    assert zeros.p_inside(0.0, math.inf) == 0.0


@given(
    values=st.lists(st.floats(0.3, 0.7), min_size=2, max_size=6).filter(lambda x: len({*x}) > 1),
    alpha=st.floats(1e-6, 0.2),
    beyond=st.booleans(),
)
def test_an_interval_ends_where_no_mean_can_be(values, alpha, beyond):
    """It is that of Student's t, cut off at the ends; what is decided stays."""
    for kind in (average(), average().difference(), bounded(0.25, 0.75)):
        found = estimate(values, kind, overlap=0.5, draw=beyond)
        free = estimate(values, REAL, overlap=0.5, draw=beyond)
        low, high = free.interval(alpha, beyond=beyond)
        cut = max(low, kind.low), min(high, kind.high)
        assert found.interval(alpha, beyond=beyond) == cut
        assert found.p_inside(*BEYOND) == free.p_inside(*BEYOND)
        assert found.p_outside(0.65, 0.9) == free.p_outside(0.65, 0.9)
    # values beyond the range that a kind was said to have are believed
    low, high = estimate([*values, 1.5], average(), overlap=0.5).interval(1e-6)
    assert (low, high) == (0.0, 1.5)


def test_ratios_are_tested_on_the_log_scale():
    ratios = [0.5, 2.0, 4.0, 1.5]
    found, logs = estimate(ratios, positive), np.log(ratios)
    assert found.mean == pytest.approx(stats.gmean(ratios))
    assert found.p_inside(0.4, math.inf) == pytest.approx(t_above(logs, np.log(0.4)))
    low, high = found.interval(0.025)
    assert low > 0
    expected = stats.t.interval(0.95, 3, np.mean(logs), stats.sem(logs))
    assert (math.log(low), math.log(high)) == pytest.approx(expected)
    # no number below or at zero is a bound
    assert found.p_inside(-1.0, math.inf) == 0.0
    assert found.p_outside(0.0, math.inf) == 1.0


def test_equal_values_of_no_known_range_show_nothing():
    found = estimate([2.0, 2.0, 2.0])
    assert found.p_inside(0.0, 9.0) == found.p_outside(3.0, 9.0) == 1.0
    assert found.interval(0.025) == (None, None)
    assert estimate([2.0, 2.0, 2.0], exact=True).p_inside(0.0, 9.0) == 0.0


def test_overlapping_splits_are_left_to_t():
    p = estimate(VALUES, bounded(), overlap=1.0).p_inside(*BEYOND)
    error = math.sqrt(1 / 4 + 1.0) * np.std(VALUES, ddof=1)
    assert p == pytest.approx(stats.t.sf((np.mean(VALUES) - 0.5) / error, 3))


def test_beyond_a_draw_is_left_to_t_and_inside_is_not():
    found, mean = estimate(VALUES, bounded(), draw=True), estimate(VALUES, bounded())
    error = math.sqrt(1 / 4 + 1.0) * np.std(VALUES, ddof=1)
    beyond = stats.t.sf((0.9 - np.mean(VALUES)) / error, 3)
    assert found.p_outside(0.9, math.inf) == pytest.approx(beyond)
    assert found.p_inside(*BEYOND) == mean.p_inside(*BEYOND)
    assert found.interval(0.025) == mean.interval(0.025)
    half = stats.t.isf(0.025, 3) * error
    limits = np.mean(VALUES) - half, np.mean(VALUES) + half
    assert found.interval(0.025, beyond=True) == pytest.approx(limits)


def test_equal_values_within_a_tolerance_are_as_sure_as_what_they_may_hide():
    """A published precision of 1 that every repetition meets: five do not show it, 150 do."""
    shifted = MetricKind("average", -1.0, 0.0)
    few, many = (estimate([0.0] * n, shifted, draw=True) for n in (5, 150))
    assert few.p_inside(-0.025, 0.025) == pytest.approx(0.975**5)
    assert many.p_inside(-0.025, 0.025) == pytest.approx(0.975**150)
    assert 0.975**150 < 0.025
    assert few.p_outside(-0.025, 0.025) == 1.0


@pytest.mark.parametrize(
    ("values", "kind", "bound"),
    [
        ([1.0] * 5, bounded(), 0.9),
        ([1.0, 1.0, 0.0, 1.0, 1.0], bounded(), 0.5),
        ([1.9, 2.2, 1.4], positive, 1.5),
        (VALUES, average(), 0.5),
    ],
)
def test_the_repetitions_that_would_decide_do(values, kind, bound):
    """That many values like these show it, and half as many do not."""
    needed = estimate(values, kind).needed(bound, 1)
    assert needed is not None
    times = math.ceil(needed / len(values))
    assert estimate(values * times, kind).p_inside(bound, math.inf) <= 0.025
    if times > 3:
        few = values * (times // 3)
        assert estimate(few, kind).p_inside(bound, math.inf) > 0.025


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
