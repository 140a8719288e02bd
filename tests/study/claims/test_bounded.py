"""Means of bounded quantities: closed forms, a slow twin, and how often the test is wrong."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from geoforest_cli.study.claims.bounded import mean_above, mean_below, mean_limit
from geoforest_cli.study.claims.decision import ALPHA

unit = st.floats(0, 1)
samples = st.lists(unit, min_size=1, max_size=12)


@pytest.mark.parametrize(("successes", "n"), [(5, 5), (0, 4), (3, 10), (19, 20)])
@pytest.mark.parametrize("share", [0.1, 0.5, 0.95])
def test_shares_are_tested_as_binomial(successes, n, share):
    values = [1.0] * successes + [0.0] * (n - successes)
    above = stats.binomtest(successes, n, share, alternative="greater").pvalue
    below = stats.binomtest(successes, n, share, alternative="less").pvalue
    assert mean_above(values, share, 0.0) == pytest.approx(above)
    assert mean_below(values, share, 1.0) == pytest.approx(below)


@pytest.mark.parametrize(("n", "lower"), [(2, 0.158), (5, 0.478), (10, 0.692)])
def test_equal_values_have_the_chance_of_what_they_do_not_show(n, lower):
    assert mean_above([0.8] * n, 0.4, -1.0) == pytest.approx((1.4 / 1.8) ** n)
    assert mean_limit([1.0] * n, 0.0, ALPHA) == pytest.approx(lower, abs=1e-3)


def test_the_recursion_is_the_chance_of_its_definition():
    rng = np.random.default_rng(0)
    knots = np.array([-1.0, 0.1, 0.1, 0.3, 0.8, 0.8])
    sums = rng.dirichlet(np.ones(6), 200_000) @ knots
    for bound in (-0.4, 0.1, 0.25, 0.6):
        expected = np.mean(sums <= bound)
        assert mean_above(knots[1:], bound, -1.0) == pytest.approx(expected, abs=0.005)


@given(samples, unit, st.floats(0.001, 0.5))
def test_the_limit_is_where_the_test_turns(values, bound, alpha):
    limit = mean_limit(values, 0.0, alpha)
    assert 0 <= limit <= np.mean(values) + 1e-9 or alpha > 0.3
    if abs(limit - bound) > 1e-6:
        assert (mean_above(values, bound, 0.0) < alpha) == (bound < limit)


@given(samples, unit, st.integers(0, 11), unit)
def test_larger_values_are_more_evidence(values, bound, index, larger):
    raised = list(values)
    raised[index % len(values)] = max(larger, raised[index % len(values)])
    assert mean_above(raised, bound, 0.0) <= mean_above(values, bound, 0.0) + 1e-12


@given(samples, unit)
def test_the_two_sides_mirror_each_other(values, bound):
    mirrored = [-v for v in values]
    assert mean_below(mirrored, -bound, 0.0) == pytest.approx(mean_above(values, bound, 0.0))


def populations():
    rng = np.random.default_rng(5)
    return {
        "an indicator of .95": (np.r_[np.ones(95), np.zeros(5)], 0.0, 1.0),
        "an indicator of .5": (np.r_[np.ones(50), np.zeros(50)], 0.0, 1.0),
        "clusterings that fail at times": (
            np.r_[np.ones(60), rng.uniform(0.8, 1, 25), rng.uniform(-0.1, 0.2, 15)], -1.0, 1.0,
        ),
        "correlations with failures": (
            np.r_[rng.normal(0.8, 0.05, 90), rng.uniform(-0.1, 0.1, 10)], -1.0, 1.0,
        ),
        "values near 1": (1 - np.minimum(rng.exponential(0.01, 100), 1), 0.0, 1.0),
        "any value": (rng.uniform(0, 1, 100), 0.0, 1.0),
    }  # fmt: skip


@pytest.mark.nightly
@pytest.mark.parametrize("name", populations())
@pytest.mark.parametrize("n", [3, 5, 10, 20])
def test_a_bounded_mean_is_wrongly_beyond_its_value_as_often_as_said(name, n):
    values, low, high = populations()[name]
    mean, rng, simulations = float(np.mean(values)), np.random.default_rng(n), 800
    drawn = rng.choice(values, (simulations, n))
    allowed = ALPHA + 4 * math.sqrt(ALPHA * (1 - ALPHA) / simulations)
    assert np.mean([mean_above(x, mean, low) <= ALPHA for x in drawn]) <= allowed
    assert np.mean([mean_below(x, mean, high) <= ALPHA for x in drawn]) <= allowed
