"""Settings of the baselines, and naive versions of what they hand on."""

import sys
from types import SimpleNamespace

import numpy as np
import pytest
from sklearn.cluster import KMeans as ScikitKMeans
from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor
from sklearn.manifold import Isomap as ScikitsIsomap
from sklearn.neighbors import KNeighborsRegressor, NeighborhoodComponentsAnalysis
from sklearn.preprocessing import StandardScaler

from geoforest_cli.core.errors import DataError, Unavailable
from geoforest_cli.estimators.base.copies import distinct_points
from geoforest_cli.estimators.base.parameters import root_seed
from geoforest_cli.estimators.base.validation import LARGEST_VALUE, check_points
from geoforest_cli.estimators.baselines import random_forest, umap
from geoforest_cli.estimators.baselines.cnn import Cnn
from geoforest_cli.estimators.baselines.forests import ScikitForest, ScikitIsomap
from geoforest_cli.estimators.baselines.k_means import KMeans
from geoforest_cli.estimators.baselines.nearest import (
    ComponentsNeighbors,
    ForestOfResponse,
    PlainNeighbors,
)
from geoforest_cli.estimators.baselines.random_forest import SyntheticForest
from geoforest_cli.estimators.baselines.regression_forest import RegressionForest
from geoforest_cli.estimators.baselines.umap import Umap
from geoforest_cli.estimators.forests.sizes import smallest_parent

X = np.random.default_rng(6).normal(size=(60, 4))
Y = (X[:, 0] + 0.5 * np.random.default_rng(7).normal(size=60) > 0).astype(int)


def test_predictors_of_numbers_are_scikit_learns():
    response = X[:, 0] + X[:, 1] ** 2
    Z = StandardScaler().fit_transform(X)
    expected = KNeighborsRegressor(5).fit(Z, response).predict(Z)
    np.testing.assert_allclose(PlainNeighbors().fit(X, response).predict(X), expected)
    forest = RandomForestRegressor(20, max_features=1 / 3, random_state=1).fit(X, response)
    predictions = ForestOfResponse(20, random_state=1).fit(X, response).predict(X)
    np.testing.assert_allclose(predictions, forest.predict(X))
    classes = RandomForestClassifier(20, random_state=1).fit(X, Y).predict(X)
    assert np.array_equal(ForestOfResponse(20, random_state=1).fit(X, Y).predict(X), classes)
    with pytest.raises(DataError, match="needs classes"):
        ComponentsNeighbors().fit(X, response)
    assert PlainNeighbors(99).fit(X[:4], Y[:4]).model_.n_neighbors == 4
    turned = ComponentsNeighbors(3, random_state=2).fit(X, Y).model_[0]
    theirs = NeighborhoodComponentsAnalysis(random_state=2).fit(Z, Y)
    np.testing.assert_allclose(turned.components_, theirs.components_)


@pytest.mark.parametrize(("leaf", "rows"), [("full", 1), ("five", 5)])
@pytest.mark.parametrize(("exponent", "n", "bag"), [(1.0, 60, None), (0.5, 60, 7), (0.5, 3, 2)])
def test_regression_trees_are_scikit_learns(leaf, rows, exponent, n, bag):
    response = X[:, 0] + X[:, 1] ** 2
    settings = {"max_features": 9, "leaf": leaf, "bag_exponent": exponent}
    ours = RegressionForest(12, **settings).fit(X[:n], response[:n])
    theirs = RandomForestRegressor(
        12, max_features=4, min_samples_leaf=rows, max_samples=bag, random_state=0
    ).fit(X[:n], response[:n])
    assert ours.tree_values(X).shape == (12, 60)
    np.testing.assert_allclose(ours.predict(X), theirs.predict(X))


def test_means_graphs_and_forests_are_scikit_learns():
    points = np.random.default_rng(1).uniform(size=(80, 2))
    labels = KMeans(starts=3, random_state=5).fit(points).clusters(9)
    assert np.array_equal(labels, ScikitKMeans(9, n_init=3, random_state=5).fit(points).labels_)
    single = ScikitKMeans(9, n_init=1, random_state=5).fit(points).labels_
    assert not np.array_equal(labels, single)
    theirs = ScikitsIsomap(n_neighbors=7).fit(X).dist_matrix_
    np.testing.assert_allclose(ScikitIsomap(7).fit(X).distances(), theirs)
    for rows, k, used in ((10, 9, 9), (10, 15, 9), (2, 15, 1)):
        model = ScikitIsomap(k).fit(X[:rows]).model_
        assert (model.n_neighbors, model.n_components) == (used, 2)
    ours = ScikitForest(7, max_features=9, random_state=4).fit(X, Y).model_["model"]
    assert (ours.n_estimators, ours.max_features, ours.random_state) == (7, 4, 4)
    # a forest has a seed without one
    plain = ScikitForest(7).fit(X, Y).model_["model"]
    assert (plain.max_features, plain.random_state, plain.n_jobs) == ("sqrt", 0, 1)


@pytest.fixture
def layout(monkeypatch):
    """Put a recorder in the place of umap-learn."""
    given = {}

    class Recorder:
        def __init__(self, **settings):
            given.update(settings)

        def fit_transform(self, points):
            return points[:, :1] * 2

    monkeypatch.setitem(sys.modules, "umap", SimpleNamespace(UMAP=Recorder))
    return given


def test_umap_is_told_its_settings_and_its_layout_is_measured(layout, monkeypatch):
    points = np.array([[0.0], [1.0], [5.0], [6.0]])
    D = Umap(2, n_components=1, random_state=2**32 + 8).fit(points).distances()
    assert D[0].tolist() == [0, 2, 10, 12]
    nearest, distances = layout.pop("precomputed_knn")
    assert nearest.tolist() == [[0, 1], [1, 0], [2, 3], [3, 2]]
    assert distances.tolist() == [[0, 1]] * 4
    assert (nearest.dtype, distances.dtype) == (np.int32, np.float32)
    assert layout == {
        "n_neighbors": 2, "n_components": 1, "init": "spectral", "random_state": 8, "n_jobs": 1,
    }  # fmt: skip
    Umap().fit(points)
    assert (layout["n_neighbors"], layout["init"]) == (3, "random")
    assert layout["precomputed_knn"][0][0].tolist() == [0, 1, 2]
    monkeypatch.setattr(umap, "_MANY_POINTS", 4)
    Umap().fit(points)
    assert layout["precomputed_knn"] == (None, None, None)


def test_a_synthetic_forest_sees_what_shuffling_destroys():
    x = np.linspace(0, 1, 50)
    D = SyntheticForest(30, random_state=0).fit(np.c_[x, x]).distances()
    assert np.nanmean(D[:10, -10:]) > 0.95
    assert np.nanmean(D[:10, :10]) < 0.85
    forest = SyntheticForest(40, n_projections=2, random_state=0).fit(X)
    S, D = forest.proximity(), forest.distances()
    assert np.array_equal(D, 1 - S, equal_nan=True)
    # a pair is counted in trees that have both out of the bag; so is a point with itself
    leaf_of, out = forest._leaf_of, ~forest._in_bag
    for i, j in [(0, 1), (4, 40), (7, 7)]:
        both = out[:, i] & out[:, j]
        assert S[i, j] == pytest.approx((leaf_of[both, i] == leaf_of[both, j]).mean())
    assert leaf_of.shape == (40, 60)


@pytest.mark.parametrize(("p", "columns"), [(1, 1), (8, 2), (9, 3)])
def test_a_synthetic_forest_rounds_the_root_down(monkeypatch, p, columns):
    seen = []

    class Stop(Exception):
        """Nothing is grown."""

    def grow(points, growth, *_, target, **__):
        seen.append((growth, points, target))
        raise Stop

    monkeypatch.setattr(random_forest, "grow_forest", grow)
    table = np.random.default_rng(p).normal(size=(20, p))
    with pytest.raises(Stop):
        SyntheticForest(random_state=0).fit(table)
    ((growth, points, labels),) = seen
    assert growth.n_projections == columns
    assert labels.tolist() == [0] * 20 + [1] * 20
    assert np.array_equal(points[:20], table)
    assert np.array_equal(np.sort(points[20:], axis=0), np.sort(table, axis=0))
    if p > 1:
        rows = {tuple(row) for row in points[20:]} & {tuple(row) for row in table}
        assert len(rows) < 5


def test_distances_between_distinct_points_spread_to_copies():
    points = np.array([[3.0], [1.0], [3.0], [2.0], [1.0]])
    copies = distinct_points(points, 0)
    assert points[copies.row][copies.node].tolist() == points.tolist()
    between = np.abs(points[copies.row] - points[copies.row].T)
    assert copies.spread(between)[copies.node].tolist() == np.abs(points - points.T).tolist()
    assert copies.spread_both(between).tolist() == np.abs(points - points.T).tolist()


def test_limits_of_values():
    assert LARGEST_VALUE == 1e150
    assert check_points([[1e150], [0.0]]).max() == 1e150
    with pytest.raises(DataError, match="values up to"):
        check_points([[1.01e150], [0.0]])


class Layers:
    """Stands in for torch.nn: every layer is its name and what it was given."""

    def __getattr__(self, name):
        if name == "Sequential":
            return lambda *layers: list(layers)
        return lambda *given: (name, *given)


@pytest.mark.parametrize(
    ("shape", "sides", "dims"),
    [((28, 28), 4 * 4, "2d"), ((1, 100), 22, "1d"), ((20, 28), 2 * 4, "2d")],
)
def test_the_network_is_that_of_the_program(shape, sides, dims):
    layers = Cnn(image_shape=shape)._network(SimpleNamespace(nn=Layers()), 10)
    assert layers == [
        (f"Conv{dims}", 1, 32, 5), ("ReLU",), (f"MaxPool{dims}", 2),
        (f"Conv{dims}", 32, 64, 5), ("ReLU",), (f"MaxPool{dims}", 2),
        ("Flatten",), ("Dropout", 0.5), ("Linear", 64 * sides, 200), ("Linear", 200, 10),
    ]  # fmt: skip


def test_an_image_must_hold_both_kernels():
    torch = SimpleNamespace(nn=Layers())
    assert Cnn(image_shape=(1, 16))._network(torch, 2)[-2] == ("Linear", 64, 200)
    with pytest.raises(DataError, match=r"a kernel of 5 is too large for \(1, 15\)"):
        Cnn(image_shape=(1, 15))._network(torch, 2)


def test_a_network_without_its_package_is_one_sentence(monkeypatch):
    monkeypatch.setitem(sys.modules, "torch", None)
    with pytest.raises(Unavailable, match="pip install 'geoforest\\[cnn\\]'"):
        Cnn(image_shape=(1, 4)).fit(X, Y)


@pytest.mark.parametrize(("projections", "columns"), [("sqrt", 2), (3, 3)])
@pytest.mark.parametrize("min_parent", [2, "sqrt"])
def test_the_forest_of_scikit_learn_tells_rows_from_shuffled(projections, columns, min_parent):
    settings = {"n_projections": projections, "min_parent": min_parent, "min_leaf": 3}
    ours = SyntheticForest(6, **settings, engine="scikit-learn", random_state=9).fit(X)
    seed = root_seed(9)
    both = np.r_[X, np.random.default_rng(seed).permuted(X, axis=0)]
    theirs = RandomForestClassifier(
        6, max_features=columns, random_state=seed % 2**32, min_samples_leaf=3,
        min_samples_split=smallest_parent(min_parent, 60),
    ).fit(both, np.repeat([0, 1], 60))  # fmt: skip
    np.testing.assert_array_equal(ours._leaf_of, theirs.apply(X).T)
    drawn = [[i in set(rows) for i in range(60)] for rows in theirs.estimators_samples_]
    np.testing.assert_array_equal(ours._in_bag, drawn)
    assert (ours._leaf_of.dtype, ours._in_bag.dtype) == (np.int32, np.bool_)
