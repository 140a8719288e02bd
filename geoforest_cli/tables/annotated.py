"""Annotated matrices (.h5ad), as scanpy keeps them: read, and neighbours written back."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from geoforest_cli.core.errors import DataError, Unavailable
from geoforest_cli.core.files import replacing
from geoforest_cli.core.suggestions import unknown
from geoforest_cli.tables.memory import require_memory_for_table
from geoforest_cli.tables.messages import Note, as_argument
from geoforest_cli.tables.raw import RawTable

__all__ = ["read_annotated", "write_neighbors"]


def _libraries(path: Path) -> Any:
    try:
        import anndata.io
        import h5py
    except ImportError as error:
        raise Unavailable(
            f"{path}: .h5ad needs anndata (pip install 'geoforest[anndata]')"
        ) from error
    return h5py, anndata.io


def read_annotated(path: Path, matrix: str | None = None) -> RawTable:
    """Read one matrix of an .h5ad file, dense.

    Parameters
    ----------
    path : Path
    matrix : str, optional
        "X", which is the default, "layers/NAME" or "obsm/NAME".

    Raises
    ------
    DataError
        For a matrix that is not there, is no table or would not fit in memory.
    Unavailable
        Without anndata.
    """
    h5py, io = _libraries(path)
    which = matrix or "X"
    with h5py.File(path) as file:
        stored = _matrix(file, which, path)
        shape = stored.shape if hasattr(stored, "shape") else stored.attrs["shape"]
        if len(shape) != 2:
            raise DataError(f"{path}: {which} has {len(shape)} dimensions, a table has 2")
        rows, columns = map(int, shape)
        require_memory_for_table(
            f"{path}: {which} of {rows:,} x {columns:,} values, dense", 0, rows * columns
        )
        values = io.read_elem(stored)
        obs = io.read_elem(file["obs"])
        names = [f"{which.rpartition('/')[2]}{number}" for number in range(1, columns + 1)]
        if not which.startswith("obsm/"):
            names = [str(name) for name in io.read_elem(file["var"]).index]
    dense = values.toarray() if hasattr(values, "toarray") else np.asarray(values)
    frame = pd.DataFrame(dense, columns=pd.Index(names))
    taken = set(names)
    described = {
        (f"obs/{name}" if str(name) in taken else str(name)): _plain(obs[name]) for name in obs
    }
    about = pd.DataFrame(described, index=frame.index)
    row_names = pd.Series([str(name) for name in obs.index], dtype=object)
    repeated = int(row_names.duplicated().sum())
    return RawTable(
        pd.concat([frame, about], axis=1), str(path), annotations=tuple(about.columns),
        notes=(Note(f"{repeated} rows repeat a name.", "repeated"),) if repeated else (),
        row_names=row_names,
    )  # fmt: skip


def _matrix(file: Any, which: str, path: Path) -> Any:
    matrices = ["X"] if "X" in file else []
    for group in ("layers", "obsm"):
        matrices += [f"{group}/{name}" for name in file.get(group, {})]
    if which not in matrices:
        raise DataError(f"{path}: {as_argument('matrix')}: {unknown('matrix', which, matrices)}")
    return file[which]


def _plain(values: pd.Series[Any]) -> Any:
    """Return a description of the rows with categories as their texts or numbers."""
    plain = values.astype(object) if isinstance(values.dtype, pd.CategoricalDtype) else values
    return plain.infer_objects().to_numpy()


def write_neighbors(
    source: Path,
    output: Path,
    distances: npt.NDArray[np.float64],
    indices: npt.NDArray[np.int64],
) -> None:
    """Write a copy of an .h5ad file with neighbours where scanpy looks for them.

    ``obsp`` has their distances and the connectivities that UMAP makes of them, and
    ``uns["neighbors"]`` says so.

    Parameters
    ----------
    source, output : Path
    distances, indices : (N, k) arrays
        Of all N rows of the source.

    Raises
    ------
    DataError
        If rows were left out.
    """
    from scipy import sparse
    from umap.umap_ import fuzzy_simplicial_set

    h5py, io = _libraries(output)
    n, k = indices.shape
    with h5py.File(source) as file:
        rows = len(io.read_elem(file["obs"]))
    if n != rows:
        raise DataError(
            f"{output}: {rows - n} of {rows} rows are left out, and an .h5ad output has "
            "neighbours of all; take .csv or .parquet"
        )
    reached = np.isfinite(distances)  # a graph in several parts may have fewer than k
    starts = np.r_[0, np.cumsum(reached.sum(axis=1))]
    graph = sparse.csr_matrix((distances[reached], indices[reached], starts), shape=(n, n))
    numbers = np.arange(n)[:, None]
    connected, *_ = fuzzy_simplicial_set(
        sparse.coo_matrix((n, 1)), k + 1, np.random.RandomState(0), "euclidean",
        knn_indices=np.hstack([numbers, np.where(reached, indices, -1)]),
        knn_dists=np.hstack([np.zeros((n, 1)), distances]).astype(np.float32),
    )  # fmt: skip
    facts = {
        "connectivities_key": "connectivities",
        "distances_key": "distances",
        "params": {
            "n_neighbors": k + 1, "method": "umap", "metric": "euclidean", "random_state": 0,
        },
    }  # fmt: skip
    with replacing(output) as part:
        shutil.copyfile(source, part)
        with h5py.File(part, "r+") as file:
            for group in ("obsp", "uns"):
                if group not in file:
                    io.write_elem(file, group, {})
            io.write_elem(file, "obsp/distances", graph)
            io.write_elem(file, "obsp/connectivities", connected.tocsr())
            io.write_elem(file, "uns/neighbors", facts)
