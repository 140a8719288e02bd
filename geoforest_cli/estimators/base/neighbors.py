"""Base of estimators with lists of neighbours, in scikit-learn's words."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, Literal, overload

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array
from sklearn.utils.validation import check_is_fitted

from geoforest_cli.core.errors import DataError
from geoforest_cli.estimators.base.copies import Copies, distinct_points, draw_among_copies
from geoforest_cli.estimators.base.parameters import Seed, root_seed
from geoforest_cli.estimators.base.table import TableEstimator

__all__ = ["Distances", "DistinctNeighbors", "KNeighborsMixin", "Neighbors", "Rows"]

_DEFAULT_NEIGHBORS = 5  # scikit-learn's

Distances = npt.NDArray[np.float64]
Rows = npt.NDArray[np.int64]
Neighbors = tuple[Distances, Rows]


class KNeighborsMixin(ABC):
    """`kneighbors` and its sparse form, for estimators that can find neighbours.

    By default as many are found as the estimator's `n_neighbors` says, or 5 if it has none.
    """

    n_samples_fit_: int
    _copies: Copies | None = None  # of the training points, where copies are to be drawn among
    _seed: int = 0

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
            Of rows that are copies of one another each is listed with the same probability, and
            equally near ones are in a random order where there are copies, or in a forest;
            `random_state` fixes it.

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
        if self._copies is not None:
            rng = np.random.default_rng(self._seed)
            rows = draw_among_copies(rows, self._copies.node, rng, new=X is not None)
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


class DistinctNeighbors(KNeighborsMixin, TableEstimator):
    """Lists of neighbours by a search among the distinct points.

    Parameters
    ----------
    random_state : int, optional
        Draws among rows that are copies of one another.
    """

    random_state: Seed = None

    def _keep_distinct(self, points: npt.NDArray[Any]) -> npt.NDArray[Any]:
        """Return the distinct ones of points (N, p), and remember which rows are copies."""
        self.n_samples_fit_ = len(points)
        self._seed = root_seed(self.random_state) % 2**64
        self._copies = distinct_points(points, self._seed)
        return points[self._copies.row]

    @abstractmethod
    def _search(self, points: npt.NDArray[Any] | None, count: int) -> Neighbors:
        """Return lengths and numbers of the distinct points nearest to new or to distinct ones."""

    def _find_neighbors(self, X: npt.ArrayLike | None, k: int) -> Neighbors:
        assert self._copies is not None
        count = min(k + 1, len(self._copies.row))
        if X is None:
            lengths, nodes = self._search(None, count)
            node, rows = self._copies.node, np.arange(self.n_samples_fit_)
            return self._copies.listed(lengths[node], nodes[node], rows, k)
        lengths, nodes = self._search(self._new_points(X), count)
        return self._copies.listed(lengths, nodes, np.full(len(nodes), -1), k)
