"""What estimators with lists of neighbours have in common, in scikit-learn's words."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array

from geoforest_cli.core.errors import DataError

__all__ = [
    "DEFAULT_NEIGHBORS",
    "Copies",
    "Neighbors",
    "NeighborsGraph",
    "checked_n_neighbors",
    "distinct_points",
    "neighbors_result",
]

DEFAULT_NEIGHBORS = 5  # scikit-learn's

Distances = npt.NDArray[np.float64]
Rows = npt.NDArray[np.int64]
Neighbors = tuple[Distances, Rows] | Rows


def checked_n_neighbors(n_neighbors: int | None, default: int, most: int) -> int:
    """Return how many neighbours are meant: the default, at most all, where none is said.

    Raises
    ------
    DataError
        If the number is not between 1 and `most`.
    """
    if n_neighbors is None:
        return min(default, most)
    if not 1 <= n_neighbors <= most:
        raise DataError(f"k = {n_neighbors} neighbours, but 1 to {most} are possible")
    return int(n_neighbors)


def neighbors_result(distances: Distances, rows: Rows, *, return_distance: bool) -> Neighbors:
    """Return distances and rows, or the rows alone."""
    return (distances, rows) if return_distance else rows


@dataclass(frozen=True)
class Copies:
    """Which points are copies of which: a graph is built of the distinct ones.

    With k copies or more of a point, its k nearest others are nothing but copies, and it would be
    a piece of its own.

    Attributes
    ----------
    row : (m,) int64
        First row of each distinct point, ascending.
    place : (n,) int64
        Number of the distinct point that each row is a copy of.
    """

    row: Rows
    place: Rows

    def spread(self, matrix: Distances) -> Distances:
        """Return distances (m', m) to distinct points as distances (m', n) to all rows."""
        return matrix if len(self.row) == len(self.place) else matrix[:, self.place]

    def spread_both(self, matrix: Distances) -> Distances:
        """Return distances (m, m) between distinct points as distances (n, n) between all rows."""
        return matrix if len(self.row) == len(self.place) else self.spread(matrix)[self.place]


def distinct_points(points: Distances) -> Copies:
    """Find equal rows.

    Examples
    --------
    >>> copies = distinct_points(np.array([[2.0], [1.0], [2.0]]))
    >>> copies.row.tolist(), copies.place.tolist()
    ([0, 1], [0, 1, 0])
    """
    _, first, inverse = np.unique(points, axis=0, return_index=True, return_inverse=True)
    order = np.argsort(first)
    rank = np.empty(len(first), np.int64)
    rank[order] = np.arange(len(first))
    return Copies(first[order].astype(np.int64), rank[inverse.ravel()])


class NeighborsGraph(ABC):
    """The sparse form of `kneighbors`, for estimators that keep `n_samples_fit_`."""

    n_samples_fit_: int

    @abstractmethod
    def kneighbors(
        self,
        X: npt.ArrayLike | None = None,
        n_neighbors: int | None = None,
        return_distance: bool = True,  # noqa: FBT001, FBT002  scikit-learn's signature
    ) -> Any:
        """Return distances and rows of the nearest training points."""

    def kneighbors_graph(
        self,
        X: npt.ArrayLike | None = None,
        n_neighbors: int | None = None,
        mode: Literal["connectivity", "distance"] = "connectivity",
    ) -> csr_array:
        """Return the lists of `kneighbors` as a sparse matrix (m, n), equally many per row.

        Parameters
        ----------
        X : (m, p), optional
            By default the training points, each left out of its own list.
        n_neighbors : int, optional
        mode : {"connectivity", "distance"}
            Ones, or the distances; zero and infinite ones are stored.
        """
        if mode not in {"connectivity", "distance"}:
            raise DataError(f"mode is 'connectivity' or 'distance', not {mode!r}")
        distances, rows = self.kneighbors(X, n_neighbors)
        m, k = rows.shape
        values = distances if mode == "distance" else np.ones((m, k))
        starts = np.arange(0, m * k + 1, k)
        return csr_array((values.ravel(), rows.ravel(), starts), shape=(m, self.n_samples_fit_))
