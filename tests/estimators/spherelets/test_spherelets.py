"""Spherelets against closed forms, exact spheres, brute force and the theory's constants."""

import warnings

import numpy as np
import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks

from geoforest_cli.core.errors import DataError
from geoforest_cli.estimators.spherelets import GraphGeodesic, SphericalDistance
from geoforest_cli.estimators.spherelets.graph import (
    neighborhood_graph,
    shortest_paths,
)
from geoforest_cli.estimators.spherelets.spheres import (
    covariance_distances,
    fit_spheres,
    spherical_distances,
)
from geoforest_cli.problems.manifolds import arc, euler_spiral


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.SkipTestWarning")
@parametrize_with_checks([SphericalDistance(3), GraphGeodesic(3)])
def test_scikit_learn_conventions(estimator, check):
    check(estimator)


def on_sphere(n, dims, d, radius, seed=0):
    rng = np.random.default_rng(seed)
    z = rng.normal(size=(n, d + 1))
    z /= np.linalg.norm(z, axis=1)[:, None]
    basis = np.linalg.qr(rng.normal(size=(dims, d + 1)))[0]
    return radius * z @ basis.T + rng.normal(size=dims), z


def nearest(X, k):
    gaps = np.linalg.norm(X[:, None] - X[None], axis=2)
    np.fill_diagonal(gaps, np.inf)
    return np.argsort(gaps, axis=1)[:, :k]


@pytest.mark.parametrize("centred", [False, True])
@pytest.mark.parametrize(("dims", "d", "radius"), [(2, 1, 3), (5, 1, 0.7), (6, 2, 2), (10, 3, 5)])
def test_spheres_are_recovered_exactly(dims, d, radius, centred):
    X, z = on_sphere(60, dims, d, radius)
    neighbors = nearest(X, 12)
    spheres = fit_spheres(X, neighbors, d, centred=centred)
    assert np.allclose(spheres.radius, radius, rtol=0, atol=1e-10)
    assert np.allclose(spheres.centre, spheres.centre[0], atol=1e-10)
    cosines = np.clip(np.einsum("nd,nkd->nk", z, z[neighbors]), -1, 1)
    lengths = spherical_distances(spheres, X, X[neighbors])
    assert np.allclose(lengths, radius * np.arccos(cosines), atol=1e-10)


def test_the_uncentred_fit_is_coopes():
    rng = np.random.default_rng(3)
    t = rng.uniform(0, 1, 9)
    P = np.c_[np.cos(t), np.sin(t)] + rng.normal(0, 0.02, (9, 2))
    spheres = fit_spheres(P, np.arange(1, 9)[None], 1, at=P[:1])
    # |y|^2 - 2 c.y = const: linear least squares
    A = np.c_[2 * P, np.ones(9)]
    solution = np.linalg.lstsq(A, (P**2).sum(axis=1), rcond=None)[0]
    assert np.allclose(spheres.centre[0], solution[:2])
    assert np.isclose(spheres.radius[0], np.linalg.norm(P - solution[:2], axis=1).mean())


def test_the_centred_fit_minimises_its_objective():
    from scipy.optimize import minimize

    rng = np.random.default_rng(4)
    t = rng.uniform(0, 1, 8)
    P = np.c_[np.cos(t), np.sin(t)] + rng.normal(0, 0.02, (8, 2))
    x = P[0]

    def objective(c):
        return ((((P[1:] - c) ** 2).sum(axis=1) - ((x - c) ** 2).sum()) ** 2).sum()

    spheres = fit_spheres(P, np.arange(1, 8)[None], 1, at=P[:1], centred=True)
    options = {"xatol": 1e-9, "fatol": 1e-16, "maxiter": 4000}
    best = minimize(objective, spheres.centre[0] + 0.1, method="Nelder-Mead", options=options).x
    assert np.allclose(spheres.centre[0], best, atol=1e-5)


def slope(errors, s):
    return np.polyfit(np.log(s), np.log(np.abs(errors)), 1)[0]


def true_circle(at, s):
    """Arc on the true osculating circle of the spiral at arc length `at`."""
    x, y = euler_spiral.curve(np.array([at])), euler_spiral.curve(at + s)
    normal = np.array([-np.sin(at**2 / 2), np.cos(at**2 / 2)])
    a, b = -normal, y - (x + normal / at)
    return np.abs(np.arctan2(a[0] * b[:, 1] - a[1] * b[:, 0], b @ a)) / at


def test_orders_of_the_local_errors():
    s = np.geomspace(0.004, 0.04, 12)
    chords = np.linalg.norm(
        euler_spiral.curve(1.6 + s) - euler_spiral.curve(np.array([1.6])), axis=1
    )
    assert slope(chords - s, s) == pytest.approx(3.0, abs=0.02)
    assert slope(true_circle(1.6, s) - s, s) == pytest.approx(4.0, abs=0.05)


def test_theorem_two_coefficient():
    s = np.array([0.05, 0.1, 0.2])
    ahead = (true_circle(1.6, s) - s) / s**4
    assert np.allclose(ahead, [0.0654, 0.0641, 0.0616], rtol=0.01)
    behind = (true_circle(1.6, -s) - s) / s**4
    assert np.allclose(behind, [-0.0679, -0.0691, -0.0713], rtol=0.01)
    s = np.array([0.01, 0.02])
    coefficients = (true_circle(1.6, s) - s) / s**4
    limit = coefficients[0] - (coefficients[1] - coefficients[0])
    assert limit == pytest.approx(1.6 / 24, rel=0.01)


@pytest.mark.parametrize(
    ("ky", "k0"), [(0.0, 1.0), (1.0, 0.25), (1.0, 1.0), (1.0, 0.5), (0.5, 1.0)]
)
def test_theorem_three_coefficient(ky, k0):
    # on a cylinder of radius 1 in a direction of curvature ky, a tangent sphere of curvature k0
    angle = np.arcsin(np.sqrt(ky))
    s = 0.02
    step = np.array([s * np.sin(angle), s * np.cos(angle)])
    y = np.array([np.sin(step[0]), np.cos(step[0]) - 1, step[1]])
    centre = np.array([0.0, -1 / k0, 0.0])
    a, b = -centre * k0, y - centre
    b /= np.linalg.norm(b)
    length = 2 * np.arctan2(np.linalg.norm(a - b), np.linalg.norm(a + b)) / k0
    expected = -(ky - k0) * (ky - 2 * k0) / 6
    assert (length - s) / s**3 == pytest.approx(expected, rel=0.01, abs=2e-4)


def test_covariance_with_the_true_tangent():
    s = np.geomspace(0.02, 0.05, 6)
    x = euler_spiral.curve(np.array([1.6]))
    steps = euler_spiral.curve(1.6 + s) - x
    tangent = np.array([np.cos(1.6**2 / 2), np.sin(1.6**2 / 2)])
    neighbors = np.array([[0]])
    # one neighbour on the tangent gives the true tangent
    lengths = covariance_distances(x + tangent, neighbors, 1, x, (x + steps)[None])[0]
    assert np.allclose((lengths - s) / s**4, -1.6 / 72, rtol=0.1)


def test_a_large_circle_keeps_its_digits():
    radius, angle = 1e5, 1e-7
    t = np.linspace(-4, 4, 9) * angle
    X = np.c_[radius * np.sin(t), 2 * radius * np.sin(t / 2) ** 2]
    neighbors = np.array([[0, 1, 2, 3, 5, 6, 7, 8]])
    lengths = spherical_distances(fit_spheres(X, neighbors, 1, at=X[4:5]), X[4:5], X[neighbors])
    assert np.allclose(lengths[0], radius * np.abs(t[neighbors[0]]), rtol=1e-9)


def test_flat_and_degenerate_neighbourhoods():
    line = np.c_[np.arange(6.0), 2 * np.arange(6.0)]
    neighbors = nearest(line, 3)
    spheres = fit_spheres(line, neighbors, 1)
    assert spheres.flat.all()
    chords = np.linalg.norm(line[neighbors] - line[:, None], axis=2)
    assert np.array_equal(spherical_distances(spheres, line, line[neighbors]), chords)
    same = np.ones((5, 2))
    neighbors = np.array([[1, 2, 3]])
    spheres = fit_spheres(same, neighbors, 1, at=same[:1])
    assert np.array_equal(spherical_distances(spheres, same[:1], same[neighbors]), np.zeros((1, 3)))
    # a duplicate among the neighbours is at distance 0, the others as without it
    t = np.r_[0.0, 0.0, 0.1, 0.2, 0.3]
    X = np.c_[np.cos(t), np.sin(t)]
    neighbors = np.array([[1, 2, 3, 4]])
    lengths = spherical_distances(fit_spheres(X, neighbors, 1, at=X[:1]), X[:1], X[neighbors])
    assert np.allclose(lengths, [[0, 0.1, 0.2, 0.3]])


def test_graph_rules_on_a_hand_made_graph():
    neighbors = np.array([[1, 2], [0, 2], [1, 0], [2, 1]])
    local = np.array([[1.0, 5.0], [3.0, 2.0], [4.0, 6.0], [7.0, 9.0]])
    least = neighborhood_graph(neighbors, local, "min").weights.toarray()
    assert least[0, 1] == 1
    assert least[1, 2] == 2
    assert least[0, 2] == 5
    assert least[2, 3] == 7
    assert (least == least.T).all()
    average = neighborhood_graph(neighbors, local, "average")
    dense = average.weights.toarray()
    assert (dense[0, 1], dense[1, 2], dense[0, 2], dense[2, 3]) == (2, 3, 5.5, 0)
    assert average.n_components == 2
    mean = neighborhood_graph(neighbors, local, "mean").weights.toarray()
    assert (mean[0, 1], mean[2, 3]) == (2, 7)
    paths = shortest_paths(neighborhood_graph(neighbors, local, "min"))
    assert paths[0, 2] == 3
    assert np.isinf(shortest_paths(average)[0, 3])


@pytest.mark.parametrize("local", ["euclidean", "spherical", "covariance"])
def test_geodesics_of_a_circle_arc(local):
    sample = arc.draw(80, "as_written", np.random.default_rng(0), curvature=2.0)
    graph = GraphGeodesic(6, dim=1, local=local).fit(sample.points)
    truth = sample.truth.distances()
    assert np.allclose(graph.distances(), truth, rtol=5e-3)
    if local == "spherical":
        assert np.allclose(graph.distances(), truth, atol=1e-9)
    assert graph.n_connected_components_ == 1


def test_the_closed_form_of_table_one():
    sample = euler_spiral.draw(500, "as_written", np.random.default_rng(0))
    truth = sample.truth.distances()
    errors = {
        local: np.abs(GraphGeodesic(3, dim=1, local=local).fit(sample.points).distances() - truth)
        for local in ("euclidean", "spherical")
    }
    assert errors["euclidean"].max() == pytest.approx(7.3e-6, rel=0.05)
    assert errors["spherical"].max() == pytest.approx(8.6e-9, rel=0.1)


def test_new_points():
    rng = np.random.default_rng(1)
    X = np.c_[np.linspace(0, 3, 40), rng.normal(0, 0.1, 40)]
    graph = GraphGeodesic(5, local="euclidean").fit(X)
    copies = graph.transform(X)
    assert np.allclose(copies, graph.distances_)
    new = np.array([[1.53, 0.02]])
    full = GraphGeodesic(5, local="euclidean").fit(X)
    neighbors = np.argsort(np.linalg.norm(X - new, axis=1))[:5]
    steps = np.linalg.norm(X[neighbors] - new, axis=1)
    expected = (steps[:, None] + full.distances_[neighbors]).min(axis=0)
    assert np.allclose(graph.transform(new)[0], expected)
    distances, rows = graph.kneighbors(new, 3)
    assert rows[0, 0] == neighbors[0]
    assert (np.diff(distances[0]) >= 0).all()
    distances, rows = graph.kneighbors(n_neighbors=4)
    assert not (rows == np.arange(40)[:, None]).any()
    local = SphericalDistance(5, dim=1).fit(X)
    dense, sparse = local.transform(new), local.kneighbors_graph(new, mode="distance")
    assert dense.shape == sparse.shape == (1, 40)
    # one rule for the class and its subclass: dense, inf where nothing is known
    assert type(dense) is type(graph.transform(new)) is np.ndarray
    assert np.array_equal(np.where(np.isfinite(dense), dense, 0.0), sparse.toarray())
    assert np.isfinite(dense).sum() == sparse.nnz == 5


@pytest.mark.parametrize("local", ["euclidean", "spherical", "covariance"])
def test_copies_do_not_split_the_graph(local):
    t = 3 * np.linspace(0, 1, 10) ** 1.1
    circle = np.c_[np.cos(t), np.sin(t)]
    rows = np.random.default_rng(0).permutation(np.repeat(np.arange(10), 8))
    plain = GraphGeodesic(5, dim=1, local=local).fit(circle)
    copied = GraphGeodesic(5, dim=1, local=local).fit(circle[rows])
    assert copied.n_connected_components_ == plain.n_connected_components_ == 1
    assert np.allclose(copied.distances_, plain.distances_[np.ix_(rows, rows)])
    assert np.allclose(copied.transform(circle), plain.transform(circle)[:, rows])
    # the lists name distinct points, by the first row of each
    assert np.allclose(copied.local_distances_, plain.local_distances_[rows])
    assert np.array_equal(rows[copied.neighborhoods_], plain.neighborhoods_[rows])
    assert copied.component_.shape == (80,)
    _, lists = copied.kneighbors(n_neighbors=7)
    assert (rows[lists] == rows[:, None]).all()
    if local == "spherical":
        assert copied.collapsed_.shape == (80,)


def test_too_few_distinct_points_are_named():
    X = np.repeat([[0.0, 0.0], [1.0, 0.0], [0.0, 2.0]], 4, axis=0)
    with pytest.raises(DataError, match="3 distinct points allow 1 to 2"):
        GraphGeodesic(5, local="euclidean").fit(X)
    assert GraphGeodesic(2, local="euclidean").fit(X).n_connected_components_ == 1


@pytest.mark.parametrize(
    ("params", "words"),
    [
        ({"n_neighbors": 0}, "an int in the range"),
        ({"n_neighbors": 10}, "allow 1 to 9"),
        ({"dim": 2}, "allow 1 to 1"),
        ({"n_neighbors": 1}, "need at least 2"),
        ({"local": "covariance", "dim": 3}, "allow 1 to 2"),
    ],
)
def test_bad_parameters_say_what_is_allowed(params, words):
    X = np.random.default_rng(0).normal(size=(10, 2))
    with pytest.raises(DataError, match=words):
        GraphGeodesic(**{"n_neighbors": 4, "dim": 1, **params}).fit(X)
    with pytest.raises(ValueError, match="NaN"):
        GraphGeodesic(3).fit(np.full((5, 2), np.nan))


def test_an_interpolating_sphere_is_warned_of():
    X = np.random.default_rng(0).normal(size=(10, 2))
    with pytest.warns(UserWarning, match="interpolates"):
        SphericalDistance(2, dim=1).fit(X)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        SphericalDistance(3, dim=1).fit(X)
    with pytest.raises(DataError, match="1 to 9"):
        GraphGeodesic(3).fit(X).kneighbors(n_neighbors=10)
