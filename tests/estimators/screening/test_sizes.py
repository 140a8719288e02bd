"""Columns of related sizes, and columns that depend on several together."""

import itertools

import numpy as np
import pytest
from scipy.special import ndtri
from scipy.stats import norm, rankdata

from geoforest_cli.estimators.adaptive.columns import kept_columns
from geoforest_cli.estimators.screening import ColumnScreen, autocorrelation
from geoforest_cli.estimators.screening.auto import auto_screen
from geoforest_cli.estimators.screening.autocorrelation import autocorrelated_columns, moran_pvalues
from geoforest_cli.estimators.screening.sizes import columns_of_related_sizes, size_support
from tests.estimators.screening.slow import NOISE

pytestmark = pytest.mark.compiled


def sphere(d, kind, seed=0, n=500):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    return np.c_[X / np.linalg.norm(X, axis=1)[:, None], NOISE[kind](rng, (n, 30))]


def test_the_pvalues_are_those_of_correlated_absolute_scores():
    X = sphere(6, "uniform", n=300)
    sizes = np.abs(ndtri((rankdata(X, axis=0) - 0.5) / len(X)))
    scores = ndtri((rankdata(sizes, axis=0) - 0.5) / len(X))
    z = np.abs(np.corrcoef(scores.T)) * np.sqrt(len(X) - 1)
    np.fill_diagonal(z, 0)
    p = X.shape[1]
    pvalues = 1 - (1 - 2 * norm.sf(z.max(axis=0))) ** (p - 1)
    order = np.argsort(pvalues)
    level = 0.05
    # Holm
    steps = np.maximum.accumulate(pvalues[order] * (p - np.arange(p)))
    columns = np.flatnonzero(size_support(X, level))
    assert columns.tolist() == sorted(order[steps <= level].tolist())


@pytest.mark.parametrize("kind", ["normal", "lognormal", "uneven"])
def test_a_sphere_in_five_dimensions_is_found_by_both_estimators(kind):
    X = sphere(5, kind)
    assert ColumnScreen("auto").fit(X).support_.sum() < 2
    assert auto_screen(X).kept.tolist() == [0, 1, 2, 3, 4]
    X[:, :5] = np.exp(3 * X[:, :5])
    assert auto_screen(X).kept.tolist() == [0, 1, 2, 3, 4]
    kept = kept_columns(X, np.random.default_rng(0))
    assert kept.columns.tolist() == [0, 1, 2, 3, 4]
    assert not kept.independent


def test_a_missing_value_is_left_out():
    X = sphere(5, "normal")
    X[::7, 1] = np.nan
    assert {0, 2, 3, 4} <= set(columns_of_related_sizes(X)) <= {0, 1, 2, 3, 4}


def test_nothing_is_dropped_of_few_columns():
    assert not len(columns_of_related_sizes(sphere(6, "normal")[:, :19]))


@pytest.mark.nightly
@pytest.mark.parametrize("kind", NOISE)
def test_independent_columns_are_hardly_ever_found(kind):
    count = 0
    for seed in range(100):
        X = NOISE[kind](np.random.default_rng([5, seed]), (120, 24))
        count += len(columns_of_related_sizes(X)) > 0
    assert count <= 1


def points_of_sphere(n, p, seed):
    points = np.random.default_rng(seed).normal(size=(n, p))
    return points / np.linalg.norm(points, axis=1, keepdims=True)


@pytest.mark.parametrize("seed", range(3))
def test_the_columns_of_a_sphere_come_back_and_noise_does_not(seed):
    noise = np.random.default_rng(50 + seed).lognormal(size=(600, 20))
    points = np.c_[points_of_sphere(600, 5, seed), noise]
    columns = autocorrelated_columns(points, np.array([1, 2, 4]), np.random.default_rng(0))
    assert columns.tolist() == [0, 1, 2, 3, 4]


@pytest.mark.nightly
def test_no_column_of_pure_noise_comes_back():
    for seed in range(20):
        rng = np.random.default_rng(seed)
        t = rng.uniform(size=300)
        points = np.c_[np.cos(6 * t), np.sin(6 * t), rng.lognormal(size=(300, 40))]
        assert autocorrelated_columns(points, np.array([0, 1]), rng).tolist() == [0, 1]


def test_few_rows_are_left_and_of_many_a_sample_is_drawn(monkeypatch):
    points, kept = points_of_sphere(600, 4, 0), np.array([0, 1])
    assert autocorrelated_columns(points[:99], kept, np.random.default_rng(0)).tolist() == [0, 1]
    assert autocorrelated_columns(points, kept, np.random.default_rng(0)).tolist() == [0, 1, 2, 3]
    monkeypatch.setattr(autocorrelation, "_MAX_ROWS", 25)
    assert autocorrelated_columns(points, kept, np.random.default_rng(0)).tolist() == [0, 1]


def test_mean_and_variance_are_those_of_all_orders():
    rng = np.random.default_rng(0)
    values = rng.exponential(size=6)
    neighbors = np.array([[1, 2], [0, 3], [1, 4], [0, 5], [2, 3], [0, 1]])
    orders = np.array(list(itertools.permutations(values)))
    centred = orders - values.mean()
    moran = (centred * centred[:, neighbors].sum(axis=2)).sum(axis=1) / (12 * values.var())
    wanted = norm.sf((moran - moran.mean()) / moran.std())
    np.testing.assert_allclose(moran_pvalues(orders.T, neighbors), wanted, rtol=1e-9)
