"""Rules of the spherelets at values between the extremes: guards, graphs, medoids, bandwidths."""

import numpy as np
import pytest

from geoforest_cli.estimators.spherelets import GraphGeodesic, SphericalDistance
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
    found = spherical_distances(circle, at, to, guard=guard)
    assert found[0, 0] == pytest.approx(expected, rel=1e-12)


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
    found = k_medoids(np.abs(x[:, None] - x), 2, medoids=np.array([0, 5]))
    assert found.medoids.tolist() == [1, 4]
    assert found.cost == 4.0


def test_covariance_by_hand():
    # the two neighbours span the first axis: (3, 4) bulges by 16 / (6 * 5)
    points = np.array([[1.0, 0.0], [-1.0, 0.0], [3.0, 4.0]])
    at, near = np.zeros((1, 2)), np.array([[0, 1]])
    found = covariance_distances(points, near, 1, at, np.array([[[3.0, 4.0], [0.0, 0.0]]]))
    assert found[0].tolist() == pytest.approx([5 + 16 / 30, 0])


def noisy_curve(n=40):
    t = np.linspace(0, 2, n)
    return np.c_[np.cos(t), np.sin(t)] + np.random.default_rng(0).normal(0, 0.05, (n, 2))


@pytest.mark.parametrize(("k", "dim", "k_cov"), [(3, 1, 6), (8, 1, 8), (4, 2, 9)])
def test_tangents_are_of_three_neighbours_for_each_dimension_and_one_more(k, dim, k_cov):
    X = np.c_[noisy_curve(), np.random.default_rng(1).normal(0, 0.1, 40)]
    found = SphericalDistance(k, dim=dim, local="covariance").fit(X).local_distances_
    near = np.argsort(np.linalg.norm(X[:, None] - X, axis=2), axis=1)[:, 1:]
    for tangents in (k_cov - 1, k_cov, k_cov + 1):
        told = covariance_distances(X, near[:, :tangents], dim, X, X[near[:, :k]])
        assert np.allclose(found, told, rtol=1e-9) == (tangents == k_cov)
    wide = SphericalDistance(k, dim=dim, local="covariance", tangent_neighbors=12).fit(X)
    told = covariance_distances(X, near[:, :12], dim, X, X[near[:, :k]])
    np.testing.assert_allclose(wide.local_distances_, told)


@pytest.mark.parametrize("symmetrise", ["min", "average", "mean"])
@pytest.mark.parametrize("guard", ["none", "floor", "evidence"])
def test_what_an_estimator_is_given_reaches_the_graph(symmetrise, guard):
    X = noisy_curve()
    model = GraphGeodesic(6, guard=guard, symmetrise=symmetrise, sphere="centred").fit(X)
    gaps = np.linalg.norm(X[:, None] - X, axis=2)
    near = np.argsort(gaps, axis=1)[:, 1:7]
    fitted = fit_spheres(X, near, 1, centred=True)
    local = spherical_distances(fitted, X, X[near], guard=guard)
    np.testing.assert_allclose(model.local_distances_, local)
    expected = shortest_paths(neighborhood_graph(near, local, symmetrise))
    np.testing.assert_allclose(model.distances_, expected)
    assert np.array_equal(model.collapsed_, fitted.collapsed)


def test_coincident_points_are_joined():
    near = np.array([[1], [0], [1]])
    graph = neighborhood_graph(near, np.array([[0.0], [0.0], [2.0]]))
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
    found = k_medoids(np.abs(x[:, None] - x), 2, np.array([0, 2]))
    assert (found.tied, found.cost, found.labels.tolist()) == (1, 1.0, [0, 0, 1])
    assert with_reachable(np.array([[0.0, np.inf], [0.5, 0.0]]))[0, 1] == 150


def left_out(D, i):
    rest = np.delete(np.arange(len(D)), i)
    return D[i : i + 1, rest], rest


def test_bandwidths_are_the_best_of_a_grid_about_the_fifth_neighbour():
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
    near = np.triu_indices(200, 1)

    def error(points, **rules):
        lengths = GraphGeodesic(10, dim=1, **rules).fit(points).distances_
        return np.median(np.abs(lengths[near] / true[near] - 1))

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
