"""scikit-learn's search for nearest rows, with its digits kept."""

from functools import cached_property
from typing import Any, Self

import numpy as np
import numpy.typing as npt
from sklearn.neighbors import NearestNeighbors

__all__ = ["NearestRows"]

_MAX_RELATIVE_ERROR = 1e-6  # of a distance that the search reports; above it digits were lost
_VALUES_PER_CHUNK = 2**22


class NearestRows(NearestNeighbors):
    """Nearest rows by Euclidean distance, with the distances of differences, wherever X lies.

    For half of all rows, or in more than 15 columns, scikit-learn takes |x|^2 - 2 x.y + |y|^2,
    which loses all digits of points in time, say. So rows are centred before the search, all
    distances are computed again, and rows for which the search was off are searched in a tree.

    Examples
    --------
    >>> rows = np.array([[0.0], [1.0], [3.0]]) + 1.7e9
    >>> NearestRows(n_neighbors=2).fit(rows).kneighbors()[0].tolist()
    [[1.0, 3.0], [1.0, 2.0], [2.0, 3.0]]
    """

    def fit(self, X: npt.NDArray[Any], y: Any = None) -> Self:
        """Keep the rows of X (n, p)."""
        self.__dict__.pop("_in_tree", None)
        self._table = X
        self._centre = X.mean(axis=0)
        super().fit(X - self._centre)
        return self

    @cached_property
    def _in_tree(self) -> NearestNeighbors:
        return NearestNeighbors(algorithm="kd_tree", n_jobs=self.n_jobs).fit(self._table)

    def kneighbors(
        self,
        X: npt.NDArray[Any] | None = None,
        n_neighbors: int | None = None,
        return_distance: bool = True,  # noqa: FBT001, FBT002 - scikit-learn's signature
    ) -> Any:
        """Return the distances and numbers of the nearest rows, as scikit-learn does."""
        points = self._table if X is None else X
        reported, rows = super().kneighbors(None if X is None else X - self._centre, n_neighbors)
        distances = self._distances(points, rows)
        off = np.abs(reported - distances) > _MAX_RELATIVE_ERROR * distances
        # a distance of 0 is the smallest there is, whatever was reported
        lost = np.flatnonzero((off & (distances > 0)).any(axis=1))
        if len(lost):
            themselves = lost if X is None else None
            rows[lost] = self._searched_in_tree(points[lost], rows.shape[1], themselves)
            distances[lost] = self._distances(points[lost], rows[lost])
        order = np.argsort(distances, axis=1, kind="stable")
        distances, rows = (np.take_along_axis(a, order, axis=1) for a in (distances, rows))
        return (distances, rows) if return_distance else rows

    def _distances(
        self, points: npt.NDArray[Any], rows: npt.NDArray[np.int64]
    ) -> npt.NDArray[np.float64]:
        distances = np.empty(rows.shape)
        step = max(1, _VALUES_PER_CHUNK // max(1, rows.shape[1] * points.shape[1]))
        for start in range(0, len(points), step):
            part = slice(start, start + step)
            differences = points[part, None, :] - self._table[rows[part]]
            distances[part] = np.linalg.norm(differences, axis=2)
        return distances

    def _searched_in_tree(
        self, points: npt.NDArray[Any], k: int, themselves: npt.NDArray[np.int64] | None
    ) -> npt.NDArray[np.int64]:
        """Return the nearest rows of points; without `themselves`, their own numbers."""
        if themselves is None:
            nearest: npt.NDArray[np.int64] = self._in_tree.kneighbors(
                points, k, return_distance=False
            )
            return nearest
        rows = self._in_tree.kneighbors(points, k + 1, return_distance=False)
        kept = rows != themselves[:, None]
        # among more copies than are asked for it need not be itself
        kept[kept.all(axis=1), -1] = False
        others: npt.NDArray[np.int64] = rows[kept].reshape(-1, k)
        return others
