"""Columns and scale in which a forest sees a table."""

import math
import warnings
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from geoforest_cli.core.errors import DataError

Floats = npt.NDArray[np.float64]
Rescale = Literal["robust", "standard", "min_max", "none"]
BinaryColumns = Literal["warn", "keep", "exclude"]
# squares of larger numbers overflow, of smaller ones vanish, and with them every variance
_LARGE_VALUE, _SMALL_VALUE = 2.0**200, 2.0**-200
_VALUES_PER_BLOCK = 1 << 18
_TAILS = (5.0, 95.0)  # per cent: what lies beyond is drawn in
_NORMAL = 0.9  # standard deviation of a standard normal column whose tails are drawn in, about
_MIN_SPREAD = 0.1  # of the standard deviation: below it a column is mostly of one value


@dataclass(frozen=True)
class Columns:
    """Columns kept, and how they are scaled: (x * 2**-exponent - shift) / span.

    Attributes
    ----------
    kept : (q,) intp or None
        None keeps all.
    exponent : (q,) or (1,) int
        Powers of two, which lose no digit, bring huge and tiny tables where squares can be had.
    shift, span : (q,) float64 or None
    """

    kept: npt.NDArray[np.intp] | None
    exponent: npt.NDArray[np.int64]
    shift: Floats | None
    span: Floats | None

    @classmethod
    def of(
        cls,
        X: npt.NDArray[Any],
        rescale: Rescale,
        binary: BinaryColumns,
        among: npt.NDArray[np.intp] | None = None,
    ) -> "Columns":
        """Look at a table X (N, p), or at the columns `among` its columns.

        Raises
        ------
        DataError
            If binary columns are excluded and there are no others.
        """
        X = X if among is None else X[:, among]
        kept = _kept_columns(X, binary)
        if kept is not None:
            X = X[:, kept]
        if among is not None:
            kept = among if kept is None else among[kept]
        largest = np.nanmax(np.abs(X), axis=0)
        if rescale == "none":
            # one exponent for all: which column is wider than which matters then
            largest = largest.max(keepdims=True)
        exponent = _exponents(largest)
        if rescale == "none":
            return cls(kept, exponent, None, None)
        # in one memory layout: the last digit of a mean depends on the order of its summands
        X = np.ascontiguousarray(X, np.float64)
        X = np.ldexp(X, -exponent) if exponent.any() else X
        if rescale == "min_max":
            shift = np.nanmin(X, axis=0)
            span = np.nanmax(X, axis=0) - shift
        else:
            # where nothing is missing they say the same without a copy
            complete = not np.isnan(X).any()
            shift, span = (
                (X.mean(axis=0), X.std(axis=0)) if complete else
                (np.nanmean(X, axis=0), np.nanstd(X, axis=0))
            )  # fmt: skip
            if rescale == "robust":
                span = _robust(X, span)
            # the mean of equal numbers may be off by a digit
            span = np.where(np.nanmax(X, axis=0) > np.nanmin(X, axis=0), span, 0.0)
        return cls(kept, exponent, shift, np.where(span > 0, span, 1.0))

    def prepare(self, X: npt.NDArray[Any]) -> npt.NDArray[Any]:
        """Return the columns kept, scaled."""
        if self.kept is not None:
            X = X[:, self.kept]
        if self.exponent.any():
            X = np.ldexp(np.asarray(X, np.float64), -self.exponent)
        if self.shift is None or self.span is None:
            return X
        # column by column, as kernels see it
        scaled: npt.NDArray[Any] = np.empty(X.shape, order="F")
        np.subtract(X, self.shift, out=scaled, dtype=np.float64)
        scaled /= self.span
        return scaled

    def units(self, p: int) -> tuple[Floats, Floats]:
        """Return (shift, span) of each column as the trees see it: (x - shift) / span."""
        q = p if self.kept is None else len(self.kept)
        unit = np.ldexp(np.ones(q), np.broadcast_to(self.exponent, q))
        shift = np.zeros(q) if self.shift is None else self.shift
        span = np.ones(q) if self.span is None else self.span
        return shift * unit, span * unit


def _robust(X: Floats, deviation: Floats) -> Floats:
    """Return standard deviations that a few far values do not move."""
    spreads = np.empty(X.shape[1])
    # some columns at a time: of a wide table no second copy is made
    width = max(1, _VALUES_PER_BLOCK // len(X))
    for start in range(0, X.shape[1], width):
        here = X[:, start : start + width]
        low, high = _tails(here)
        spreads[start : start + width] = np.nanstd(np.clip(here, low, high), axis=0) / _NORMAL
    return np.where(spreads > _MIN_SPREAD * deviation, spreads, deviation)


def _tails(X: Floats) -> tuple[Floats, Floats]:
    """Return the percentiles of each column beyond which its values are drawn in."""
    if np.isnan(X).any():
        low, high = np.array([np.nanpercentile(column, _TAILS) for column in X.T]).T
        return low, high
    # quicker than one column after the other, and than percentiles along the other axis
    low, high = np.percentile(np.ascontiguousarray(X.T), _TAILS, axis=1)
    return low, high


def _exponents(largest: Floats) -> npt.NDArray[np.int64]:
    exponents = np.zeros(len(largest), np.int64)
    for j, value in enumerate(largest.tolist()):
        if value > _LARGE_VALUE or 0 < value < _SMALL_VALUE:
            exponents[j] = math.frexp(value)[1]
    return exponents


def _kept_columns(X: npt.NDArray[Any], rule: BinaryColumns) -> npt.NDArray[np.intp] | None:
    if rule == "keep":
        return None
    low, high = np.nanmin(X, axis=0), np.nanmax(X, axis=0)
    binary = (low < high) & ((low == X) | (high == X) | np.isnan(X)).all(axis=0)
    if len(X) <= 2 or not binary.any():
        return None
    if rule == "exclude":
        kept = np.flatnonzero(~binary)
        if not len(kept):
            raise DataError("every column has only two values: nothing is left to project")
        return kept
    warnings.warn(
        f"{int(binary.sum())} of {X.shape[1]} columns have only two values; by this criterion "
        "each is a perfect two-cluster projection and may drown the others "
        '(binary_columns="exclude" leaves them out)',
        stacklevel=7,
    )
    return None
