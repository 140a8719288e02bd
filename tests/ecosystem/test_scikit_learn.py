"""Tests that scikit-learn has of its neighbours' transformer and of its forests, on ours."""

import numpy as np
import pytest
from scipy.sparse import csr_matrix
from sklearn import datasets
from sklearn.base import clone
from sklearn.cluster import DBSCAN, SpectralClustering
from sklearn.exceptions import NotFittedError
from sklearn.manifold import TSNE, Isomap, SpectralEmbedding
from sklearn.model_selection import GridSearchCV, cross_val_score, train_test_split
from sklearn.neighbors import (
    KNeighborsClassifier,
    KNeighborsRegressor,
    RadiusNeighborsRegressor,
)
from sklearn.pipeline import make_pipeline

from geoforest_cli.estimators.forests.classifiers import (
    MorfClassifier,
    RandomForestClassifier,
    SporfClassifier,
)
from geoforest_cli.estimators.forests.geodesic_forest import GeodesicForest
from geoforest_cli.estimators.forests.geodesic_neighbors import GeodesicNeighbors
from geoforest_cli.estimators.forests.regressor import RandomForestRegressor

T = np.sort(np.random.default_rng(0).uniform(size=80))
CURVE = np.c_[4 * T, 6 * T**2, 9 * np.sqrt(T)]
NEW = np.c_[4 * T, 6 * T**2, 9 * np.sqrt(T)][::4] + 1e-3
LABELS = (T > 0.5).astype(int)
IRIS = datasets.load_iris()

CLASSIFIERS = [RandomForestClassifier, SporfClassifier, MorfClassifier]
pytestmark = pytest.mark.nightly
FORESTS = [*CLASSIFIERS, RandomForestRegressor]
each_classifier = pytest.mark.parametrize("forest", CLASSIFIERS)
each_forest = pytest.mark.parametrize("forest", FORESTS)


def neighbors(k=8, **changes):
    return GeodesicNeighbors(k, **({"n_estimators": 30, "random_state": 0} | changes))


# GeodesicNeighbors beside KNeighborsTransformer


def test_new_points_have_sorted_rows_and_no_diagonal():
    fitted = neighbors(5).fit(CURVE)
    for mode, entries in (("distance", 6), ("connectivity", 5)):
        graph = fitted.set_params(mode=mode).transform(NEW)
        assert graph.shape == (20, 80)
        assert graph.format == "csr"
        assert graph.data.shape == (20 * entries,)
        assert np.all(np.diff(graph.data.reshape(20, entries), axis=1) >= 0)
    matrix = fitted.set_params(mode="distance").transform(NEW).tocoo()
    assert (matrix.row == matrix.col).sum() < 20


def test_a_pipeline_is_its_two_steps():
    graph = neighbors(20).fit_transform(CURVE)
    for reader in (
        Isomap(n_neighbors=20, n_components=1, metric="precomputed"),
        TSNE(metric="precomputed", init="random", perplexity=3, max_iter=250, random_state=0),
    ):
        chained = make_pipeline(neighbors(20), clone(reader)).fit_transform(CURVE)
        np.testing.assert_allclose(chained, clone(reader).fit_transform(graph))


@pytest.mark.filterwarnings("ignore:Array is not symmetric")
def test_spectral_methods_take_ones_and_distances():
    ones, lengths = neighbors(21, mode="connectivity"), neighbors(20)
    rules = {"n_neighbors": 21, "random_state": 0}
    layout = [
        make_pipeline(
            graph, SpectralEmbedding(n_components=1, affinity=affinity, **rules)
        ).fit_transform(CURVE)
        for graph, affinity in ((ones, "precomputed"), (lengths, "precomputed_nearest_neighbors"))
    ]
    for result in layout:
        assert abs(np.corrcoef(result[:, 0], T)[0, 1]) > 0.9
    clusters = [
        make_pipeline(graph, SpectralClustering(2, affinity=affinity, **rules)).fit_predict(CURVE)
        for graph, affinity in ((ones, "precomputed"), (lengths, "precomputed_nearest_neighbors"))
    ]
    for result in clusters:
        # two pieces of the curve, whichever is the first
        assert (np.diff(result[np.argsort(T)]) != 0).sum() <= 3


def test_dbscan_on_a_whole_graph_is_dbscan_on_the_matrix():
    forest = GeodesicForest(30, n_neighbors=79, random_state=0).fit(CURVE)
    rules = {"eps": 0.3, "min_samples": 4, "metric": "precomputed"}
    chained = make_pipeline(neighbors(79), DBSCAN(**rules)).fit_predict(CURVE)
    assert np.array_equal(chained, DBSCAN(**rules).fit_predict(forest.distances()))
    assert len(set(chained)) > 1


def test_neighbours_vote_as_the_graph_says():
    distances, indices = neighbors(9).fit(CURVE).kneighbors(NEW, 9)
    mean = T[indices].mean(axis=1)
    chain = make_pipeline(neighbors(9), KNeighborsRegressor(9, metric="precomputed"))
    np.testing.assert_allclose(chain.fit(CURVE, T).predict(NEW), mean)
    radius = float(distances.max()) + 1e-9
    model = make_pipeline(neighbors(79), RadiusNeighborsRegressor(radius, metric="precomputed"))
    whole, order = neighbors(79).fit(CURVE).kneighbors(NEW, 80)
    within = [T[row[gap <= radius]].mean() for row, gap in zip(order, whole, strict=True)]
    np.testing.assert_allclose(model.fit(CURVE, T).predict(NEW), within)


def test_a_pipeline_can_be_validated_searched_and_kept(tmp_path):
    chain = make_pipeline(
        neighbors(9), KNeighborsClassifier(5, metric="precomputed"), memory=str(tmp_path)
    )
    assert cross_val_score(chain, CURVE, LABELS, cv=4).mean() > 0.9
    search = GridSearchCV(chain, {"geodesicneighbors__n_neighbors": [5, 9]}, cv=3)
    assert search.fit(CURVE, LABELS).best_score_ > 0.8
    kept = chain.fit(CURVE, LABELS).predict(NEW)
    assert np.array_equal(chain.fit(CURVE, LABELS).predict(NEW), kept)


def test_duplicates_keep_their_entries():
    twice = np.repeat(CURVE[::2], 2, axis=0)
    graph = neighbors(3).fit_transform(twice)
    assert np.all(np.diff(graph.indptr) == 4)
    assert np.array_equal(graph.indices[::4], np.arange(80))
    # the other copy is at distance 0, and its zero is stored
    assert np.all(graph.data.reshape(80, 4)[:, 1] == 0)


def test_what_a_transformer_refuses():
    with pytest.raises(NotFittedError):
        neighbors().transform(CURVE)
    with pytest.raises(NotFittedError):
        neighbors().kneighbors_graph(CURVE)
    with pytest.raises(ValueError, match="1 to 79"):
        neighbors(80).fit(CURVE)
    with pytest.raises(ValueError, match="features"):
        neighbors().fit(CURVE).transform(CURVE[:, :2])
    with pytest.raises(TypeError, match="Sparse data"):
        neighbors().fit(csr_matrix(CURVE))


# the forests beside scikit-learn's


@each_classifier
def test_the_toy_example(forest):
    X, y = [[-2, -1], [-1, -1], [-1, -2], [1, 1], [1, 2], [2, 1]], [-1, -1, -1, 1, 1, 1]
    for rules in ({}, {"max_features": 1}):
        fitted = forest(10, random_state=1, **rules).fit(X, y)
        assert fitted.predict([[-1, -1], [2, 2], [3, 2]]).tolist() == [-1, 1, 1]
        assert fitted.apply(X).shape == (6, 10)
        assert fitted.classes_.tolist() == [-1, 1]
        assert fitted.forest_.n_trees == 10


@each_classifier
def test_iris(forest):
    for rules in ({}, {"max_features": 2}):
        fitted = forest(10, random_state=1, **rules).fit(IRIS.data, IRIS.target)
        assert fitted.score(IRIS.data, IRIS.target) > 0.9
    shallow = forest(10, max_features=1, max_depth=1, random_state=1).fit(IRIS.data, IRIS.target)
    np.testing.assert_allclose(shallow.predict_proba(IRIS.data).sum(axis=1), 1)


@pytest.mark.parametrize(("most", "least"), [(1.0, 0.93), (6, 0.92)])
def test_regression(most, least):
    X, y = datasets.make_regression(n_samples=500, n_features=10, random_state=1)
    fitted = RandomForestRegressor(5, max_features=most, random_state=1).fit(X, y)
    assert fitted.score(X, y) > least
    assert not hasattr(fitted, "classes_")
    # without a bootstrap the predictions add up to the responses
    whole = RandomForestRegressor(10, bootstrap=False, random_state=0).fit(X, y)
    assert whole.predict(X).sum() == pytest.approx(y.sum())


@each_classifier
@pytest.mark.parametrize(
    ("sample", "least"),
    [
        (datasets.make_classification(n_samples=300, random_state=0), 0.85),
        (
            datasets.make_classification(
                n_samples=1000, n_classes=3, n_informative=6, random_state=0
            ),
            0.65,
        ),
        ((IRIS.data, IRIS.target * 2 + 1), 0.65),
    ],
)
def test_out_of_bag_is_close_to_a_test_set(forest, sample, least):
    X, new, y, label = train_test_split(*sample, test_size=0.5, random_state=0)
    assert not hasattr(forest(), "oob_score_")
    fitted = forest(40, oob_score=True, random_state=0).fit(X, y)
    assert fitted.oob_score_ >= least
    assert abs(fitted.oob_score_ - fitted.score(new, label)) <= 0.11
    assert fitted.oob_decision_function_.shape == (len(X), len(set(y)))
    assert not hasattr(fitted, "oob_prediction_")


def test_out_of_bag_regression_is_close_to_a_test_set():
    sample = datasets.make_regression(n_samples=500, n_features=10, random_state=0)
    X, new, y, response = train_test_split(*sample, test_size=0.5, random_state=0)
    fitted = RandomForestRegressor(50, oob_score=True, random_state=0).fit(X, y)
    assert fitted.oob_score_ >= 0.7
    assert abs(fitted.oob_score_ - fitted.score(new, response)) <= 0.1
    assert fitted.oob_prediction_.shape == (len(X),)
    assert not hasattr(fitted, "oob_decision_function_")


@each_forest
def test_importances(forest):
    with pytest.raises(NotFittedError, match=f"This {forest.__name__} instance is not fitted"):
        _ = forest().feature_importances_
    X, y = datasets.make_classification(
        500, 10, n_informative=3, n_redundant=0, shuffle=False, random_state=0
    )
    importances = forest(60, random_state=0).fit(X.astype(np.float32), y).feature_importances_
    assert importances.sum() == pytest.approx(1)
    if forest is not MorfClassifier:
        # sums over patches blur the columns
        assert set(np.argsort(importances)[-3:]) == {0, 1, 2}
    weights = np.random.default_rng(0).integers(1, 10, len(X))
    first, second = (
        forest(10, random_state=0).fit(X, y, sample_weight=size * weights).feature_importances_
        for size in (1.0, 100.0)
    )
    np.testing.assert_allclose(first, second, atol=0.01)


def test_a_forest_without_cuts_has_no_importances():
    flat = RandomForestRegressor(10).fit(np.zeros((10, 10)), np.ones(10))
    assert np.array_equal(flat.feature_importances_, np.zeros(10))


@each_classifier
def test_classes_of_any_type(forest):
    X, letters = np.eye(15), np.array(list("ABCDEFGHIJKLMNO"))
    fitted = forest(20, bootstrap=False, random_state=0).fit(X, letters)
    assert np.array_equal(fitted.classes_, letters)
    assert np.array_equal(fitted.predict(X), letters)


@each_forest
def test_limits_on_trees(forest):
    X, y = datasets.make_hastie_10_2(n_samples=400, random_state=1)
    assert forest(5, max_depth=1, random_state=0).fit(X, y).forest_.n_leaves().max() == 2
    grown = forest(5, min_leaf=5, random_state=0).fit(X, y).forest_
    for leaves, bag in zip(grown.leaf_of, grown.in_bag, strict=True):
        rows = np.bincount(leaves, bag)
        assert rows[rows > 0].min() >= 5
    small = forest(5, min_parent=201, random_state=0).fit(X, y).forest_
    # a node of 201 of 400 rows or more is cut, and its other side is no longer
    assert small.n_leaves().max() <= 400 - 201 + 1
    assert small.n_leaves().max() < forest(5, random_state=0).fit(X, y).forest_.n_leaves().min()


@each_forest
def test_what_forests_refuse(forest):
    y = IRIS.target
    with pytest.raises(ValueError, match="2D array"):
        forest(1).fit(IRIS.data[:, 0], y)
    with pytest.raises(ValueError, match="1d array"):
        forest(1).fit(IRIS.data, np.c_[y, y])
    with pytest.raises(TypeError, match="Sparse data"):
        forest(1).fit(csr_matrix(IRIS.data), y)
    with pytest.raises(TypeError, match="Sparse data"):
        forest(1).fit([[1, 2, 3]], csr_matrix([[4, 5, 6]]))
    fitted = forest(1, random_state=0).fit(IRIS.data[:, :1], y)
    with pytest.raises(ValueError, match="2D array"):
        fitted.predict(IRIS.data[:, 0])


def test_a_few_missing_values_do_little_harm():
    rng = np.random.default_rng(0)
    for forest, sample in (
        (RandomForestClassifier, datasets.make_classification(500, 5, random_state=0)),
        (SporfClassifier, datasets.make_classification(500, 5, random_state=0)),
        (RandomForestRegressor, datasets.make_regression(500, 5, random_state=0)),
    ):
        X, y = sample
        holes = np.where(rng.random(X.shape) < 0.05, np.nan, X)
        scores = [
            forest(50, missing="best", random_state=0).fit(Z[:375], y[:375]).score(Z[375:], y[375:])
            for Z in (holes, X)
        ]
        assert scores[0] >= 0.8 * scores[1]


def test_that_a_value_is_missing_can_be_learned():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(1000, 2)), rng.random(1000) < 0.5
    informative = X.copy()
    informative[y ^ (rng.random(1000) < 0.05), 1] = np.nan
    scores = {}
    for name, table in (("told", informative), ("not", X)):
        fitted = RandomForestClassifier(100, missing="best", random_state=0).fit(
            table[:750], y[:750]
        )
        scores[name] = fitted.score(table[750:], y[750:])
    assert scores["told"] >= scores["not"] + 0.3


@pytest.mark.parametrize("forest", [RandomForestClassifier, RandomForestRegressor])
def test_a_score_out_of_bag_needs_bags(forest):
    X, y = np.arange(20.0)[:, None], np.arange(20) % 2
    with pytest.raises(ValueError, match="oob_score=True needs bootstrap=True"):
        forest(5, oob_score=True, bootstrap=False).fit(X, y)
