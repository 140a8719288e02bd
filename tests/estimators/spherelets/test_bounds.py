"""Grids, blocks and bounds of the spherelets."""

import numpy as np
import pytest

from geoforest_cli.estimators.spherelets import SphericalDistance
from geoforest_cli.estimators.spherelets import spheres as _spheres
from geoforest_cli.estimators.spherelets.medoids import (
    best_of_random_starts,
    k_medoids,
)
from geoforest_cli.estimators.spherelets.smoothing import (
    tune_density,
    tune_regression,
)
from geoforest_cli.estimators.spherelets.spheres import (
    covariance_distances,
    fit_spheres,
    spherical_distances,
)

X = np.sort(np.random.default_rng(2).uniform(0, 1, 40))
D = np.abs(X[:, None] - X)


def scale_of(distances):
    return np.median(np.sort(distances, axis=1)[:, min(5, len(distances) - 1)] ** 2)


def step_of(tuned, scale):
    """Which step of the grid of distances a bandwidth is."""
    step = 13 * np.log(tuned.h1 / scale / 0.05) / np.log(1000)
    assert step == pytest.approx(np.round(step), abs=1e-6)
    return int(np.round(step))


def test_bandwidths_are_tried_in_fourteen_and_twelve_equal_steps():
    rng = np.random.default_rng(11)
    pairs = np.repeat(rng.uniform(size=20), 2) + np.tile([0, 1e-4], 20)
    found = {}
    for points, responses in (
        (pairs, np.repeat(rng.normal(size=20), 2)),  # the other of a pair tells all
        (X, np.sin(6 * X)),
        (X, rng.normal(size=40)),  # nobody tells anything
    ):
        gaps = np.abs(points[:, None] - points)
        tuned = tune_regression(gaps, responses)
        found[step_of(tuned, scale_of(gaps))] = tuned.at_edge
    first, middle, last = found
    assert (first, last) == (0, 13)
    assert 0 < middle < 13
    assert list(found.values()) == [True, False, True]
    y = rng.normal(size=40)
    h2s = y.var() * 0.001 * 2000 ** (np.arange(12) / 11)
    assert np.abs(h2s / tune_density(D, y).h2 - 1).min() < 1e-9
    jumps = np.where(X > 0.5, 1.0, 0.0)
    sharp = tune_density(D, jumps)
    assert sharp.h2 == pytest.approx(jumps.var() * 0.001)
    assert sharp.at_edge


@pytest.mark.parametrize(("narrow", "flat"), [(0.9e-8, True), (1.1e-8, False)])
def test_what_is_all_but_flat_has_no_sphere(narrow, flat):
    corners = np.array([[1.0, narrow], [-1, narrow], [1, -narrow], [-1, -narrow]])
    fitted = fit_spheres(corners, np.array([[1, 2, 3]]), 1, at=corners[:1])
    assert fitted.flat.tolist() == [flat]
    assert fitted.supported.tolist() == [not flat]


@pytest.mark.parametrize("numbers", [1, 50])
@pytest.mark.parametrize("centred", [False, True])
def test_blocks_of_neighbourhoods_change_nothing(monkeypatch, numbers, centred):
    rng = np.random.default_rng(11)
    points = rng.normal(size=(23, 3))
    near = np.argsort(np.linalg.norm(points[:, None] - points, axis=2), axis=1)[:, 1:7]

    def found():
        fitted = fit_spheres(points, near, 1, centred=centred)
        arcs = spherical_distances(fitted, points, points[near])
        return arcs, covariance_distances(points, near, 1, points, points[near])

    whole = found()
    monkeypatch.setattr(_spheres, "_BLOCK_NUMBERS", numbers)
    for one, other in zip(whole, found(), strict=True):
        np.testing.assert_array_equal(one, other)


def test_neighbours_are_listed_by_their_local_distance_equal_ones_as_they_are():
    rng = np.random.default_rng(11)
    points = rng.normal(size=(30, 3))
    fitted = SphericalDistance(8, dim=1).fit(points)
    # arcs are not in the order of chords
    assert (np.diff(fitted.local_distances_, axis=1) < 0).any()
    distances, rows = fitted.kneighbors(n_neighbors=4)
    np.testing.assert_array_equal(distances, np.sort(fitted.local_distances_, axis=1)[:, :4])
    for row, near, local in zip(rows, fitted.neighborhoods_, fitted.local_distances_, strict=True):
        assert row.tolist() == near[np.argsort(local, kind="stable")][:4].tolist()
    corner = SphericalDistance(2, local="euclidean").fit([[0.0], [1.0], [-1.0], [5.0]])
    assert sorted(corner.kneighbors()[1][0].tolist()) == [1, 2]


def test_clusters_are_numbered_by_the_rows_of_their_medoids():
    x = np.array([20.0, 0, 1, 21, 40, 41, 42])
    gaps = np.abs(x[:, None] - x)
    found = k_medoids(gaps, 3, np.array([6, 1, 0]))
    assert found.labels.tolist() == [0, 1, 1, 0, 2, 2, 2]
    assert found.medoids.tolist() == [0, 1, 5]
    assert (found.labels.dtype, found.cost, found.tied) == (np.int64, 4.0, 0)
    # copies of a medoid are its own cluster's, the lower row's if both are medoids
    same = k_medoids(np.zeros((4, 4)), 2)
    assert (same.labels.tolist(), same.tied, same.cost) == ([0, 1, 0, 0], 4, 0)
    once = best_of_random_starts(gaps, 3, 1, np.random.default_rng(0))
    start = np.random.default_rng(0).choice(7, 3, replace=False)
    assert once.labels.tolist() == k_medoids(gaps, 3, start).labels.tolist()
