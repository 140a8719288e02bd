"""UMAP, ours and on a forest's neighbours: by night, for it takes half a minute to compile."""

import sys
import warnings

import numpy as np
import pytest
from numba.core.caching import NullCache
from numba.core.dispatcher import Dispatcher

from geoforest_cli.core.errors import DataError
from geoforest_cli.estimators.baselines.umap import (
    Umap,
    _nearest,
    keep_compiled,
    takes_a_function,
)
from geoforest_cli.estimators.forests.geodesic_forest import GeodesicForest

X = np.random.default_rng(4).normal(size=(60, 3))
T = np.linspace(0, 1, 60)
CURVE = np.c_[4 * T, 6 * T**2, 9 * np.sqrt(T)]


@pytest.mark.nightly
def test_umap_is_reproducible_and_keeps_clusters_apart():
    points = np.concatenate([X[:30], X[30:] + 50])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        D = Umap(random_state=2**40 + 3).fit(points).distances()
        again = Umap(random_state=2**40 + 3).fit(points).distances()
        few = Umap(random_state=0).fit(points[:3]).distances()
    assert np.array_equal(D, again)
    assert D[:30, :30].mean() < D[:30, 30:].mean()
    assert few.shape == (3, 3)
    assert np.isfinite(few).all()


@pytest.mark.compiled
@pytest.mark.nightly
@pytest.mark.filterwarnings("ignore")
def test_umap_takes_the_lists_of_a_forest():
    umap = pytest.importorskip("umap")
    forest = GeodesicForest(20, random_state=0).fit(CURVE)
    layout = umap.UMAP(
        n_neighbors=8, precomputed_knn=forest.knn_for_umap(8), random_state=0, n_jobs=1
    ).fit_transform(CURVE)
    assert layout.shape == (60, 2)


@pytest.mark.compiled
@pytest.mark.nightly
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("columns", [3, 200])
def test_few_points_have_the_graph_that_umap_itself_makes(columns):
    from umap import UMAP

    keep_compiled()

    points = np.random.default_rng(6).normal(5, 1, size=(80, columns))
    points[7] = points[3]
    plain = UMAP(n_neighbors=8, random_state=0, n_jobs=1, n_epochs=1).fit(points)
    precomputed = UMAP(
        n_neighbors=8, random_state=0, n_jobs=1, n_epochs=1, precomputed_knn=_nearest(points, 8)
    ).fit(points)
    assert abs(plain.graph_ - precomputed.graph_).max() < 1e-4


@pytest.mark.compiled
@pytest.mark.nightly
def test_what_umap_compiles_is_kept_for_the_next_process():
    Umap(random_state=0).fit(X)
    compiled = {
        each
        for name, module in list(sys.modules.items())
        if name.startswith(("umap.", "pynndescent."))
        for each in vars(module).values()
        if isinstance(each, Dispatcher)
        and each.py_func.__module__ == name
        and each.nopython_signatures
    }
    assert {"smooth_knn_dist", "rdist", "norm"} <= {each.py_func.__name__ for each in compiled}
    for method in compiled:
        # what is given a function has a new type in every process
        if not takes_a_function(method.py_func):
            assert not isinstance(method._cache, NullCache)


def test_umap_of_two_points_is_refused():
    with pytest.raises(DataError, match="at least 3 distinct points"):
        Umap().fit([[1.0, 2], [3, 4]])


@pytest.mark.parametrize("name", ["dist", "metric", "ground_metric", "kernel"])
def test_functions_given_to_others_are_known_by_their_names(name):
    scope = {}
    exec(f"def function(data, {name}): ...", scope)
    assert takes_a_function(scope["function"])
    assert not takes_a_function(lambda data, distances, kernels: 0)
