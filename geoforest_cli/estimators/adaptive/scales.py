"""The scale on which lengths are measured, chosen without labels."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal, Self

import numpy as np
import numpy.typing as npt
from scipy.optimize import minimize_scalar
from scipy.special import boxcox
from scipy.stats import boxcox_llf, skew

from geoforest_cli.estimators.base.scaling import Scaling

__all__ = ["Scale", "TableScale", "chosen_scale"]

Floats = npt.NDArray[np.float64]
Scale = Literal["raw", "standardised", "transformed"]

_ATOM = 0.2  # share of one value: a column with more is left as it is
_SKEW, _ASYMMETRY = 0.6, 0.7  # a column that exceeds either is skewed
_MOSTLY = np.log(2.5)  # asymmetry of the middle column: above, the table is transformed
_ALIKE = 3.0  # times: spreads that differ by less are trusted
_OFFSET = 0.1  # of the quartiles' distance: what the smallest value becomes
_VALUES = 5000  # quantiles of a column that a power is fitted to


@dataclass(frozen=True)
class TableScale:
    """What is done to columns before lengths are measured; learned on one table.

    Attributes
    ----------
    name : {"raw", "standardised", "transformed"}
    columns : (q,) int64
        The columns that are transformed.
    start, unit, power : (q,) float64
        Such a column x becomes the Box-Cox transform of (x - start) / unit + 0.1, half of that 0.1
        where x is beyond the start; the unit is negative where the left tail is the long one.
    scaling : Scaling
        Done afterwards.
    """

    name: Scale
    columns: npt.NDArray[np.int64]
    start: Floats
    unit: Floats
    power: Floats
    scaling: Scaling

    @classmethod
    def fit(cls, points: Floats, name: Scale) -> Self:
        """Learn a scale of the columns of points (N, p).

        Parameters
        ----------
        points : (N, p) array
        name : {"raw", "standardised", "transformed"}
            As they are; mean 0 and standard deviation 1; or skewed columns by a power first.
        """
        rows: list[tuple[float, ...]] = []
        if name == "transformed":
            rows = [found for j in range(points.shape[1]) if (found := _power(points[:, j], j))]
        columns, start, unit, power = np.array(rows).reshape(-1, 4).T
        scale = cls(name, columns.astype(np.int64), start, unit, power, Scaling())
        rescale: Literal["none", "standardise"] = "none" if name == "raw" else "standardise"
        return replace(scale, scaling=Scaling.fit(scale.apply(points), rescale))

    def apply(self, points: Floats) -> Floats:
        """Return points (m, p) on the learned scale."""
        if len(self.columns):
            points = points.copy()
            values = (points[:, self.columns] - self.start) / self.unit + _OFFSET
            powers = boxcox(np.maximum(values, _OFFSET / 2), self.power)
            points[:, self.columns] = np.sign(self.unit) * powers
        scaled: Floats = self.scaling.apply(points)
        return scaled


def chosen_scale(points: Floats) -> Scale:
    """Return the scale that the columns' shapes and spreads speak for.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(200, 3))
    >>> chosen_scale(X), chosen_scale(X * [1, 10, 1000]), chosen_scale(np.exp(X))
    ('raw', 'standardised', 'transformed')
    """
    smooth = [column for column in points.T if _atom(column) <= _ATOM]
    if 2 * len(smooth) > points.shape[1]:
        middle = np.median([abs(_asymmetry(column)) for column in smooth])
        if middle > _MOSTLY:
            return "transformed"
    spreads = Scaling.fit(points).scale
    assert spreads is not None
    spreads = spreads[np.isfinite(spreads)]
    if not len(spreads):
        return "raw"
    low, high = np.quantile(spreads, [0.1, 0.9])
    return "raw" if high <= _ALIKE * low else "standardised"


def _atom(column: Floats) -> float:
    """Return the share of a column's most frequent value."""
    _, counts = np.unique(column, return_counts=True)
    return float(counts.max()) / len(column)


def _asymmetry(column: Floats) -> float:
    """Return the log of how many times the upper half is as wide as the lower one."""
    low, middle, high = np.quantile(column, [0.05, 0.5, 0.95])
    above, below = high - middle, middle - low
    if above <= 0 or below <= 0:
        return float(np.inf * np.sign(above - below)) if above != below else 0.0
    return float(np.log(above) - np.log(below))


def _power(column: Floats, j: int) -> tuple[float, ...] | None:
    """Return number, start, unit and power of a skewed column; None of another."""
    low, high = np.quantile(column, [0.25, 0.75])
    if high <= low or _atom(column) > _ATOM:
        return None
    lean = float(skew((column - low) / (high - low)))
    if abs(lean) <= _SKEW and abs(_asymmetry(column)) <= _ASYMMETRY:
        return None
    unit = high - low if lean > 0 else low - high
    start = column.min() if lean > 0 else column.max()
    values = (column - start) / unit + _OFFSET
    sample = values
    if len(values) > _VALUES:
        sample = np.quantile(values, (np.arange(_VALUES) + 0.5) / _VALUES)
    found = minimize_scalar(
        lambda power: -boxcox_llf(power, sample), bounds=(-1, 1), method="bounded"
    )
    power = float(found.x)
    if not abs(float(skew(boxcox(values, power)))) < abs(lean):
        return None
    return float(j), float(start), float(unit), power
