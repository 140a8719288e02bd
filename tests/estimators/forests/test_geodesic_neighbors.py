"""Doors to other packages: neighbours as sparse graphs, transformers and lists."""

import numpy as np
import pandas as pd
import pytest
from sklearn.neighbors import KNeighborsTransformer

from geoforest_cli.core.errors import DataError
from geoforest_cli.estimators.forests.geodesic_forest import GeodesicForest
from geoforest_cli.estimators.forests.geodesic_neighbors import GeodesicNeighbors

T = np.linspace(0, 1, 60)
CURVE = np.c_[4 * T, 6 * T**2, 9 * np.sqrt(T)]


def neighbors(k=8, **changes):
    return GeodesicNeighbors(k, n_estimators=20, random_state=0, **changes)


@pytest.mark.parametrize("mode", ["distance", "connectivity"])
def test_the_graph_has_the_shape_of_scikit_learns(mode):
    ours = neighbors(mode=mode).fit_transform(CURVE)
    theirs = KNeighborsTransformer(n_neighbors=8, mode=mode).fit_transform(CURVE)
    assert type(ours) is type(theirs)
    assert ours.shape == theirs.shape
    assert np.array_equal(ours.indptr, theirs.indptr)
    for graph in (ours, theirs):
        for i in range(60):
            row = slice(graph.indptr[i], graph.indptr[i + 1])
            assert i in graph.indices[row]
            assert len(set(graph.indices[row])) == len(graph.indices[row])
    if mode == "distance":
        assert np.all(ours.data[ours.indptr[:-1]] == 0)
        assert np.all(np.diff(ours.data.reshape(60, 9), axis=1) >= 0)
    else:
        assert np.all(ours.data == 1)


def test_transforming_the_training_table_is_fit_transform():
    fitted = neighbors().fit(CURVE)
    assert (fitted.transform(CURVE) != neighbors().fit_transform(CURVE)).nnz == 0
    new = fitted.transform(CURVE[:5] + 1e-3)
    assert new.shape == (5, 60)
    assert np.all(np.diff(new.indptr) == 9)


def test_kneighbors_has_scikit_learns_order_and_defaults():
    forest = GeodesicForest(20, n_neighbors=4, random_state=0).fit(CURVE)
    distances, indices = forest.kneighbors()
    assert indices.shape == (60, 4)
    assert np.array_equal(forest.kneighbors(None, 4, False), indices)
    assert np.array_equal(forest.kneighbors(X=None, return_distance=False), indices)
    assert forest.kneighbors(CURVE[:3], 7)[1].shape == (3, 7)
    graph = forest.kneighbors_graph()
    assert np.array_equal(graph.indices.reshape(60, 4), indices)
    assert set(graph.data) == {1.0}
    lengths = forest.kneighbors_graph(None, 4, mode="distance")
    assert np.array_equal(lengths.data.reshape(60, 4), distances)
    with pytest.raises(ValueError, match="mode is 'length'"):
        forest.kneighbors_graph(mode="length")
    with pytest.raises(TypeError, match="n_neighbors does not take"):
        forest.kneighbors(None, 2.0)


def test_lists_for_umap_begin_with_the_point():
    forest = GeodesicForest(20, random_state=0).fit(CURVE)
    indices, distances = forest.knn_for_umap(6)
    assert indices.shape == distances.shape == (60, 6)
    assert np.array_equal(indices[:, 0], np.arange(60))
    assert np.all(distances[:, 0] == 0)
    matrix = forest.distances()
    np.testing.assert_allclose(np.take_along_axis(matrix, indices, axis=1), distances, atol=1e-12)
    with pytest.raises(DataError, match="2 to 60"):
        forest.knn_for_umap(1)


def test_data_frames_and_their_names():
    frame = pd.DataFrame(CURVE, columns=["a", "b", "c"])
    fitted = neighbors().fit(frame)
    assert fitted.feature_names_in_.tolist() == ["a", "b", "c"]
    assert (fitted.transform(frame) != neighbors().fit_transform(CURVE)).nnz == 0
    with pytest.raises(ValueError, match="feature names"):
        fitted.transform(frame[["b", "a", "c"]])
    names = fitted.get_feature_names_out()
    assert len(names) == 60
    assert names[0] == "geodesicneighbors0"
    assert fitted.set_output(transform="default") is fitted


def test_a_copied_row_counts_as_the_first_of_its_copies():
    table = CURVE[[0, 1, 2, 3, 2, *range(4, 30)]]
    fitted = neighbors(5).fit(table)
    graph = fitted.transform(table[[4, 2, 10]])
    nearest = graph.indices.reshape(3, 6)[:, 0]
    # rows 2 and 4 are equal: among other rows than the training table both are row 2
    assert nearest.tolist() == [2, 2, 10]
    assert graph.data.reshape(3, 6)[:, 0].tolist() == [0, 0, 0]
    # the training table itself: each row is its own
    itself = fitted.transform(table).indices.reshape(31, 6)[:, 0]
    assert itself.tolist() == list(range(31))
