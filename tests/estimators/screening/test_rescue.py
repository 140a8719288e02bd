"""Columns that come back: they depend on several kept ones together."""

import itertools

import numpy as np
import pytest
from scipy.stats import norm

from geoforest_cli.estimators.screening import rescue
from geoforest_cli.estimators.screening.rescue import moran_pvalues, rescued_columns


def sphere(n, p, seed):
    points = np.random.default_rng(seed).normal(size=(n, p))
    return points / np.linalg.norm(points, axis=1, keepdims=True)


@pytest.mark.parametrize("seed", range(3))
def test_the_columns_of_a_sphere_come_back_and_noise_does_not(seed):
    noise = np.random.default_rng(50 + seed).lognormal(size=(600, 20))
    points = np.c_[sphere(600, 5, seed), noise]
    found = rescued_columns(points, np.array([1, 2, 4]), np.random.default_rng(0))
    assert found.tolist() == [0, 1, 2, 3, 4]


@pytest.mark.nightly
def test_no_column_of_pure_noise_comes_back():
    for seed in range(20):
        rng = np.random.default_rng(seed)
        t = rng.uniform(size=300)
        points = np.c_[np.cos(6 * t), np.sin(6 * t), rng.lognormal(size=(300, 40))]
        assert rescued_columns(points, np.array([0, 1]), rng).tolist() == [0, 1]


def test_few_rows_are_left_as_they_are_and_of_many_some_are_drawn(monkeypatch):
    points, kept = sphere(600, 4, 0), np.array([0, 1])
    assert rescued_columns(points[:99], kept, np.random.default_rng(0)).tolist() == [0, 1]
    assert rescued_columns(points, kept, np.random.default_rng(0)).tolist() == [0, 1, 2, 3]
    monkeypatch.setattr(rescue, "_MOST", 25)
    assert rescued_columns(points, kept, np.random.default_rng(0)).tolist() == [0, 1]


def test_mean_and_variance_are_those_of_all_orders():
    rng = np.random.default_rng(0)
    values = rng.exponential(size=6)
    near = np.array([[1, 2], [0, 3], [1, 4], [0, 5], [2, 3], [0, 1]])
    orders = np.array(list(itertools.permutations(values)))
    centred = orders - values.mean()
    moran = (centred * centred[:, near].sum(axis=2)).sum(axis=1) / (12 * values.var())
    wanted = norm.sf((moran - moran.mean()) / moran.std())
    np.testing.assert_allclose(moran_pvalues(orders.T, near), wanted, rtol=1e-9)
