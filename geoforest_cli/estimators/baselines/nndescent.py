"""Nearest rows by an approximate index, for many rows."""

from __future__ import annotations

import warnings
from dataclasses import field
from typing import Any, ClassVar, Self

import numpy as np
import numpy.typing as npt

from geoforest_cli.estimators.base.neighbors import DistinctNeighbors, Neighbors
from geoforest_cli.estimators.base.parameters import PositiveInt, seed_31_bits
from geoforest_cli.estimators.base.search import NearestRows
from geoforest_cli.estimators.baselines.umap import keep_compiled

__all__ = ["NnDescent"]

_FEW = 4096  # distinct rows: up to so many are compared exactly, which is as quick
_LEAST = 30  # neighbours in the index: with fewer, .88 of 15 were found among 20 normal columns
_AT_ONCE = 16_384  # rows whose lists are made at once

Floats = npt.NDArray[np.float64]
Rows = npt.NDArray[np.int64]


class NnDescent(DistinctNeighbors):
    """Nearest rows by Euclidean distance, from the approximate index of pynndescent.

    The index holds the 30 nearest neighbours of every row, or twice `n_neighbors` if these are
    more; up to 4096 distinct rows are compared exactly. The distances themselves are exact. Equal
    rows are one row of the index, and each of them is listed with the same probability.

    Parameters
    ----------
    n_neighbors : int
        Default of `kneighbors`. Lists of more than the index holds are searched row by row.
    rescale : {"none", "standardise", "min_max"}
        Scale of the columns before anything is measured, see `Scaling`.
    random_state : int, optional
        Of the index, and of draws among rows that are copies of one another.

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

    single: ClassVar[bool] = True
    n_neighbors: PositiveInt = field(default=15, kw_only=False)

    def fit(self, X: npt.ArrayLike, y: Any = None) -> Self:
        """Build the index of the points X (N, p)."""
        points = self._fit_points(X)
        self._distinct = self._keep_distinct(points)
        # the index has single precision, which a common offset would use up
        self._centre = self._distinct.mean(axis=0, dtype=np.float64)
        self._index = self._built() if len(self._distinct) > _FEW else None
        return self

    def _built(self) -> Any:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            from pynndescent import NNDescent

            keep_compiled()
            return NNDescent(
                self._single(self._distinct),
                n_neighbors=min(max(_LEAST, 2 * self.n_neighbors), len(self._distinct) - 1),
                random_state=seed_31_bits(self.random_state),
                n_jobs=1,
            )

    def _single(self, points: npt.NDArray[Any]) -> npt.NDArray[np.float32]:
        return np.ascontiguousarray(points - self._centre, np.float32)

    def _search(self, points: npt.NDArray[Any] | None, count: int) -> Neighbors:
        nodes = self._nodes(points, count)
        at = self._distinct if points is None else points
        lengths = np.empty(nodes.shape)
        for start in range(0, len(nodes), _AT_ONCE):
            part = slice(start, start + _AT_ONCE)
            gaps = self._distinct[nodes[part]].astype(np.float64) - at[part, None]
            lengths[part] = np.sqrt(np.einsum("ijk,ijk->ij", gaps, gaps))
        order = np.argsort(lengths, axis=1, kind="stable")
        return np.take_along_axis(lengths, order, axis=1), np.take_along_axis(nodes, order, axis=1)

    def _nodes(self, points: npt.NDArray[Any] | None, count: int) -> Rows:
        """Return the numbers of the nearest distinct points of each new or distinct point."""
        if self._index is None:
            return self._exact(self._distinct if points is None else points, count)
        graph = self._index.neighbor_graph[0]
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            if points is None and count <= graph.shape[1]:
                nodes = np.array(graph[:, :count], np.int64)
            else:
                points = self._distinct if points is None else points
                nodes = np.asarray(self._index.query(self._single(points), k=count)[0], np.int64)
        # the search may end before it has found as many
        short = np.flatnonzero((nodes < 0).any(axis=1))
        if len(short):
            nodes[short] = self._exact((self._distinct if points is None else points)[short], count)
        return nodes

    def _exact(self, points: npt.NDArray[Any], count: int) -> Rows:
        search = NearestRows(n_neighbors=count).fit(self._distinct)
        found: Rows = search.kneighbors(points, return_distance=False).astype(np.int64)
        return found
