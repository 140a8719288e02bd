"""Isomap's distances: shortest paths in the graph of nearest neighbours."""

from dataclasses import field
from typing import Any, Self

import numpy as np
import numpy.typing as npt
from scipy.sparse import coo_array
from scipy.sparse.csgraph import dijkstra
from sklearn.utils.validation import check_is_fitted

from geoforest_cli.estimators.base.copies import distinct_points
from geoforest_cli.estimators.base.parameters import PositiveInt, Seed, root_seed
from geoforest_cli.estimators.base.search import NearestRows
from geoforest_cli.estimators.base.table import TableEstimator
from geoforest_cli.estimators.base.validation import require_all_pairs


class Isomap(TableEstimator):
    """Graph distances of Isomap, without the embedding.

    Two points are joined if either is among the other's k nearest (union graph); unconnected
    pairs are infinitely far. Neighbours are distinct points: copies of one stand at distance 0.

    Parameters
    ----------
    n_neighbors : int
        k, capped at the number of other points.
    rescale : {"none", "standardise", "min_max"}
        Scale of the columns before anything is measured, see `Scaling`.
    random_state : int, optional
        Where rows are copies of one another, chooses among equally near ones.

    References
    ----------
    Tenenbaum, de Silva and Langford, Science 290, 2000.

    Examples
    --------
    >>> D = Isomap(n_neighbors=1).fit([[0.0], [1.0], [3.0], [3.5]]).distances()
    >>> D[0].tolist()
    [0.0, 1.0, inf, inf]
    """

    n_neighbors: PositiveInt = field(default=9, kw_only=False)
    random_state: Seed = None

    def fit(self, X: npt.ArrayLike, y: Any = None) -> Self:
        """Compute the graph distances of the points X (N, p)."""
        points = self._fit_points(X)
        n = len(points)
        require_all_pairs(n, n)
        copies = distinct_points(points, root_seed(self.random_state) % 2**64)
        paths = self._paths(points[copies.row])
        self.distances_: npt.NDArray[np.float64] = copies.spread_both(paths)
        return self

    def _paths(self, points: npt.NDArray[Any]) -> npt.NDArray[np.float64]:
        n = len(points)
        k = min(self.n_neighbors, n - 1)
        if k == 0:
            return np.zeros((n, n))
        # queried without X, scikit-learn leaves each point out by index, not by distance zero
        lengths, indices = NearestRows(n_neighbors=k).fit(points).kneighbors()
        # a sparse graph drops edges of length zero, to which very short ones may be rounded
        lengths = np.maximum(lengths, np.finfo(float).tiny)
        rows = np.repeat(np.arange(n), k)
        edges = coo_array((lengths.ravel(), (rows, indices.ravel())), shape=(n, n)).tocsr()
        # symmetric: followed one way, each edge is followed both ways
        paths: npt.NDArray[np.float64] = dijkstra(edges.maximum(edges.T))
        return paths

    def distances(self) -> npt.NDArray[np.float64]:
        """Return the shortest path lengths (N, N); inf where there is no path."""
        check_is_fitted(self)
        return self.distances_
