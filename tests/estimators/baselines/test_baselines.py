"""The baselines: exactness, bad input, and the published values they must meet."""

import sys

import numpy as np
import pytest
from scipy.sparse.csgraph import shortest_path
from sklearn.neighbors import NearestNeighbors, kneighbors_graph

from geoforest_cli.core.errors import DataError, Unavailable
from geoforest_cli.estimators.base.validation import check_points
from geoforest_cli.estimators.baselines.euclidean import Euclidean
from geoforest_cli.estimators.baselines.flann import Flann
from geoforest_cli.estimators.baselines.isomap import Isomap
from geoforest_cli.estimators.baselines.umap import Umap
from geoforest_cli.estimators.methods import METHODS
from geoforest_cli.problems.manifolds import MANIFOLDS
from geoforest_cli.problems.manifolds.noise import add_noise
from geoforest_cli.problems.metrics.geodesic import precision_recall
from geoforest_cli.problems.metrics.ranking import rank_neighbors, retrieved

X = np.random.default_rng(4).normal(size=(60, 3))


def precision(method, name, kind, dims=0, draws=2):
    scores = []
    for seed in range(draws):
        rng = np.random.default_rng(seed)
        sample = MANIFOLDS[name].load()(1000, kind, rng)
        points = add_noise(sample.points, dims, 70.0, rng)
        neighbors = retrieved(
            method.fit(points), 50, "index" if kind == "as_run" else "random", rng
        )
        scores.append(precision_recall(sample.truth, neighbors, [50], kind, rng)[0].precision)
    return np.mean(scores)


PUBLISHED = {
    "linear": (0.995, 0.995, 0.057),
    "helix": (0.897, 1.0, 0.247),
    "sphere": (1.0, 0.947, 0.107),
    "gaussian_mixture": (1.0, 0.878, 0.062),
}


@pytest.mark.parametrize("name", PUBLISHED)
def test_euclidean_and_isomap_meet_the_published_precision(name):
    clean, isomap, noisy = PUBLISHED[name]
    assert precision(Euclidean(), name, "as_run") == pytest.approx(clean, abs=0.02)
    assert precision(Euclidean(), name, "as_run", dims=10) == pytest.approx(noisy, abs=0.02)
    assert precision(Isomap(), name, "as_run") == pytest.approx(isomap, abs=0.05)


# the exact neighbours, and the chance that the misread table of indices gives
FLANN = {
    "linear": (0.995, 0.058),
    "helix": (0.910, 0.110),
    "sphere": (1.0, 0.050),
    "gaussian_mixture": (1.0, 0.051),
}


@pytest.mark.parametrize("name", FLANN)
def test_misread_flann_indices_give_chance_and_neighbours_do_not(name):
    right, misread = FLANN[name]
    as_distances = Flann(reading="indices_as_distances")
    assert precision(Flann(), name, "as_run") == pytest.approx(right, abs=0.03)
    assert precision(as_distances, name, "as_run") == pytest.approx(misread, abs=0.02)


def test_misread_flann_ranks_the_table_of_indices_as_distances():
    order = np.argsort(Euclidean().fit(X).distances(), axis=1, kind="stable")
    expected = rank_neighbors(order.astype(float), 20, "index", np.random.default_rng(0))
    _, indices = Flann(reading="indices_as_distances").fit(X).kneighbors(n_neighbors=20)
    assert np.array_equal(indices, expected)


@pytest.mark.parametrize("columns", [3, 300])
@pytest.mark.parametrize("offset", [0.0, 512.0])
def test_euclidean_keeps_its_digits_for_near_points_and_copies(columns, offset):
    points = np.random.default_rng(0).normal(size=(40, columns)) + offset
    points[1] = points[0]
    points[2] = points[0] + 1e-9 * (1 + offset)
    D = Euclidean().fit(points).distances()
    expected = np.array([[np.linalg.norm(a - b) for b in points] for a in points])
    np.testing.assert_allclose(D, expected, rtol=1e-9, atol=1e-14)
    assert np.array_equal(D, D.T)


def test_isomap_is_the_shortest_path_in_the_union_graph():
    graph = kneighbors_graph(X, 5, mode="distance").maximum(
        kneighbors_graph(X, 5, mode="distance").T
    )
    model = Isomap(n_neighbors=5).fit(X)
    np.testing.assert_allclose(model.distances(), shortest_path(graph, directed=False))


def test_isomap_keeps_duplicates_and_separate_pieces():
    points = np.array([[0.0], [0.0], [1.0], [50.0], [51.0]])
    D = Isomap(n_neighbors=1).fit(points).distances()
    assert D[0, 1] == 0
    assert np.isinf(D[0, 3])
    many = Isomap(n_neighbors=3).fit(np.repeat([[0.0], [1.0]], 6, axis=0))
    expected = np.kron([[0.0, 1.0], [1.0, 0.0]], np.ones((6, 6)))
    assert np.array_equal(many.distances(), expected)
    assert not Isomap().fit(np.ones((4, 2))).distances().any()
    assert Isomap(n_neighbors=99).fit(points).distances().max() == pytest.approx(51)
    with pytest.raises(DataError, match="an int in the range"):
        Isomap(n_neighbors=0).fit(points)


@pytest.mark.parametrize("algorithm", ["linear", "kdtree", "kmeans"])
def test_flann_finds_the_nearest_others(algorithm):
    distances, indices = (
        Flann(algorithm=algorithm, checks=1000, random_state=1).fit(X).kneighbors(n_neighbors=7)
    )
    true_distances, true_indices = NearestNeighbors(n_neighbors=7).fit(X).kneighbors()
    if algorithm == "linear":
        assert np.array_equal(indices, true_indices)
        np.testing.assert_allclose(distances, true_distances, rtol=1e-5)
    same = [len(set(a) & set(b)) for a, b in zip(indices, true_indices, strict=True)]
    assert np.mean(same) > 0.8 * 7


def test_flann_leaves_itself_out_even_among_duplicates():
    points = np.repeat(X[:10], 3, axis=0)
    distances, indices = Flann().fit(points).kneighbors(n_neighbors=2)
    assert np.all(indices != np.arange(30)[:, None])
    np.testing.assert_allclose(distances, 0)
    with pytest.raises(DataError, match="1 to 29"):
        Flann().fit(points).kneighbors(n_neighbors=30)


def test_flann_keeps_its_digits_under_an_offset_in_every_call():
    _, indices = Flann().fit(X).kneighbors(n_neighbors=7)
    for offset in (0.0, 1e8):
        assert np.array_equal(Flann().fit(X + offset).kneighbors(n_neighbors=7)[1], indices)


def test_without_its_library_flann_is_left_out_with_a_sentence(monkeypatch):
    monkeypatch.setitem(sys.modules, "pyflann", None)
    how = "pip install pyflann-py3, whose library is for x86-64 only"
    assert METHODS["flann"].lacking() == f"pyflann is not installed ({how})"
    with pytest.raises(
        Unavailable, match=r"FLANN cannot be loaded on this machine \(.*\); pyflann"
    ):
        Flann().fit(X)


@pytest.mark.parametrize("method", [Euclidean(), Isomap(), Flann()])
def test_few_points_constant_columns_and_single_precision(method):
    def nearest(points, k):
        return retrieved(method.fit(points), k, "index", np.random.default_rng(0))

    points = np.array([[0.0, 1.0], [1.0, 1.0], [5.0, 1.0]])
    assert nearest(points[:2], 1).tolist() == [[1], [0]]
    assert nearest(points, 2).tolist() == [[1, 2], [0, 2], [1, 0]]
    expected = nearest(X, 9)
    assert np.array_equal(nearest(np.column_stack([np.ones(60), X]), 9), expected)
    single = nearest(X.astype(np.float32), 9)
    same = [len(set(a) & set(b)) for a, b in zip(single, expected, strict=True)]
    assert np.mean(same) > 0.99 * 9


@pytest.mark.parametrize("method", [Umap(), Flann()])
def test_what_single_precision_cannot_square_is_refused(method):
    with pytest.raises(
        DataError, match=r"row 1, column 0 \(both count from 0\) holds -1e\+20; values up to 1e\+16"
    ):
        method.fit([[1.0, 2], [-1e20, 2], [3, 4]])


@pytest.mark.parametrize(
    ("bad", "words"),
    [
        ([[1.0, np.nan], [1, 2]], r"row 0, column 1 \(both count from 0\) holds NaN"),
        ([[1.0, 2], [np.inf, 2]], r"row 1, column 0 \(both count from 0\) holds an infinity"),
        ([["a"], ["b"]], "text"),
        ([1.0, 2.0], "2 axes"),
        ([[1.0, 2.0]], "at least 2 points"),
        (np.empty((3, 0)), "at least 2 points with 1 column"),
        ([["1", "2"], ["3", "4"]], "text"),
        (np.array([["1", 2], [3, 4]], object), "text"),
        ([[1, 2], [3]], "differ in length"),
        ([[1j], [2]], "complex128"),
        (np.array([["2020-01-01"], ["2020-01-02"]], "datetime64[D]"), "datetime64"),
        ([[10**400], [1]], "cannot be read as numbers"),
        ([[{}], [1]], "cannot be read as numbers"),
        ([[1.0], [-1e200]], r"row 1, column 0 \(both count from 0\) holds -1e\+200"),
    ],
)
def test_bad_tables_are_one_sentence(bad, words):
    with pytest.raises(DataError, match=words):
        Euclidean().fit(bad)


def test_float32_stays_and_integers_become_floats():
    assert check_points(X.astype(np.float32)).dtype == np.float32
    assert check_points([[1, 2], [3, 4]]).dtype == np.float64
