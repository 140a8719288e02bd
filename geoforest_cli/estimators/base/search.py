"""scikit-learn's search for nearest rows, with its digits kept."""

from typing import Any, Self

import numpy as np
import numpy.typing as npt
from sklearn.neighbors import NearestNeighbors

__all__ = ["NearestRows"]

_FAR = 1e3  # times its spread: a column that lies farther from zero is shifted


class NearestRows(NearestNeighbors):
    """Nearest rows by Euclidean distance, wherever the table lies.

    For half of all rows, or in more than 15 columns, scikit-learn takes |x|^2 - 2 x.y + |y|^2,
    which loses all digits of points in time, say. Columns that lie far from zero are brought near
    to it first; all others are left as they are, to the last bit.

    Examples
    --------
    >>> rows = np.array([[0.0], [1.0], [3.0]]) + 1.7e9
    >>> NearestRows(n_neighbors=2).fit(rows).kneighbors()[0].tolist()
    [[1.0, 3.0], [1.0, 2.0], [2.0, 3.0]]
    """

    def fit(self, X: npt.NDArray[Any], y: Any = None) -> Self:
        """Keep the rows of X (n, p)."""
        far = np.abs(X[0]) > _FAR * np.ptp(X, axis=0)
        # one of the values: whole numbers stay whole
        self._offset: npt.NDArray[Any] | None = np.where(far, X[0], 0) if far.any() else None
        super().fit(self._shifted(X), y)
        return self

    def kneighbors(
        self,
        X: npt.NDArray[Any] | None = None,
        n_neighbors: int | None = None,
        return_distance: bool = True,  # noqa: FBT001, FBT002 - scikit-learn's signature
    ) -> Any:
        """Return the distances and numbers of the nearest rows, as scikit-learn does."""
        shifted = None if X is None else self._shifted(X)
        return super().kneighbors(shifted, n_neighbors, return_distance)

    def _shifted(self, X: npt.NDArray[Any]) -> npt.NDArray[Any]:
        return X if self._offset is None else X - self._offset
