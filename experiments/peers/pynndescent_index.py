"""pynndescent's index, for our own to be timed against."""

from __future__ import annotations

import warnings
from dataclasses import field
from typing import Any, ClassVar, Self

import numpy as np
import numpy.typing as npt

from geoforest_cli.estimators.base.neighbors import KNeighborsMixin, Neighbors
from geoforest_cli.estimators.base.parameters import PositiveInt, Seed, seed_31_bits
from geoforest_cli.estimators.base.scaling import Rescale
from geoforest_cli.estimators.base.search import NearestRows
from geoforest_cli.estimators.base.table import TableEstimator

__all__ = ["PynndescentIndex"]


class PynndescentIndex(KNeighborsMixin, TableEstimator):
    """Nearest rows of standardised columns by pynndescent, on one thread.

    Parameters
    ----------
    n_neighbors : int
        Neighbours that the index holds of each row; longer lists are exact.
    n_iters : int, optional
        Rounds of its search; by default its own rule.
    random_state : int, optional
    """

    single: ClassVar[bool] = True
    n_neighbors: PositiveInt = field(default=15, kw_only=False)
    n_iters: PositiveInt | None = None
    rescale: Rescale = "standardise"
    random_state: Seed = None

    def fit(self, X: npt.ArrayLike, y: Any = None) -> Self:
        """Build the index of the points X (N, p)."""
        from pynndescent import NNDescent

        points = self._points = self._fit_points(X).astype(np.float32)
        self.n_samples_fit_ = len(points)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            self._index = NNDescent(
                points,
                n_neighbors=min(self.n_neighbors + 1, len(points) - 1),
                n_iters=self.n_iters,
                random_state=seed_31_bits(self.random_state),
                n_jobs=1,
            )
        return self

    def _find_neighbors(self, X: npt.ArrayLike | None, k: int) -> Neighbors:
        if X is not None:
            rows, distances = self._index.query(self._new_points(X).astype(np.float32), k=k)
            return distances.astype(np.float64), rows.astype(np.int64)
        rows, distances = self._index.neighbor_graph
        if k >= rows.shape[1]:
            exact: Neighbors = NearestRows(n_neighbors=k).fit(self._points).kneighbors()
            return exact
        # a row stands in its own list, but where copies of it came first
        others = np.argsort(rows == np.arange(len(rows))[:, None], axis=1, kind="stable")[:, :k]
        return (
            np.take_along_axis(distances, others, 1).astype(np.float64),
            np.take_along_axis(rows, others, 1).astype(np.int64),
        )
