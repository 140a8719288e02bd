"""Missing values: drawn at random for each tree, or sent to the side that scores better."""

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import numpy.typing as npt
from sklearn.base import BaseEstimator

from geoforest_cli.core.errors import DataError

Floats = npt.NDArray[np.float64]
_STEP = np.uint64(0x9E3779B97F4A7C15)
_MIX = np.uint64(0xBF58476D1CE4E5B9)


def _mixed(x: npt.NDArray[np.uint64]) -> npt.NDArray[np.uint64]:
    x = (x ^ (x >> np.uint64(30))) * _MIX
    found: npt.NDArray[np.uint64] = (x ^ (x >> np.uint64(27))) * _STEP
    return found ^ (found >> np.uint64(31))


def require_some(points: npt.NDArray[Any]) -> None:
    """Refuse columns without any value.

    Raises
    ------
    DataError
    """
    empty = np.flatnonzero(np.isnan(points).all(axis=0))
    if len(empty):
        raise DataError(f"column {int(empty[0])} has no value at all")


class MissingValues(BaseEstimator):
    """Lets tables hold NaN where the parameter `missing` does not refuse them."""

    missing = "refuse"

    @property
    def _finite(self) -> bool | Literal["allow-nan"]:
        return True if self.missing == "refuse" else "allow-nan"

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = self.missing != "refuse"
        return tags


@dataclass(frozen=True)
class Draws:
    """Missing values are drawn from those of their column, anew for each tree.

    A draw depends on the tree's seed and on the row's contents: rows alike go the same way, also
    when they are dropped down the tree later.

    Attributes
    ----------
    values : (p,) list of arrays
        What was seen of each column.
    """

    values: list[Floats]

    @classmethod
    def of(cls, points: npt.NDArray[Any]) -> "Draws":
        """Look at the training points (N, p)."""
        require_some(points)
        table = np.asarray(points, np.float64)
        return cls([np.sort(column[~np.isnan(column)]) for column in table.T])

    def fill(self, points: npt.NDArray[Any], seed: np.uint64) -> Floats:
        """Return a copy of the rows without missing values, for the tree of this seed."""
        filled = np.array(points, np.float64)
        holes = np.isnan(filled)
        rows = np.flatnonzero(holes.any(axis=1))
        # every NaN has the same bits here
        bits = np.where(holes[rows], np.nan, filled[rows]).view(np.uint64)
        keys = np.full(len(rows), seed, np.uint64)
        for column in bits.T:
            keys = _mixed(keys ^ column)
        for j in np.flatnonzero(holes.any(axis=0)).tolist():
            here = holes[rows, j]
            keyed = _mixed(keys[here] + np.uint64(j) * _STEP) % np.uint64(len(self.values[j]))
            filled[rows[here], j] = self.values[j][keyed.astype(np.int64)]
        return filled


@dataclass(frozen=True)
class Sides:
    """Columns with missing values stand there twice, these below and above all others.

    A cut of either sends them to one side, and the search takes the one that scores better; they
    may also be cut off from the rest.

    Attributes
    ----------
    twice : (q,) intp
        The columns that stand there twice.
    below, above : (p,) float64
    """

    twice: npt.NDArray[np.intp]
    below: Floats
    above: Floats

    @classmethod
    def of(cls, points: npt.NDArray[Any]) -> "Sides":
        """Look at the training points (N, p)."""
        require_some(points)
        low, high = np.nanmin(points, axis=0), np.nanmax(points, axis=0)
        span = np.where(high > low, high - low, 1.0)
        return cls(np.flatnonzero(np.isnan(points).any(axis=0)), low - span, high + span)

    def table(self, points: npt.NDArray[Any]) -> Floats:
        """Return the rows with the columns that stand there twice appended (n, p + q)."""
        holes = np.isnan(points)
        first = np.where(holes, self.below, points)
        second = np.where(holes, self.above, points)[:, self.twice]
        both: Floats = np.c_[first, second]
        return both

    def fold(self, uses: Floats) -> Floats:
        """Add what was counted for second columns to the first ones."""
        p = len(self.below)
        folded: Floats = np.array(uses[:p], np.float64)
        np.add.at(folded, self.twice, uses[p:])
        return folded
