"""What estimators with lists of neighbours have in common, in scikit-learn's words."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Literal, overload

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array
from sklearn.utils.validation import check_is_fitted

from geoforest_cli.core.errors import DataError

__all__ = ["Copies", "KNeighborsMixin", "Neighbors", "distinct_points"]

_DEFAULT_NEIGHBORS = 5  # scikit-learn's

Distances = npt.NDArray[np.float64]
Rows = npt.NDArray[np.int64]
Neighbors = tuple[Distances, Rows]


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


class KNeighborsMixin(ABC):
    """`kneighbors` and its sparse form, for estimators that can find neighbours.

    By default as many are found as the estimator's `n_neighbors` says, or 5 if it has none.
    """

    n_samples_fit_: int

    @abstractmethod
    def _find_neighbors(self, X: npt.ArrayLike | None, k: int) -> Neighbors:
        """Return distances and rows of the k nearest training points, nearest first."""

    def _most_neighbors(self, *, new: bool) -> int:
        """Return how many neighbours a training point, or a new one, has."""
        return self.n_samples_fit_ if new else self.n_samples_fit_ - 1

    @overload
    def kneighbors(
        self,
        X: npt.ArrayLike | None = None,
        n_neighbors: int | None = None,
        return_distance: Literal[True] = True,  # noqa: FBT002  scikit-learn's signature
    ) -> Neighbors: ...

    @overload
    def kneighbors(
        self,
        X: npt.ArrayLike | None = None,
        n_neighbors: int | None = None,
        *,
        return_distance: Literal[False],
    ) -> Rows: ...

    def kneighbors(
        self,
        X: npt.ArrayLike | None = None,
        n_neighbors: int | None = None,
        return_distance: bool = True,  # noqa: FBT001, FBT002  scikit-learn's signature
    ) -> Neighbors | Rows:
        """Return distances and rows of the nearest training points, without all pairs.

        Parameters
        ----------
        X : (m, p), optional
            New points; by default the training points, each left out of its own list.
        n_neighbors : int, optional
            By default the estimator's, or 5.
        return_distance : bool

        Returns
        -------
        distances : (m, k) float64, ascending
            Only with `return_distance`.
        rows : (m, k) int64
            Forests list equally distant points in a random order that `random_state` fixes,
            other estimators in the order of their rows.

        Raises
        ------
        DataError
            If there are not so many points.
        """
        check_is_fitted(self)
        most = self._most_neighbors(new=X is not None)
        default = getattr(self, "n_neighbors", min(_DEFAULT_NEIGHBORS, most))
        k = default if n_neighbors is None else n_neighbors
        if not isinstance(k, int | np.integer):
            # scikit-learn's words: its checks look for them
            raise TypeError(f"n_neighbors does not take {type(k)} value, enter integer value")
        if not 1 <= k <= most:
            raise DataError(f"k = {k} neighbours, but 1 to {most} are possible")
        distances, rows = self._find_neighbors(X, int(k))
        return (distances, rows) if return_distance else rows

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
            raise DataError(f"mode is {mode!r}, but may be 'connectivity' or 'distance'")
        distances, rows = self.kneighbors(X, n_neighbors)
        m, k = rows.shape
        values = distances if mode == "distance" else np.ones((m, k))
        starts = np.arange(0, m * k + 1, k)
        return csr_array((values.ravel(), rows.ravel(), starts), shape=(m, self.n_samples_fit_))
