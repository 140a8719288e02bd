"""Moments under permutation, against all permutations of small tables."""

import itertools

import numpy as np
import pytest
from scipy.stats import chi2_contingency

from geoforest_cli.estimators.screening.kernels.bits import moments
from geoforest_cli.estimators.screening.moments import (
    coefficients,
    second_moment,
    sums_of_bins,
    third_moment,
)
from tests.estimators.screening.slow import eight_sums, projection


@pytest.mark.parametrize("sizes", [[1, 2], [3, 3], [1, 1, 5], [2, 3, 4, 1]])
def test_sums_of_a_columns_bins(sizes):
    np.testing.assert_allclose(
        sums_of_bins(sizes),
        eight_sums(projection(np.repeat(np.arange(len(sizes)), sizes))),
        atol=1e-12,
    )


@pytest.mark.parametrize(("n", "seed"), [(6, 0), (6, 1), (7, 2)])
def test_moments_of_permuted_quadratic_forms(n, seed):
    rng = np.random.default_rng(seed)
    centre = np.eye(n) - 1 / n
    A, B = (centre @ (m + m.T) @ centre for m in rng.normal(size=(2, n, n)))
    orders = map(list, itertools.permutations(range(n)))
    values = np.array([(A * B[np.ix_(order, order)]).sum() for order in orders])
    assert values.mean() == pytest.approx(np.trace(A) * np.trace(B) / (n - 1))
    sums = [np.array([np.trace(m) ** 2, (m * m).sum(), (np.diag(m) ** 2).sum()]) for m in (A, B)]
    rows = np.array([float(n)])
    assert sums[0] @ second_moment(rows)[0] @ sums[1] == pytest.approx((values**2).mean())
    third = eight_sums(A) @ third_moment(rows)[0] @ eight_sums(B)
    assert third == pytest.approx((values**3).mean(), abs=1e-9 * (np.abs(values) ** 3).mean())


@pytest.mark.parametrize(
    ("rows", "columns"), [([4, 3], [3, 2, 2]), ([1, 6], [2, 5]), ([2, 2, 2], [1, 2, 3])]
)
def test_moments_of_chi_square_under_fixed_margins(rows, columns):
    n = sum(rows)
    first, second = (np.repeat(np.arange(len(s)), s) for s in (rows, columns))
    orders = np.array(list(itertools.permutations(range(n))))
    tables = np.zeros((len(orders), len(rows), len(columns)))
    np.add.at(tables, (np.arange(len(orders))[:, None], first, second[orders]), 1)
    # thousands of permutations make a few tables
    few, which = np.unique(tables, axis=0, return_inverse=True)
    statistics = [chi2_contingency(table, correction=False).statistic for table in few]
    values = np.array(statistics)[which]
    terms = [sums_of_bins(s)[[2, 6, 4]] for s in (rows, columns)]
    computed = moments(coefficients(n, n)[0], *terms[0], *terms[1])
    expected = (values.mean(), values.var(), ((values - values.mean()) ** 3).mean())
    np.testing.assert_allclose(computed, expected, rtol=1e-9)


def test_too_few_rows_have_no_moments():
    table = coefficients(0, 7)
    assert not table[:6].any()
    assert table[6:].any(axis=1).all()
