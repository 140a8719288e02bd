"""The screen of pairs against plain contingency tables."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.stats import gamma, hypergeom, norm

from geoforest_cli.errors import DataError
from geoforest_cli.screening import PairScreen
from geoforest_cli.screening.bins import Binned
from geoforest_cli.screening.kernels.bits import normal_score
from geoforest_cli.screening.kernels.rare import rare_tail
from geoforest_cli.screening.pairs import best_partners
from tests.screening.twins import score_of_pair

TABLES = arrays(
    np.int8, st.tuples(st.integers(2, 5), st.integers(6, 40)), elements=st.integers(-1, 3)
)


def naive_scores(codes):
    """The z of every pair."""
    p = len(codes)
    z = np.full((p, p), -np.inf)
    for i in range(p):
        for j in range(i):
            z[i, j] = z[j, i] = score_of_pair(codes[i], codes[j])
    return z


def without_gaps(codes):
    n_bins = codes.max(axis=1).astype(np.int64) + 1
    return Binned(codes, n_bins, np.zeros(len(codes), bool))


@settings(deadline=None, max_examples=40)
@given(TABLES)
def test_as_plain_contingency_tables(codes):
    score, partner = best_partners(without_gaps(codes))
    z = naive_scores(codes)
    np.testing.assert_allclose(score, z.max(axis=1), atol=1e-7)
    for j, best in enumerate(partner.tolist()):
        assert (best < 0) == np.isneginf(z[j].max())
        if best >= 0:
            assert z[j, best] == pytest.approx(z[j].max(), abs=1e-7)


@pytest.mark.compiled
def test_many_blocks_and_threads_give_the_same_bits():
    rng = np.random.default_rng(0)
    table = rng.normal(size=(70, 200))
    table[:, 150] += 2 * table[:, 3]
    table[rng.random(table.shape) < 0.02] = np.nan
    plain = PairScreen().fit(table)
    for jobs in (2, 3):
        screen = PairScreen(n_jobs=jobs).fit(table)
        assert screen.scores_.tobytes() == plain.scores_.tobytes()
        assert screen.partners_.tolist() == plain.partners_.tolist()
    order = rng.permutation(200)
    moved = PairScreen().fit(table[:, order])
    np.testing.assert_allclose(moved.scores_, plain.scores_[order], rtol=1e-12)
    # equal but for the last digit: two partners may change places
    assert (order[moved.partners_] == plain.partners_[order]).sum() > 190
    part = table[:, :70]
    z = naive_scores(Binned.of(part, 3).codes)
    np.testing.assert_allclose(PairScreen(bins=3).fit(part).scores_, z.max(axis=1))


@pytest.mark.compiled
@settings(deadline=None, max_examples=20)
@given(st.integers(0, 10**6))
def test_rows_columns_and_increasing_transformations(seed):
    rng = np.random.default_rng(seed)
    table = rng.normal(size=(60, 8))
    table[:, 0] += table[:, 1]
    table = table.round(1)
    table[rng.random(table.shape) < 0.1] = np.nan
    plain = PairScreen().fit(table).scores_
    rows = rng.permutation(60)
    np.testing.assert_array_equal(PairScreen().fit(table[rows]).scores_, plain)
    bent = np.exp(table) * rng.uniform(1, 9, 8) - 5
    np.testing.assert_array_equal(PairScreen().fit(bent).scores_, plain)


def test_missing_values_are_rows_left_out():
    rng = np.random.default_rng(0)
    codes = rng.integers(0, 3, (2, 90)).astype(np.int8)
    codes[1, :40] = codes[0, :40]
    gaps = codes.copy()
    gaps[0, 50:60], gaps[1, 55:75] = -1, -1
    left = codes[:, np.r_[0:50, 75:90]]
    score = best_partners(without_gaps(gaps))[0]
    np.testing.assert_allclose(score, best_partners(without_gaps(left))[0], rtol=1e-12)


def test_wilson_and_hilferty():
    # quantiles of a gamma variable become nearly normal ones
    for shape in (2.0, 20.0):
        for q in (0.5, 1e-2, 1e-5):
            x = gamma.isf(q, shape)
            z = normal_score(x, shape, shape, 2 * shape)
            assert z == pytest.approx(norm.isf(q), abs=0.12)
    assert normal_score(3.0, 1.0, 4.0, 0.0) == 1.0
    assert np.isneginf(normal_score(3.0, 1.0, 0.0, 0.0))
    assert np.isneginf(normal_score(3.0, 1.0, 1.0, 9.0))


def factorials(n):
    return np.concatenate([[0.0], np.cumsum(np.log(np.arange(1, n + 1)))])


def test_the_exact_tail_of_two_binary_columns():
    for k, ones, both in ((5, 5, 2), (10, 200, 7), (3, 400, 3)):
        sizes, own = np.array([500 - ones, ones]), np.array([k - both, both])
        value = (own**2 / sizes).sum()
        more = np.arange(k + 1)
        as_large = (k - more) ** 2 / sizes[0] + more**2 / sizes[1] >= value - 1e-12
        expected = hypergeom.pmf(more[as_large], 500, ones, k).sum()
        assert rare_tail(k, sizes, value, factorials(500)) == pytest.approx(expected)


def test_the_exact_tail_of_a_rare_category():
    rng = np.random.default_rng(0)
    sizes = np.array([40, 60, 100])
    drawn = rng.multivariate_hypergeometric(sizes, 9, size=200_000)
    values = (drawn**2 / sizes).sum(axis=1)
    for q in (0.1, 0.01, 0.001):
        value = np.quantile(values, 1 - q)
        share = (values >= value - 1e-12).mean()
        tail = rare_tail(9, sizes, value, factorials(200))
        # rounding up: never too small, but for the noise of the simulation
        assert share * (1 - 5 * (share * 200_000) ** -0.5) < tail < 1.5 * share


@pytest.mark.compiled
def test_rare_categories_are_no_discoveries():
    # ten rows of 1000 in one of eight bins: 7e-9 by chance, 1e-11 by three moments
    n = 1000
    ten = np.zeros(n)
    ten[:10] = 1
    screen = PairScreen().fit(np.c_[ten, np.arange(n)])
    expected = 8 * np.prod([(125 - i) / (1000 - i) for i in range(10)])
    np.testing.assert_allclose(screen.scores_, norm.isf(expected), rtol=1e-6)
    # twice that, for two tables
    np.testing.assert_allclose(screen.pvalues_, 2 * expected, rtol=1e-6)


@pytest.mark.compiled
def test_permutations_agree_with_the_analytic_null():
    rng = np.random.default_rng(0)
    table = rng.normal(size=(80, 30))
    table[:, 1] += table[:, 0]
    table[:, 3] += 0.6 * table[:, 2]
    analytic = PairScreen().fit(table)
    permuted = PairScreen(null="permutation", permutations=150, random_state=0).fit(table)
    assert permuted.get_support()[:2].tolist() == [True, True]
    np.testing.assert_array_equal(permuted.scores_, analytic.scores_)
    assert permuted.pvalues_.min() == 1 / (1 + 150 * 30)
    ratio = permuted.pvalues_ / analytic.pvalues_
    assert ((ratio > 0.5) & (ratio < 2))[analytic.pvalues_ > 0.005].all()
    again = PairScreen(null="permutation", permutations=150, random_state=0, n_jobs=2).fit(table)
    np.testing.assert_array_equal(again.pvalues_, permuted.pvalues_)


@pytest.mark.compiled
def test_a_second_round_has_more_power():
    rng = np.random.default_rng(0)
    found = np.zeros(2)
    for _ in range(20):
        table = rng.normal(size=(150, 300))
        table[:, 1] += 2 * table[:, 0]
        table[:, 2] += 0.66 * table[:, 0]
        for r in (0, 1):
            screen = PairScreen(rounds=1 + r).fit(table)
            assert screen.get_support()[:2].all()
            found[r] += screen.get_support()[2]
    assert found[1] > found[0] + 3


@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({"level": 0}, "level = 0, but it must be between 0 and 1"),
        ({"adjust": "holm"}, "adjust = 'holm', but it must be 'fdr' or 'fwer'"),
        ({"bins": 1}, "bins = 1, but it must be 'auto' or from 2 to 64"),
        ({"null": "exact"}, "null = 'exact', but it must be 'analytic' or 'permutation'"),
        ({"permutations": 0}, "permutations = 0, but it must be at least 1"),
        ({"rounds": 0}, "rounds = 0, but it must be at least 1, and 1 with null='permutation'"),
        (
            {"rounds": 2, "null": "permutation"},
            "rounds = 2, but it must be at least 1, and 1 with null='permutation'",
        ),
    ],
)
def test_parameters_that_cannot_be(params, message):
    with pytest.raises(DataError) as caught:
        PairScreen(**params).fit(np.eye(9))
    assert str(caught.value) == message
