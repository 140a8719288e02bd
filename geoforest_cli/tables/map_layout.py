"""Two dimensions from lists of neighbours: the places of the rows on a map."""

from __future__ import annotations

import threading
import warnings
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_matrix
from scipy.sparse.csgraph import connected_components

from geoforest_cli.estimators.baselines.umap import keep_compiled

__all__ = ["MapLayout", "lay_out", "spectral_layout"]

Floats = npt.NDArray[np.float64]
Indices = npt.NDArray[np.int64]

_GAP = 0.3  # between parts of the graph, in units of the side of a part


class MapLayout(NamedTuple):
    """Where the rows are on a map.

    Attributes
    ----------
    places : (N, 2) float64
    method : {"UMAP", "spectral"}
    note : str
        Why UMAP could not run; empty where it did.
    """

    places: Floats
    method: str
    note: str = ""


def lay_out(distances: Floats, indices: Indices, seed: int) -> MapLayout:
    """Place rows in the plane so that neighbours are near each other.

    The layout is UMAP's, of the graph of these neighbours: the columns of the table are not looked
    at again. It starts from `spectral_layout`, which stands in for it where UMAP cannot run.

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
    >>> layout.method, layout.places.shape
    ('UMAP', (40, 2))
    """
    start = spectral_layout(distances, indices, seed)
    try:
        return MapLayout(_umap(distances, indices, start, seed), "UMAP")
    except Exception as error:  # whatever stops another package, there is a map
        why = " ".join(str(error).split()) or type(error).__name__
        note = f"The map is a spectral layout of the neighbours, because UMAP cannot run ({why})."
        return MapLayout(start, "spectral", note)


def _umap(distances: Floats, indices: Indices, start: Floats, seed: int) -> Floats:
    n, k = indices.shape
    reached = np.isfinite(distances)
    # a row is the first of its own neighbours, as UMAP counts, and -1 is no row
    near = np.c_[np.arange(n), np.where(reached, indices, -1)].astype(np.int32)
    lengths = np.c_[np.zeros(n), np.where(reached, distances, np.inf)].astype(np.float32)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from tqdm import tqdm
        from umap import UMAP

        keep_compiled()
        tqdm.set_lock(threading.RLock())  # its own lock is a semaphore of the system
        umap = UMAP(
            n_neighbors=k + 1,
            precomputed_knn=(near, lengths),
            init=start.astype(np.float32),
            random_state=seed % 2**32,
            n_jobs=1,
        )
        places = umap.fit_transform(np.zeros((n, 1), np.float32)).astype(np.float64)
    if not np.isfinite(places).all():
        raise ArithmeticError("its layout is not finite")
    return np.asarray(places)


def spectral_layout(distances: Floats, indices: Indices, seed: int) -> Floats:
    """Place rows by eigenvectors of the Laplacian of the neighbour graph.

    Parts of the graph that no neighbours connect are placed beside each other, the largest first,
    each on an area in proportion to its rows.

    Parameters
    ----------
    distances, indices, seed
        As in `lay_out`.

    Returns
    -------
    (N, 2) float64

    Examples
    --------
    >>> pairs = np.array([[1], [0], [3], [2]])
    >>> bool(len(np.unique(spectral_layout(np.ones((4, 1)), pairs, 0), axis=0)) == 4)
    True
    """
    n, k = indices.shape
    reached = np.isfinite(distances).ravel()
    edges = (np.repeat(np.arange(n), k)[reached], indices.ravel()[reached])
    graph = csr_matrix((np.ones(len(edges[0])), edges), shape=(n, n))
    graph = ((graph + graph.T) / 2).tocsr()
    _, parts = connected_components(graph, directed=False)
    by_part = np.split(np.argsort(parts, kind="stable"), np.cumsum(np.bincount(parts))[:-1])
    by_part.sort(key=len, reverse=True)
    # shelves of parts, about as wide as they are high together
    width = (1 + _GAP) * np.sqrt(n)
    places = np.empty((n, 2))
    left = below = height = 0.0
    for rows in by_part:
        side = np.sqrt(len(rows))
        if left > 0 and left + side > width:
            left, below, height = 0.0, below + height, 0.0
        places[rows] = side * _square(graph[rows][:, rows], seed) + [left, below]
        left += side * (1 + _GAP)
        height = max(height, side * (1 + _GAP))
    return places


def _square(graph: csr_matrix, seed: int) -> Floats:
    """Return places of the rows of one connected graph, between 0 and 1 on both axes."""
    n = graph.shape[0]
    if n <= 3:  # as many eigenvectors as rows: on a circle
        turn = 0.5 + 2 * np.pi * np.arange(n) / n
        return np.column_stack([1 + np.cos(turn), 1 + np.sin(turn)]) / 2
    from sklearn.manifold import spectral_embedding

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a rough solution is good enough to look at
        places = spectral_embedding(
            graph, n_components=2, eigen_solver="lobpcg", random_state=seed % 2**32
        )
    places = np.asarray(places, np.float64)
    if not np.isfinite(places).all():
        places = np.random.default_rng(seed).uniform(size=(n, 2))
    low, span = places.min(axis=0), np.ptp(places, axis=0)
    return np.asarray((places - low) / np.where(span > 0, span, 1.0))
