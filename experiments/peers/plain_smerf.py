"""SMERF as one would write it with NumPy alone: what ours is timed against."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal, Self

import numpy as np
import numpy.typing as npt
from sklearn.utils.validation import check_is_fitted, validate_data

from geoforest_cli.core.errors import DataError
from geoforest_cli.estimators.base.estimator import Estimator
from geoforest_cli.estimators.base.parameters import PositiveInt, Seed, TwoOrMore
from geoforest_cli.estimators.forests.sizes import n_candidates, n_scattered

__all__ = ["PlainSmerf"]

Floats = npt.NDArray[np.float64]
Rows = npt.NDArray[np.intp]


@dataclass
class _Node:
    rows: Rows
    weights: Floats | None = None
    threshold: float = 0.0
    below: _Node | None = None
    above: _Node | None = None


class PlainSmerf(Estimator):
    """Similarity and metric random forest, a node's cuts judged by sums over its own distances.

    For each candidate the distances of a node's rows are put into the candidate's order; the sums
    over all leading and all trailing blocks of that matrix, one for each cut, are two sums of
    prefixes. Whole arrays, no compiled loops of our own.

    Parameters
    ----------
    n_estimators : int
    max_features : int or "sqrt"
        Candidates per node, each a sum or difference of 1.5 columns on average, some of none.
    min_parent : int
    random_state : int, optional
    """

    n_estimators: PositiveInt = field(default=500, kw_only=False)
    max_features: PositiveInt | Literal["sqrt"] = "sqrt"
    min_parent: TwoOrMore = 2
    random_state: Seed = None

    def fit(self, X: npt.ArrayLike, Z: npt.ArrayLike) -> Self:
        """Learn from points X (N, p) and their distances Z (N, N)."""
        points = validate_data(self, X, dtype=np.float64)
        distances = np.asarray(Z, dtype=np.float64)
        n, p = points.shape
        if distances.shape != (n, n):
            raise DataError(f"distances of {n} points are {n} x {n}, not {distances.shape}")
        rng = np.random.default_rng(self.random_state)
        d = n_candidates(self.max_features, p)
        self.distances_ = distances
        self.trees_ = []
        for _ in range(self.n_estimators):
            root = _Node(rng.integers(n, size=n))
            waiting = [root]
            while waiting:
                node = waiting.pop()
                if self._cut(node, points, d, rng):
                    assert node.below is not None
                    assert node.above is not None
                    waiting += [node.below, node.above]
            self.trees_.append(root)
        return self

    def pairwise_distances(self, X: npt.ArrayLike) -> Floats:
        """Return the learned distances of new points (M, M)."""
        check_is_fitted(self)
        points = validate_data(self, X, reset=False, dtype=np.float64)
        total = np.zeros((len(points), len(points)))
        for root in self.trees_:
            leaves = list(_leaves(root, points, np.arange(len(points))))
            for first, (at, rows) in enumerate(leaves):
                for to, others in leaves[first:]:
                    mean = self.distances_[np.ix_(rows, others)].mean()
                    total[np.ix_(at, to)] += mean
                    if at is not to:
                        total[np.ix_(to, at)] += mean
        return total / len(self.trees_)

    def _cut(self, node: _Node, points: Floats, d: int, rng: np.random.Generator) -> bool:
        rows, p = node.rows, points.shape[1]
        m = len(rows)
        within = self.distances_[np.ix_(rows, rows)]
        if m < self.min_parent or within.max() == within.min():
            return False
        left = np.arange(1, m)
        best = within.sum() / m
        drawn = np.zeros((d, p))
        places = rng.choice(d * p, size=min(n_scattered(1.5, d), d * p), replace=False)
        drawn.ravel()[places] = rng.choice([-1.0, 1.0], size=len(places))
        for weights in drawn[drawn.any(axis=1)]:
            values = points[rows] @ weights
            order = np.argsort(values, kind="stable")
            ranked, sorted_own = values[order], within[np.ix_(order, order)]
            leading, trailing = _blocks(sorted_own), _blocks(sorted_own[::-1, ::-1])
            cost = leading[:-1] / left + trailing[-2::-1] / (m - left)
            cost[ranked[1:] <= ranked[:-1]] = np.inf
            at = int(cost.argmin())
            if cost[at] < best:
                best = cost[at]
                node.weights = weights
                node.threshold = (ranked[at] + ranked[at + 1]) / 2
                is_below = values < node.threshold
                node.below, node.above = _Node(rows[is_below]), _Node(rows[~is_below])
        return node.weights is not None


def _blocks(square: Floats) -> Floats:
    """Return the sums over the leading 1 x 1, 2 x 2, ... blocks of a symmetric matrix."""
    sums: Floats = np.cumsum(2 * np.tril(square, -1).sum(axis=1) + square.diagonal())
    return sums


def _leaves(node: _Node, points: Floats, at: Rows) -> Any:
    """Yield which points reach each leaf, and the leaf's rows."""
    if not len(at):
        return
    if node.weights is None:
        yield at, node.rows
        return
    assert node.below is not None
    assert node.above is not None
    is_below = points[at] @ node.weights < node.threshold
    yield from _leaves(node.below, points, at[is_below])
    yield from _leaves(node.above, points, at[~is_below])
