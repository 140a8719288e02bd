"""Neighbours of a fitted forest in the shapes that other packages take."""

import warnings
from abc import ABC, abstractmethod
from typing import Literal, overload

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_matrix
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from geoforest_cli.core.errors import DataError
from geoforest_cli.estimators.forests.forest import Forest, Pairs
from geoforest_cli.estimators.forests.proximity import LeafIndex

Floats = npt.NDArray[np.float64]
Rows = npt.NDArray[np.int64]


class ForestNeighbors(BaseEstimator, ABC):
    """k nearest training points by shared leaves: distance 1 - L_ij / T."""

    n_neighbors: int
    n_jobs: int | None
    pairs: Pairs
    forest_: Forest
    _seed: int
    _index: list[LeafIndex]

    @abstractmethod
    def apply(self, X: npt.ArrayLike) -> npt.NDArray[np.int32]:
        """Return the (n, T) numbers of the leaves that the rows of X reach."""

    @overload
    def kneighbors(
        self,
        X: npt.ArrayLike | None = None,
        n_neighbors: int | None = None,
        return_distance: Literal[True] = True,  # noqa: FBT002
    ) -> tuple[Floats, Rows]: ...

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
        return_distance: bool = True,  # noqa: FBT001, FBT002
    ) -> tuple[Floats, Rows] | Rows:
        """Return distances 1 - S and training rows of the nearest points, without S.

        Parameters
        ----------
        X : (n, p) array, optional
            New points; by default the training points, each left out of its own list.
        n_neighbors : int, optional
            At most N - 1 (N for new points); by default the estimator's.
        return_distance : bool

        Returns
        -------
        distances : (n, k) float64, ascending
            Only with `return_distance`.
        indices : (n, k) int64
            Equally distant points stand in a random order that `random_state` fixes.

        Raises
        ------
        ValueError
            If n_neighbors is out of range, or if `pairs` is not "all".

        Warns
        -----
        UserWarning
            If more than half of the neighbours never share a leaf with their point: these are
            drawn at random.
        """
        check_is_fitted(self)
        if self.pairs != "all":
            raise ValueError(f'kneighbors needs pairs="all", not {self.pairs!r}')
        k = self.n_neighbors if n_neighbors is None else n_neighbors
        if not isinstance(k, int | np.integer):
            # scikit-learn's words: its checks look for them
            raise TypeError(f"n_neighbors does not take {type(k)} value, enter integer value")
        n = self.forest_.leaf_of.shape[1]
        most = n - 1 if X is None else n
        if not 1 <= k <= most:
            raise DataError(f"k = {k} neighbours, but 1 to {most} are possible")
        if X is None:
            leaves, rows = self.forest_.leaf_of, np.arange(n)
        else:
            leaves = self.apply(X).T
            rows = np.full(leaves.shape[1], -1, np.int64)
        distances, indices = self._nearest(leaves, rows, int(k))
        drawn = float(np.mean(distances >= 1))
        if drawn > 0.5:
            warnings.warn(
                f"{drawn:.0%} of the {k} neighbours of a point never share a leaf with it and "
                "are drawn at random: ask for fewer, or raise min_parent or n_estimators",
                stacklevel=2,
            )
        return (distances, indices) if return_distance else indices

    def _nearest(
        self, leaves: npt.NDArray[np.int32], rows: Rows, n_neighbors: int
    ) -> tuple[Floats, Rows]:
        # made when first asked for; in a list, since only fit may set attributes
        if not self._index:
            self._index.append(LeafIndex.build(self.forest_))
        return self._index[0].nearest(leaves, rows, n_neighbors, self._seed, self.n_jobs)

    def kneighbors_graph(
        self,
        X: npt.ArrayLike | None = None,
        n_neighbors: int | None = None,
        mode: Literal["connectivity", "distance"] = "connectivity",
    ) -> csr_matrix:
        """Return the k nearest training points of each row as a sparse matrix (n, N).

        Parameters
        ----------
        X, n_neighbors
            As for `kneighbors`.
        mode : {"connectivity", "distance"}
            Entries are 1, or distances 1 - S.
        """
        if mode not in {"connectivity", "distance"}:
            raise ValueError(f"mode is {mode!r}, but may be 'connectivity' or 'distance'")
        distances, indices = self.kneighbors(X, n_neighbors)
        values = distances if mode == "distance" else np.ones_like(distances)
        return rows_of(values, indices, self.forest_.leaf_of.shape[1])

    def knn_for_umap(self, n_neighbors: int | None = None) -> tuple[Rows, Floats]:
        """Return (indices, distances) for `umap.UMAP(precomputed_knn=...)`.

        Each point comes first in its own list, as UMAP counts it; so n_neighbors is UMAP's.

        Examples
        --------
        >>> from geoforest_cli.estimators.forests.geodesic_forest import GeodesicForest
        >>> X = np.random.default_rng(0).normal(size=(60, 3))
        >>> indices, distances = GeodesicForest(20, random_state=0).fit(X).knn_for_umap(5)
        >>> indices.shape, bool((indices[:, 0] == np.arange(60)).all())
        ((60, 5), True)
        """
        k = self.n_neighbors if n_neighbors is None else n_neighbors
        n = self.forest_.leaf_of.shape[1]
        if not 2 <= k <= n:
            raise DataError(f"k = {k} neighbours with the point itself, but 2 to {n} are possible")
        distances, indices = self.kneighbors(None, k - 1)
        return self_first(distances, indices)[::-1]


def self_first(distances: Floats, indices: Rows) -> tuple[Floats, Rows]:
    """Put every training point at distance 0 before its own neighbours."""
    n = len(indices)
    return np.c_[np.zeros(n), distances], np.c_[np.arange(n), indices]


def rows_of(values: Floats, indices: Rows, n: int) -> csr_matrix:
    """Return a matrix with the same number of entries in each row, zeros included."""
    rows, k = indices.shape
    return csr_matrix((values.ravel(), indices.ravel(), np.arange(0, rows * k + 1, k)), (rows, n))
