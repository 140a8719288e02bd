"""Estimates of contrasts and their tests, against those of SciPy."""

import math

import numpy as np
import pytest
from scipy import stats

from geoforest_cli.study.claims.estimates import binomial, student

BOUNDS = (-0.4, 0.0, 0.3)


def draws(seed, n, mean=0.2):
    return np.random.default_rng(seed).normal(mean, 0.5, n)


def series(values):
    return dict(enumerate(values))


def agrees(found, test, bounds=BOUNDS):
    """Whether p values on both sides and the interval are those of `test(bound, side)`."""
    for bound in bounds:
        assert found.p_above(bound) == pytest.approx(test(bound, "greater").pvalue)
        assert found.p_below(bound) == pytest.approx(test(bound, "less").pvalue)
    return found.interval() == pytest.approx(test(0.0, "two-sided").confidence_interval(0.95))


@pytest.mark.parametrize("n", [2, 3, 20])
def test_one_series_is_tested_by_t(n):
    values = draws(n, n)
    found = student([(1.0, series(values))])
    assert (found.test, found.n, found.mean) == ("t", n, pytest.approx(values.mean()))
    assert agrees(found, lambda bound, side: stats.ttest_1samp(values, bound, alternative=side))


@pytest.mark.parametrize("n", [2, 3, 20])
def test_series_of_the_same_repetitions_are_paired(n):
    a, b = draws(1, n), draws(2, n)
    found = student([(1.0, series(a)), (-1.0, series(b))])
    assert found.test == "paired t"
    assert agrees(found, lambda bound, side: stats.ttest_rel(a - bound, b, alternative=side))


@pytest.mark.parametrize(("n", "m"), [(20, 3), (3, 20), (2, 5)])
def test_of_unequal_repetitions_welch_uses_all(n, m):
    a, b = draws(3, n), 2 * draws(4, m)
    found = student([(1.0, series(a)), (-1.0, series(b))])
    assert (found.test, found.n) == ("Welch's t", min(n, m))
    assert found.mean == pytest.approx(a.mean() - b.mean())
    assert agrees(
        found,
        lambda bound, side: stats.ttest_ind(a - bound, b, equal_var=False, alternative=side),
    )


def test_weights_of_several_groups_are_those_of_welch_and_satterthwaite():
    a, b, c = draws(5, 6), draws(6, 6), draws(7, 4)
    found = student([(0.5, series(a)), (0.5, series(b)), (-2.0, series(c))])
    parts = [((a + b) / 2, 6), (-2 * c, 4)]
    errors = [part.var(ddof=1) / n for part, n in parts]
    freedom = sum(errors) ** 2 / sum(e**2 / (n - 1) for e, (_, n) in zip(errors, parts, strict=True))
    mean, scale = sum(part.mean() for part, _ in parts), math.sqrt(sum(errors))
    assert found.interval() == pytest.approx(stats.t.interval(0.95, freedom, mean, scale))


def test_logarithms_are_tested_as_such_and_shown_as_ratios():
    a, b = np.exp(draws(8, 6)), np.exp(draws(9, 6))
    found = student([(1.0, series(np.log(a))), (-1.0, series(np.log(b)))], log=True)
    assert (found.test, found.mean) == ("t of logarithms", pytest.approx(stats.gmean(a / b)))

    def test(bound, side):
        return stats.ttest_1samp(np.log(a / b), math.log(bound), alternative=side)

    for bound in (0.5, 1.0, 2.0):
        assert found.p_above(bound) == pytest.approx(test(bound, "greater").pvalue)
        assert found.p_below(bound) == pytest.approx(test(bound, "less").pvalue)
    limits = test(1.0, "two-sided").confidence_interval(0.95)
    assert found.interval() == pytest.approx(np.exp(limits))
    assert (found.p_above(0.0), found.p_below(-1.0)) == (0.0, 1.0)


@pytest.mark.parametrize("shares", [[0.0, 0.0], [0.1, 0.3, 0.2], [1.0, 1.0, 1.0]])
def test_counts_are_tested_on_all_trials(shares):
    found = binomial([series(shares)], 10)
    n, successes = 10 * len(shares), round(10 * sum(shares))
    assert (found.n, found.successes, found.mean) == (n, successes, successes / n)
    for bound in (0.05, 0.2, 0.9):
        for side, p in (("greater", found.p_above(bound)), ("less", found.p_below(bound))):
            assert p == pytest.approx(stats.binomtest(successes, n, bound, side).pvalue)
    assert found.interval() == pytest.approx(
        stats.binomtest(successes, n).proportion_ci(0.95, "exact")
    )


@pytest.mark.parametrize("successes", [0, 1, 2])
def test_one_failure_shows_that_a_share_is_not_1_and_one_success_that_it_is_not_0(successes):
    found = binomial([series([1.0] * successes + [0.0] * (2 - successes))], 1)
    assert found.p_above(0.0, closed=False) == float(successes == 0)
    assert found.p_below(1.0, closed=False) == float(successes == 2)


def test_equal_values_decide_by_themselves():
    found = student([(1.0, series([0.75, 0.75, 0.75]))])
    assert found.interval() is None
    assert (found.p_above(0.75), found.p_above(0.75, closed=False)) == (0.0, 1.0)
    assert (found.p_below(0.75), found.p_below(0.75, closed=False)) == (0.0, 1.0)
    assert (found.p_above(0.7), found.p_below(0.7)) == (0.0, 1.0)


@pytest.mark.xfail(
    reason="the mean of equal values is rounded: fsum(three times .704) / 3 is not .704", strict=True
)
@pytest.mark.parametrize(("value", "n"), [(0.704, 3), (0.939, 10)])
def test_equal_values_are_their_own_mean(value, n):
    found = student([(1.0, series([value] * n))])
    assert found.mean == value
    assert found.p_above(value) == found.p_below(value) == 0.0


def test_of_one_repetition_nothing_is_known():
    found = student([(1.0, series([5.0]))])
    assert (found.mean, found.n, found.interval()) == (5.0, 1, None)
    assert found.p_above(0.0) == found.p_below(0.0) == 1.0
    other = student([(1.0, series([5.0, 5.1, 5.2])), (-1.0, series([0.0]))])
    assert (other.p_above(0.0), other.interval()) == (1.0, None)


def test_exact_values_have_no_error():
    found = student([(1.0, series([0.5, 0.9])), (-1.0, series([0.6]))], exact=True)
    assert (found.test, found.interval()) == ("exact", None)
    assert (found.p_above(0.05), found.p_below(0.05)) == (0.0, 1.0)


@pytest.mark.parametrize("overlap", [0.25, 1.0])
def test_what_splits_have_in_common_is_added_to_1_over_n(overlap):
    values = draws(10, 5)
    found = student([(1.0, series(values))], overlap=overlap)
    error = values.std(ddof=1) * math.sqrt(1 / 5 + overlap)
    assert found.p_above(0.0) == pytest.approx(stats.t.sf(values.mean() / error, 4))
    assert found.interval() == pytest.approx(stats.t.interval(0.95, 4, values.mean(), error))
