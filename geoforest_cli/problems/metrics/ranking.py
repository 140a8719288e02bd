"""From distances to lists of neighbours, ties included."""

from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from geoforest_cli.core.errors import DataError

Ties = Literal["random", "index"]
Indices = npt.NDArray[np.int64]


def rank_neighbors(
    distances: npt.NDArray[np.floating[Any]], k: int, ties: Ties, rng: np.random.Generator
) -> Indices:
    """Return the k nearest points of every point.

    Parameters
    ----------
    distances : (N, N) array
        inf stands for unconnected, NaN for unknown: they rank last, NaN after inf.
    k : int
        At most N - 1; the point itself is left out.
    ties : {"random", "index"}
        Equal distances stand in random order, or by row number.
    rng : numpy.random.Generator

    Raises
    ------
    DataError
        If k is out of range.

    Examples
    --------
    >>> D = np.array([[0, 2, 1], [2, 0, 2], [1, 2, 0.0]])
    >>> rank_neighbors(D, 2, "index", np.random.default_rng(0)).tolist()
    [[2, 1], [0, 2], [0, 1]]
    """
    n = len(distances)
    if not 1 <= k <= n - 1:
        raise DataError(f"k = {k} neighbours of {n} points, but 1 to {n - 1} are possible")
    order = np.empty((n, k), np.int64)
    for i in range(n):
        row = np.array(distances[i], np.float64)
        # the point itself is taken out by index: it ranks behind everything, NaN included
        row[i] = np.nan
        candidates = _candidates(row, k)
        keys = rng.random(len(candidates)) if ties == "random" else candidates
        ranked = candidates[np.lexsort((keys, row[candidates]))]
        order[i] = ranked[ranked != i][:k]
    return order


def _candidates(row: npt.NDArray[np.float64], k: int) -> Indices:
    """Return the points that can be among the k nearest, in the order of their numbers."""
    last = np.partition(row, k - 1)[k - 1]
    # NaN sorts behind inf; where it is reached, every point is still in the race
    return np.flatnonzero(row <= last) if not np.isnan(last) else np.arange(len(row))


def retrieved(method: Any, k: int, ties: Ties, rng: np.random.Generator) -> Indices:
    """Return the k neighbours that a fitted method holds nearest to each point.

    From its `distances()`, ranked here so that ties are broken the same way for all
    methods; from its `kneighbors` where it has no distances between all pairs.
    """
    if hasattr(method, "distances"):
        return rank_neighbors(method.distances(), k, ties, rng)
    _, indices = method.kneighbors(n_neighbors=k)
    return np.asarray(indices, np.int64)
