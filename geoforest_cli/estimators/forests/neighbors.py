"""Neighbours of a fitted forest in the shapes that other packages take."""

import warnings
from abc import abstractmethod
from typing import Any, Literal

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_matrix
from sklearn.base import BaseEstimator

from geoforest_cli.core.errors import DataError
from geoforest_cli.estimators.base.neighbors import KNeighborsMixin, Neighbors
from geoforest_cli.estimators.forests.forest import Forest, Leaves, Pairs
from geoforest_cli.estimators.forests.proximity import LeafIndex

Floats = npt.NDArray[np.float64]
Rows = npt.NDArray[np.int64]


class ForestNeighbors(KNeighborsMixin, BaseEstimator):
    """k nearest training points by shared leaves: distance 1 - L_ij / T.

    It warns if more than half of the neighbours never share a leaf with their point: these are
    drawn at random.
    """

    n_neighbors: int
    n_jobs: int | None
    pairs: Pairs
    forest_: Forest
    _seed: int
    _index: list[LeafIndex]

    @abstractmethod
    def apply(self, X: npt.ArrayLike) -> npt.NDArray[np.int32]:
        """Return the (n, T) numbers of the leaves that the rows of X reach."""

    def _find_neighbors(self, X: npt.ArrayLike | None, k: int) -> Neighbors:
        if self.pairs != "all":
            raise ValueError(f'kneighbors needs pairs="all", not {self.pairs!r}')
        if X is None:
            leaves, rows = self.forest_.leaf_of, np.arange(self.n_samples_fit_)
        else:
            leaves = self.apply(X).T
            rows = np.full(leaves.shape[1], -1, np.int64)
        distances, indices = self._nearest(leaves, rows, k)
        drawn = float(np.mean(distances >= 1))
        if drawn > 0.5:
            warnings.warn(
                f"{drawn:.0%} of the {k} neighbours of a point never share a leaf with it and "
                "are drawn at random: ask for fewer, or raise min_parent or n_estimators",
                stacklevel=3,
            )
        return distances, indices

    def __getstate__(self) -> dict[str, Any]:
        """Leave out what is made again when it is asked for."""
        state: dict[str, Any] = {**super().__getstate__()}
        return state | {"_index": []} if "_index" in state else state

    def _nearest(self, leaves: Leaves, rows: Rows, n_neighbors: int) -> Neighbors:
        # made when first asked for; in a list, since only fit may set attributes
        if not self._index:
            nodes = np.diff(self.forest_.first_node)
            self._index.append(LeafIndex.build(self.forest_.leaf_of, nodes, n_jobs=self.n_jobs))
        return self._index[0].nearest(leaves, rows, n_neighbors, self._seed, self.n_jobs)

    def kneighbors_graph(
        self,
        X: npt.ArrayLike | None = None,
        n_neighbors: int | None = None,
        mode: Literal["connectivity", "distance"] = "connectivity",
    ) -> csr_matrix:
        """Return the lists of `kneighbors` as a sparse matrix, as `KNeighborsMixin` does."""
        return csr_matrix(super().kneighbors_graph(X, n_neighbors, mode))

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
        n = self.n_samples_fit_
        if not 2 <= k <= n:
            raise DataError(f"k = {k} neighbours with the point itself, but 2 to {n} are possible")
        distances, indices = self.kneighbors(None, k - 1)
        return np.c_[np.arange(n), indices], np.c_[np.zeros(n), distances]


def rows_of(values: Floats, indices: Rows, n: int) -> csr_matrix:
    """Return a matrix with the same number of entries in each row, zeros included."""
    rows, k = indices.shape
    return csr_matrix((values.ravel(), indices.ravel(), np.arange(0, rows * k + 1, k)), (rows, n))
