"""One scaling for every method that measures lengths."""

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.preprocessing import MinMaxScaler, StandardScaler

from geoforest_cli.estimators.base.scaling import Scaling, spread_ratio
from geoforest_cli.estimators.baselines.euclidean import Euclidean
from geoforest_cli.estimators.baselines.flann import Flann
from geoforest_cli.estimators.baselines.forests import ScikitIsomap
from geoforest_cli.estimators.baselines.isomap import Isomap
from geoforest_cli.estimators.baselines.k_means import KMeans
from geoforest_cli.estimators.baselines.nearest import ComponentsNeighbors, PlainNeighbors
from geoforest_cli.estimators.baselines.umap import Umap
from geoforest_cli.estimators.spherelets import GraphGeodesic, SphericalDistance
from geoforest_cli.problems.metrics.ranking import retrieved

DRAWN = np.random.default_rng(0).normal(size=(59, 3)) * [1.0, 1e4, 1e-3] + [0, 7, 5]
X, NEW = DRAWN[:50], DRAWN[50:]
SCALERS = {"standardise": StandardScaler, "min_max": MinMaxScaler}


@pytest.mark.parametrize("rescale", SCALERS)
def test_scales_are_scikit_learns(rescale):
    scaling = Scaling.fit(X, rescale)
    theirs = SCALERS[rescale]().fit(X)
    np.testing.assert_allclose(scaling.apply(X), theirs.transform(X), atol=1e-9)
    np.testing.assert_allclose(scaling.apply(NEW), theirs.transform(NEW), atol=1e-9)
    assert scaling.apply(NEW.astype(np.float32)).dtype == np.float32
    assert Scaling.fit(X, "none").apply(NEW) is NEW


@pytest.mark.parametrize("rescale", SCALERS)
@pytest.mark.parametrize("size", [1e-300, 1e-170, 1.0, 1e150])
def test_columns_of_any_size_reach_the_same_scale(rescale, size):
    column = np.array([[0.0], [1.0], [3.0]])
    expected = Scaling.fit(column, rescale).apply(column)
    scaled = Scaling.fit(size * column, rescale).apply(size * column)
    np.testing.assert_allclose(scaled, expected, rtol=1e-12)


@pytest.mark.parametrize("rescale", SCALERS)
@pytest.mark.parametrize("value", [0.0, 0.1, 1e9 / 3])
def test_a_constant_column_has_no_say(rescale, value):
    constant = np.full((7, 1), value)
    scaling = Scaling.fit(constant, rescale)
    assert not scaling.apply(constant).any()
    assert not scaling.apply(constant + 5).any()


def test_spread_ratio():
    assert spread_ratio(X) == pytest.approx(X.std(axis=0).max() / X.std(axis=0).min())
    assert spread_ratio(np.ones((4, 2))) == 1.0
    assert spread_ratio(np.column_stack([np.arange(4.0), np.ones(4)])) == 1.0


METHODS = [
    Euclidean(),
    Isomap(5),
    ScikitIsomap(15),
    Flann(),
    pytest.param(Umap(5, random_state=0), marks=pytest.mark.nightly),
    GraphGeodesic(12, dim=1),
]


@pytest.mark.parametrize("rescale", SCALERS)
@pytest.mark.parametrize("method", METHODS, ids=lambda method: type(method).__name__)
def test_every_method_rescales_as_if_its_table_had_been(method, rescale):
    def neighbours(table, rescale):
        fitted = clone(method).set_params(rescale=rescale).fit(table)
        return retrieved(fitted, 9, "index", np.random.default_rng(0))

    expected = neighbours(SCALERS[rescale]().fit_transform(X), "none")
    lists = neighbours(X, rescale)
    same = [len(set(a) & set(b)) for a, b in zip(lists, expected, strict=True)]
    assert np.mean(same) > 0.95 * 9
    assert not np.array_equal(neighbours(X, "none"), expected)


@pytest.mark.parametrize("rescale", SCALERS)
def test_new_points_are_rescaled_as_the_training_points(rescale):
    theirs = SCALERS[rescale]().fit(X)
    for method in (Euclidean(), GraphGeodesic(6, local="euclidean"), SphericalDistance(6)):
        expected = method.set_params(rescale="none").fit(theirs.transform(X))
        expected = expected.transform(theirs.transform(NEW))
        lengths = method.set_params(rescale=rescale).fit(X).transform(NEW)
        np.testing.assert_allclose(lengths, expected, rtol=1e-6)
    expected = Euclidean().fit(theirs.transform(X)).kneighbors(theirs.transform(NEW), 4)
    for method in (Euclidean(rescale=rescale), Flann(rescale=rescale)):
        distances, rows = method.fit(X).kneighbors(NEW, 4)
        assert np.array_equal(rows, expected[1])
        np.testing.assert_allclose(distances, expected[0], rtol=1e-4)


def test_clusters_and_predictors_are_rescaled():
    rng = np.random.default_rng(1)
    groups = np.repeat([0, 1], 25)
    table = np.column_stack([groups + 0.05 * rng.normal(size=50), 1e3 * rng.normal(size=50)])
    clusters = [
        KMeans(rescale=rescale, random_state=0).fit(table).clusters(2)
        for rescale in ("standardise", "none")
    ]
    scaled, raw = (max((each == groups).mean(), (each != groups).mean()) for each in clusters)
    assert scaled > raw
    for method in (PlainNeighbors, ComponentsNeighbors):
        assert (method(3).fit(table, groups).predict(table) == groups).mean() > 0.9
    plain = PlainNeighbors(3, rescale="none").fit(table, groups)
    assert (plain.predict(table) == groups).mean() < 0.9
