"""Medoids and smoothing over distances, against naive twins."""

import numpy as np
import pytest

from geoforest_cli.core.errors import DataError
from geoforest_cli.estimators.spherelets import GraphGeodesic
from geoforest_cli.estimators.spherelets.medoids import (
    k_medoids,
    with_reachable,
)
from geoforest_cli.estimators.spherelets.smoothing import (
    log_density,
    regression,
    tune_density,
    tune_regression,
)


def test_medoids_of_pieces():
    D = np.full((4, 4), np.inf)
    D[:2, :2] = D[2:, 2:] = [[0, 1], [1, 0]]
    finite = with_reachable(D)
    assert finite[0, 2] == 200
    assert k_medoids(finite, 1).tied == 0
    # both medoids start in one piece; the other's points, equally far from them, go to the lower
    # one, which then moves there
    both_in_one = k_medoids(finite, 2, np.array([0, 1]))
    assert sorted(both_in_one.medoids.tolist()) == [0, 2]
    assert both_in_one.labels[0] == both_in_one.labels[1] != both_in_one.labels[2]
    assert both_in_one.tied == 0
    assert k_medoids(np.zeros((3, 3)), 2).tied == 3
    with pytest.raises(DataError, match="finite"):
        k_medoids(D, 2)
    with pytest.raises(DataError, match="1 to 4"):
        k_medoids(finite, 5)


def naive_density(D, y, y_new, h1, h2):
    w = np.exp(-(D**2) / h1)
    k = np.exp(-((y_new[:, None] - y) ** 2) / h2)
    return np.log((w * k).sum(axis=1) / w.sum(axis=1) / np.sqrt(np.pi * h2))


def test_density_and_regression():
    rng = np.random.default_rng(0)
    x, new = rng.uniform(0, 1, 50), rng.uniform(0, 1, 10)
    y = np.sin(6 * x) + rng.normal(0, 0.1, 50)
    D = np.abs(new[:, None] - x)
    y_new = np.sin(6 * new)
    assert np.allclose(log_density(D, y, y_new, 0.02, 0.05), naive_density(D, y, y_new, 0.02, 0.05))
    grid = np.linspace(-4, 4, 4001)
    one = np.repeat(D[:1], len(grid), axis=0)
    mass = np.trapezoid(np.exp(log_density(one, y, grid, 0.02, 0.05)), grid)
    assert mass == pytest.approx(1.0, abs=1e-6)
    far = log_density(D, y, np.full(10, 1e3), 0.02, 0.05)
    assert np.isfinite(far).all()
    assert (far < -1e6).all()
    m = regression(D, y, 0.02)
    assert ((m >= y.min()) & (m <= y.max())).all()
    assert np.allclose(regression(D, y, 1e9), y.mean())
    assert np.allclose(regression(D, y, 1e-12), y[D.argmin(axis=1)])
    assert np.allclose(regression(np.full((2, 50), np.inf), y, 1.0), y.mean())


@pytest.mark.parametrize("value", [0.0, 0.1, -7e5])
def test_a_constant_response_is_smoothed_to_itself(value):
    x = np.random.default_rng(0).uniform(size=20)
    D, y = np.abs(x[:, None] - x), np.full(20, value)
    density, smooth = tune_density(D, y), tune_regression(D, y)
    assert np.isfinite([density.h1, density.h2, density.score]).all()
    assert np.isfinite([smooth.h1, smooth.score]).all()
    found = log_density(D, y, y, density.h1, density.h2)
    assert np.allclose(found, -0.5 * np.log(np.pi * density.h2))
    assert np.allclose(regression(D, y, smooth.h1), value)


def test_a_tangent_space_of_all_dimensions_leaves_chords():
    points = np.random.default_rng(0).normal(size=(30, 2))
    chords = GraphGeodesic(5, local="euclidean").fit(points)
    everything = GraphGeodesic(5, local="covariance", dim=2).fit(points)
    np.testing.assert_allclose(
        everything.local_distances_, chords.local_distances_, rtol=1e-12, atol=1e-12
    )
