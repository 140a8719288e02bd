"""The baselines: exactness, bad input, and the published values they must meet."""

import warnings

import numpy as np
import pytest
from scipy.sparse.csgraph import shortest_path
from sklearn.neighbors import NearestNeighbors, kneighbors_graph

from geoforest_cli.baselines import flann as flann_module
from geoforest_cli.baselines._validate import check_points
from geoforest_cli.baselines.euclidean import Euclidean
from geoforest_cli.baselines.flann import Flann
from geoforest_cli.baselines.isomap import Isomap
from geoforest_cli.baselines.umap import Umap
from geoforest_cli.errors import DataError, Unavailable
from geoforest_cli.manifolds import MANIFOLDS
from geoforest_cli.manifolds.noise import add_noise
from geoforest_cli.metrics.geodesic import precision_recall
from geoforest_cli.metrics.ranking import retrieved

RNG = np.random.default_rng(4)
X = RNG.normal(size=(60, 3))


def precision(method, name, kind, dims=0, draws=2):
    found = []
    for seed in range(draws):
        rng = np.random.default_rng(seed)
        sample = MANIFOLDS[name].load()(1000, kind, rng)
        points = add_noise(sample.points, dims, 70.0, rng)
        neighbors = retrieved(
            method.fit(points), 50, "index" if kind == "as_run" else "random", rng
        )
        found.append(precision_recall(sample.truth, neighbors, [50], kind, rng)[0].precision)
    return np.mean(found)


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


def test_misread_flann_indices_give_chance():
    misread = Flann(reading="indices_as_distances")
    assert precision(misread, "linear", "as_run", draws=1) == pytest.approx(0.058, abs=0.02)
    assert precision(Flann(), "linear", "as_run", draws=1) > 0.98


@pytest.mark.parametrize("columns", [3, 300])
def test_euclidean_keeps_its_digits_for_near_points_and_duplicates(columns):
    points = np.random.default_rng(0).normal(size=(40, columns))
    points[1] = points[0]
    points[2] = points[0] + 1e-9
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
    model = Isomap(n_neighbors=1).fit(points)
    D = model.distances()
    assert D[0, 1] == pytest.approx(0, abs=1e-300)
    assert np.isinf(D[0, 3])
    assert model.n_components_ == 2
    many = Isomap(n_neighbors=3).fit(np.repeat([[0.0], [1.0]], 6, axis=0)).distances()
    assert np.isfinite(many[:6, :6]).all()
    assert Isomap(n_neighbors=99).fit(points).distances().max() == pytest.approx(51)
    with pytest.raises(DataError, match="at least 1"):
        Isomap(n_neighbors=0).fit(points)


@pytest.mark.parametrize("algorithm", ["linear", "kdtree", "kmeans"])
def test_flann_finds_the_nearest_others(algorithm):
    distances, indices = (
        Flann(algorithm=algorithm, checks=1000, random_state=1).fit(X).kneighbors(7)
    )
    true_distances, true_indices = NearestNeighbors(n_neighbors=7).fit(X).kneighbors()
    if algorithm == "linear":
        assert np.array_equal(indices, true_indices)
        np.testing.assert_allclose(distances, true_distances, rtol=1e-5)
    same = [len(set(a) & set(b)) for a, b in zip(indices, true_indices, strict=True)]
    assert np.mean(same) > 0.8 * 7


def test_flann_leaves_itself_out_even_among_duplicates():
    points = np.repeat(X[:10], 3, axis=0)
    distances, indices = Flann().fit(points).kneighbors(2)
    assert np.all(indices != np.arange(30)[:, None])
    np.testing.assert_allclose(distances, 0)
    with pytest.raises(DataError, match="1 to 29"):
        Flann().fit(points).kneighbors(30)


def test_flann_linear_is_the_same_in_every_call():
    first = Flann().fit(X).kneighbors(9)
    second = Flann().fit(X).kneighbors(9)
    assert all(np.array_equal(a, b) for a, b in zip(first, second, strict=True))


def test_flann_without_its_library_is_one_sentence(monkeypatch):
    def fail(name):
        raise OSError("no such library")

    monkeypatch.setattr(flann_module.importlib, "import_module", fail)
    with pytest.raises(Unavailable, match="FLANN cannot be loaded"):
        Flann().fit(X)


def test_umap_is_reproducible_and_keeps_clusters_apart():
    points = np.concatenate([X[:30], X[30:] + 50])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        D = Umap(random_state=2**40 + 3).fit(points).distances()
        again = Umap(random_state=2**40 + 3).fit(points).distances()
    assert np.array_equal(D, again)
    assert D[:30, :30].mean() < D[:30, 30:].mean()


@pytest.mark.parametrize("method", [Euclidean(), Isomap(), Flann()])
@pytest.mark.parametrize(
    ("bad", "words"),
    [
        ([[1.0, np.nan], [1, 2]], "row 1, column 2 holds NaN"),
        ([[1.0, 2], [np.inf, 2]], "row 2, column 1 holds an infinity"),
        ([["a"], ["b"]], "text"),
        ([1.0, 2.0], "2 axes"),
        ([[1.0, 2.0]], "at least 2 points"),
        (np.empty((3, 0)), "at least 2 points with 1 column"),
    ],
)
def test_bad_tables_are_one_sentence(method, bad, words):
    with pytest.raises(DataError, match=words):
        method.fit(bad)


def test_float32_stays_and_integers_become_floats():
    assert check_points(X.astype(np.float32)).dtype == np.float32
    assert check_points([[1, 2], [3, 4]]).dtype == np.float64
