"""Annotated matrices are read with their names, and scanpy finds the neighbours."""

import numpy as np
import pandas as pd
import pytest
from scipy import sparse

from geoforest_cli.core.errors import DataError, UserError
from geoforest_cli.tables import find_neighbors
from geoforest_cli.tables.writers import write_lists
from tests.e2e.inside import geoforest
from tests.tables.helpers import read_table as read

anndata = pytest.importorskip("anndata")

N, P = 60, 5


@pytest.fixture(scope="module")
def table(tmp_path_factory):
    rng = np.random.default_rng(0)
    X = rng.poisson(1.0, (N, P)).astype(np.float32)
    made = anndata.AnnData(
        X=sparse.csr_matrix(X),
        obs=pd.DataFrame(
            {
                "kind": pd.Categorical.from_codes(
                    np.arange(N) % 2, pd.Index(["a", "b"], dtype=object)
                ),
                "depth": X.sum(axis=1),
            },
            index=pd.Index([f"cell{i}" for i in range(N)], dtype=object),
        ),
        var=pd.DataFrame(index=pd.Index([f"gene{j}" for j in range(P)], dtype=object)),
    )
    made.layers["counts"] = 2 * X
    made.obsm["X_pca"] = rng.normal(size=(N, 3))
    path = tmp_path_factory.mktemp("annotated") / "t.h5ad"
    made.write_h5ad(path)
    return path, X, made


def test_columns_and_names_of_rows_are_those_of_the_matrix(table):
    path, X, _ = table
    result = read(path)
    assert result.columns == tuple(f"gene{j}" for j in range(P))
    assert np.array_equal(result.points, X)
    assert result.ids.tolist() == [f"cell{i}" for i in range(N)]
    assert read(path, identifier="depth").ids.tolist() == X.sum(axis=1).tolist()


@pytest.mark.parametrize(
    ("matrix", "names"),
    [("X", "gene0"), ("layers/counts", "gene0"), ("obsm/X_pca", "X_pca1")],
)
def test_another_matrix(table, matrix, names):
    path, X, made = table
    values = {"X": X, "layers/counts": 2 * X, "obsm/X_pca": made.obsm["X_pca"]}[matrix]
    result = read(path, matrix=matrix)
    assert result.columns[0] == names
    assert np.array_equal(result.points, values)


def test_a_matrix_that_is_not_there_or_another_kind_of_file(table, tmp_path):
    path, _, _ = table
    with pytest.raises(DataError, match=r"unknown matrix 'obsm/X_pcs'; did you mean 'obsm/X_pca'"):
        read(path, matrix="obsm/X_pcs")
    (tmp_path / "t.csv").write_text("a,b\n1,2\n")
    with pytest.raises(UserError, match=r"matrix='X': that is for .h5ad, not for .csv"):
        read(tmp_path / "t.csv", matrix="X")


def test_a_label_of_the_rows(table):
    path, _, _ = table
    done = geoforest("classify", path, "--label", "kind", "--method", "knn", "--folds", 2)
    assert done.returncode == 0, done.stderr
    assert "gene0, gene1, gene2, gene3, gene4." in done.stderr


@pytest.mark.nightly
def test_neighbours_are_written_where_scanpy_looks_for_them(table, tmp_path):
    path, X, made = table
    done = geoforest("neighbors", path, "-k", 4, "--matrix", "obsm/X_pca", "--method", "euclidean",
                     "--scale", "none", "--screen", "none", "-o", tmp_path / "o.h5ad")  # fmt: skip
    assert done.returncode == 0, done.stderr
    file = anndata.read_h5ad(tmp_path / "o.h5ad")
    result = find_neighbors(made.obsm["X_pca"], 4, "euclidean", scale="none", screen="none")
    distances = file.obsp["distances"]
    assert np.array_equal(np.diff(distances.indptr), np.full(N, 4))
    expected = np.zeros((N, N))
    np.put_along_axis(expected, result.indices, result.distances, axis=1)
    assert np.allclose(distances.toarray(), expected)
    connected = file.obsp["connectivities"]
    assert abs(connected - connected.T).max() < 1e-6
    assert (connected.toarray() > 0).sum() >= N * 4
    # UMAP counts from the nearest row, which is connected in full
    nearest = connected.toarray()[np.arange(N), result.indices[:, 0]]
    assert np.allclose(nearest, 1)
    assert (connected.data < 0.999).any()
    assert file.uns["neighbors"]["params"]["n_neighbors"] == 5
    assert file.uns["neighbors"]["distances_key"] == "distances"
    assert np.array_equal(file.X.toarray(), X)
    assert not list(tmp_path.glob(".*"))


@pytest.mark.nightly
def test_connectivities_are_those_of_scanpy(table, tmp_path):
    scanpy = pytest.importorskip("scanpy")
    path, _, made = table
    result = find_neighbors(path, 4, "euclidean", matrix="obsm/X_pca", scale="none", screen="none")
    write_lists(tmp_path / "o.h5ad", result)
    file = anndata.read_h5ad(tmp_path / "o.h5ad")
    scanpy.pp.neighbors(made, 5, use_rep="X_pca", method="umap")
    assert np.allclose(
        file.obsp["connectivities"].toarray(), made.obsp["connectivities"].toarray(), atol=1e-5
    )


def test_an_output_of_another_table_or_of_some_rows(table, tmp_path):
    path, _, _ = table
    (tmp_path / "t.csv").write_text("a,b\n1,2\n3,4\n5,7\n")
    done = geoforest("neighbors", "t.csv", "-o", "o.h5ad", cwd=tmp_path)
    assert done.returncode == 2
    assert "only the neighbours of an .h5ad file are written as .h5ad" in done.stderr
    assert geoforest("neighbors", path, "-o", path).returncode == 2
    done = geoforest("classify", path, "--label", "kind", "-o", tmp_path / "o.h5ad")
    assert "the output is .parquet, .csv or .tsv" in done.stderr


def test_rows_that_are_dropped_are_no_copy_of_the_file(tmp_path):
    X = np.random.default_rng(0).normal(size=(30, 4))
    X[3, 1] = np.nan
    result = find_neighbors(written(tmp_path / "holes.h5ad", X), 3, missing="drop")
    with pytest.raises(DataError, match="1 of 30 rows are left out, and an"):
        write_lists(tmp_path / "o.h5ad", result)


def written(path, X):
    made = anndata.AnnData(
        X=X.astype(np.float32),
        obs=pd.DataFrame(index=pd.Index([f"cell{i}" for i in range(len(X))], dtype=object)),
        var=pd.DataFrame(index=pd.Index([f"gene{j}" for j in range(X.shape[1])], dtype=object)),
    )
    made.write_h5ad(path)
    return path


def test_names_that_repeat_are_told(table, tmp_path):
    original, _, whole = table
    made = whole.copy()
    names = [f"cell{i % 58}" for i in range(N)]
    made.obs_names = pd.Index(names, dtype=object)
    path = tmp_path / "twice.h5ad"
    made.write_h5ad(path)
    assert "2 rows repeat a name." in find_neighbors(path, 3).notes
    assert "2 rows repeat a name." not in find_neighbors(original, 3).notes
