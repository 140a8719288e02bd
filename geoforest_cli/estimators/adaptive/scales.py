"""The scale on which lengths are measured, chosen without labels."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Literal, Self

import numpy as np
import numpy.typing as npt
from scipy.optimize import minimize_scalar
from scipy.special import boxcox
from scipy.stats import boxcox_llf, skew

from geoforest_cli.estimators.adaptive.density import crowding, density_range, half_sample_mode
from geoforest_cli.estimators.base.scaling import Scaling

__all__ = ["Scale", "TableScale", "chosen_scale", "standardised_rows"]

Floats = npt.NDArray[np.float64]
Scale = Literal["raw", "standardised", "transformed", "logarithm", "cube_root", "correlation"]

_ATOM = 0.2  # share of one value: a column with more is left as it is
_SKEW, _ASYMMETRY = 0.6, 0.7  # a column that exceeds either is skewed
_MOSTLY = np.log(2.5)  # asymmetry of the middle column: above, the table is transformed
_ALIKE, _ALIKE_ROWS = 3.0, 10.0  # times: spreads that differ by less are trusted
_OFFSET = 0.1  # of the quartiles' distance: what the smallest value becomes
_VALUES = 5000  # quantiles of a column that a power is fitted to
_EVENER, _BY = 0.6, 0.3  # another scale is taken if the range of densities falls to, and by
_ROUNDING = 1e-12  # of a row's length: what is left of a constant row is less
_CROWDED = 0.3  # crowding about the modes that a cube root needs


@dataclass(frozen=True)
class TableScale:
    """Change of columns before lengths are measured; learned on one table.

    Attributes
    ----------
    name : {"raw", "standardised", "transformed", "logarithm", "cube_root", "correlation"}
    columns : (q,) int64
        The columns that are transformed.
    start, unit, offset, power : (q,) float64
        Such a column x becomes the Box-Cox transform of (x - start) / unit + offset, which is at
        least `floor`; the unit is negative where the left tail is the long one. With "cube_root" it
        becomes the cube root of x - start.
    floor : (q,) float64
    scaling : Scaling
        Done afterwards. With "correlation" each row is then brought to mean 0 and length 1.
    """

    name: Scale
    columns: npt.NDArray[np.int64]
    start: Floats
    unit: Floats
    offset: Floats
    power: Floats
    floor: Floats
    scaling: Scaling

    @classmethod
    def fit(cls, points: Floats, name: Scale) -> Self:
        """Learn a scale of the columns of points (N, p).

        Parameters
        ----------
        points : (N, p) array
        name : {"raw", "standardised", "transformed", "logarithm", "cube_root", "correlation"}
            As they are; mean 0 and standard deviation 1; skewed columns by a power first, unless a
            fifth of the rows share a value; the logarithm of positive columns; the cube root of
            columns less their modes. After the last two, columns are standardised where their
            spreads are unlike: those of the logarithms, or of the columns before the root.
            "correlation" takes the mean from each column, standardises where spreads are unlike,
            and does the same with each row: squared distances are then 2 (1 - r).
        """
        change = _CHANGES.get(name, _nothing)
        rows = [(j, *pair) for j in range(points.shape[1]) if (pair := change(points[:, j]))]
        columns, start, unit, offset, power, floor = np.array(rows, float).reshape(-1, 6).T
        numbers = columns.astype(np.int64)
        scale = cls(name, numbers, start, unit, offset, power, floor, Scaling())
        done = points if name == "correlation" else scale.apply(points)
        # a root makes unlike units alike, a logarithm makes them shifts
        judged = {"logarithm": done, "cube_root": points}
        kept = name == "raw" or (name in judged and _alike(judged[name]))
        scaling = Scaling.fit(done, "none" if kept else "standardise")
        if name == "correlation" and _alike(points, _ALIKE_ROWS):
            scaling = replace(scaling, scale=np.ones(points.shape[1]))
        return replace(scale, scaling=scaling)

    def apply(self, points: Floats) -> Floats:
        """Return points (m, p) on the learned scale."""
        if len(self.columns):
            points = points.copy()
            values = points[:, self.columns] - self.start
            if self.name == "cube_root":
                points[:, self.columns] = np.cbrt(values)
            else:
                values = np.maximum(values / self.unit + self.offset, self.floor)
                points[:, self.columns] = np.sign(self.unit) * boxcox(values, self.power)
        scaled: Floats = self.scaling.apply(points)
        return standardised_rows(scaled) if self.name == "correlation" else scaled


def standardised_rows(points: Floats) -> Floats:
    """Return the rows of points (m, p) less their means, of length 1; constant ones are 0.

    Examples
    --------
    >>> standardised_rows(np.array([[1.0, 3.0], [2.0, 2.0]])).round(2).tolist()
    [[-0.71, 0.71], [0.0, 0.0]]
    """
    rows = np.ascontiguousarray(points)  # in one memory layout, as the columns of Scaling
    rows = rows - rows.mean(axis=1, keepdims=True)
    # a mean is exact to the last digits only: what is left of a constant row is no shape
    lengths = np.linalg.norm(rows, axis=1)
    constant = lengths <= _ROUNDING * np.linalg.norm(points, axis=1)
    scaled: Floats = rows / np.where(constant, np.inf, lengths)[:, None]
    return scaled


def chosen_scale(points: Floats, *, independent: bool = False) -> Scale:
    """Return the scale that the columns' shapes and spreads, and the rows' density, speak for.

    Raw, standardised or transformed, by the columns alone; another one, the logarithm or the cube
    root if rows lie much more evenly on it: the range of their densities falls to 0.6 or less, and
    by 0.3. For the cube root each column has to be crowded about its mode.

    Parameters
    ----------
    points : (N, p) array
    independent : bool
        No column depends on another one: then rows are dense where columns are, and the density
        says nothing more.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(200, 3))
    >>> chosen_scale(X), chosen_scale(X * [1, 10, 1000]), chosen_scale(X**3)
    ('raw', 'standardised', 'cube_root')
    """
    usual = _usual_scale(points)
    if independent:
        return usual
    rows = TableScale.fit(points, usual).apply(points)
    before = density_range(rows)
    if not before > _BY:
        return usual
    others: list[Scale] = ["transformed"]
    if (points > 0).all():
        others.append("logarithm")
    if crowding(rows) > _CROWDED:
        others.append("cube_root")
    ranges = {name: density_range(TableScale.fit(points, name).apply(points)) for name in others}
    best = min(ranges, key=lambda name: ranges[name])
    evener = ranges[best] <= min(_EVENER * before, before - _BY)
    return best if evener else usual


def _usual_scale(points: Floats) -> Scale:
    """Return the scale that the columns' shapes and spreads speak for, one by one."""
    smooth = [column for column in points.T if _atom(column) <= _ATOM]
    if 2 * len(smooth) > points.shape[1]:
        middle = np.median([abs(_asymmetry(column)) for column in smooth])
        if middle > _MOSTLY:
            return "transformed"
    return "raw" if _alike(points) else "standardised"


def _alike(points: Floats, times: float = _ALIKE) -> bool:
    """Return whether the spreads of the columns that vary differ by at most so many times."""
    spreads = Scaling.fit(points).scale
    assert spreads is not None
    spreads = spreads[np.isfinite(spreads)]
    if not len(spreads):
        return True
    low, high = np.quantile(spreads, [0.1, 0.9])
    return bool(high <= times * low)


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


def _power(column: Floats) -> tuple[float, ...] | None:
    """Return start, unit, offset, power and floor of a skewed column; None of another."""
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
    result = minimize_scalar(
        lambda power: -boxcox_llf(power, sample), bounds=(-1, 1), method="bounded"
    )
    power = float(result.x)
    if not abs(float(skew(boxcox(values, power)))) < abs(lean):
        return None
    return float(start), float(unit), _OFFSET, power, _OFFSET / 2


def _logarithm(column: Floats) -> tuple[float, ...] | None:
    """Return start, unit, offset, power and floor of a positive column; None of another."""
    least = float(column.min())
    if least <= 0:
        return None
    return 0.0, least, 0.0, 0.0, 0.5


def _cube_root(column: Floats) -> tuple[float, ...]:
    """Return the mode in the place of start."""
    return half_sample_mode(column), 1.0, 0.0, 0.0, 0.0


def _nothing(column: Floats) -> None:
    """Leave a column as it is."""


_CHANGES: dict[Scale, Callable[[Floats], tuple[float, ...] | None]] = {
    "transformed": _power,
    "logarithm": _logarithm,
    "cube_root": _cube_root,
}
