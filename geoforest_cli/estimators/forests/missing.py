"""Missing values: whether they are allowed, and columns that send them to the better side."""

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import numpy.typing as npt
from sklearn.base import BaseEstimator

from geoforest_cli.core.errors import DataError

Floats = npt.NDArray[np.float64]


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
