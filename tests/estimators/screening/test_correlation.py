"""The screen by correlations of normal scores."""

import itertools
import math

import numpy as np
import pytest
from scipy.stats import norm, rankdata, spearmanr

from geoforest_cli.estimators.screening import ColumnScreen, CorrelationScreen, correlation
from geoforest_cli.estimators.screening.correlation import (
    Scores,
    deviate_in_few_rows,
    strongest_partners,
)

RNG = np.random.default_rng(3)


def naive_z(x, y):
    """The z of two columns, on the scores that each has in all of its own rows."""

    def scores(column):
        found, known = np.full(len(column), np.nan), ~np.isnan(column)
        found[known] = norm.ppf((rankdata(column[known]) - 0.5) / known.sum())
        return found

    both = ~np.isnan(x) & ~np.isnan(y)
    r, n = abs(np.corrcoef(scores(x)[both], scores(y)[both])[0, 1]), int(both.sum())
    z = r * math.sqrt(n - 1)
    untied = any(len(np.unique(c[~np.isnan(c)])) == (~np.isnan(c)).sum() for c in (x, y))
    squared = -(n - 2) * math.log(1 - r**2 + 1 / (2 * n))
    if n >= 100 or not untied or squared < 0:
        return z
    return max(z, (8 * n - 15) / (8 * n - 13) * math.sqrt(squared))


GAPS = np.where(RNG.random((60, 7)) < 0.2, np.nan, RNG.normal(size=(60, 7)))
TABLES = {
    "normal": RNG.normal(size=(60, 7)),
    "skewed": RNG.lognormal(size=(60, 7)) ** 3,
    "ties": RNG.integers(0, 5, (60, 7)).astype(float),
    "gaps": GAPS,
    "single": RNG.normal(size=(60, 7)).astype(np.float32),
    "ties in some": np.c_[RNG.integers(0, 5, (40, 4)), RNG.normal(size=(40, 3))],
    "many gaps": np.where(RNG.random((130, 7)) < 0.3, np.nan, RNG.normal(size=(130, 7))),
    "a hundred rows": RNG.normal(size=(100, 7)),
    "nearly a hundred": RNG.normal(size=(99, 7)),
}


NOISE = {
    "normal": lambda rng, size: rng.normal(size=size),
    "lognormal": lambda rng, size: rng.lognormal(size=size),
    "t2": lambda rng, size: rng.standard_t(2, size),
    "counts": lambda rng, size: rng.poisson(2.0, size).astype(float),
    "yes and no": lambda rng, size: (rng.random(size) < rng.uniform(0.05, 0.5, size[1])) * 1.0,
}


@pytest.mark.parametrize("table", TABLES.values(), ids=TABLES)
@pytest.mark.parametrize("block", [2, 512])
def test_scores_and_partners_equal_their_twins(table, block, monkeypatch):
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
def test_columns_with_fewer_than_six_rows_in_common_are_not_compared(common, partner):
    table = np.full((40, 2), np.nan)
    table[:20, 0], table[20 - common :, 1] = RNG.normal(size=20), RNG.normal(size=20 + common)
    best, partners = strongest_partners(Scores.of(table))
    assert partners.tolist() == [partner, 0 if partner == 1 else -1]
    assert (best > 0).all() == (partner == 1)


def test_only_the_order_of_values_counts():
    table = RNG.normal(size=(80, 6))
    table[:, 1] += table[:, 0]
    bent = np.c_[np.exp(table[:, :2]), table[:, 2:4] ** 3, 9 - 1e-6 * table[:, 4:]]
    one, two = CorrelationScreen().fit(table), CorrelationScreen().fit(bent)
    np.testing.assert_array_equal(one.pvalues_, two.pvalues_)
    assert one.get_support(indices=True).tolist() == [0, 1]


def test_p_values_allow_for_all_partners_and_both_signs():
    table = RNG.normal(size=(40, 5))
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
        one = np.arange(4000)
        for _ in range(5 * n):
            i, j = rng.integers(n, size=(2, 4000))
            swapped = orders.copy()
            swapped[one, i], swapped[one, j] = orders[one, j], orders[one, i]
            orders = np.where((swapped @ scores >= limit)[:, None], swapped, orders)
    assert len(ratios) >= 5
    # the limits are known to some 20 %
    assert min(ratios[1:]) > 0.8
    assert max(ratios[1:]) < 4


@pytest.mark.parametrize(("n", "ones"), [(9, 4), (10, 5), (11, 5), (12, 6), (13, 6), (14, 7)])
def test_the_tail_with_two_categories_is_as_heavy_as_that_of_all_orders(n, ones):
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


@pytest.mark.parametrize("n", [12, 20, 50])
@pytest.mark.parametrize("kind", ["three", "five", "one tie", "halves"])
def test_the_tail_with_equal_values_by_permutation(n, kind):
    column = {
        "three": np.arange(n) * 3 // n,
        "five": np.arange(n) * 5 // n,
        "one tie": np.r_[0, np.arange(n - 1)],
        "halves": np.arange(n) < n // 2,
    }[kind]
    scores = Scores.of(np.c_[np.arange(n), column])
    assert scores.smooth.all()
    values, tied = scores.values.astype(float)
    rng = np.random.default_rng(n)
    r = [rng.permuted(np.tile(tied, (20000, 1)), axis=1) @ values for _ in range(10)]
    r = np.abs(np.concatenate(r))
    for p in (1e-2, 1e-3):
        limit = np.quantile(r, 1 - p) - 1e-6
        z = np.minimum(deviate_in_few_rows(min(limit, 1.0), n), scores.most[1])
        # known to some 7 % with 200 of 200,000
        assert 0.8 < 2 * norm.sf(z) / (r >= limit).mean() < 2.5


def _untied(n):
    return Scores.of(np.arange(n, dtype=float)[:, None]).values[0].astype(float)


@pytest.mark.parametrize("rows", [14, 20, 40])
@pytest.mark.parametrize("method", ["correlation", "auto"])
def test_a_measurement_that_was_taken_twice_is_found_in_a_small_wide_table(rows, method):
    table = np.random.default_rng(rows).lognormal(size=(rows, 500))
    table[:, 7] = 3 * table[:, 400] ** 2
    screen = ColumnScreen(method, find_groups=True).fit(table)
    assert screen.get_support(indices=True).tolist() == [7, 400]
    assert screen.groups_[[7, 400]].tolist() == [1, 1]


@pytest.mark.parametrize("rows", [10, 16, 30, 60])
@pytest.mark.parametrize("kind", NOISE)
def test_noise_in_small_tables_is_dropped_as_often_as_said(kind, rows):
    # at .05 Holm's bound is 10 of 200; 19 would come once in 250 times if it were reached
    kept = 0
    for seed in range(200):
        table = NOISE[kind](np.random.default_rng(seed), (rows, (5, 60)[seed % 2]))
        kept += CorrelationScreen(level=0.05).fit(table).get_support().any()
    assert kept <= 18


def test_many_columns_are_compared_block_by_block(monkeypatch):
    shapes = []
    whole = correlation._z_of_block
    monkeypatch.setattr(
        correlation, "_z_of_block",
        lambda scores, start: shapes.append((found := whole(scores, start)).shape) or found,
    )  # fmt: skip
    table = RNG.normal(size=(50, 1100))
    table[:, 1000] = table[:, 3]
    assert CorrelationScreen().fit(table).get_support(indices=True).tolist() == [3, 1000]
    assert shapes == [(512, 1100), (512, 588), (76, 76)]


@pytest.mark.parametrize("share", [0.03, 0.1, 0.25])
def test_columns_with_a_rare_category_are_not_tested(share):
    rare = (np.arange(200) < 200 * share).astype(float)
    table = np.c_[RNG.normal(size=(200, 3)), rare, rare, RNG.permuted(np.arange(200) < 100)]
    screen = CorrelationScreen().fit(table)
    assert screen.pvalues_[3:5].tolist() == [1, 1]
    assert screen.partners_[3:5].tolist() == [-1, -1]
    assert (screen.partners_[[0, 1, 2, 5]] >= 0).all()
    assert not np.isin(screen.partners_, (3, 4)).any()


@pytest.mark.parametrize("share", [0.3, 0.34, 0.5, 0.66, 0.7])
def test_two_categories_are_tested_if_neither_is_rare(share):
    """As documented: neither has less than a third of 500 rows, whichever of the two it is."""
    column = (np.arange(500) < share * 500).astype(float)
    assert Scores.of(column[:, None]).smooth.tolist() == [min(share, 1 - share) > 1 / 3]


@pytest.mark.parametrize("z", [2.0, 2.5, 3.0])
@pytest.mark.parametrize(
    "columns",
    [
        (np.arange(30.0), np.exp(np.arange(30.0))),
        (np.arange(30.0), np.arange(30) % 2),
        (np.arange(30) % 2, np.arange(30) % 3),
        (np.arange(30) % 4, np.minimum(np.arange(30) % 10, 8)),
    ],
    ids=["continuous", "and two values", "two and three values", "counts"],
)
def test_the_tail_is_not_heavier_than_a_normal(columns, z):
    rng = np.random.default_rng(0)
    scores = Scores.of(np.column_stack(columns).astype(float))
    assert scores.smooth.all()
    x, y = scores.values.astype(float)
    reached = np.abs(rng.permuted(np.tile(x, (40_000, 1)), axis=1) @ y) * np.sqrt(29) >= z
    # four standard errors, and what steps of the statistic may add
    bound = 2 * norm.sf(z)
    assert reached.mean() <= 1.15 * bound + 4 * np.sqrt(bound / 40_000)


@pytest.mark.parametrize(
    "method", ["correlation", pytest.param("auto", marks=pytest.mark.compiled)]
)
@pytest.mark.parametrize("kind", NOISE)
def test_pure_noise_is_dropped(kind, method):
    # at .05 Holm's bound is 3 of 60; 10 would come once in 1500 times
    kept = 0
    for seed in range(60):
        size = ((40, 100, 300)[seed % 3], (5, 40)[seed % 2])
        table = NOISE[kind](np.random.default_rng(seed), size)
        kept += ColumnScreen(method, level=0.05).fit(table).get_support().any()
    assert kept <= 9


@pytest.mark.compiled
def test_steady_trends_are_found_nearly_as_often_as_by_spearman():
    kept = {"pairs": 0.0, "auto": 0.0}
    spearman = 0
    for seed in range(25):
        rng = np.random.default_rng(seed)
        table = rng.normal(size=(300, 30))
        table[:, 1] = 0.4 * table[:, 0] + np.sqrt(1 - 0.4**2) * table[:, 1]
        table = np.exp(table)
        for method in kept:
            kept[method] += ColumnScreen(method).fit(table).get_support()[:2].mean() / 25
        pairs_of_columns = 30 * 29 / 2
        spearman += spearmanr(table[:, 0], table[:, 1]).pvalue < 0.01 / pairs_of_columns
    assert kept["auto"] > spearman / 25 - 0.1
    assert kept["auto"] > kept["pairs"] + 0.2
    assert kept["auto"] > 0.85


def test_what_is_not_smooth_has_zero_with_all_in_every_block(monkeypatch):
    monkeypatch.setattr(correlation, "_COLUMNS_AT_ONCE", 3)
    rng = np.random.default_rng(0)
    table = rng.normal(size=(60, 8))
    table[:, 2] = 1.0
    table[:, 6] = rng.random(60) < 0.03
    scores = Scores.of(table)
    assert np.flatnonzero(~scores.smooth).tolist() == [2, 6]
    whole = np.full((8, 8), np.nan)
    for start, z in correlation.blocks_of_z(scores):
        whole[start : start + len(z), start:] = z
        whole[start:, start : start + len(z)] = z.T
    rough = ~scores.smooth
    assert (whole[rough] == 0).all()
    assert (whole[:, rough] == 0).all()
    tested = whole[np.ix_(scores.smooth, scores.smooth)]
    np.testing.assert_array_equal(tested, tested.T)
    assert (tested > 0).sum() > 20
