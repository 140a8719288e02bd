"""`kneighbors` in scikit-learn's order, for every estimator that has it."""

import inspect
import pickle
from functools import partial
from types import SimpleNamespace

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.neighbors import NearestNeighbors

from geoforest_cli import AdaptiveNeighbors
from geoforest_cli.core.errors import DataError
from geoforest_cli.estimators.base import validation as _validate
from geoforest_cli.estimators.base.search import NearestRows
from geoforest_cli.estimators.baselines import flann
from geoforest_cli.estimators.baselines.euclidean import Euclidean
from geoforest_cli.estimators.baselines.flann import Flann
from geoforest_cli.estimators.baselines.forests import ScikitIsomap
from geoforest_cli.estimators.baselines.isomap import Isomap
from geoforest_cli.estimators.forests.leaf_mates import LeafMates
from geoforest_cli.estimators.spherelets import GraphGeodesic, SphericalDistance

X, NEW = np.split(np.random.default_rng(4).normal(size=(46, 3)), [40])
METHODS = [
    Euclidean(), Flann(), GraphGeodesic(8, local="euclidean"),
    SphericalDistance(8, local="euclidean"),
]  # fmt: skip
BY_NAME = pytest.mark.parametrize("method", METHODS, ids=lambda method: type(method).__name__)


@BY_NAME
def test_the_signature_is_scikit_learns(method):
    for name in ("kneighbors", "kneighbors_graph"):
        ours = inspect.signature(getattr(type(method), name)).parameters
        theirs = inspect.signature(getattr(NearestNeighbors, name)).parameters
        assert list(ours) == list(theirs)
        assert [p.default for p in ours.values()] == [p.default for p in theirs.values()]
        assert [p.kind for p in ours.values()] == [p.kind for p in theirs.values()]


@BY_NAME
@pytest.mark.parametrize("new", [None, NEW])
def test_nearest_points_are_scikit_learns(method, new):
    fitted = clone(method).fit(X)
    # paths in the graph and within a list of eight: the nearest five are those of the chord
    theirs = NearestNeighbors(n_neighbors=3).fit(X)
    distances, rows = fitted.kneighbors(new, 3)
    expected = theirs.kneighbors(new)
    assert np.array_equal(rows, expected[1])
    assert rows.dtype == np.int64
    np.testing.assert_allclose(distances, expected[0], rtol=1e-5)
    assert np.array_equal(fitted.kneighbors(new, 3, return_distance=False), rows)
    default = getattr(method, "n_neighbors", 5)
    assert fitted.kneighbors(new)[1].shape == (40 if new is None else 6, default)
    for mode in ("connectivity", "distance"):
        ours = fitted.kneighbors_graph(new, 3, mode)
        graph = theirs.kneighbors_graph(new, mode=mode)
        assert ours.shape == graph.shape
        np.testing.assert_allclose(ours.toarray(), graph.toarray(), rtol=1e-5)


@BY_NAME
def test_impossible_numbers_and_unfitted_methods_are_refused(method):
    with pytest.raises(NotFittedError):
        clone(method).kneighbors()
    fitted = clone(method).fit(X)
    most = 8 if type(method) is SphericalDistance else 39
    for k in (0, most + 1):
        with pytest.raises(DataError, match=f"1 to {most}"):
            fitted.kneighbors(n_neighbors=k)
    with pytest.raises(TypeError, match="enter integer value"):
        fitted.kneighbors(None, 2.0)
    with pytest.raises(DataError, match="mode"):
        fitted.kneighbors_graph(mode="nearest")
    with pytest.raises(ValueError, match="3 features"):
        fitted.kneighbors(NEW[:, :2])
    assert fitted.kneighbors(NEW[:1], 1)[1].shape == (1, 1)


def test_unreached_points_have_a_place_in_the_sparse_graph():
    line = np.array([[0.0, 0], [1, 0], [2, 0], [50, 0], [51, 0], [52, 0]])
    graph = GraphGeodesic(2, local="euclidean").fit(line).kneighbors_graph(None, 4, "distance")
    assert np.diff(graph.indptr).tolist() == [4] * 6
    assert np.isinf(graph.data).sum() == 12


def test_an_index_survives_a_pickle_and_misreads_training_only():
    fitted = Flann().fit(X)
    again = pickle.loads(pickle.dumps(fitted))
    assert np.array_equal(again.kneighbors(NEW)[1], fitted.kneighbors(NEW)[1])
    with pytest.raises(DataError, match="training points only"):
        Flann(reading="indices_as_distances").fit(X).kneighbors(NEW)


@pytest.mark.parametrize(("seed", "used"), [(None, 0), (2**31 + 5, 5)])
def test_the_library_works_on_one_thread_with_its_settings(monkeypatch, seed, used):
    asked = []

    class Index:
        def build_index(self, points, **settings):
            asked.append((points.dtype, settings))

        def nn_index(self, points, k, **settings):
            asked.append((k, settings))
            # an approximate search may miss the row itself
            indices = np.array([[0, 1, 2], [1, 0, 2], [0, 2, 1], [0, 1, 2]])
            squares = np.array([[0, 0, 4], [0, 1, 4], [0, 1, 4], [0, 1, 4]], np.float32)
            return indices[: len(points)].ravel(), squares[: len(points)].ravel()

    monkeypatch.setattr(flann, "_load", lambda: SimpleNamespace(FLANN=Index))
    fitted = Flann(algorithm="kdtree", checks=9, random_state=seed).fit(
        np.arange(8.0).reshape(4, 2)
    )
    distances, rows = fitted.kneighbors(n_neighbors=2)
    assert rows.tolist() == [[1, 2], [0, 2], [0, 1], [0, 1]]
    assert distances.tolist() == [[0, 2], [1, 2], [0, 2], [0, 1]]
    assert asked == [
        (np.float32, {"algorithm": "kdtree", "random_seed": used, "cores": 1}),
        (3, {"checks": 9, "cores": 1}),
    ]
    assert fitted.kneighbors(np.ones((1, 2)), 2)[1].tolist() == [[0, 1]]


@pytest.mark.parametrize(
    ("shape", "made"),
    [
        ("40 x 40", lambda: Euclidean().fit(X).distances),
        ("40 x 40", lambda: lambda: Isomap().fit(X)),
        ("40 x 40", lambda: lambda: ScikitIsomap(8).fit(X)),
        ("6 x 40", lambda: partial(Euclidean().fit(X).transform, NEW)),
        ("6 x 40", lambda: partial(SphericalDistance(8).fit(X).transform, NEW)),
        ("6 x 40", lambda: partial(GraphGeodesic(8).fit(X).transform, NEW)),
    ],
)
def test_distances_that_do_not_fit_are_one_sentence(monkeypatch, shape, made):
    rows, columns = map(int, shape.split(" x "))
    distances = made()

    class Memory:
        available = 8 * 2 * rows * columns

    monkeypatch.setattr(_validate.psutil, "virtual_memory", Memory)
    distances()
    Memory.available -= 1
    with pytest.raises(DataError, match=f"a dense {shape} matrix of distances needs .* GB"):
        distances()


def test_columns_of_distances_have_the_names_of_rows():
    for method in (Euclidean(), SphericalDistance(8), GraphGeodesic(8)):
        names = clone(method).fit(X).get_feature_names_out()
        assert names.tolist() == [f"{type(method).__name__.lower()}{i}" for i in range(40)]


@pytest.mark.parametrize("columns", [2, 20])
@pytest.mark.parametrize(
    "method",
    [
        Euclidean(),
        LeafMates(screen=None, rescale="none"),
        GraphGeodesic(9, local="euclidean"),
        SphericalDistance(29, local="euclidean"),
        AdaptiveNeighbors(screen=None, scale="raw", forest_share=0.0),
    ],
    ids=lambda method: type(method).__name__,
)
def test_where_a_table_lies_makes_no_difference(method, columns):
    """A column of seconds since 1970 has ten digits before those that differ."""
    points = np.round(1024 * np.random.default_rng(columns).normal(size=(60, columns))) / 1024
    table, new = points[:50], points[50:]
    offset = np.r_[2.0**31, np.zeros(columns - 1)]
    for k in (3, 29):
        for asked in (None, new):
            here = clone(method).fit(table).kneighbors(asked, k)
            there = clone(method).fit(table + offset)
            lists = there.kneighbors(None if asked is None else asked + offset, k)
            np.testing.assert_array_equal(lists[1], here[1])
            np.testing.assert_allclose(lists[0], here[0], rtol=1e-9)


@pytest.mark.parametrize("k", [4, 30])
def test_isomap_does_not_depend_on_where_a_table_lies(k):
    points = np.round(1024 * np.random.default_rng(k).normal(size=(50, 20))) / 1024
    here, there = (Isomap(k).fit(points + offset).distances() for offset in (0, 2.0**31))
    np.testing.assert_allclose(there, here, rtol=1e-9)


def far_from_zero(kind, seed):
    """Seconds since 1970 beside 19 other columns."""
    rng = np.random.default_rng(seed)
    table = rng.normal(size=(60, 20))
    table[:, 0] += 1.7e9
    if kind == "with a zero":
        table[7, 0] = 0.0
    elif kind == "of two times":
        table[:30, 0] -= 8e8
    elif kind == "with copies":
        table[:12] = table[20]
    elif kind == "near copies":
        table[:, 0] -= 1.7e9 - 1e5
        table[:30] = table[30:] + 1e-3 * rng.normal(size=(30, 20))
    return table


@pytest.mark.parametrize("k", [1, 10, 40])
@pytest.mark.parametrize(
    "kind", ["time", "with a zero", "of two times", "with copies", "near copies"]
)
@pytest.mark.parametrize("seed", range(2))
def test_nearest_rows_are_those_of_differences(kind, k, seed):
    table = far_from_zero(kind, seed)
    squares = ((table[:, None] - table) ** 2).sum(axis=2)
    new = table[:5] + 0.25
    search = NearestRows(n_neighbors=k).fit(table)
    for asked, gaps in ((None, squares), (new, ((new[:, None] - table) ** 2).sum(axis=2))):
        distances, rows = search.kneighbors(asked)
        assert np.array_equal(search.kneighbors(asked, return_distance=False), rows)
        if asked is None:
            np.fill_diagonal(gaps, np.inf)
            assert not (rows == np.arange(60)[:, None]).any()
        assert all(len(set(row)) == k for row in rows.tolist())
        wanted = np.sqrt(np.sort(gaps, axis=1)[:, :k])
        np.testing.assert_allclose(distances, wanted, rtol=1e-6, atol=1e-6)
        np.testing.assert_allclose(np.sqrt(np.take_along_axis(gaps, rows, 1)), wanted, rtol=1e-6)


def test_what_lies_near_zero_is_searched_as_by_scikit_learn():
    for table in (X, X + 900 * np.ptp(X, axis=0), X.astype(np.float32)):
        ours, theirs = (cls(n_neighbors=25).fit(table) for cls in (NearestRows, NearestNeighbors))
        (distances, rows), (their_distances, their_rows) = ours.kneighbors(), theirs.kneighbors()
        np.testing.assert_array_equal(rows, their_rows)
        np.testing.assert_allclose(distances, their_distances, rtol=1e-5)
        new = table[:3] + table.dtype.type(0.5)
        assert np.array_equal(
            ours.kneighbors(new, 4, return_distance=False), theirs.kneighbors(new, 4)[1]
        )
