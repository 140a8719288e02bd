"""The rule that says what is noise: closed forms, borders, and its level by simulation."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import optimize, special, stats

from geoforest_cli.study.reference import noise
from geoforest_cli.study.reference.noise import (
    Sample,
    beyond_noise,
    p_values,
    same_number,
    spread_of,
)

LEVEL = noise.LEVEL


def sample(values):
    n = values.shape[1]
    deviation = values.std(axis=1, ddof=1) if n > 1 else np.full(len(values), np.nan)
    return Sample(values.mean(axis=1), deviation, np.full(len(values), float(n)))


def test_the_spread_is_that_of_the_repetitions():
    from geoforest_cli.study.intervals import half_width

    rng = np.random.default_rng(0)
    rows = [rng.normal(size=n) for n in (2, 3, 10)]
    found = spread_of(np.array([half_width(row) for row in rows]), np.array([2.0, 3.0, 10.0]))
    assert found == pytest.approx([np.std(row, ddof=1) for row in rows])
    assert np.isnan(spread_of(np.array([np.nan]), np.array([1.0]))).all()


def test_a_small_group_lends_nothing_and_the_test_is_students():
    rng = np.random.default_rng(1)
    a, b = rng.normal(size=(7, 4)), rng.normal(size=(7, 6)) + 1
    found = p_values(sample(a), sample(b), ["m"] * 7)
    assert found == pytest.approx(stats.ttest_ind(a, b, axis=1).pvalue)


@given(st.floats(1e-3, 1e3))
def test_trigamma_is_inverted(x):
    assert noise._inverse_trigamma(float(special.polygamma(1, x))) == pytest.approx(x, rel=1e-6)


def test_where_there_never_is_noise_any_difference_is_a_change():
    flat = np.full((8, 2), 0.5)
    other = flat.copy()
    other[3] = 0.6
    found = p_values(sample(flat), sample(other), ["m"] * 8)
    assert found.tolist() == [1, 1, 1, 0, 1, 1, 1, 1]
    few = p_values(sample(flat[:7]), sample(other[:7]), ["m"] * 7)
    assert math.isnan(few[3])  # seven rows may be even by chance
    once = p_values(sample(flat[:, :1]), sample(other[:, :1]), ["m"] * 8)
    assert math.isnan(once[3])


def test_a_row_without_spread_is_judged_by_that_of_its_group():
    rng = np.random.default_rng(4)
    a, b = rng.normal(size=(30, 2)), rng.normal(size=(30, 2))
    a[0], b[0] = 0.0, 0.3
    a[1], b[1] = 0.0, 300.0
    found = p_values(sample(a), sample(b), ["m"] * 30)
    assert found[0] > 0.2
    assert found[1] < 1e-6


def test_rounding_is_no_spread():
    rng = np.random.default_rng(5)
    a = 0.5 + 1e-15 * rng.normal(size=(20, 3))
    b = a.copy()
    b[0] += 0.1
    b[1] += 1e-9
    found = p_values(sample(a), sample(b), ["m"] * 20)
    assert (found[0], found[1]) == (0, 1)


def test_groups_are_independent():
    rng = np.random.default_rng(6)
    quiet, loud = 1e-3 * rng.normal(size=(20, 3)), 10 * rng.normal(size=(20, 3))
    a = np.vstack([quiet, loud])
    b = a + np.r_[np.full(20, 0.1), np.full(20, 0.1)][:, None]
    found = p_values(sample(a), sample(b), ["quiet"] * 20 + ["loud"] * 20)
    assert found[:20].max() < 1e-4
    assert found[20:].min() > 0.5


def test_same_number_is_symmetric_and_relative():
    one, other = np.array([1e6, 1e-6, 0.0]), np.array([1e6 + 0.5, 1.1e-6, 1e-10])
    assert same_number(one, other).tolist() == [True, False, True]
    assert same_number(other, one).tolist() == [True, False, True]


def normal(scatter):
    """Normal noise; the logarithms of its spreads scatter themselves."""

    def family(rng, rows):
        spread = np.exp(scatter * rng.normal(size=rows))
        return lambda n: rng.normal(size=(rows, n)) * spread[:, None]

    return family


def shares(a, b):
    """Shares of fifty."""

    def family(rng, rows):
        p = rng.beta(a, b, rows)
        return lambda n: rng.binomial(50, p[:, None], (rows, n)) / 50

    return family


def shared(rng, rows):
    """All metrics and sizes of one sample go up and down together."""
    return lambda n: (
        np.repeat(rng.normal(size=(rows // 4, n)), 4, axis=0) + rng.normal(size=(rows, n)) / 3
    )


FAMILIES = {
    "alike": normal(0.0),
    "scattered": normal(1.0),
    "wild": normal(2.5),
    "shares": shares(2, 2),
    "shares near one": shares(20, 0.5),
    "skewed": lambda rng, rows: lambda n: rng.exponential(size=(rows, n)),
    "heavy tails": lambda rng, rows: lambda n: rng.standard_t(3, size=(rows, n)),
    "shared samples": shared,
}


def told(family, n, runs, shift=0.0):
    """How often anything is told to have changed, over runs of six configs; and the share."""
    rng = np.random.default_rng(7)
    kin = np.repeat(np.arange(6), 24).tolist()
    any_told, share = 0, 0.0
    for _ in range(runs):
        draws = [FAMILIES[family](rng, 24) for _ in range(6)]
        a, b = (np.vstack([draw(n) for draw in draws]) for _ in "ab")
        b[:24] += shift
        found = beyond_noise(p_values(sample(a), sample(b), kin))
        any_told += found.any()
        share += found[:24].mean()
    return any_told / runs, share / runs


@pytest.mark.nightly
@pytest.mark.parametrize("n", [2, 5])
@pytest.mark.parametrize("family", FAMILIES)
def test_the_level_is_kept_where_nothing_has_changed(family, n):
    runs = 300
    # at a level of .01 more than so many come in one of ten thousand such tests
    most = stats.binom.isf(1e-4, runs, 1.5 * LEVEL)
    assert told(family, n, runs)[0] * runs <= most


def test_what_has_changed_is_told():
    assert told("alike", 2, 20, shift=12.0)[1] > 0.8
    assert told("alike", 3, 20, shift=6.0)[1] > 0.8
    assert told("scattered", 10, 20, shift=50.0)[1] > 0.95


def test_rows_without_repetitions_are_judged_by_the_noise_of_their_group():
    rng = np.random.default_rng(8)
    a, b = sample(rng.normal(size=(40, 3))), sample(rng.normal(size=(40, 5)))
    lent, common = noise._prior(*noise._pooled(a, b))
    single = np.array([0.0, 0.5, 3.0, -3.0])
    none, one = np.full(4, np.nan), np.ones(4)
    found = p_values(
        Sample(np.r_[a.mean, single], np.r_[a.deviation, none], np.r_[a.n, one]),
        Sample(np.r_[b.mean, 0 * single], np.r_[b.deviation, none], np.r_[b.n, one]),
        ["m"] * 44,
    )
    wanted = 2 * stats.t.sf(np.abs(single) / math.sqrt(2 * common), lent)
    assert found[40:] == pytest.approx(wanted)
    assert found[:40] == pytest.approx(p_values(a, b, ["m"] * 40))


def test_of_two_outcomes_one_may_know_the_noise_alone():
    rng = np.random.default_rng(9)
    values = rng.normal(size=(5, 4))
    once = Sample(np.zeros(5), np.full(5, np.nan), np.ones(5))
    known = sample(values)
    spread = known.deviation * math.sqrt(1 + 1 / 4)
    wanted = 2 * stats.t.sf(np.abs(known.mean) / spread, 3)
    assert p_values(once, known, ["m"] * 5) == pytest.approx(wanted)
    assert p_values(known, once, ["m"] * 5) == pytest.approx(wanted)


def test_a_line_without_noise_borrows_none_from_few():
    """Where too few lines show how noisy a group is, one without noise has no p value."""
    found = noise._group_p_values(np.ones(2), np.full(2, 3.0), np.array([0.0, 1.0]))
    assert np.isnan(found[0])
    assert 0 < found[1] < 1


def test_the_prior_of_few_variances_is_the_one_that_smyth_writes():
    """His equations for d0 and s0^2, solved by bisection: Smyth (2004), section 6.2."""
    freedom = np.array([2.0, 3, 4, 5, 6, 7, 8, 9, 10])
    variance = np.array([0.3, 8.0, 0.9, 0.2, 3.5, 1.1, 14.0, 0.6, 2.2])
    logs = np.log(variance) - special.digamma(freedom / 2) + np.log(freedom / 2)
    beyond = ((logs - logs.mean()) ** 2).sum() / (len(logs) - 1)
    beyond -= np.mean(special.polygamma(1, freedom / 2))
    d0 = 2 * optimize.brentq(lambda x: float(special.polygamma(1, x)) - beyond, 1e-3, 1e3)
    borrowed, common = noise._prior(freedom, variance)
    assert borrowed == pytest.approx(d0, rel=1e-6)
    s0 = math.exp(logs.mean() + special.digamma(d0 / 2) - math.log(d0 / 2))
    assert common == pytest.approx(max(s0, np.average(variance, weights=freedom)), rel=1e-6)
