"""The screen of pairs against plain contingency tables."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.stats import chi2_contingency, multivariate_hypergeom, norm

from geoforest_cli.estimators.screening import PairScreen, pairs
from geoforest_cli.estimators.screening.bins import Binned
from geoforest_cli.estimators.screening.pairs import best_partners
from tests.estimators.screening.slow import score_of_pair, score_of_table

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


def test_pairs_within_and_across_blocks_of_columns():
    rng = np.random.default_rng(0)
    codes = np.zeros((150, 30), np.int8)
    codes[[3, 66, 69, 148, 149]] = rng.integers(0, 3, 30)
    codes[5], codes[140] = rng.integers(0, 3, (2, 30))
    codes[[130, 131]] = rng.integers(0, 3, 30)
    score, partner = best_partners(without_gaps(codes))
    # of equal partners the first is named, whatever the blocks
    assert partner[[3, 66, 69, 148, 149]].tolist() == [66, 3, 3, 3, 3]
    # both in the last block
    assert partner[[130, 131]].tolist() == [131, 130]
    z = naive_scores(codes[[3, 5, 140, 130]])
    np.testing.assert_allclose(score[[5, 140]], z[1:3].max(axis=1))
    assert (partner[np.delete(np.arange(150), [3, 5, 66, 69, 130, 131, 140, 148, 149])] == -1).all()
    last = best_partners(without_gaps(codes[64:]))[1]
    assert last[[2, 5, 84, 85]].tolist() == [5, 2, 2, 2]


def test_two_categories_are_not_joined_to_one():
    rng = np.random.default_rng(0)
    codes = rng.integers(0, 2, (3, 60)).astype(np.int8)
    codes[2] = rng.integers(0, 4, 60)
    score, _ = best_partners(without_gaps(codes))
    np.testing.assert_allclose(score, naive_scores(codes).max(axis=1))
    # a table whose joined bins say more than its own
    codes[2] = 2 * (codes[0] ^ (np.arange(60) < 12)) + rng.integers(0, 2, 60)
    score, partner = best_partners(without_gaps(codes))
    assert partner[[0, 2]].tolist() == [2, 0]
    np.testing.assert_allclose(score, naive_scores(codes).max(axis=1))
    assert score[0] > score_of_table(codes[0], codes[2])


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
    # columns of three blocks, in the first and the last place of one, against all others
    part = table[:, :70]
    codes, scores = Binned.of(part, 3).codes, PairScreen(bins=3).fit(part).scores_
    for i in (0, 3, 15, 16, 31, 32, 63, 64, 69):
        best = max(score_of_pair(codes[i], codes[j]) for j in range(70) if j != i)
        assert scores[i] == pytest.approx(best)


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


def test_of_hundreds_of_rows_every_word_is_counted():
    # words of 64 rows, four at a time
    codes = np.random.default_rng(0).integers(0, 3, (2, 600)).astype(np.int8)
    codes[1, 200:420] = codes[0, 200:420]
    score, _ = best_partners(without_gaps(codes))
    np.testing.assert_allclose(score, score_of_pair(*codes))


def as_large(rows, columns, value):
    """Chance of a chi-square of at least `value` with these margins, by all tables of two rows."""
    tables = [[]]
    for size in columns:
        tables = [[*t, o] for t in tables for o in range(min(size, rows[0]) + 1)]
    chance = 0.0
    for first in tables:
        if sum(first) == rows[0]:
            table = np.array([first, np.array(columns) - first])
            if chi2_contingency(table, correction=False).statistic > value * (1 - 1e-9):
                chance += multivariate_hypergeom.pmf(first, columns, rows[0])
    return chance


TWO = [[[4, 1], [20, 75]], [[3, 0], [40, 57]]]
MORE = [[[5, 0, 1], [30, 34, 30]]]


@pytest.mark.parametrize("table", [*TWO, *MORE, [[0, 6, 0], [5, 39, 50]]])
def test_tables_with_a_rare_category_have_their_exact_z(table):
    table = np.array(table)
    value = chi2_contingency(table, correction=False).statistic
    expected = as_large(table.sum(axis=1).tolist(), table.sum(axis=0).tolist(), value)
    z = pairs._exact_score(table)
    # values are counted in steps of a four-hundredth, rounded up
    assert norm.isf(expected) - 0.15 < z <= norm.isf(expected) + 1e-9
    for same in (table[::-1], table.T, table.T[:, ::-1]):
        assert pairs._exact_score(same) == pytest.approx(z)


@pytest.mark.parametrize("table", [*TWO, *MORE])
def test_tables_of_common_categories_have_the_z_of_their_moments(table):
    table = 9 * np.array(table)
    codes = [np.repeat(v, table.ravel()) for v in np.indices(table.shape).reshape(2, -1)]
    assert pairs._exact_score(table) == pytest.approx(score_of_table(*codes), rel=1e-6)


def test_p_values_allow_for_two_tables_and_all_partners():
    rng = np.random.default_rng(0)
    table = rng.normal(size=(60, 6))
    table[:, 1] += 0.7 * table[:, 0]
    table[:, 4] = 3.0
    screen = PairScreen().fit(table)
    # five columns are tested: each has four partners
    single = norm.sf(np.delete(screen.scores_, 4))
    np.testing.assert_allclose(np.delete(screen.pvalues_, 4), 1 - (1 - single) ** 8)
    assert screen.pvalues_[4] == 1
    assert screen.partners_[4] == -1


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
