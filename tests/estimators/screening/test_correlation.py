"""The screen by correlations of normal scores."""

import itertools
import math

import numpy as np
import pytest
from scipy.stats import norm, rankdata

from geoforest_cli.estimators.screening import ColumnScreen, CorrelationScreen, correlation
from geoforest_cli.estimators.screening.correlation import (
    Scores,
    deviate_in_few_rows,
    strongest_partners,
)
from tests.estimators.screening.slow import NOISE

_RNG = np.random.default_rng(3)


def naive_z(x, y):
    """The z of two columns, on the scores that each has in all of its own rows."""

    def scores(column):
        z, present = np.full(len(column), np.nan), ~np.isnan(column)
        z[present] = norm.ppf((rankdata(column[present]) - 0.5) / present.sum())
        return z

    both = ~np.isnan(x) & ~np.isnan(y)
    r, n = abs(np.corrcoef(scores(x)[both], scores(y)[both])[0, 1]), int(both.sum())
    z = r * math.sqrt(n - 1)
    untied = any(len(np.unique(c[~np.isnan(c)])) == (~np.isnan(c)).sum() for c in (x, y))
    squared = -(n - 2) * math.log(1 - r**2 + 1 / (2 * n))
    if n >= 100 or not untied or squared < 0:
        return z
    return max(z, (8 * n - 15) / (8 * n - 13) * math.sqrt(squared))


GAPS = np.where(_RNG.random((60, 7)) < 0.2, np.nan, _RNG.normal(size=(60, 7)))
TABLES = {
    "normal": _RNG.normal(size=(60, 7)),
    "skewed": _RNG.lognormal(size=(60, 7)) ** 3,
    "ties": _RNG.integers(0, 5, (60, 7)).astype(float),
    "gaps": GAPS,
    "single": _RNG.normal(size=(60, 7)).astype(np.float32),
    "ties in some": np.c_[_RNG.integers(0, 5, (40, 4)), _RNG.normal(size=(40, 3))],
    "many gaps": np.where(_RNG.random((130, 7)) < 0.3, np.nan, _RNG.normal(size=(130, 7))),
    "a hundred rows": _RNG.normal(size=(100, 7)),
    "nearly a hundred": _RNG.normal(size=(99, 7)),
}


@pytest.mark.parametrize("table", TABLES.values(), ids=TABLES)
@pytest.mark.parametrize("block", [2, 512])
def test_scores_and_partners_are_those_of_slow_code(table, block, monkeypatch):
    monkeypatch.setattr(correlation, "_COLUMNS_AT_ONCE", block)
    p = table.shape[1]
    z = np.array(
        [[naive_z(table[:, i], table[:, j]) if i != j else -1 for j in range(p)] for i in range(p)]
    )
    for n_jobs in (1, 2):
        best, partners = strongest_partners(Scores.of(table), n_jobs=n_jobs)
        np.testing.assert_allclose(best, z.max(axis=1), atol=2e-4)
        np.testing.assert_array_equal(partners, z.argmax(axis=1))


@pytest.mark.parametrize(("common", "partner"), [(5, -1), (6, 1)])
def test_columns_with_fewer_than_six_common_rows_do_not_compare(common, partner):
    rng = np.random.default_rng(4)
    table = np.full((40, 2), np.nan)
    table[:20, 0], table[20 - common :, 1] = rng.normal(size=20), rng.normal(size=20 + common)
    best, partners = strongest_partners(Scores.of(table))
    assert partners.tolist() == [partner, 0 if partner == 1 else -1]
    assert (best > 0).all() == (partner == 1)


def test_p_values_allow_for_all_partners_and_both_signs():
    rng = np.random.default_rng(4)
    table = rng.normal(size=(40, 5))
    screen = CorrelationScreen().fit(table)
    z = [max(naive_z(table[:, i], table[:, j]) for j in range(5) if j != i) for i in range(5)]
    expected = 1 - (1 - norm.sf(z)) ** 8
    np.testing.assert_allclose(screen.pvalues_, expected, rtol=1e-3)


@pytest.mark.parametrize("n", [6, 7, 8])
def test_the_tail_in_few_rows_is_as_heavy_as_that_of_all_orders(n):
    scores = _untied(n)
    r = np.array([scores @ scores[list(order)] for order in itertools.permutations(range(n))])
    r = np.sort(r.round(9))
    tail = 1 - np.searchsorted(r, r) / len(r)
    far = (tail <= 0.01) & (r <= 1)
    assert far.any()
    assert (norm.sf(deviate_in_few_rows(r[far], n)) >= tail[far]).all()


@pytest.mark.nightly
@pytest.mark.parametrize("n", [10, 14, 20, 40, 80])
def test_the_tail_in_few_rows_by_splitting(n):
    """Orders of which each level has a tenth of those of the level before (Monte Carlo)."""
    rng, scores = np.random.default_rng(n), _untied(n)
    orders = rng.permuted(np.tile(scores, (4000, 1)), axis=1)
    ratios = []
    for level in range(1, 7):
        r = orders @ scores
        limit = np.quantile(r, 0.9)
        if limit > 1 - 1e-9:
            break
        ratios.append(norm.sf(deviate_in_few_rows(limit, n)) / 10.0**-level)
        orders = np.resize(orders[r >= limit], (4000, n))
        rows = np.arange(4000)
        for _ in range(5 * n):
            i, j = rng.integers(n, size=(2, 4000))
            swapped = orders.copy()
            swapped[rows, i], swapped[rows, j] = orders[rows, j], orders[rows, i]
            orders = np.where((swapped @ scores >= limit)[:, None], swapped, orders)
    assert len(ratios) >= 5
    # the limits are known to some 20 %
    assert min(ratios[1:]) > 0.8
    assert max(ratios[1:]) < 4


@pytest.mark.parametrize(("n", "ones"), [(9, 4), (10, 5), (11, 5), (12, 6), (13, 6), (14, 7)])
def test_the_tail_of_two_categories_is_as_heavy_as_of_all_orders(n, ones):
    pair = np.c_[np.arange(n), np.arange(n) < ones]
    scores = Scores.of(pair)
    assert scores.smooth.all()
    values, categories = scores.values.astype(float)
    subsets = np.array(list(itertools.combinations(range(n), ones)))
    r = values[subsets].sum(axis=1) * (categories[0] - categories[-1])
    r = np.sort(r.round(9))
    tail = 1 - np.searchsorted(r, r) / len(r)
    far = (tail <= 0.01) & (r > 0)
    z = np.minimum(deviate_in_few_rows(np.minimum(r[far], 1), n), scores.most[1])
    assert (norm.sf(z) / tail[far]).min() > 0.93
    assert (norm.sf(z) / tail[far]).max() < 1.6
    # the values in the order of the categories: of all orders the one most unlike chance
    assert (norm.sf(strongest_partners(scores)[0]) > 0.999 / len(subsets)).all()


def _untied(n):
    return Scores.of(np.arange(n, dtype=float)[:, None]).values[0].astype(float)


@pytest.mark.nightly
@pytest.mark.parametrize("rows", [10, 16, 30, 60])
@pytest.mark.parametrize("kind", NOISE)
def test_noise_in_small_tables_is_dropped_as_often_as_said(kind, rows):
    # at .05 Holm's bound is 10 of 200; 19 would come once in 250 times if it were reached
    kept = 0
    for seed in range(200):
        table = NOISE[kind](np.random.default_rng(seed), (rows, (5, 60)[seed % 2]))
        kept += CorrelationScreen(level=0.05).fit(table).get_support().any()
    assert kept <= 18


@pytest.mark.parametrize("share", [0.03, 0.1, 0.25])
def test_columns_with_a_rare_category_are_not_tested(share):
    rng = np.random.default_rng(4)
    rare = (np.arange(200) < 200 * share).astype(float)
    table = np.c_[rng.normal(size=(200, 3)), rare, rare, rng.permuted(np.arange(200) < 100)]
    screen = CorrelationScreen().fit(table)
    assert screen.pvalues_[3:5].tolist() == [1, 1]
    assert screen.partners_[3:5].tolist() == [-1, -1]
    assert (screen.partners_[[0, 1, 2, 5]] >= 0).all()
    assert not np.isin(screen.partners_, (3, 4)).any()


@pytest.mark.parametrize(
    "method", ["correlation", pytest.param("auto", marks=pytest.mark.compiled)]
)
@pytest.mark.nightly
@pytest.mark.parametrize("kind", NOISE)
def test_pure_noise_is_dropped(kind, method):
    # at .05 Holm's bound is 3 of 60; 10 would come once in 1500 times
    kept = 0
    for seed in range(60):
        size = ((40, 100, 300)[seed % 3], (5, 40)[seed % 2])
        table = NOISE[kind](np.random.default_rng(seed), size)
        kept += ColumnScreen(method, level=0.05).fit(table).get_support().any()
    assert kept <= 9
