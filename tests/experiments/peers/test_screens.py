"""Other rules for choosing columns, that the screens are compared with."""

import numpy as np
import pytest
from scipy.stats import kurtosistest, median_abs_deviation, norm

from geoforest_cli.estimators.baselines.screens import (
    KurtosisScreen,
    LaplacianScreen,
    VarianceScreen,
)


def test_kurtosis_is_scipys():
    rng = np.random.default_rng(0)
    table = np.c_[rng.uniform(size=100), rng.normal(size=100), np.ones(100), rng.normal(size=100)]
    table[:30, 3] = np.nan
    screen = KurtosisScreen().fit(table * 1e90)
    assert screen.get_support().tolist() == [True, False, False, False]
    assert screen.pvalues_[2] == 1.0
    for j, rows in ((0, 0), (1, 0), (3, 30)):
        expected = kurtosistest(table[rows:, j])
        assert screen.pvalues_[j] == pytest.approx(expected.pvalue)
        assert screen.scores_[j] == pytest.approx(abs(expected.statistic))
    # of few rows it is not judged
    table = np.random.default_rng(0).normal(size=(20, 3)) ** 9
    assert KurtosisScreen().fit(table[:19]).pvalues_.tolist() == [1.0] * 3
    assert (KurtosisScreen().fit(table).pvalues_ < 0.01).all()


def test_variance_stands_out_on_both_sides():
    rng = np.random.default_rng(0)
    table = rng.normal(size=(100, 40))
    table[:, 3] *= 1e200
    table[:, 5] *= 1e-200
    table[:, 7] = 2.0
    screen = VarianceScreen().fit(table)
    assert screen.get_support(indices=True).tolist() == [3, 5]
    assert not VarianceScreen().fit(np.ones((5, 2))).get_support().any()
    # one column, or all alike, stand out from nothing
    assert not VarianceScreen().fit(np.arange(5.0)[:, None]).get_support().any()


def test_the_variance_score_is_in_deviations_of_a_normal_sample():
    table = np.random.default_rng(0).normal(size=(300, 8)) * np.arange(1, 9)
    screen = VarianceScreen().fit(table)
    logs = np.log(table.var(axis=0))
    z = np.abs(logs - np.median(logs)) / median_abs_deviation(logs, scale="normal")
    np.testing.assert_allclose(screen.scores_, z)
    np.testing.assert_allclose(screen.pvalues_, 2 * norm.sf(z))


def naive_laplacian(points, k):
    """The score by its matrices."""
    n = len(points)
    squares = ((points[:, None] - points) ** 2).sum(axis=2)
    order = np.argsort(squares + np.diag(np.full(n, np.inf)), axis=1)[:, :k]
    joined = np.zeros((n, n), bool)
    joined[np.arange(n)[:, None], order] = True
    joined |= joined.T
    S = np.where(joined, np.exp(-squares / squares[joined].mean()), 0.0)
    D = np.diag(S.sum(axis=1))
    scores = []
    for f in points.T:
        g = f - (f @ D).sum() / D.sum()
        scores.append(g @ (D - S) @ g / (g @ D @ g))
    return scores


def test_the_laplacian_score_is_that_of_its_matrices():
    points = np.random.default_rng(0).normal(size=(40, 3))
    np.testing.assert_allclose(LaplacianScreen()._roughness(points), naive_laplacian(points, 5))


def test_the_laplacian_score_sees_scales_only_if_asked_to():
    table = np.random.default_rng(0).normal(size=(60, 4))
    wide = table * [1000, 1, 1, 1]
    plain, scaled = (LaplacianScreen(random_state=0).fit(X).scores_ for X in (table, wide))
    np.testing.assert_allclose(scaled, plain)
    assert scaled.argmax() == 3
    # the widest column alone makes the neighbours
    unscaled = LaplacianScreen(rescale="none", random_state=0).fit(wide).scores_
    assert unscaled.argmax() == 0


def test_the_laplacian_score_of_gaps_copies_and_constants():
    rng = np.random.default_rng(0)
    t = rng.uniform(size=200)
    table = np.c_[t, t**2, t**3, np.ones(200), rng.normal(size=(200, 5))]
    table[rng.random(table.shape) < 0.02] = np.nan
    screen = LaplacianScreen(random_state=0).fit(table)
    assert screen.get_support(indices=True).tolist() == [0, 1, 2]
    assert screen.pvalues_[3] == 1.0
    copies = LaplacianScreen(random_state=0).fit(np.repeat([[0.0, 1.0], [1.0, 5.0]], 9, axis=0))
    assert np.isfinite(copies.scores_).all()
    assert not LaplacianScreen().fit([[0.0], [1.0]]).get_support().any()
