"""scanpy and openTSNE, whole: what they make of a forest's neighbours (extra `ecosystem`)."""

import numpy as np
import pytest

from geoforest_cli.estimators.forests.geodesic_forest import GeodesicForest
from geoforest_cli.estimators.forests.geodesic_neighbors import GeodesicNeighbors

# other packages warn of what does not concern us
pytestmark = [pytest.mark.nightly, pytest.mark.compiled, pytest.mark.filterwarnings("ignore")]

T = np.sort(np.random.default_rng(0).uniform(size=120))
CURVE = np.c_[4 * T, 6 * T**2, 9 * np.sqrt(T)]
K = 31
RULES = {"n_neighbors": K, "n_estimators": 60, "random_state": 0}


def order(layout):
    """Return how far the layout's neighbours lie apart along the curve, as a share of its points."""
    gaps = np.linalg.norm(layout[:, None] - layout, axis=2)
    np.fill_diagonal(gaps, np.inf)
    neighbors = np.argsort(gaps, axis=1)[:, :5]
    return np.abs(neighbors - np.arange(len(T))[:, None]).mean() / len(T)


def test_scanpy_stores_the_forests_neighbours():
    scanpy = pytest.importorskip("scanpy")
    anndata = pytest.importorskip("anndata")
    data = anndata.AnnData(CURVE)
    transformer = GeodesicNeighbors(**RULES)
    # scanpy counts the point itself
    scanpy.pp.neighbors(data, n_neighbors=K + 1, transformer=transformer, use_rep="X")
    distances, indices = GeodesicForest(**RULES).fit(CURVE).kneighbors()
    expected = np.zeros((120, 120))
    np.put_along_axis(expected, indices, distances, axis=1)
    np.testing.assert_allclose(data.obsp["distances"].toarray(), expected, atol=1e-6)
    scanpy.tl.umap(data, random_state=0)
    assert order(data.obsm["X_umap"]) < 0.15


def test_open_tsne_lays_out_the_forests_neighbours():
    open_tsne = pytest.importorskip("openTSNE")
    distances, indices = GeodesicForest(**RULES).fit(CURVE).kneighbors()
    neighbors = open_tsne.nearest_neighbors.PrecomputedNeighbors(indices, distances)
    affinities = open_tsne.affinity.PerplexityBasedNN(knn_index=neighbors, perplexity=10)
    pairs = np.zeros((120, 120), bool)
    np.put_along_axis(pairs, indices, values=True, axis=1)
    assert not np.any(affinities.P.toarray()[~(pairs | pairs.T)])
    layout = open_tsne.TSNE(initialization="spectral", random_state=0).fit(affinities=affinities)
    assert order(np.asarray(layout)) < 0.15
