"""scikit-learn's search for nearest rows, with its digits kept."""

from functools import cached_property
from typing import Any, Self

import numpy as np
import numpy.typing as npt
from sklearn.neighbors import NearestNeighbors

__all__ = ["NearestRows"]

_ROUNDED = 1e-6  # share of a distance; more says that digits were lost


class NearestRows(NearestNeighbors):
    """Nearest rows by Euclidean distance, wherever the table lies.

    For half of all rows, or in more than 15 columns, scikit-learn takes |x|^2 - 2 x.y + |y|^2. Of
    points in time, say, that loses all digits. Rows whose first or last distance is not that of the
    difference are searched again in a tree, which subtracts; all others stay as they are.

    Examples
    --------
    >>> rows = np.array([[0.0], [1.0], [3.0]]) + 1.7e9
    >>> NearestRows(n_neighbors=2).fit(rows).kneighbors()[0].tolist()
    [[1.0, 3.0], [1.0, 2.0], [2.0, 3.0]]
    """

    def fit(self, X: npt.NDArray[Any], y: Any = None) -> Self:
        """Keep the rows of X (n, p)."""
        self.__dict__.pop("_subtracting", None)
        self._table = X
        super().fit(X)
        return self

    @cached_property
    def _subtracting(self) -> NearestNeighbors:
        return NearestNeighbors(algorithm="kd_tree", n_jobs=self.n_jobs).fit(self._table)

    def kneighbors(
        self,
        X: npt.NDArray[Any] | None = None,
        n_neighbors: int | None = None,
        return_distance: bool = True,  # noqa: FBT001, FBT002 - scikit-learn's signature
    ) -> Any:
        """Return the distances and numbers of the nearest rows, as scikit-learn does."""
        distances, rows = super().kneighbors(X, n_neighbors)
        points = self._table if X is None else X
        wrong = np.zeros(len(points), bool)
        for place in (0, -1):
            exact = np.linalg.norm(points - self._table[rows[:, place]], axis=1)
            # copies need no other place
            wrong |= (exact > 0) & (np.abs(distances[:, place] - exact) > _ROUNDED * exact)
        lost = np.flatnonzero(wrong)
        if len(lost):
            own = lost if X is None else None
            distances[lost], rows[lost] = self._subtracted(points[lost], rows.shape[1], own)
        return (distances, rows) if return_distance else rows

    def _subtracted(
        self, points: npt.NDArray[Any], k: int, own: npt.NDArray[np.int64] | None
    ) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.int64]]:
        """Search in the tree; `own` are the rows of the points, which are not found."""
        if own is None:
            found: tuple[Any, Any] = self._subtracting.kneighbors(points, k)
            return found
        distances, rows = self._subtracting.kneighbors(points, k + 1)
        kept = rows != own[:, None]
        # among more copies than are asked for it need not be itself
        kept[kept.all(axis=1), -1] = False
        return distances[kept].reshape(-1, k), rows[kept].reshape(-1, k)
