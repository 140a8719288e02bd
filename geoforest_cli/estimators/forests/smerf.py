"""SMERF: distances between points learned from given pairwise distances."""

from __future__ import annotations

import itertools
import math
from dataclasses import field
from typing import Any, Literal, Self

import numpy as np
import numpy.typing as npt
from sklearn.utils.validation import check_is_fitted, validate_data

from geoforest_cli.core.errors import DataError
from geoforest_cli.core.threads import mapped
from geoforest_cli.estimators.base.estimator import Estimator
from geoforest_cli.estimators.base.neighbors import KNeighborsMixin, Neighbors
from geoforest_cli.estimators.base.parameters import Jobs, PositiveInt, TwoOrMore, root_seed
from geoforest_cli.estimators.forests.forest import Forest
from geoforest_cli.estimators.forests.forest_proximity import ForestProximity
from geoforest_cli.estimators.forests.growth import Growth, grow_forest
from geoforest_cli.estimators.forests.kernels import pairwise
from geoforest_cli.estimators.forests.sizes import n_candidates, n_scattered

__all__ = ["Smerf", "response_distances", "tuning_grid"]

Floats = npt.NDArray[np.float64]
_PARENTS = (2, 4, 8)
_POSITIVE = (1 << 63) - 1
_MOST_BYTES_OF_TABLES = 500_000_000


def response_distances(
    y: npt.ArrayLike, kind: Literal["squared", "absolute", "class"] = "squared"
) -> Floats:
    """Return distances between responses, with which a SMERF tree is a CART tree.

    Parameters
    ----------
    y : (N,) array
    kind : {"squared", "absolute", "class"}
        (y - y')^2 / 2: regression trees (Proposition 2); |y - y'|: their robust form, Gini's mean
        difference; 1 if the classes differ: classification trees (Proposition 1).

    Examples
    --------
    >>> response_distances([0.0, 2.0])[0].tolist()
    [0.0, 2.0]
    """
    values = np.asarray(y)
    if kind == "class":
        differ: Floats = (values[:, None] != values[None, :]).astype(np.float64)
        return differ
    gaps: Floats = np.abs(values[:, None].astype(np.float64) - values[None, :])
    return gaps**2 / 2 if kind == "squared" else gaps


def tuning_grid(p: int, projection: Literal["oblique", "axis"]) -> list[tuple[int, int]]:
    """Return the settings (max_features, min_parent) that the paper chooses from, for p columns."""
    powers = (0.25, 0.5, 0.75, 1.0) + ((1.5,) if projection == "oblique" else ())
    candidates = dict.fromkeys(max(1, round(p**power)) for power in powers)
    return list(itertools.product(candidates, _PARENTS))


class Smerf(KNeighborsMixin, ForestProximity, Estimator):
    """Similarity and Metric Random Forest.

    Trees cut where n I(S) - n_L I(S_L) - n_R I(S_R) is largest, I the mean distance over all
    pairs of a node's bag rows, both orders and the diagonal included; the distance of two points
    is the mean, over trees, of the mean distance between their leaves.

    Parameters
    ----------
    n_estimators : int
        Trees.
    projection : {"oblique", "axis"}
    max_features : int or "sqrt"
        Candidates d per node.
    min_parent : int
        Nodes with fewer bag rows are leaves.
    min_leaf : int
    max_depth : int, optional
    bootstrap : bool
    leaf_points : {"bag", "all"}
        Pairs of points that the distance of two leaves is the mean of: those of the tree's bag, as
        often as they were drawn, or all training points in the leaves, each once. Out-of-bag
        errors are of the bag's.
    credit : {"full", "equal"}
        Importance of an oblique cut: its whole gain to each of its features, or equal parts.
    tune : bool
        Choose max_features (p^1/4, p^1/2, p^3/4, p, and p^3/2 with oblique projections) and
        min_parent (2, 4, 8) by the out-of-bag error on the training pairs.
    n_jobs : int, optional
    random_state : int, RandomState or None

    Attributes
    ----------
    forest_ : Forest
    oob_rmse_ : float
        Root mean squared error over training pairs i < j that some tree has both out of its bag.
    feature_importances_ : (p,)
        Summed gains of the cuts on each feature, divided by the largest: the importance of the
        paper. Unlike scikit-learn's they do not add up to 1.
    best_params_ : dict
        What `tune` chose.

    References
    ----------
    Tomita and Vogelstein, Robust similarity and distance learning via decision forests,
    arXiv 2007.13843.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> X = rng.uniform(size=(80, 3))
    >>> Z = response_distances(X[:, 0])
    >>> smerf = Smerf(50, random_state=0).fit(X, Z)
    >>> int(smerf.feature_importances_.argmax())
    0
    """

    n_estimators: PositiveInt = field(default=500, kw_only=False)
    projection: Literal["oblique", "axis"] = "oblique"
    max_features: PositiveInt | Literal["sqrt"] = "sqrt"
    min_parent: TwoOrMore = 2
    min_leaf: PositiveInt = 1
    max_depth: PositiveInt | None = None
    bootstrap: bool = True
    leaf_points: Literal["bag", "all"] = "bag"
    credit: Literal["full", "equal"] = "full"
    tune: bool = False
    n_jobs: Jobs = None
    random_state: Any = None

    def fit(
        self, X: npt.ArrayLike, Z: npt.ArrayLike, of_leaves: npt.ArrayLike | None = None
    ) -> Self:
        """Grow the forest on points X (N, p) and their distances Z (N, N).

        Missing distances are NaN: only the others count. With other distances `of_leaves` (N, N)
        trees are cut by Z, and these are what is predicted.

        Raises
        ------
        ValueError
            If Z or `of_leaves` is not a symmetric N x N matrix with at least one known entry.
        """
        points: Floats = validate_data(self, X, dtype=np.float64, ensure_min_samples=2)
        distances, mask = _checked(Z, len(points))
        self._Z, self._mask = distances, mask
        if of_leaves is not None:
            self._Z, self._mask = _checked(of_leaves, len(points))
        self.n_samples_fit_ = len(points)
        self._seed = root_seed(self.random_state)
        d, parent = n_candidates(self.max_features, points.shape[1]), self.min_parent
        if self.tune:
            d, parent = self._tuned(points, distances, mask)
        self.best_params_ = {"max_features": d, "min_parent": parent}
        self._grow(points, distances, mask, d, parent)
        if self.leaf_points == "all":
            self._keep_means(np.broadcast_to(1, self.forest_.in_bag.shape))
        return self

    def _tuned(self, points: Floats, Z: Floats, mask: Floats) -> tuple[int, int]:
        best, setting = math.inf, (1, 2)
        for d, parent in tuning_grid(points.shape[1], self.projection):
            # the same seeds, hence the same bags
            self._grow(points, Z, mask, d, parent)
            if self.oob_rmse_ < best:
                best, setting = self.oob_rmse_, (d, parent)
        return setting

    def _grow(self, points: Floats, Z: Floats, mask: Floats, d: int, parent: int) -> None:
        oblique = self.projection == "oblique"
        growth = Growth(
            "pairwise",
            self.projection,
            n_projections=d,
            n_nonzeros=n_scattered(1.5, d) if oblique else d,
            min_parent=parent,
            min_leaf=self.min_leaf,
            max_depth=self.max_depth,
            bootstrap=self.bootstrap,
            full_credit=self.credit == "full",
        )
        entries = self._Z[self._mask > 0] if len(self._mask) else self._Z
        self._fallback = float(entries.mean())
        self.forest_: Forest = grow_forest(
            points, growth, self.n_estimators, self._seed, target=pairwise.Pairs(Z, mask),
            n_jobs=self.n_jobs,
        )  # fmt: skip
        self._keep_means(self.forest_.in_bag)
        total = self.forest_.gains.sum(axis=0)
        self.feature_importances_ = total / total.max() if total.max() > 0 else total
        self._out_of_bag(self._Z, self._mask)

    def _keep_means(self, counts: npt.NDArray[Any]) -> None:
        """Make the tables of mean distances for points that count so often in each tree (T, N)."""
        self._counts = counts
        # tables that are too large to keep for every tree are made when asked for
        room = _MOST_BYTES_OF_TABLES // self.n_estimators
        small = np.flatnonzero(4 * self.forest_.n_leaves() ** 2 <= room).tolist()
        self._means: dict[int, npt.NDArray[np.float32]] = {}
        self._means = dict(zip(small, mapped(self._means_of, small, self.n_jobs), strict=True))

    def _means_of(self, t: int) -> npt.NDArray[np.float32]:
        """Mean distances between the leaves of one tree (L, L)."""
        if t in self._means:
            return self._means[t]
        leaf = self._leaf_numbers(t)[self.forest_.leaf_of[t]]
        counts = self._counts[t].astype(np.int32)
        table = np.empty((int(leaf.max()) + 1,) * 2)
        pairwise.leaf_pair_means(
            self._Z, self._mask, leaf, counts, len(table), self._fallback, table
        )
        return table.astype(np.float32)

    def _leaf_numbers(self, t: int) -> npt.NDArray[np.int64]:
        forest = self.forest_
        part = slice(forest.first_node[t], forest.first_node[t + 1])
        return np.cumsum(forest.children[part, 0] < 0) - 1

    def _out_of_bag(self, Z: Floats, mask: Floats) -> None:
        n = len(Z)
        total, counts = np.zeros((n, n)), np.zeros((n, n), np.int32)
        for t in range(self.n_estimators):
            out = np.flatnonzero(self.forest_.in_bag[t] == 0)
            leaves = self._leaf_numbers(t)[self.forest_.leaf_of[t, out]]
            both = np.ix_(out, out)
            total[both] += self._means_of(t)[np.ix_(leaves, leaves)]
            counts[both] += 1
        with np.errstate(invalid="ignore"):
            self.oob_distances_ = total / np.where(counts > 0, counts, np.nan)
        upper = np.triu(counts > 0, 1)
        if len(mask):
            upper &= mask > 0
        gaps = self.oob_distances_[upper] - Z[upper]
        self.oob_rmse_ = float(np.sqrt(np.mean(gaps**2))) if len(gaps) else math.inf

    def pairwise_distances(
        self, X: npt.ArrayLike | None = None, Y: npt.ArrayLike | None = None
    ) -> Floats:
        """Return the predicted distances (m, l) between the rows of X and of Y.

        Without X these are the training points, without Y the rows of X themselves.
        """
        left = self._leaves(X)
        right = left if Y is None else self._leaves(Y)
        return self._between(left, right)

    def _between(self, left: npt.NDArray[np.int64], right: npt.NDArray[np.int64]) -> Floats:
        total = np.zeros((len(left), len(right)))
        for t in range(self.n_estimators):
            total += self._means_of(t)[np.ix_(left[:, t], right[:, t])]
        return total / self.n_estimators

    def apply(self, X: npt.ArrayLike) -> npt.NDArray[np.int32]:
        """Return the (n, T) numbers of the leaves that the rows of X reach."""
        check_is_fitted(self)
        points: Floats = validate_data(self, X, dtype=np.float64, reset=False)
        return self.forest_.drop(points, n_jobs=self.n_jobs)

    def _leaves(self, X: npt.ArrayLike | None) -> npt.NDArray[np.int64]:
        check_is_fitted(self)
        nodes = self.forest_.leaf_of.T if X is None else self.apply(X)
        numbers = [self._leaf_numbers(t)[nodes[:, t]] for t in range(self.n_estimators)]
        return np.stack(numbers, axis=1)

    def _find_neighbors(self, X: npt.ArrayLike | None, k: int) -> Neighbors:
        distances = self._between(self._leaves(X), self._leaves(None))
        if X is None:
            np.fill_diagonal(distances, np.inf)
        keys = np.random.default_rng(self._seed & _POSITIVE).random(distances.shape)
        indices = np.lexsort((keys, distances), axis=1)[:, :k].astype(np.int64)
        return np.take_along_axis(distances, indices, axis=1), indices


def _checked(Z: npt.ArrayLike, n: int) -> tuple[Floats, Floats]:
    """Return the distances with zeros for missing ones, and the mask of those known if needed."""
    distances = np.array(Z, np.float64)
    if distances.shape != (n, n):
        raise DataError(f"Z has the shape {distances.shape}, {n} points need {(n, n)}")
    if np.isinf(distances).any():
        raise DataError("Z holds infinities")
    if not np.allclose(distances, distances.T, equal_nan=True):
        i, j = np.argwhere(~np.isclose(distances, distances.T, equal_nan=True))[0]
        raise DataError(f"Z is not symmetric: entries ({i}, {j}) and ({j}, {i}) differ")
    missing = np.isnan(distances)
    if missing.all():
        raise DataError("Z has no known entry")
    if not missing.any():
        return distances, np.empty((0, 0))
    return np.where(missing, 0.0, distances), (~missing).astype(np.float64)
