"""Euclidean distance between the rows."""

from typing import Any, Self

import numpy as np
import numpy.typing as npt
from scipy.spatial.distance import cdist
from sklearn.base import ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from geoforest_cli.estimators.base.neighbors import DistinctNeighbors, Neighbors
from geoforest_cli.estimators.base.search import NearestRows
from geoforest_cli.estimators.base.validation import require_all_pairs

_MANY_COLUMNS = 64
_MIN_SHARE = 1e-6


def pairwise_lengths(points: npt.NDArray[Any]) -> npt.NDArray[np.float64]:
    """Return |x_i - x_j| (N, N).

    With many columns as |x|^2 - 2 x.y + |y|^2, a matrix product; pairs so near that this
    would cost them more than ten of their digits are computed from their differences.

    Examples
    --------
    >>> pairwise_lengths(np.array([[0.0, 0], [3, 4]])).tolist()
    [[0.0, 5.0], [5.0, 0.0]]
    """
    if points.shape[1] <= _MANY_COLUMNS:
        exact: npt.NDArray[np.float64] = cdist(points, points)
        return exact
    centred = points.astype(np.float64) - points.mean(axis=0, dtype=np.float64)
    sizes = np.einsum("ij,ij->i", centred, centred)
    scale = sizes[:, None] + sizes[None, :]
    squares = scale - 2.0 * (centred @ centred.T)
    for i, j in np.argwhere(np.triu(squares < _MIN_SHARE * scale)):
        gap = centred[i] - centred[j]
        squares[i, j] = gap @ gap
    # the two triangles of a product may differ in the last digit
    squares = np.triu(squares) + np.triu(squares, 1).T
    lengths: npt.NDArray[np.float64] = np.sqrt(np.maximum(squares, 0.0))
    return lengths


class Euclidean(ClassNamePrefixFeaturesOutMixin, TransformerMixin, DistinctNeighbors):
    """Plain Euclidean distance: what a geodesic method has to beat.

    Parameters
    ----------
    rescale : {"none", "standardise", "min_max"}
        Scale of the columns before anything is measured, see `Scaling`.
    random_state : int, optional
        Draws among rows that are copies of one another.

    Examples
    --------
    >>> Euclidean().fit([[0, 0], [3, 4]]).distances()
    array([[0., 5.],
           [5., 0.]])
    """

    def fit(self, X: npt.ArrayLike, y: Any = None) -> Self:
        """Keep the points X (N, p)."""
        self.points_ = self._fit_points(X)
        self._distinct = self._keep_distinct(self.points_)
        self._n_features_out = len(self.points_)
        return self

    def distances(self) -> npt.NDArray[np.float64]:
        """Return |x_i - x_j| (N, N)."""
        check_is_fitted(self)
        require_all_pairs(self.n_samples_fit_, self.n_samples_fit_)
        return pairwise_lengths(self.points_)

    def _search(self, points: npt.NDArray[Any] | None, count: int) -> Neighbors:
        search = NearestRows(n_neighbors=count).fit(self._distinct)
        lengths, nodes = search.kneighbors(self._distinct if points is None else points)
        return lengths, nodes.astype(np.int64)

    def transform(self, X: npt.ArrayLike) -> npt.NDArray[np.float64]:
        """Return the distances (m, N) from the rows of X to the training points."""
        check_is_fitted(self)
        new = self._new_points(X)
        require_all_pairs(len(new), self.n_samples_fit_)
        lengths: npt.NDArray[np.float64] = cdist(new, self.points_)
        return lengths
