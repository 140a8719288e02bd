"""Columns cut into bins, and adjusted p-values."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import false_discovery_control, rankdata

from geoforest_cli.estimators.screening.adjust import adjusted, sidak
from geoforest_cli.estimators.screening.bins import Binned

COLUMNS = st.lists(
    st.one_of(st.integers(0, 5).map(float), st.floats(-9, 9), st.just(np.nan)),
    min_size=1,
    max_size=60,
)


def naive(values, b):
    """Mid-ranks, then the smallest bin joins its smaller neighbour, one after the other."""
    present = ~np.isnan(values)
    m = present.sum()
    codes = np.full(len(values), -1)
    wanted = np.floor(b * (2 * rankdata(values[present]) - 1) / (2 * m) + 1e-12).astype(int)
    groups = [[code] for code in np.unique(wanted)]
    while len(groups) > 2:
        sizes = [np.isin(wanted, group).sum() for group in groups]
        i = int(np.argmin(sizes))
        if sizes[i] >= 0.75 * m / b:
            break
        sides = [j for j in (i - 1, i + 1) if 0 <= j < len(groups)]
        j = min(sides, key=lambda side: (sizes[side], side))
        groups[min(i, j)] += groups.pop(max(i, j))
    for c, group in enumerate(groups):
        codes[np.flatnonzero(present)[np.isin(wanted, group)]] = c
    return codes


@settings(deadline=None)
@given(COLUMNS, st.integers(2, 9))
def test_as_naive_code(values, b):
    column = np.array(values)
    binned = Binned.of(column[:, None], b)
    if np.isnan(column).all():
        assert binned.n_bins[0] == 0
        assert (binned.codes == -1).all()
        return
    expected = naive(column, b)
    assert binned.codes[0].tolist() == expected.tolist()
    assert binned.n_bins[0] == expected.max() + 1


def test_fewer_bins_where_columns_share_few_rows():
    table = np.random.default_rng(0).normal(size=(1000, 4))
    table[np.random.default_rng(1).random((1000, 4)) < 0.68] = np.nan
    # two columns share about 0.1 of 1000 rows, which are 6 bins
    assert set(Binned.of(table).n_bins.tolist()) == {6}


@pytest.mark.parametrize(("largest", "n_bins"), [(5, 4), (6, 3)])
def test_a_bin_of_just_three_quarters_is_kept(largest, n_bins):
    # of 16 rows in four bins three are enough, of 17 they are not
    column = np.repeat([0.0, 1.0, 2.0, 3.0], [largest, 4, 4, 3])
    assert Binned.of(column[:, None], 4).n_bins.tolist() == [n_bins]


def test_rare_categories():
    n = 1000
    ones = np.array([0, 1, 93, 94, 500, 907, 1000])
    binned = Binned.of((np.arange(n)[:, None] < ones).astype(float))
    assert binned.n_bins.tolist() == [1, 2, 2, 2, 2, 2, 1]
    assert binned.rare.tolist() == [False, True, True, False, False, True, False]


PVALUES = st.lists(st.floats(0, 1), min_size=1, max_size=20).map(np.array)


@given(PVALUES)
def test_benjamini_hochberg_as_scipy_has_it(pvalues):
    np.testing.assert_allclose(adjusted(pvalues, "fdr"), false_discovery_control(pvalues))


@given(PVALUES, st.floats(0.001, 0.999))
def test_holm_rejects_step_by_step(pvalues, level):
    order, m = np.argsort(pvalues, kind="stable"), len(pvalues)
    rejected = np.zeros(m, bool)
    for step, i in enumerate(order):
        if pvalues[i] * (m - step) > level:
            break
        rejected[i] = True
    assert (adjusted(pvalues, "fwer") <= level).tolist() == rejected.tolist()


def test_no_columns():
    assert adjusted(np.empty(0), "fdr").shape == adjusted(np.empty(0), "fwer").shape == (0,)


@pytest.mark.parametrize("p", [0.0, 1e-300, 1e-12, 0.3, 1.0])
def test_smallest_of_several(p):
    expected = 7 * p if p < 1e-9 else 1 - (1 - p) ** 7
    assert sidak(np.array([p]), 7)[0] == pytest.approx(expected, rel=1e-9, abs=0)
