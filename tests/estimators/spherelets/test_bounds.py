"""Grids, blocks and bounds of the spherelets."""

import numpy as np
import pytest

from geoforest_cli.estimators.spherelets import GraphGeodesic, SphericalDistance
from geoforest_cli.estimators.spherelets import spheres as _spheres
from geoforest_cli.estimators.spherelets.medoids import (
    best_of_random_starts,
    k_medoids,
    with_reachable,
)
from geoforest_cli.estimators.spherelets.smoothing import (
    log_density,
    regression,
    tune_density,
    tune_regression,
)
from geoforest_cli.estimators.spherelets.spheres import (
    covariance_distances,
    fit_spheres,
    spherical_distances,
)

RNG = np.random.default_rng(2)
X = np.sort(RNG.uniform(0, 1, 40))
D = np.abs(X[:, None] - X)


def scale_of(distances):
    return np.median(np.sort(distances, axis=1)[:, min(5, len(distances) - 1)] ** 2)


def step_of(tuned, scale):
    """Which step of the grid of distances a bandwidth is."""
    step = 13 * np.log(tuned.h1 / scale / 0.05) / np.log(1000)
    assert step == pytest.approx(np.round(step), abs=1e-6)
    return int(np.round(step))


def test_bandwidths_are_tried_in_fourteen_and_twelve_equal_steps():
    pairs = np.repeat(RNG.uniform(size=20), 2) + np.tile([0, 1e-4], 20)
    found = {}
    for points, responses in (
        (pairs, np.repeat(RNG.normal(size=20), 2)),  # the other of a pair tells all
        (X, np.sin(6 * X)),
        (X, RNG.normal(size=40)),  # nobody tells anything
    ):
        gaps = np.abs(points[:, None] - points)
        tuned = tune_regression(gaps, responses)
        found[step_of(tuned, scale_of(gaps))] = tuned.at_edge
    first, middle, last = found
    assert (first, last) == (0, 13)
    assert 0 < middle < 13
    assert list(found.values()) == [True, False, True]
    y = RNG.normal(size=40)
    h2s = y.var() * 0.001 * 2000 ** (np.arange(12) / 11)
    assert np.abs(h2s / tune_density(D, y).h2 - 1).min() < 1e-9
    jumps = np.where(X > 0.5, 1.0, 0.0)
    sharp = tune_density(D, jumps)
    assert sharp.h2 == pytest.approx(jumps.var() * 0.001)
    assert sharp.at_edge


@pytest.mark.parametrize("n", [3, 4, 5, 8, 40])
def test_bandwidths_at_an_end_of_either_grid_are_told(n):
    places, told = [], []
    for seed in range(6):
        rng = np.random.default_rng(seed)
        x, y = rng.uniform(size=n), rng.normal(size=n)
        gaps = np.abs(x[:, None] - x)
        tuned = tune_density(gaps, y)
        second = round(11 * np.log(tuned.h2 / y.var() / 0.001) / np.log(2000))
        places.append((step_of(tuned, scale_of(gaps)), second))
        told.append(tuned.at_edge)
    assert told == [first in {0, 13} or second in {0, 11} for first, second in places]
    # of a few points all have one at an end, of forty some not
    assert all(told) == (n < 8)


def test_the_unit_of_bandwidths_is_the_median_of_those_that_have_five_neighbours():
    # of three points the farthest; without pieces that are small
    step_of(tune_regression(D[:3, :3], X[:3]), scale_of(D[:3, :3]))
    pieces = D[:12, :12].copy()
    pieces[:3, 3:] = pieces[3:, :3] = np.inf
    step_of(tune_regression(pieces, RNG.normal(size=12)), scale_of(pieces[3:, 3:]))
    # of copies the mean: one of nine is 3 away from all
    x = np.r_[np.zeros(8), 3.0]
    copies = np.abs(x[:, None] - x)
    step_of(tune_regression(copies, RNG.normal(size=9)), 1.0)
    alone = np.full((4, 4), np.inf)
    np.fill_diagonal(alone, 0.0)
    for apart in (alone, np.zeros((4, 4))):
        step_of(tune_regression(apart, np.arange(4.0)), 1.0)


@pytest.mark.parametrize("unit", [1e-3, 1e3])
def test_bandwidths_have_the_units_of_distances_and_responses(unit):
    y = np.sin(5 * X) + RNG.normal(0, 0.2, 40)
    one, other = tune_density(D, y), tune_density(unit * D, y / unit)
    assert (other.h1, other.h2) == pytest.approx((one.h1 * unit**2, one.h2 / unit**2))
    # the density of a response in other units
    assert other.score == pytest.approx(one.score + 40 * np.log(unit))
    new = np.array([0.1, 0.9])
    near = np.abs(new[:, None] - X)
    np.testing.assert_allclose(
        log_density(unit * near, y / unit, new / unit, other.h1, other.h2),
        log_density(near, y, new, one.h1, one.h2) + np.log(unit),
    )
    np.testing.assert_allclose(regression(unit * near, y, unit**2), regression(near, y, 1.0))


@pytest.mark.parametrize(("narrow", "flat"), [(0.9e-8, True), (1.1e-8, False)])
def test_what_is_all_but_flat_has_no_sphere(narrow, flat):
    corners = np.array([[1.0, narrow], [-1, narrow], [1, -narrow], [-1, -narrow]])
    fitted = fit_spheres(corners, np.array([[1, 2, 3]]), 1, at=corners[:1])
    assert fitted.flat.tolist() == [flat]
    assert fitted.supported.tolist() == [not flat]


@pytest.mark.parametrize("numbers", [1, 50])
@pytest.mark.parametrize("centred", [False, True])
def test_blocks_of_neighbourhoods_change_nothing(monkeypatch, numbers, centred):
    points = RNG.normal(size=(23, 3))
    near = np.argsort(np.linalg.norm(points[:, None] - points, axis=2), axis=1)[:, 1:7]

    def found():
        fitted = fit_spheres(points, near, 1, centred=centred)
        arcs = spherical_distances(fitted, points, points[near])
        return arcs, covariance_distances(points, near, 1, points, points[near])

    whole = found()
    monkeypatch.setattr(_spheres, "_BLOCK_NUMBERS", numbers)
    for one, other in zip(whole, found(), strict=True):
        np.testing.assert_array_equal(one, other)


def test_a_sphere_of_the_noise_is_not_supported_and_a_small_one_is_collapsed():
    line = np.c_[np.linspace(0, 1, 9), 0.01 * RNG.normal(size=9)]
    fitted = fit_spheres(line, np.arange(1, 9)[None], 1, at=line[:1])
    gain = 9 * np.log(fitted.plane_residual / fitted.sphere_residual)
    assert fitted.supported[0] == (gain[0] > np.log(9) and fitted.radius[0] >= fitted.extent[0])
    t = np.linspace(0, 2 * np.pi, 10)[:-1]
    whole = np.c_[np.cos(t), np.sin(t)]
    around = fit_spheres(whole, np.arange(1, 9)[None], 1, at=whole[:1])
    assert around.radius[0] == pytest.approx(around.extent[0])


@pytest.mark.parametrize(("size", "k"), [(100, 100), (101, None)])
def test_up_to_a_hundred_neighbours_are_tried(size, k):
    lumps = RNG.uniform(size=(2 * size, 2))
    lumps[size:] += 99
    graph = GraphGeodesic(3, local="euclidean").fit(lumps)
    assert graph.connecting_n_neighbors() == k
    assert graph.n_connected_components_ == len(np.unique(graph.component_))


def test_neighbours_are_listed_by_their_local_distance_equal_ones_as_they_are():
    points = RNG.normal(size=(30, 3))
    fitted = SphericalDistance(8, dim=1).fit(points)
    # arcs are not in the order of chords
    assert (np.diff(fitted.local_distances_, axis=1) < 0).any()
    distances, rows = fitted.kneighbors(n_neighbors=4)
    np.testing.assert_array_equal(distances, np.sort(fitted.local_distances_, axis=1)[:, :4])
    for row, near, local in zip(rows, fitted.neighborhoods_, fitted.local_distances_, strict=True):
        assert row.tolist() == near[np.argsort(local, kind="stable")][:4].tolist()
    corner = SphericalDistance(2, local="euclidean").fit([[0.0], [1.0], [-1.0], [5.0]])
    assert sorted(corner.kneighbors()[1][0].tolist()) == [1, 2]


def test_what_cannot_be_reached_is_a_hundred_times_as_far_as_anything():
    apart = np.full((3, 3), np.inf)
    assert with_reachable(apart).tolist() == [[100.0] * 3] * 3
    apart[0, 1] = 4.5
    assert with_reachable(apart)[0].tolist() == [550.0, 4.5, 550.0]


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
