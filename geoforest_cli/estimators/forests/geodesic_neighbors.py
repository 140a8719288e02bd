"""A forest's neighbours as a transformer: the front of a pipeline."""

from __future__ import annotations

import hashlib
from dataclasses import field
from typing import Any, Literal, Self

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_matrix
from sklearn.base import ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from geoforest_cli.core.errors import DataError
from geoforest_cli.estimators.base.parameters import PositiveInt
from geoforest_cli.estimators.forests.geodesic_forest import ColumnForest
from geoforest_cli.estimators.forests.neighbors import rows_of

__all__ = ["GeodesicNeighbors"]

_HASH = 16  # bytes: of a million rows two would be alike once in 10^26 fits


class GeodesicNeighbors(ClassNamePrefixFeaturesOutMixin, TransformerMixin, ColumnForest):
    """Geodesic Forest in the place of scikit-learn's `KNeighborsTransformer`.

    Its sparse matrix of distances goes wherever precomputed neighbours do: `Isomap`, `TSNE` and
    `DBSCAN` with ``metric="precomputed"``, `SpectralClustering` with
    ``affinity="precomputed_nearest_neighbors"``, scanpy's
    ``sc.pp.neighbors(adata, transformer=...)``.

    Parameters
    ----------
    n_neighbors : int
    mode : {"distance", "connectivity"}
        Entries are distances 1 - S with an explicit zero for the point itself, which is not
        counted among the neighbours; or ones, the point itself counted.
    n_estimators, criterion, projection, n_projections, max_projections, shortlist, patience, \
nonzeros, min_parent, min_leaf, min_share, variance_floor, max_depth, max_search, bootstrap, \
missing, rescale, binary_columns, screen, n_jobs, random_state, verbose
        As for `GeodesicForest`.

    Examples
    --------
    >>> from sklearn.manifold import Isomap
    >>> from sklearn.pipeline import make_pipeline
    >>> t = np.linspace(0, 1, 100)
    >>> layout = make_pipeline(
    ...     GeodesicNeighbors(10, n_estimators=50, random_state=0),
    ...     Isomap(n_neighbors=10, n_components=1, metric="precomputed"),
    ... ).fit_transform(np.c_[4 * t, 6 * t, 9 * t])
    >>> bool(abs(np.corrcoef(layout[:, 0], t)[0, 1]) > 0.95)
    True
    """

    pairs = "all"

    n_neighbors: PositiveInt = field(default=15, kw_only=False)
    mode: Literal["distance", "connectivity"] = "distance"
    n_estimators: PositiveInt = 300

    def transform(self, X: npt.ArrayLike) -> csr_matrix:
        """Return the distances from the rows of X to their nearest training points (n, N).

        A row that is among the training points counts as that point: it comes first, at
        distance 0.
        """
        check_is_fitted(self)
        table = self._checked(X)
        n = self.forest_.leaf_of.shape[1]
        numbers = {row: i for i, row in reversed(list(enumerate(self._rows)))}
        rows = self._rows_of(table)
        node_numbers = np.array([numbers.get(content, -1) for content in rows], np.int64)
        if rows == self._rows:
            node_numbers = np.arange(n)
        counted = self.mode == "distance"
        k = min(self.n_neighbors + counted, n)
        distances, indices = np.empty((len(table), k)), np.empty((len(table), k), np.int64)
        old, new = np.flatnonzero(node_numbers >= 0), np.flatnonzero(node_numbers < 0)
        if len(old):
            distances[old, 0], indices[old, 0] = 0.0, node_numbers[old]
        if len(old) and k > 1:
            distances[old, 1:], indices[old, 1:] = self._nearest(
                self.forest_.leaf_of[:, node_numbers[old]], node_numbers[old], k - 1
            )
        if len(new):
            leaves = self.apply(table[new]).T
            distances[new], indices[new] = self._nearest(leaves, node_numbers[new], k)
        return rows_of(distances if counted else np.ones_like(distances), indices, n)

    def _rows_of(self, table: npt.NDArray[Any]) -> list[bytes]:
        """A hash of what the trees see of each row, to find it among the training points."""
        seen = np.asarray(self._columns.prepare(table), np.float64)
        return [hashlib.blake2b(row.tobytes(), digest_size=_HASH).digest() for row in seen]

    def fit_transform(self, X: npt.ArrayLike, y: Any = None) -> csr_matrix:
        """Fit, and return the training points' distances (N, N), an explicit zero on the diagonal.

        Rows hold n_neighbors + 1 entries, or n_neighbors with mode "connectivity".
        """
        return self.fit(X).transform(X)

    def fit(self, X: npt.ArrayLike, y: Any = None) -> Self:
        """Grow the forest on the rows of X (N, p); y is ignored."""
        super().fit(X)
        table = self._checked(X)
        n = len(table)
        if self.n_neighbors > n - 1:
            raise DataError(f"k = {self.n_neighbors} neighbours, but 1 to {n - 1} are possible")
        self._rows = self._rows_of(table)
        return self

    @property
    def _n_features_out(self) -> int:
        return int(self.forest_.leaf_of.shape[1])
