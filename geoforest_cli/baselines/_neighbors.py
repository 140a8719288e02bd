"""What estimators with lists of neighbours have in common, in scikit-learn's words."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array

from geoforest_cli.errors import DataError

__all__ = ["DEFAULT_NEIGHBORS", "Answer", "NeighborsGraph", "answer", "number_asked_for"]

DEFAULT_NEIGHBORS = 5  # scikit-learn's

Distances = npt.NDArray[np.float64]
Rows = npt.NDArray[np.int64]
Answer = tuple[Distances, Rows] | Rows


def number_asked_for(n_neighbors: int | None, default: int, most: int) -> int:
    """Return how many neighbours are meant: the default, at most all, where none is said.

    Raises
    ------
    DataError
        If the number is not between 1 and `most`.
    """
    if n_neighbors is None:
        return min(default, most)
    if not 1 <= n_neighbors <= most:
        raise DataError(f"k = {n_neighbors} neighbours, but 1 to {most} are possible")
    return int(n_neighbors)


def answer(distances: Distances, rows: Rows, *, return_distance: bool) -> Answer:
    """Return distances and rows, or the rows alone."""
    return (distances, rows) if return_distance else rows


class NeighborsGraph:
    """The sparse form of `kneighbors`, for estimators that keep `n_samples_fit_`."""

    n_samples_fit_: int

    def kneighbors(
        self,
        X: npt.ArrayLike | None = None,
        n_neighbors: int | None = None,
        return_distance: bool = True,  # noqa: FBT001, FBT002  scikit-learn's signature
    ) -> Any:
        """Return distances and rows of the nearest training points."""
        raise NotImplementedError

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
            raise DataError(f"mode is 'connectivity' or 'distance', not {mode!r}")
        distances, rows = self.kneighbors(X, n_neighbors)
        m, k = rows.shape
        values = distances if mode == "distance" else np.ones((m, k))
        starts = np.arange(0, m * k + 1, k)
        return csr_array((values.ravel(), rows.ravel(), starts), shape=(m, self.n_samples_fit_))
