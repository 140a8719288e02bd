"""Geodesic distances on neighbourhood graphs, with chords, spheres or covariances as edges."""

from __future__ import annotations

import warnings
from dataclasses import field
from typing import Any, Literal, Self

import numpy as np
import numpy.typing as npt
from sklearn.base import ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted, validate_data

from geoforest_cli.core.errors import DataError
from geoforest_cli.estimators.base.copies import Copies, distinct_points
from geoforest_cli.estimators.base.estimator import Estimator
from geoforest_cli.estimators.base.neighbors import KNeighborsMixin, Neighbors
from geoforest_cli.estimators.base.parameters import PositiveInt, Seed, root_seed
from geoforest_cli.estimators.base.scaling import Rescale, Scaling
from geoforest_cli.estimators.base.search import NearestRows
from geoforest_cli.estimators.base.validation import (
    LARGEST_VALUE,
    check_points,
    require_all_pairs,
    without_rounding,
)
from geoforest_cli.estimators.spherelets.graph import (
    Symmetrise,
    neighborhood_graph,
    shortest_paths,
)
from geoforest_cli.estimators.spherelets.spheres import (
    Guard,
    covariance_distances,
    fit_spheres,
    spherical_distances,
)

Floats = npt.NDArray[np.float64]
Local = Literal["euclidean", "spherical", "covariance"]


class SphericalDistance(
    KNeighborsMixin, ClassNamePrefixFeaturesOutMixin, TransformerMixin, Estimator
):
    """Local distances from every point to its nearest neighbours.

    Neighbours are distinct points: of those that coincide one row is listed, and all of them have
    the same neighbours. `kneighbors` lists at most `n_neighbors`.

    Parameters
    ----------
    n_neighbors : int
        k.
    dim : int
        Intrinsic dimension d of the manifold; spheres live in d + 1 dimensions.
    local : {"spherical", "euclidean", "covariance"}
        Arc on the sphere fitted to the neighbourhood, chord, or covariance-corrected chord.
    sphere : {"uncentred", "centred"}
        Fitted freely, or through the point itself.
    guard : {"none", "floor", "evidence"}
        What is done where noise has spoilt a sphere, see `spherical_distances`.
    tangent_neighbors : int, optional
        k_cov, neighbours for the tangent of "covariance"; by default max(k, 3 (d + 1)).
    rescale : {"none", "standardise", "min_max"}
        Scale of the columns before anything is measured, see `Scaling`.
    random_state : int, optional
        Draws among rows that are copies of one another.

    Attributes
    ----------
    neighborhoods_ : (n, k) int64
        Neighbours of each training point, nearest first, itself and its copies left out.
    local_distances_ : (n, k) float64
    collapsed_ : (n,) bool
        Spheres smaller than their neighbourhood; only with local="spherical".

    References
    ----------
    Li and Dunson, Geodesic Distance Estimation with Spherelets, arXiv 1907.00296.

    Examples
    --------
    >>> t = np.linspace(0, 1, 30)
    >>> X = np.c_[np.cos(t), np.sin(t)]
    >>> local = SphericalDistance(n_neighbors=4, dim=1).fit(X)
    >>> step = 1 / 29
    >>> bool(np.allclose(local.local_distances_[10], np.r_[1, 1, 2, 2] * step))
    True
    """

    n_neighbors: PositiveInt = field(default=10, kw_only=False)
    dim: PositiveInt = 1
    local: Local = "spherical"
    sphere: Literal["uncentred", "centred"] = "uncentred"
    guard: Guard = "none"
    tangent_neighbors: PositiveInt | None = None
    rescale: Rescale = "none"
    random_state: Seed = None

    def fit(self, X: npt.ArrayLike, y: Any = None) -> Self:
        """Find neighbours of the rows of X (n, D) and their local distances; y is ignored.

        Raises
        ------
        ValueError
            For NaN, infinities or text, or where k or d do not suit the data.
        """
        self._fit_local(X)
        return self

    def _fit_local(self, X: npt.ArrayLike) -> None:
        columns = 2 if self.local == "spherical" else 1
        points: Floats = validate_data(
            self, X, dtype=np.float64, ensure_min_samples=2, ensure_min_features=columns
        )
        points = without_rounding(check_points(points, LARGEST_VALUE))
        self._scaling = Scaling.fit(points, self.rescale)
        points = self._scaling.apply(points)
        self._seed = root_seed(self.random_state) % 2**64
        self._copies: Copies = distinct_points(points, self._seed)
        self.n_samples_fit_ = self._n_features_out = len(points)
        self._points = points[self._copies.row]
        self._check(*self._points.shape)
        k_cov = self._k_cov(len(self._points))
        wide = max(self.n_neighbors, k_cov if self.local == "covariance" else 0)
        self._search = NearestRows(n_neighbors=wide).fit(self._points)
        neighbors = self._search.kneighbors(return_distance=False).astype(np.int64)
        self._neighbors = np.ascontiguousarray(neighbors[:, : self.n_neighbors])
        self._near_distances = self._local(self._points, neighbors)
        node = self._copies.node
        self.neighborhoods_ = self._copies.row[self._neighbors][node]
        self.local_distances_ = self._near_distances[node]

    def transform(self, X: npt.ArrayLike) -> Floats:
        """Return the local distances (m, n) from the rows of X to the training points.

        They are known to the k nearest training points, and inf to all others;
        `kneighbors_graph` gives the same without the others.
        """
        neighbors, local = self._new(X)
        require_all_pairs(len(neighbors), self.n_samples_fit_)
        lengths = np.full((len(neighbors), len(self._points)), np.inf)
        np.put_along_axis(lengths, neighbors, local, axis=1)
        return self._copies.spread(lengths)

    def _most_neighbors(self, *, new: bool) -> int:
        return self.n_neighbors

    def _find_neighbors(self, X: npt.ArrayLike | None, k: int) -> Neighbors:
        if X is None:
            rows, local = self.neighborhoods_, self.local_distances_
        else:
            neighbors, local = self._new(X)
            rows = self._copies.row[neighbors]
        order = np.argsort(local, axis=1, kind="stable")[:, :k]
        return np.take_along_axis(local, order, axis=1), np.take_along_axis(rows, order, axis=1)

    def _new(self, X: npt.ArrayLike) -> tuple[npt.NDArray[np.int64], Floats]:
        check_is_fitted(self)
        points: Floats = validate_data(self, X, dtype=np.float64, reset=False)
        check_points(points, LARGEST_VALUE, at_least=1)
        points = self._scaling.apply(points)
        neighbors = self._search.kneighbors(points, return_distance=False).astype(np.int64)
        return neighbors[:, : self.n_neighbors], self._local(points, neighbors, new=True)

    def _local(self, at: Floats, neighbors: npt.NDArray[np.int64], *, new: bool = False) -> Floats:
        first = neighbors[:, : self.n_neighbors]
        targets = self._points[first]
        if self.local == "euclidean":
            chords: Floats = np.linalg.norm(targets - at[:, None, :], axis=2)
            return chords
        if self.local == "covariance":
            tangents = neighbors[:, : self._k_cov(len(self._points))]
            return covariance_distances(self._points, tangents, self.dim, at, targets)
        centred = self.sphere == "centred"
        spheres = fit_spheres(self._points, first, self.dim, at=at, centred=centred)
        if not new:
            self.collapsed_ = spheres.collapsed[self._copies.node]
        return spherical_distances(spheres, at, targets, guard=self.guard)

    def _k_cov(self, n: int) -> int:
        wanted = self.tangent_neighbors or max(self.n_neighbors, 3 * (self.dim + 1))
        return min(wanted, n - 1)

    def _check(self, n: int, dims: int) -> None:
        k, d = self.n_neighbors, self.dim
        if not 1 <= k <= n - 1:
            points = "points" if n == self.n_samples_fit_ else "distinct points"
            raise DataError(f"n_neighbors = {k}, but {n} {points} allow 1 to {n - 1}")
        if self.local == "euclidean":
            return
        if self.local == "covariance":
            if not 1 <= d <= dims:
                raise DataError(f"dim = {d}, but points in {dims} dimensions allow 1 to {dims}")
            return
        if not 1 <= d <= dims - 1:
            raise DataError(f"dim = {d}, but points in {dims} dimensions allow 1 to {dims - 1}")
        if k < d + 1:
            raise DataError(
                f"n_neighbors = {k}, but spheres of dimension {d} need at least {d + 1}"
            )
        if k == d + 1:
            warnings.warn(
                f"n_neighbors = {k} = dim + 1: the sphere interpolates its neighbourhood",
                stacklevel=5,
            )


class GraphGeodesic(SphericalDistance):
    """Geodesic distances: shortest paths over the local distances (EG, CG, SG of the paper).

    Points that cannot be reached are the last of `kneighbors`, at distance inf.

    Parameters
    ----------
    n_neighbors, dim, local, sphere, tangent_neighbors, rescale, random_state
        As for `SphericalDistance`.
    guard : {"evidence", "floor", "none"}
        As for `SphericalDistance`, but by default spheres are used only where the points speak for
        them: slight noise shrinks others, and shortest paths seek out what is too short. "none" is
        the paper's.
    symmetrise : {"min", "average", "mean"}
        How the two local distances of a pair become one edge, see `neighborhood_graph`.

    Attributes
    ----------
    distances_ : (n, n) float64
        inf between components of the graph.
    n_connected_components_ : int
    component_ : (n,) int
        Component of each training point.
    neighborhoods_, local_distances_, collapsed_
        As for `SphericalDistance`.

    References
    ----------
    Li and Dunson 2019, equations 2 and 3, Algorithms 3, 4 and 6.

    Examples
    --------
    >>> t = np.linspace(0, 3, 60)
    >>> X = np.c_[np.cos(t), np.sin(t)]
    >>> geodesic = GraphGeodesic(n_neighbors=4, dim=1, local="spherical").fit(X)
    >>> float(round(geodesic.distances_[0, -1], 9))
    3.0
    """

    guard: Guard = "evidence"
    symmetrise: Symmetrise = "min"

    def fit(self, X: npt.ArrayLike, y: Any = None) -> Self:
        """Build the graph of the rows of X (n, D) and all shortest paths; y is ignored.

        Raises
        ------
        ValueError
            For NaN, infinities or text, or where k or d do not suit the data.
        """
        self._fit_local(X)
        require_all_pairs(self.n_samples_fit_, self.n_samples_fit_)
        graph = neighborhood_graph(self._neighbors, self._near_distances, self.symmetrise)
        node = self._copies.node
        self.component_ = graph.component[node]
        self.n_connected_components_ = graph.n_components
        self._paths = shortest_paths(graph)
        self.distances_ = self._copies.spread_both(self._paths)
        return self

    def distances(self) -> Floats:
        """Return `distances_`."""
        check_is_fitted(self)
        return self.distances_

    def transform(self, X: npt.ArrayLike) -> Floats:
        """Return the distances (m, n) from the rows of X to the training points.

        New points are joined to their k nearest training points; the training graph stays as it
        is: d(x, x_i) = min over neighbours j of w(x, x_j) + d(x_j, x_i).
        """
        neighbors, local = self._new(X)
        require_all_pairs(len(neighbors), self.n_samples_fit_)
        lengths = np.full((len(neighbors), len(self._points)), np.inf)
        for j in range(neighbors.shape[1]):
            np.minimum(lengths, local[:, j, None] + self._paths[neighbors[:, j]], out=lengths)
        return self._copies.spread(lengths)

    def _most_neighbors(self, *, new: bool) -> int:
        return self.n_samples_fit_ if new else self.n_samples_fit_ - 1

    def _find_neighbors(self, X: npt.ArrayLike | None, k: int) -> Neighbors:
        lengths = self.distances_.copy() if X is None else self.transform(X)
        if X is None:
            np.fill_diagonal(lengths, np.nan)
        # where there are copies, distinct points are numbered at random
        columns = np.argsort(self._copies.node, kind="stable")
        order = np.argsort(lengths[:, columns], axis=1, kind="stable")[:, :k]
        return np.take_along_axis(lengths, columns[order], axis=1), columns[order]
