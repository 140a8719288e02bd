"""Nearest rows by an approximate index, for many rows."""

from __future__ import annotations

import warnings
from dataclasses import field
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from geoforest_cli.estimators.adaptive.lists import expand
from geoforest_cli.estimators.base.neighbors import KNeighborsMixin, Neighbors, distinct_points
from geoforest_cli.estimators.base.parameters import PositiveInt, Seed, seed_31_bits
from geoforest_cli.estimators.base.search import NearestRows
from geoforest_cli.estimators.base.table import TableEstimator
from geoforest_cli.estimators.base.validation import LARGEST, LARGEST_SINGLE
from geoforest_cli.estimators.baselines.umap import keep_compiled

__all__ = ["NnDescent"]

_FEW = 4096  # distinct rows: up to so many are compared exactly, which is as quick
_LEAST = 30  # neighbours in the index: with fewer, .88 of 15 were found among 20 normal columns
_AT_ONCE = 16_384  # rows whose lists are made at once

Floats = npt.NDArray[np.float64]
Rows = npt.NDArray[np.int64]


class NnDescent(KNeighborsMixin, TableEstimator):
    """Nearest rows by Euclidean distance, from the approximate index of pynndescent.

    The index holds the 30 nearest neighbours of every row, or twice `n_neighbors` if these are
    more; up to 4096 distinct rows are compared exactly. The distances themselves are exact, and
    equally near rows are listed by their numbers. Equal rows are one row of the index.

    Parameters
    ----------
    n_neighbors : int
        Default of `kneighbors`. Lists of more than the index holds are searched row by row.
    rescale : {"none", "standardise", "min_max"}
        Scale of the columns before anything is measured, see `Scaling`.
    random_state : int, optional

    Notes
    -----
    The index is built by one thread: that of pynndescent depends on the number of threads.

    References
    ----------
    Dong, Charikar and Li, Efficient k-nearest neighbor graph construction for generic similarity
    measures, WWW 2011.

    Examples
    --------
    >>> NnDescent().fit([[0.0], [1], [3]]).kneighbors(n_neighbors=1)[1].tolist()
    [[1], [0], [1]]
    """

    n_neighbors: PositiveInt = field(default=15, kw_only=False)
    random_state: Seed = None

    def fit(self, X: npt.ArrayLike, y: Any = None) -> Self:
        """Build the index of the points X (N, p)."""
        points = self._fit_points(X, self._largest())
        self.n_samples_fit_ = len(points)
        self._copies = distinct_points(points)
        self.points_ = points[self._copies.row]
        # the index has single precision, which a common offset would use up
        self._centre = self.points_.mean(axis=0, dtype=np.float64)
        self._index = self._built() if len(self.points_) > _FEW else None
        return self

    def _largest(self) -> float:
        return LARGEST_SINGLE if self.rescale == "none" else LARGEST

    def _built(self) -> Any:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            from pynndescent import NNDescent

            keep_compiled()
            return NNDescent(
                self._single(self.points_),
                n_neighbors=min(max(_LEAST, 2 * self.n_neighbors), len(self.points_) - 1),
                random_state=seed_31_bits(self.random_state),
                n_jobs=1,
            )

    def _single(self, points: npt.NDArray[Any]) -> npt.NDArray[np.float32]:
        return np.ascontiguousarray(points - self._centre, np.float32)

    def _find_neighbors(self, X: npt.ArrayLike | None, k: int) -> Neighbors:
        count = min(k + 1, len(self.points_))
        if X is None:
            places, own = self._copies.place, np.arange(self.n_samples_fit_)
            points, nodes = self.points_, self._nodes(None, count)
        else:
            points = self._new_points(X, self._largest())
            places, own = np.arange(len(points)), np.full(len(points), -1)
            nodes = self._nodes(points, count)
        distances, rows = np.empty((len(own), k)), np.empty((len(own), k), np.int64)
        for start in range(0, len(own), _AT_ONCE):
            part = slice(start, start + _AT_ONCE)
            near = nodes[places[part]]
            gaps = self.points_[near].astype(np.float64) - points[places[part], None]
            lengths = np.sqrt(np.einsum("ijk,ijk->ij", gaps, gaps))
            distances[part], rows[part] = expand(lengths, near, self._copies, own[part], k)
        return distances, rows

    def _nodes(self, points: npt.NDArray[Any] | None, count: int) -> Rows:
        """Return the numbers of the nearest distinct points of each new or distinct point."""
        if self._index is None:
            return self._exact(self.points_ if points is None else points, count)
        graph = self._index.neighbor_graph[0]
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            if points is None and count <= graph.shape[1]:
                nodes = np.array(graph[:, :count], np.int64)
            else:
                points = self.points_ if points is None else points
                nodes = np.asarray(self._index.query(self._single(points), k=count)[0], np.int64)
        # the search may end before it has found as many
        short = np.flatnonzero((nodes < 0).any(axis=1))
        if len(short):
            nodes[short] = self._exact((self.points_ if points is None else points)[short], count)
        return nodes

    def _exact(self, points: npt.NDArray[Any], count: int) -> Rows:
        search = NearestRows(n_neighbors=count).fit(self.points_)
        found: Rows = search.kneighbors(points, return_distance=False).astype(np.int64)
        return found
