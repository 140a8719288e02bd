"""Euclidean distance between the rows."""

from typing import Any, Self

import numpy as np
import numpy.typing as npt
from scipy.spatial.distance import cdist
from sklearn.neighbors import NearestNeighbors

from geoforest_cli.baselines._validate import check_points
from geoforest_cli.errors import DataError

_MANY_COLUMNS = 64
_NEAR = 1e-6


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
    for i, j in np.argwhere(np.triu(squares < _NEAR * scale)):
        gap = centred[i] - centred[j]
        squares[i, j] = gap @ gap
    # the two triangles of a product may differ in the last digit
    squares = np.triu(squares) + np.triu(squares, 1).T
    lengths: npt.NDArray[np.float64] = np.sqrt(np.maximum(squares, 0.0))
    return lengths


class Euclidean:
    """Plain Euclidean distance: what a geodesic method has to beat.

    Examples
    --------
    >>> Euclidean().fit([[0, 0], [3, 4]]).distances()
    array([[0., 5.],
           [5., 0.]])
    """

    def __init__(self) -> None:
        pass

    def fit(self, X: npt.ArrayLike, y: Any = None) -> Self:
        """Keep the points X (N, p)."""
        self.points_ = check_points(X)
        return self

    def distances(self) -> npt.NDArray[np.float64]:
        """Return |x_i - x_j| (N, N)."""
        return pairwise_lengths(self.points_)

    def kneighbors(
        self, n_neighbors: int = 5
    ) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.int64]]:
        """Return distances and rows of the nearest other points, both (N, k), without all pairs.

        Raises
        ------
        DataError
            If n_neighbors is not between 1 and N - 1.
        """
        n = len(self.points_)
        if not 1 <= n_neighbors <= n - 1:
            raise DataError(f"k = {n_neighbors} neighbours, but 1 to {n - 1} are possible")
        search = NearestNeighbors(n_neighbors=n_neighbors).fit(self.points_)
        distances, indices = search.kneighbors()
        return distances, indices.astype(np.int64)

    def transform(self, X: npt.ArrayLike) -> npt.NDArray[np.float64]:
        """Return the distances (m, N) from the rows of X to the training points."""
        lengths: npt.NDArray[np.float64] = cdist(np.asarray(X, np.float64), self.points_)
        return lengths
