"""Estimates of contrasts and their tests, against those of SciPy."""

import math

import numpy as np
import pytest
from scipy import stats

from geoforest_cli.study.claims.estimates import binomial, student


def draws(seed, n):
    return np.random.default_rng(seed).normal(0.2, 0.5, n)


def series(values):
    return dict(enumerate(values))


TESTS = {
    "t": lambda bound, side, a: stats.ttest_1samp(a, bound, alternative=side),
    "paired t": lambda bound, side, a, b: stats.ttest_rel(a - bound, b, alternative=side),
    "Welch's t": lambda x, side, a, b: stats.ttest_ind(a - x, b, equal_var=False, alternative=side),
}


@pytest.mark.parametrize(
    ("name", "sizes"),
    [("t", [2]), ("t", [20]), ("paired t", [3, 3]), ("paired t", [20, 20]),
     ("Welch's t", [20, 3]), ("Welch's t", [3, 20])],
)  # fmt: skip
def test_means_and_differences_are_tested_as_scipy_does(name, sizes):
    values = [draws(seed, n) for seed, n in enumerate(sizes)]
    estimate = student(list(zip((1.0, -1.0), map(series, values), strict=False)))
    test = TESTS[name]
    assert (estimate.test, estimate.n) == (name, min(sizes))
    for bound in (-0.4, 0.0, 0.3):
        assert estimate.p_above(bound) == pytest.approx(test(bound, "greater", *values).pvalue)
        assert estimate.p_below(bound) == pytest.approx(test(bound, "less", *values).pvalue)
    limits = test(0.0, "two-sided", *values).confidence_interval(0.95)
    assert estimate.interval() == pytest.approx(limits)


def test_groups_are_weighted_as_by_welch_and_satterthwaite():
    a, b, c = draws(5, 6), draws(6, 6), draws(7, 4)
    estimate = student([(0.5, series(a)), (0.5, series(b)), (-2.0, series(c))])
    parts = (a + b) / 2, -2 * c
    errors = [part.var(ddof=1) / len(part) for part in parts]
    freedom = sum(errors) ** 2 / (errors[0] ** 2 / 5 + errors[1] ** 2 / 3)
    mean, error = sum(part.mean() for part in parts), math.sqrt(sum(errors))
    assert estimate.interval() == pytest.approx(stats.t.interval(0.95, freedom, mean, error))


def test_logarithms_are_tested_as_such_and_shown_as_ratios():
    a, b = draws(8, 6), draws(9, 6)
    estimate = student([(1.0, series(a)), (-1.0, series(b))], log=True)
    assert estimate.mean == pytest.approx(stats.gmean(np.exp(a - b)))
    for bound in (0.5, 1.0, 2.0):
        p = [TESTS["t"](math.log(bound), side, a - b).pvalue for side in ("greater", "less")]
        assert (estimate.p_above(bound), estimate.p_below(bound)) == pytest.approx(p)
    limits = TESTS["t"](0.0, "two-sided", a - b).confidence_interval(0.95)
    assert estimate.interval() == pytest.approx(np.exp(limits))
    assert (estimate.p_above(0.0), estimate.p_below(-1.0)) == (0.0, 1.0)


@pytest.mark.parametrize("shares", [[0.0, 0.0], [0.1, 0.3, 0.2], [1.0, 1.0, 1.0]])
def test_counts_are_tested_on_all_trials(shares):
    estimate = binomial([series(shares)], 10)
    n, successes = 10 * len(shares), round(10 * sum(shares))
    assert (estimate.n, estimate.mean) == (n, successes / n)
    for bound in (0.05, 0.2, 0.9):
        p = [stats.binomtest(successes, n, bound, side).pvalue for side in ("greater", "less")]
        assert (estimate.p_above(bound), estimate.p_below(bound)) == pytest.approx(p)
    # one success shows that it is more than 0, one failure that it is less than 1
    assert estimate.p_above(0.0, closed=False) == float(successes == 0)
    assert estimate.p_below(1.0, closed=False) == float(successes == n)
    limits = stats.binomtest(successes, n).proportion_ci(0.95, "exact")
    assert estimate.interval() == pytest.approx(limits)


def test_equal_values_decide_by_themselves():
    estimate = student([(1.0, series([0.75, 0.75, 0.75]))])
    assert (estimate.interval(), estimate.p_above(0.7), estimate.p_below(0.7)) == (None, 0.0, 1.0)
    for p in (estimate.p_above, estimate.p_below):
        assert (p(0.75), p(0.75, closed=False)) == (0.0, 1.0)
    mean = student([(1.0, series([0.704] * 3))])  # whose sum over 3 is rounded
    assert mean.p_above(0.704) == mean.p_below(0.704) == 0.0


def test_of_one_repetition_nothing_is_known():
    estimate = student([(1.0, series([5.0]))])
    assert (estimate.interval(), estimate.p_above(0.0), estimate.p_below(0.0)) == (None, 1.0, 1.0)
    other = student([(1.0, series([5.0, 5.1, 5.2])), (-1.0, series([0.0]))])
    assert (other.p_above(0.0), other.interval()) == (1.0, None)


def test_exact_values_have_no_error():
    estimate = student([(1.0, series([0.5, 0.9])), (-1.0, series([0.6]))], exact=True)
    assert (estimate.interval(), estimate.p_above(0.05), estimate.p_below(0.05)) == (None, 0.0, 1.0)


@pytest.mark.parametrize("overlap", [0.25, 1.0])
def test_what_splits_have_in_common_is_added_to_1_over_n(overlap):
    values = draws(10, 5)
    estimate = student([(1.0, series(values))], overlap=overlap)
    error = values.std(ddof=1) * math.sqrt(1 / 5 + overlap)
    assert estimate.p_above(0.0) == pytest.approx(stats.t.sf(values.mean() / error, 4))
    assert estimate.interval() == pytest.approx(stats.t.interval(0.95, 4, values.mean(), error))


def test_rounding_decides_no_exact_claim():
    estimate = student([(1.0, {0: 0.9}), (-1.0, {0: 0.6})], exact=True)
    assert estimate.mean != 0.3
    assert estimate.p_above(0.3) == estimate.p_below(0.3) == 0.0
    assert estimate.p_above(0.3, closed=False) == estimate.p_below(0.3, closed=False) == 1.0
