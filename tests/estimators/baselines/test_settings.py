"""What the baselines are set to, how they are tuned, and twins of what they hand on."""

import sys
from types import SimpleNamespace

import numpy as np
import pytest
from pydantic import ValidationError
from sklearn.cluster import KMeans as ScikitKMeans
from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor
from sklearn.manifold import Isomap as ScikitsIsomap
from sklearn.model_selection import GridSearchCV
from sklearn.neighbors import KNeighborsRegressor, NeighborhoodComponentsAnalysis
from sklearn.preprocessing import StandardScaler

from geoforest_cli.core.errors import DataError, Unavailable
from geoforest_cli.core.registry import parameter_model
from geoforest_cli.estimators.base import classifier as _classifier
from geoforest_cli.estimators.base import validation as _validate
from geoforest_cli.estimators.base.neighbors import distinct_points
from geoforest_cli.estimators.base.validation import LARGEST, check_points, require_all_pairs
from geoforest_cli.estimators.baselines import classifiers, umap
from geoforest_cli.estimators.baselines.cnn import Cnn
from geoforest_cli.estimators.baselines.k_means import KMeans
from geoforest_cli.estimators.baselines.metric_learning import Bilinear, Mahalanobis, nearest_psd
from geoforest_cli.estimators.baselines.nearest import (
    ComponentsNeighbors,
    ForestOfResponse,
    PlainNeighbors,
)
from geoforest_cli.estimators.baselines.peers import (
    ScikitForest,
    ScikitIsomap,
)
from geoforest_cli.estimators.baselines.random_forest import SyntheticForest
from geoforest_cli.estimators.baselines.regression_forest import RegressionForest
from geoforest_cli.estimators.baselines.umap import Umap

RNG = np.random.default_rng(6)
X = RNG.normal(size=(60, 4))
Y = (X[:, 0] + 0.5 * RNG.normal(size=60) > 0).astype(int)


@pytest.fixture
def tried(monkeypatch):
    """Record the settings and the folds of every search."""
    searches = []

    class Recording(GridSearchCV):
        def fit(self, X, y):
            searches.append((self.param_grid, self.cv.n_repeats, self.cv.get_n_splits(X, y)))
            self.cv_results_ = {"rank_test_score": np.ones(len(self.param_grid), int)}
            return self

    monkeypatch.setattr(_classifier, "GridSearchCV", Recording)
    return searches


@pytest.mark.parametrize(
    ("n", "smallest", "repeats", "folds"),
    [(250, 100, 1, 5), (199, 90, 2, 5), (80, 40, 3, 5), (40, 20, 5, 5), (12, 3, 5, 3)],
)
def test_small_tables_are_folded_again(tried, n, smallest, repeats, folds):
    y = np.repeat([0, 1], [n - smallest, smallest])
    points = np.random.default_rng(0).normal(size=(n, 2))
    for method, most in ((classifiers.KNeighbors(1), 5), (ScikitForest(2), 2)):
        tried.clear()
        method.set_params(tune=True, budget=2, random_state=0).fit(points, y)
        ((_, found, splits),) = tried
        assert found == min(repeats, most)
        assert splits == folds * found


def test_a_fold_must_leave_enough_rows_for_the_own_setting(tried):
    # of 20 and 40 rows a fifth is held out: 48 are left
    y = np.repeat([0, 1], [20, 40])
    classifiers.KNeighbors(48, tune=True, budget=1, random_state=0).fit(X, y)
    assert len(tried) == 1
    classifiers.KNeighbors(49, tune=True, budget=1, random_state=0).fit(X, y)
    assert len(tried) == 1


def test_other_settings_are_drawn_at_random_from_the_whole_grid(tried):
    for seed in range(3):
        classifiers.LogisticRegression(tune=True, budget=5, random_state=seed).fit(X, Y)
    names = [[str(setting) for setting in settings[1:]] for settings, _, _ in tried]
    assert len({tuple(each) for each in names}) == 3
    classifiers.LogisticRegression(tune=True, random_state=0).fit(X, Y)
    settings = tried[-1][0][1:]
    # eight values of C, each with the columns as they are and standardised
    found = sorted((s["model__C"][0], type(s["scale"][0]) is StandardScaler) for s in settings)
    assert found == [(10.0**e, scaled) for e in range(-4, 4) for scaled in (False, True)]


def test_the_best_setting_of_the_search_is_kept(monkeypatch):
    class Told(GridSearchCV):
        def fit(self, X, y):
            super().fit(X, y)
            self.cv_results_["rank_test_score"] = np.array([3, 2, 1, 4, 1])
            return self

    monkeypatch.setattr(_classifier, "GridSearchCV", Told)
    model = classifiers.LogisticRegression(tune=True, budget=5, random_state=0).fit(X, Y)
    settings = model._settings(X, 48, 0)
    assert repr(model.chosen_) == repr(settings[2]) != repr(settings[3])


GRIDS = {
    classifiers.LinearSvm(): {"C": [10.0**e for e in range(-5, 2)]},
    classifiers.RbfSvm(): {"C": [0.1, 1, 10, 100], "gamma": [1 / 16, 1 / 4, 1, 4]},
    classifiers.KNeighbors(): {
        "n_neighbors": [1, 3, 5, 7, 11, 15, 21, 31], "weights": ["uniform", "distance"],
    },
    classifiers.Mlp(): {
        "alpha": [1e-4, 1e-2, 1, 10], "hidden_layer_sizes": [(25,), (100,), (400,)],
    },
    classifiers.GradientBoosting(): {
        "learning_rate": [0.03, 0.1, 0.3], "max_leaf_nodes": [3, 8, 31],
        "min_samples_leaf": [2, 20],
    },
}  # fmt: skip


@pytest.mark.parametrize("method", GRIDS, ids=lambda method: type(method).__name__)
def test_grids_are_those_that_are_documented(method):
    # the variance of all entries is 1 / 9 here: "scale" is 9 / 4 with four columns
    points = np.tile([[-1 / 3], [1 / 3]], (30, 4))
    grid = method._grid(points, 50)
    expected = dict(GRIDS[method])
    if "gamma" in expected:
        expected["gamma"] = [9 / 4 * times for times in expected["gamma"]]
    for name, values in expected.items():
        found = list(dict.fromkeys(setting[name] for setting in grid))
        assert found == (values if isinstance(values[0], str | tuple) else pytest.approx(values))
    assert len(grid) == np.prod([len(values) for values in expected.values()])


@pytest.mark.parametrize(
    ("p", "tried"),
    [
        (400, [5, 10, 20, 40, 80, 160, 320, 400]),
        (100, [2, 5, 10, 20, 40, 80, 100]),
        (4, [1, 2, 4]),
        (1, [1]),
    ],
)
def test_a_forest_tries_doublings_of_the_root(p, tried):
    grid = ScikitForest()._grid(np.zeros((3, p)), 2)
    # a root of 10: 2.5 and 5 below it, 2.5 rounds to the even number
    assert [setting["max_features"] for setting in grid] == tried


def test_predictors_of_numbers_are_scikit_learns():
    response = X[:, 0] + X[:, 1] ** 2
    Z = StandardScaler().fit_transform(X)
    expected = KNeighborsRegressor(5).fit(Z, response).predict(Z)
    np.testing.assert_allclose(PlainNeighbors().fit(X, response).predict(X), expected)
    forest = RandomForestRegressor(20, max_features=1 / 3, random_state=1).fit(X, response)
    found = ForestOfResponse(20, random_state=1).fit(X, response).predict(X)
    np.testing.assert_allclose(found, forest.predict(X))
    classes = RandomForestClassifier(20, random_state=1).fit(X, Y).predict(X)
    assert np.array_equal(ForestOfResponse(20, random_state=1).fit(X, Y).predict(X), classes)
    with pytest.raises(DataError, match="needs classes"):
        ComponentsNeighbors().fit(X, response)
    assert PlainNeighbors(99).fit(X[:4], Y[:4]).model_.n_neighbors == 4
    turned = ComponentsNeighbors(3, random_state=2).fit(X, Y).model_[0]
    theirs = NeighborhoodComponentsAnalysis(random_state=2).fit(Z, Y)
    np.testing.assert_allclose(turned.components_, theirs.components_)


@pytest.mark.parametrize(("leaf", "rows"), [("full", 1), ("five", 5)])
@pytest.mark.parametrize(("exponent", "bag"), [(1.0, None), (0.5, 7)])
def test_regression_trees_are_scikit_learns(leaf, rows, exponent, bag):
    response = X[:, 0] + X[:, 1] ** 2
    ours = RegressionForest(
        12, max_features=9, leaf=leaf, bag_exponent=exponent, random_state=3
    ).fit(X, response)
    theirs = RandomForestRegressor(
        12, max_features=4, min_samples_leaf=rows, max_samples=bag, random_state=3
    ).fit(X, response)
    assert ours.tree_values(X).shape == (12, 60)
    np.testing.assert_allclose(ours.predict(X), theirs.predict(X))


def test_means_and_graphs_are_scikit_learns():
    points = RNG.uniform(size=(80, 2))
    found = KMeans(starts=3, random_state=5).fit(points).clusters(9)
    assert np.array_equal(found, ScikitKMeans(9, n_init=3, random_state=5).fit(points).labels_)
    single = ScikitKMeans(9, n_init=1, random_state=5).fit(points).labels_
    assert not np.array_equal(found, single)
    theirs = ScikitsIsomap(n_neighbors=7).fit(X).dist_matrix_
    np.testing.assert_allclose(ScikitIsomap(7).fit(X).distances(), theirs)


def test_forests_of_scikit_learn_take_their_settings():
    ours = ScikitForest(7, max_features=9, random_state=4).fit(X, Y).model_["model"]
    assert (ours.n_estimators, ours.max_features, ours.random_state) == (7, 4, 4)
    assert ScikitForest(7).fit(X, Y).model_["model"].max_features == "sqrt"


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
    assert umap.Umap is Umap
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
    monkeypatch.setattr(umap, "_FEW", 4)
    Umap().fit(points)
    assert layout["precomputed_knn"] == (None, None, None)


def column_pairs(forest, rows=50):
    """Mean distance of two groups at the ends of two equal columns, and within them."""
    x = np.linspace(0, 1, rows)
    D = forest.fit(np.c_[x, x]).distances()
    return np.nanmean(D[:10, -10:]), np.nanmean(D[:10, :10])


def test_a_synthetic_forest_sees_what_shuffling_destroys():
    across, within = column_pairs(SyntheticForest(30, random_state=0))
    assert across > 0.95
    assert within < 0.85
    forest = SyntheticForest(40, n_projections=2, random_state=0).fit(X)
    S, D = forest.proximity(), forest.distances()
    assert np.array_equal(D, 1 - S, equal_nan=True)
    # a pair is counted in trees that have both out of the bag; so is a point with itself
    leaf_of, out = forest._leaf_of, ~forest._in_bag
    for i, j in [(0, 1), (4, 40), (7, 7)]:
        both = out[:, i] & out[:, j]
        assert S[i, j] == pytest.approx((leaf_of[both, i] == leaf_of[both, j]).mean())
    assert leaf_of.shape == (40, 60)


@pytest.mark.parametrize(("p", "columns"), [(1, 1), (3, 1), (4, 2), (8, 2), (9, 3)])
def test_a_synthetic_forest_rounds_the_root_down(monkeypatch, p, columns):
    from geoforest_cli.estimators.baselines import random_forest

    seen = []

    class Stop(Exception):
        """Nothing is grown."""

    def grow(points, growth, *_, target, **__):
        seen.append((growth, points, target))
        raise Stop

    monkeypatch.setattr(random_forest, "grow_forest", grow)
    table = RNG.normal(size=(20, p))
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


def test_semidefinite_parts_and_errors_by_hand():
    assert np.allclose(nearest_psd(np.array([[0.0, 2], [2, 0]])), [[1, 1], [1, 1]])
    # three points on a line at 0, 1 and 3; the distances 2, 9 and 4 ask for weights of 2, 1 and 1
    points = np.array([[0.0], [1.0], [3.0]])
    Z = np.array([[0, 2, 9], [2, 0, 4], [9, 4, 0.0]])
    fitted = Mahalanobis().fit(points, Z)
    squares = np.array([1.0, 9.0, 4.0])
    weight = (squares @ [2, 9, 4]) / (squares @ squares)
    assert fitted.W_[0, 0] == pytest.approx(weight, rel=1e-7)
    error = ((weight * squares - [2, 9, 4]) ** 2).sum()
    assert fitted.objective_ == pytest.approx(error, rel=1e-6)
    assert fitted.pairwise_distances(points)[1, 2] == pytest.approx(4 * weight)
    # products: w (0, 1, 3)'(0, 1, 3) against 1 - Z, the diagonal included
    outer = np.outer([0, 1, 3], [0, 1, 3])
    Z = 1 - np.array([[5.0, 1, 1], [1, 2, 6], [1, 6, 20]])
    told = Bilinear().fit(points, Z)
    assert told.W_[0, 0] == pytest.approx((outer * (1 - Z)).sum() / (outer**2).sum())
    assert told.pairwise_distances(points)[1, 2] == pytest.approx(1 - 3 * told.W_[0, 0])


def test_distinct_points_keep_the_order_of_their_first_rows():
    copies = distinct_points(np.array([[3.0], [1.0], [3.0], [2.0], [1.0]]))
    assert copies.row.tolist() == [0, 1, 3]
    assert copies.place.tolist() == [0, 1, 0, 2, 1]
    between = np.array([[0.0, 2, 1], [2, 0, 1], [1, 1, 0]])
    assert copies.spread(between)[2].tolist() == [1, 1, 1, 0, 1]
    assert copies.spread_both(between)[:, 1].tolist() == [2, 0, 2, 1, 0]


def test_limits_of_values_and_memory(monkeypatch):
    assert LARGEST == 1e150
    assert check_points([[1e150], [0.0]]).max() == 1e150
    with pytest.raises(DataError, match="values up to"):
        check_points([[1.01e150], [0.0]])

    class Free:
        available = 8 * 2 * 30 * 50

    monkeypatch.setattr(_validate.psutil, "virtual_memory", Free)
    require_all_pairs(30, 50)
    with pytest.raises(DataError, match="a dense 30 x 51 matrix"):
        require_all_pairs(30, 51)
    with pytest.raises(DataError, match="a dense 30 x 50 matrix"):
        require_all_pairs(30, 50, copies=3)


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


@pytest.mark.parametrize(
    ("package", "method", "words"),
    [
        ("torch", Cnn(image_shape=(1, 4)), "pip install 'geoforest\\[cnn\\]'"),
    ],
)
def test_what_is_not_installed_is_one_sentence(monkeypatch, package, method, words):
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(Unavailable, match=words):
        method.fit(X, Y)


@pytest.mark.parametrize(("hidden", "sizes"), [(100, [25, 100, 400]), (2, [1, 2, 8])])
def test_hidden_layers_are_tried_at_a_quarter_and_at_four_times(hidden, sizes):
    grid = classifiers.Mlp(hidden=hidden)._grid(np.zeros((9, 2)), 6)
    assert sorted({one["hidden_layer_sizes"] for one in grid}) == [(size,) for size in sizes]


@pytest.mark.parametrize(("budget", "fine"), [(1, True), (0, False), (-1, False)])
def test_a_search_has_a_budget_of_one_at_least(budget, fine):
    model = parameter_model(classifiers.Mlp)
    if fine:
        assert model.model_validate({"budget": budget}).budget == budget
    else:
        with pytest.raises(ValidationError, match="greater than or equal to 1"):
            model.model_validate({"budget": budget})
