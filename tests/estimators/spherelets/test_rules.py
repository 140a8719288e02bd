"""Rules of the spherelets between the extremes: guards, graphs, medoids, bandwidths."""

import numpy as np
import pytest

from geoforest_cli.core.errors import DataError
from geoforest_cli.estimators.spherelets import GraphGeodesic, SphericalDistance
from geoforest_cli.estimators.spherelets import spheres as _spheres
from geoforest_cli.estimators.spherelets.graph import (
    neighborhood_graph,
    shortest_paths,
)
from geoforest_cli.estimators.spherelets.medoids import (
    best_of_random_starts,
    k_medoids,
    with_reachable,
)
from geoforest_cli.estimators.spherelets.smoothing import (
    X_STEPS,
    Y_STEPS,
    log_density,
    regression,
    tune_density,
    tune_regression,
)
from geoforest_cli.estimators.spherelets.spheres import (
    Spheres,
    covariance_distances,
    fit_spheres,
    spherical_distances,
)
from tests.values import changeable


def spheres(gains, size=10, radius=1.0, extent=0.5):
    """Circles in the plane whose residual is exp(-gain / size) of the line's."""
    m = len(gains)
    return Spheres(
        origin=np.zeros((m, 2)),
        basis=np.tile(np.eye(2), (m, 1, 1)),
        local_centre=np.zeros((m, 2)),
        radius=np.full(m, radius),
        flat=np.zeros(m, bool),
        extent=np.full(m, extent),
        plane_residual=np.ones(m),
        sphere_residual=np.exp(-np.array(gains) / size),
        size=size,
    )


def test_a_sphere_pays_for_its_parameter():
    # BIC: size * ln(RSS) + parameters * ln(size), ln(10) = 2.303
    assert spheres([-1.0, 0.0, 1.0, 2.2, 2.4, 9.0]).supported.tolist() == [False] * 4 + [True] * 2
    assert not spheres([9.0], radius=0.4).supported.any()
    assert spheres([9.0], radius=0.4).collapsed.all()


@pytest.mark.parametrize(
    ("guard", "gain", "radius", "expected"),
    [
        ("none", 9.0, 0.5, np.pi / 8),
        ("floor", 0.0, 0.5, np.sqrt(2 - np.sqrt(2))),
        ("floor", 0.0, 1.0, np.pi / 4),
        ("evidence", 9.0, 0.5, np.sqrt(2 - np.sqrt(2))),
        ("evidence", 9.0, 1.0, np.pi / 4),
        ("evidence", 1.0, 1.0, np.sqrt(2 - np.sqrt(2))),
    ],
)
def test_guards_by_hand(guard, gain, radius, expected):
    # an eighth of the way round: the chord on the unit circle, the arc on one of the given radius
    circle = spheres([gain], radius=radius)
    at, to = np.array([[1.0, 0.0]]), np.array([[[np.sqrt(0.5), np.sqrt(0.5)]]])
    lengths = spherical_distances(circle, at, to, guard=guard)
    assert lengths[0, 0] == pytest.approx(expected, rel=1e-12)


def test_residuals_are_squares_from_the_line_and_from_the_circle():
    rng = np.random.default_rng(0)
    t = rng.uniform(0, 1, 9)
    X = np.c_[np.cos(t), np.sin(t)] + rng.normal(0, 0.03, (9, 2))
    fitted = fit_spheres(X, np.arange(1, 9)[None], 1, at=X[:1])
    centred = X - X.mean(axis=0)
    direction = np.linalg.eigh(centred.T @ centred)[1][:, -1]
    across = centred - np.outer(centred @ direction, direction)
    gaps = np.linalg.norm(X - fitted.centre[0], axis=1)
    assert fitted.plane_residual[0] == pytest.approx((across**2).sum())
    assert fitted.sphere_residual[0] == pytest.approx(((gaps - gaps.mean()) ** 2).sum())
    assert fitted.extent[0] == pytest.approx(np.linalg.norm(centred, axis=1).max())
    assert fitted.size == 9
    assert fit_spheres(X, np.arange(1, 9)[None], 1, at=X[:1], centred=True).size == 8


def test_medoids_move_to_where_their_members_are_near():
    x = np.array([0.0, 1, 2, 10, 11, 12])
    clusters = k_medoids(np.abs(x[:, None] - x), 2, medoids=np.array([0, 5]))
    assert clusters.medoids.tolist() == [1, 4]
    assert clusters.cost == 4.0


def test_covariance_by_hand():
    # the two neighbours span the first axis: (3, 4) bulges by 16 / (6 * 5)
    points = np.array([[1.0, 0.0], [-1.0, 0.0], [3.0, 4.0]])
    at, neighbors = np.zeros((1, 2)), np.array([[0, 1]])
    lengths = covariance_distances(points, neighbors, 1, at, np.array([[[3.0, 4.0], [0.0, 0.0]]]))
    assert lengths[0].tolist() == pytest.approx([5 + 16 / 30, 0])


def noisy_curve(n=40):
    t = np.linspace(0, 2, n)
    return np.c_[np.cos(t), np.sin(t)] + np.random.default_rng(0).normal(0, 0.05, (n, 2))


@pytest.mark.parametrize(("k", "dim", "k_cov"), [(3, 1, 6), (8, 1, 8), (4, 2, 9)])
def test_tangents_are_of_three_neighbours_a_dimension_and_one(k, dim, k_cov):
    X = np.c_[noisy_curve(), np.random.default_rng(1).normal(0, 0.1, 40)]
    lengths = SphericalDistance(k, dim=dim, local="covariance").fit(X).local_distances_
    neighbors = np.argsort(np.linalg.norm(X[:, None] - X, axis=2), axis=1)[:, 1:]
    for tangents in (k_cov - 1, k_cov, k_cov + 1):
        expected = covariance_distances(X, neighbors[:, :tangents], dim, X, X[neighbors[:, :k]])
        assert np.allclose(lengths, expected, rtol=1e-9) == (tangents == k_cov)
    wide = SphericalDistance(k, dim=dim, local="covariance", tangent_neighbors=12).fit(X)
    expected = covariance_distances(X, neighbors[:, :12], dim, X, X[neighbors[:, :k]])
    np.testing.assert_allclose(wide.local_distances_, expected)


@pytest.mark.parametrize("symmetrise", ["min", "average", "mean"])
@pytest.mark.parametrize("guard", ["none", "floor", "evidence"])
def test_what_an_estimator_is_given_reaches_the_graph(symmetrise, guard):
    X = noisy_curve()
    model = GraphGeodesic(6, guard=guard, symmetrise=symmetrise, sphere="centred").fit(X)
    gaps = np.linalg.norm(X[:, None] - X, axis=2)
    neighbors = np.argsort(gaps, axis=1)[:, 1:7]
    fitted = fit_spheres(X, neighbors, 1, centred=True)
    local = spherical_distances(fitted, X, X[neighbors], guard=guard)
    np.testing.assert_allclose(model.local_distances_, local)
    expected = shortest_paths(neighborhood_graph(neighbors, local, symmetrise))
    np.testing.assert_allclose(model.distances_, expected)
    assert np.array_equal(model.collapsed_, fitted.collapsed)


def test_coincident_points_are_joined():
    neighbors = np.array([[1], [0], [1]])
    graph = neighborhood_graph(neighbors, np.array([[0.0], [0.0], [2.0]]))
    assert graph.n_components == 1
    assert 0 < graph.weights.toarray()[0, 1] < 1e-11
    assert shortest_paths(graph)[0].tolist() == pytest.approx([0, 0, 2], abs=1e-10)


def far_apart():
    """Four groups on a line: central starts lead to a poor optimum."""
    x = np.concatenate([c + np.linspace(0, 1, 4) for c in (0, 10, 11.5, 40)])
    return np.abs(x[:, None] - x)


def test_the_cheapest_run_is_returned():
    D = far_apart()
    for seed in range(5):
        rng = np.random.default_rng(seed)
        runs = [k_medoids(D, 3, rng.choice(16, 3, replace=False)).cost for _ in range(8)]
        assert max(runs) > min(runs)
        best = best_of_random_starts(D, 3, 8, np.random.default_rng(seed))
        assert best.cost == min(runs)


def test_medoids_start_where_the_shares_are_smallest():
    rng = np.random.default_rng(23)
    x = np.sort(rng.exponential(size=12))
    D = np.abs(x[:, None] - x)
    shares = [sum(D[i, j] / D[i].sum() for i in range(12)) for j in range(12)]
    start = np.argsort(shares)[:4]
    first, second = k_medoids(D, 4), k_medoids(D, 4, start)
    assert np.array_equal(first.medoids, second.medoids)
    # one cluster: its medoid is the point with the least sum, its cost that sum
    (middle,) = k_medoids(D, 1).medoids
    assert middle == D.sum(axis=0).argmin()
    assert k_medoids(D, 1).cost == pytest.approx(D.sum(axis=0).min())


def test_ties_between_two_medoids_are_counted():
    x = np.array([0.0, 1.0, 2.0])
    clusters = k_medoids(np.abs(x[:, None] - x), 2, np.array([0, 2]))
    assert (clusters.tied, clusters.cost, clusters.labels.tolist()) == (1, 1.0, [0, 0, 1])
    assert with_reachable(np.array([[0.0, np.inf], [0.5, 0.0]]))[0, 1] == 150


def left_out(D, i):
    rest = np.delete(np.arange(len(D)), i)
    return D[i : i + 1, rest], rest


def test_bandwidths_are_the_best_of_a_grid_about_a_neighbour():
    rng = np.random.default_rng(0)
    x = rng.uniform(0, 1, 30)
    y = np.sin(6 * x) + rng.normal(0, 0.3, 30)
    D = np.abs(x[:, None] - x)
    # the point itself stands first
    scale = np.median(np.sort(D, axis=1)[:, 5] ** 2)
    h1s, h2s = scale * X_STEPS, y.var() * Y_STEPS

    def error(h):
        gaps = [regression(left_out(D, i)[0], y[left_out(D, i)[1]], h)[0] - y[i] for i in range(30)]
        return np.mean(np.square(gaps))

    def likelihood(h1, h2):
        total = 0.0
        for i in range(30):
            row, rest = left_out(D, i)
            total += log_density(row, y[rest], y[i : i + 1], h1, h2)[0]
        return total

    errors = [error(h) for h in h1s]
    smooth = tune_regression(D, y)
    assert smooth.h1 == pytest.approx(h1s[np.argmin(errors)])
    assert smooth.score == pytest.approx(-min(errors))
    assert np.isnan(smooth.h2)
    scores = np.array([[likelihood(a, b) for b in h2s] for a in h1s])
    density = tune_density(D, y)
    a, b = np.unravel_index(scores.argmax(), scores.shape)
    assert (density.h1, density.h2) == pytest.approx((h1s[a], h2s[b]))
    assert density.score == pytest.approx(scores.max())
    inside = 0 < a < len(h1s) - 1 and 0 < b < len(h2s) - 1
    assert inside
    assert not density.at_edge
    # pure noise is best smoothed all the way
    assert tune_regression(D, rng.normal(size=30)).at_edge


def test_slight_noise_does_not_shorten_geodesics_by_default():
    rng = np.random.default_rng(0)
    t = np.sort(rng.uniform(0, 6, 200))
    arc = np.c_[3 * np.cos(t), 3 * np.sin(t)]
    noisy = arc + 0.02 * rng.normal(size=arc.shape)
    true = 3 * np.abs(t[:, None] - t)
    pairs = np.triu_indices(200, 1)

    def error(points, **rules):
        lengths = GraphGeodesic(10, dim=1, **rules).fit(points).distances_
        return np.median(np.abs(lengths[pairs] / true[pairs] - 1))

    chords = error(noisy, local="euclidean")
    assert GraphGeodesic().guard == "evidence"
    assert error(noisy) <= 1.1 * chords
    assert error(noisy, guard="none") > 5 * chords
    # and without noise nothing is lost of what spheres are for
    assert error(arc) < 0.1 * error(arc, local="euclidean")


@pytest.mark.parametrize("unit", [1e-9, 1.0, 1e9])
def test_whether_a_point_is_the_centre_does_not_depend_on_units(unit):
    circle = spheres([1.0], radius=unit)
    targets = unit * np.array([[[0.0, 1.0], [1e-13, 0.0], [1e-6, 0.0]]])
    arcs = spherical_distances(circle, unit * np.array([[1.0, 0.0]]), targets)[0] / unit
    # a quarter of the way round; the chord for the centre; on the same ray
    assert arcs.tolist() == pytest.approx([np.pi / 2, 1, 0], abs=1e-9)


def test_spheres_graphs_and_results_are_not_changed():
    assert changeable("geoforest_cli.estimators.spherelets") == set()


X = np.sort(np.random.default_rng(2).uniform(0, 1, 40))
D = np.abs(X[:, None] - X)


def scale_of(distances):
    return np.median(np.sort(distances, axis=1)[:, min(5, len(distances) - 1)] ** 2)


def step_of(tuned, scale):
    """Step of the grid of distances that a bandwidth is."""
    step = 13 * np.log(tuned.h1 / scale / 0.05) / np.log(1000)
    assert step == pytest.approx(np.round(step), abs=1e-6)
    return int(np.round(step))


def test_bandwidths_are_tried_in_fourteen_and_twelve_equal_steps():
    rng = np.random.default_rng(11)
    pairs = np.repeat(rng.uniform(size=20), 2) + np.tile([0, 1e-4], 20)
    steps = {}
    for points, responses in (
        (pairs, np.repeat(rng.normal(size=20), 2)),  # the other of a pair tells all
        (X, np.sin(6 * X)),
        (X, rng.normal(size=40)),  # nobody tells anything
    ):
        gaps = np.abs(points[:, None] - points)
        tuned = tune_regression(gaps, responses)
        steps[step_of(tuned, scale_of(gaps))] = tuned.at_edge
    first, middle, last = steps
    assert (first, last) == (0, 13)
    assert 0 < middle < 13
    assert list(steps.values()) == [True, False, True]
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
    neighbors = np.argsort(np.linalg.norm(points[:, None] - points, axis=2), axis=1)[:, 1:7]

    def distances():
        fitted = fit_spheres(points, neighbors, 1, centred=centred)
        arcs = spherical_distances(fitted, points, points[neighbors])
        return arcs, covariance_distances(points, neighbors, 1, points, points[neighbors])

    whole = distances()
    monkeypatch.setattr(_spheres, "_BLOCK_NUMBERS", numbers)
    for first, other in zip(whole, distances(), strict=True):
        np.testing.assert_array_equal(first, other)


def test_neighbours_are_listed_by_local_distance_ties_in_order():
    rng = np.random.default_rng(11)
    points = rng.normal(size=(30, 3))
    fitted = SphericalDistance(8, dim=1).fit(points)
    # arcs are not in the order of chords
    assert (np.diff(fitted.local_distances_, axis=1) < 0).any()
    distances, rows = fitted.kneighbors(n_neighbors=4)
    np.testing.assert_array_equal(distances, np.sort(fitted.local_distances_, axis=1)[:, :4])
    for row, near_, local in zip(rows, fitted.neighborhoods_, fitted.local_distances_, strict=True):
        assert row.tolist() == near_[np.argsort(local, kind="stable")][:4].tolist()
    corner = SphericalDistance(2, local="euclidean").fit([[0.0], [1.0], [-1.0], [5.0]])
    assert sorted(corner.kneighbors()[1][0].tolist()) == [1, 2]


def test_clusters_are_numbered_by_the_rows_of_their_medoids():
    x = np.array([20.0, 0, 1, 21, 40, 41, 42])
    gaps = np.abs(x[:, None] - x)
    clusters = k_medoids(gaps, 3, np.array([6, 1, 0]))
    assert clusters.labels.tolist() == [0, 1, 1, 0, 2, 2, 2]
    assert clusters.medoids.tolist() == [0, 1, 5]
    assert (clusters.labels.dtype, clusters.cost, clusters.tied) == (np.int64, 4.0, 0)
    # copies of a medoid are its own cluster's, the lower row's if both are medoids
    same = k_medoids(np.zeros((4, 4)), 2)
    assert (same.labels.tolist(), same.tied, same.cost) == ([0, 1, 0, 0], 4, 0)
    once = best_of_random_starts(gaps, 3, 1, np.random.default_rng(0))
    start = np.random.default_rng(0).choice(7, 3, replace=False)
    assert once.labels.tolist() == k_medoids(gaps, 3, start).labels.tolist()


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
    rows = np.repeat(D[:1], len(grid), axis=0)
    mass = np.trapezoid(np.exp(log_density(rows, y, grid, 0.02, 0.05)), grid)
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
    logs = log_density(D, y, y, density.h1, density.h2)
    assert np.allclose(logs, -0.5 * np.log(np.pi * density.h2))
    assert np.allclose(regression(D, y, smooth.h1), value)


def test_a_tangent_space_of_all_dimensions_leaves_chords():
    points = np.random.default_rng(0).normal(size=(30, 2))
    chords = GraphGeodesic(5, local="euclidean").fit(points)
    everything = GraphGeodesic(5, local="covariance", dim=2).fit(points)
    np.testing.assert_allclose(
        everything.local_distances_, chords.local_distances_, rtol=1e-12, atol=1e-12
    )
