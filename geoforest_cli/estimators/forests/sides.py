"""Missing values of supervised forests: on the side of a cut that scores better."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from geoforest_cli.estimators.forests.forest import Forest

__all__ = ["Sides", "to_larger_sides"]

Floats = npt.NDArray[np.float64]
_MAX_FLOAT = np.finfo(np.float64).max


@dataclass(frozen=True)
class Sides:
    """Copies of all columns: missing values are below all others in a column, above in its copy.

    The search for a cut takes the one that scores better; they may also be cut off from the rest.

    Attributes
    ----------
    lacking : (p,) bool
        Which columns lack values.
    below, above : (p,) float64
    """

    lacking: npt.NDArray[np.bool_]
    below: Floats
    above: Floats

    @classmethod
    def of(cls, points: npt.NDArray[Any]) -> Sides:
        """Look at the training points (N, p); a column without any value is one of zeros."""
        points = np.asarray(points, np.float64)
        missing = np.isnan(points)
        empty = missing.all(axis=0)
        low = np.where(empty, 0.0, np.where(missing, np.inf, points).min(axis=0))
        high = np.where(empty, 0.0, np.where(missing, -np.inf, points).max(axis=0))
        with np.errstate(over="ignore"):
            span = np.where(high > low, high - low, np.maximum(1.0, np.abs(low)))
            below, above = np.maximum(low - span, -_MAX_FLOAT), np.minimum(high + span, _MAX_FLOAT)
        return cls(missing.any(axis=0), below, above)

    @property
    def has_copies(self) -> bool:
        """Return whether trees were grown on columns and copies."""
        return bool(self.lacking.any())

    def table(self, points: npt.NDArray[Any]) -> Floats:
        """Return the columns of some rows and their copies (n, 2p)."""
        missing = np.isnan(points)
        both: Floats = np.concatenate(
            [np.where(missing, side, points) for side in (self.below, self.above)], axis=1
        )
        return both

    def fold(self, uses: Floats) -> Floats:
        """Add what was counted for copies (2p,) to the columns themselves (p,)."""
        folded: Floats = uses.reshape(2, -1).sum(axis=0)
        return folded


def to_larger_sides(forest: Forest, p: int) -> Forest:
    """Return a forest grown on p complete columns as one that sends missing values somewhere.

    It is for columns and their copies: what is missing goes to the side of more bag rows.
    """
    larger = []
    for t in range(forest.n_trees):
        rows = forest.bag_rows(t)
        left = forest.children[forest.first_node[t] : forest.first_node[t + 1], 0]
        larger.append((left >= 0) & (2 * rows[left] <= rows))
    right = np.repeat(np.concatenate(larger), np.diff(forest.first))
    in_copy = (forest.weights > 0) == right
    return replace(forest, features=forest.features + np.int32(p) * in_copy)
