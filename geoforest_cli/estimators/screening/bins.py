"""Columns cut into bins of equally many rows."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Annotated, Literal

import numpy as np
import numpy.typing as npt
from pydantic import Field

from geoforest_cli.estimators.screening.base import Table, dense, missing
from geoforest_cli.estimators.screening.kernels.bins import cut

__all__ = ["Binned", "Bins", "bins_for"]

Bins = Annotated[int, Field(ge=2, le=64)] | Literal["auto"]
_MAX_BINS, _MIN_BINS, _PER_CELL = 8, 4, 2.5
_MIN_SHARE = 0.75
_VALUES_PER_BLOCK = 1 << 22


def bins_for(rows: float) -> int:
    """Return b: 8, or an even number from 4 on so that a cell of b^2 expects 2.5 rows.

    Examples
    --------
    >>> [bins_for(n) for n in (10, 50, 100, 200, 1000)]
    [4, 4, 6, 8, 8]
    """
    return min(max(2 * int(math.sqrt(rows / _PER_CELL) / 2), _MIN_BINS), _MAX_BINS)


@dataclass(frozen=True)
class Binned:
    """The bins of the rows of every column.

    Attributes
    ----------
    codes : (p, n) int8
        From 0 without gaps, ascending with the values; -1 for NaN.
    n_bins : (p,) int64
        1 for constant columns, 0 for those without a value.
    rare : (p,) bool
        Columns of two categories, one of them rare: see `of`.
    """

    codes: npt.NDArray[np.int8]
    n_bins: npt.NDArray[np.int64]
    rare: npt.NDArray[np.bool_]

    @classmethod
    def of(cls, table: Table, bins: int | Literal["auto"] = "auto") -> Binned:
        """Cut each column of a table (n, p) by mid-ranks, so that ties share a bin.

        Parameters
        ----------
        table : (n, p) array or sparse matrix
        bins : int or "auto"
            b; "auto" is `bins_for` the rows that a column shares with another one on average.
            A column has fewer where many values are equal: a bin of less than three quarters of
            the rows of an even one is rare, and joins its neighbour unless there are only two.

        Examples
        --------
        >>> Binned.of(np.array([[3.0, 1, 5], [1, 1, 5], [2, 9, 5]]), 3).codes.tolist()
        [[2, 0, 1], [0, 0, 1], [0, 0, 0]]
        """
        n, p = table.shape
        codes = np.empty((p, n), np.int8)
        n_bins = np.zeros(p, np.int64)
        rare = np.zeros(p, np.bool_)
        counts = n - missing(table)
        share = counts.sum() / max(n * p, 1)
        step = max(1, _VALUES_PER_BLOCK // max(n, 1))
        for start in range(0, p, step):
            part = np.ascontiguousarray(dense(table[:, start : start + step]).T)
            order = np.argsort(part, axis=1)
            for i, column in enumerate(part):
                j = start + i
                m = int(counts[j])
                wanted = bins_for(m * share) if bins == "auto" else bins
                least = _MIN_SHARE * m / wanted
                n_bins[j] = cut(column, order[i], m, wanted, least, codes[j])
                if n_bins[j] == 2:
                    ones = int((codes[j] == 1).sum())
                    rare[j] = min(ones, m - ones) < least
        return cls(codes, n_bins, rare)
