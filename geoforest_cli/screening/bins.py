"""Columns cut into bins of equally many rows."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Annotated, Any, Literal

import numpy as np
import numpy.typing as npt
from pydantic import Field
from scipy.stats import rankdata

__all__ = ["Binned", "Bins"]

Bins = Annotated[int, Field(ge=2, le=64)] | Literal["auto"]
_MOST, _FEWEST, _PER_CELL = 8, 3, 5
MISSING = -1


@dataclass(frozen=True)
class Binned:
    """The bins of the rows of every column.

    Attributes
    ----------
    codes : (p, n) int8
        From 0 without gaps, ascending with the values; `MISSING` for NaN.
    n_bins : (p,) int64
        1 for constant columns, 0 for those without a value.
    """

    codes: npt.NDArray[np.int8]
    n_bins: npt.NDArray[np.int64]

    @classmethod
    def of(cls, table: npt.NDArray[Any], bins: int | Literal["auto"] = "auto") -> Binned:
        """Cut each column of a table (n, p) by mid-ranks, so that ties share a bin.

        Parameters
        ----------
        table : (n, p) array
        bins : int or "auto"
            b; "auto" is about sqrt(n / 5), so that a cell of the table of two columns expects
            five rows, between 3 and 8.

        Examples
        --------
        >>> Binned.of(np.array([[3.0, 1, 5], [1, 1, 5], [2, 9, 5]]), 3).codes.tolist()
        [[2, 0, 1], [0, 0, 1], [0, 0, 0]]
        """
        n, p = table.shape
        b = round(math.sqrt(n / _PER_CELL)) if bins == "auto" else bins
        b = min(max(b, _FEWEST), _MOST) if bins == "auto" else b
        codes = np.empty((p, n), np.int8)
        n_bins = np.empty(p, np.int64)
        for j in range(p):
            codes[j], n_bins[j] = _cut(np.ascontiguousarray(table[:, j]), b)
        return cls(codes, n_bins)


def _cut(column: npt.NDArray[Any], b: int) -> tuple[npt.NDArray[np.int8], int]:
    known = ~np.isnan(column)
    m = int(known.sum())
    codes = np.full(len(column), MISSING, np.int8)
    if not m:
        return codes, 0
    # floor(b (rank - 1/2) / m) in whole numbers: twice a mid-rank is one
    twice = np.rint(2 * rankdata(column[known])).astype(np.int64)
    wanted = (b * (twice - 1)) // (2 * m)
    used, codes[known] = np.unique(wanted, return_inverse=True)
    return codes, len(used)
