"""Two dimensions from lists of neighbours: the places of the rows on a map."""

from __future__ import annotations

import threading
import warnings
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from scipy.sparse.csgraph import connected_components

from geoforest_cli.estimators.baselines.umap import keep_compiled

__all__ = ["MapLayout", "lay_out"]

Floats = npt.NDArray[np.float64]
Indices = npt.NDArray[np.int64]

_MIN_ROWS_FOR_SPECTRAL = 4  # UMAP's start from eigenvectors needs more rows than dimensions


class MapLayout(NamedTuple):
    """Where the rows are on a map.

    Attributes
    ----------
    places : (N, 2) float64
    parts : int
        Of the graph of neighbours: no neighbours connect them.
    """

    places: Floats
    parts: int = 1


def lay_out(distances: Floats, indices: Indices, seed: int) -> MapLayout:
    """Place rows in the plane so that neighbours are near each other.

    The layout is UMAP's, of the graph of these neighbours: the columns of the table are not looked
    at again.

    Parameters
    ----------
    distances, indices : (N, k) arrays
        Of the neighbours of each row, nearest first; infinite where there is no way to one.
    seed : int
        The same seed gives the same layout, on one kind of processor.

    Examples
    --------
    >>> turn = np.arange(40)
    >>> indices = np.c_[(turn + 1) % 40, (turn - 1) % 40]
    >>> layout = lay_out(np.ones((40, 2)), indices, seed=0)
    >>> layout.places.shape, layout.parts
    ((40, 2), 1)
    """
    n, k = indices.shape
    reached = np.isfinite(distances)
    # a row is the first of its own neighbours, as UMAP counts, and -1 is no row
    near = np.c_[np.arange(n), np.where(reached, indices, -1)].astype(np.int32)
    lengths = np.c_[np.zeros(n), distances].astype(np.float32)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from tqdm import tqdm
        from umap import UMAP

        keep_compiled()
        tqdm.set_lock(threading.RLock())  # its own lock is a semaphore of the system
        umap = UMAP(
            n_neighbors=k + 1,
            precomputed_knn=(near, lengths),
            init="spectral" if n >= _MIN_ROWS_FOR_SPECTRAL else "random",
            random_state=seed % 2**32,
            n_jobs=1,
        )
        places = umap.fit_transform(np.zeros((n, 1), np.float32)).astype(np.float64)
    parts, _ = connected_components(umap.graph_, directed=False)
    # a row that no neighbours reach has no place: it stands at the edge
    return MapLayout(np.where(np.isfinite(places), places, np.nanmin(places, axis=0)), int(parts))
