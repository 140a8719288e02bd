"""Columns of unlike units brought to one scale: one implementation for all that measure lengths."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, Self

import numpy as np
import numpy.typing as npt

from geoforest_cli.estimators.base.validation import constant_columns

__all__ = ["Rescale", "Scaling", "spread_ratio"]

Rescale = Literal["none", "standardise", "min_max"]
Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Scaling:
    """A shift and a divisor per column, learned on one table and applied to any.

    Attributes
    ----------
    shift, scale : (p,) array, or None where nothing is done
        Columns that were constant have an infinite scale: they are left without a say.

    Examples
    --------
    >>> X = np.array([[0.0, 100.0], [2.0, 300.0]])
    >>> Scaling.fit(X, "standardise").apply(X).tolist()
    [[-1.0, -1.0], [1.0, 1.0]]
    >>> Scaling.fit(X, "min_max").apply(np.array([[1.0, 500.0]])).tolist()
    [[0.5, 2.0]]
    """

    shift: Floats | None = None
    scale: Floats | None = None

    @classmethod
    def fit(cls, points: npt.NDArray[Any], rescale: Rescale = "standardise") -> Self:
        """Learn the scale of each column of points (N, p).

        Parameters
        ----------
        points : (N, p) array
        rescale : {"none", "standardise", "min_max"}
            Mean 0 and standard deviation 1, or from 0 to 1; a column that is constant, but for
            rounding, becomes 0. NaN do not count.
        """
        if rescale == "none":
            return cls()
        # in one memory layout: the last digit of a mean depends on the order of its summands
        wide: Any = np.ascontiguousarray(points, np.float64)
        if np.isnan(wide).any():
            wide = np.ma.masked_invalid(wide)
        low, high = (np.ma.filled(side, 0.0) for side in (wide.min(axis=0), wide.max(axis=0)))
        if rescale == "min_max":
            return cls(low, np.where(constant_columns(points), np.inf, high - low))
        shift = np.ma.filled(wide.mean(axis=0), 0.0)
        return cls(shift, _deviation(wide, low, high))

    def apply(self, points: npt.NDArray[Any]) -> npt.NDArray[Any]:
        """Return points (m, p) on the learned scale, in their own type."""
        if self.shift is None or self.scale is None:
            return points
        scaled = (points.astype(np.float64) - self.shift) / self.scale
        return scaled.astype(points.dtype)


def _deviation(points: Floats, low: Floats, high: Floats) -> Floats:
    """Standard deviation of each column; inf where it is constant up to rounding.

    The squares of very small or large numbers leave the range of their type: they are taken in
    units of the column's span.
    """
    span = high - low
    unit = np.where(span > 0, span, 1.0)
    deviation: Floats = np.ma.filled(((points - low) / unit).std(axis=0), 0.0) * unit
    constant = constant_columns(np.ma.filled(points, np.nan))
    return np.where(constant | (deviation == 0), np.inf, deviation)


def spread_ratio(points: npt.NDArray[Any]) -> float:
    """Return how many times the widest column's spread is the narrowest's; 1 if there is one.

    Constant columns do not count.

    Examples
    --------
    >>> spread_ratio(np.array([[0.0, 10.0, 5.0], [1.0, 30.0, 5.0]]))
    20.0
    """
    wide = points.astype(np.float64)
    spreads = _deviation(wide, wide.min(axis=0), wide.max(axis=0))
    spreads = spreads[np.isfinite(spreads)]
    return float(spreads.max() / spreads.min()) if len(spreads) else 1.0
