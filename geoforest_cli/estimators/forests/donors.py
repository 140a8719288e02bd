"""Missing values without a response: drawn for each tree from the nearest rows that have one."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.metrics.pairwise import nan_euclidean_distances

from geoforest_cli.estimators.forests.missing import require_some

__all__ = ["MOST_DONORS", "N_DONORS", "Donors", "Draws"]

Floats = npt.NDArray[np.float64]
Words = npt.NDArray[np.uint64]

N_DONORS = 5  # scikit-learn's KNNImputer has as many
MOST_DONORS = 5_000  # rows that are searched
_LOOKED_AT = 50  # nearest rows, before all are
_VALUES_AT_ONCE = 1 << 21
_STEP = 0x9E3779B97F4A7C15
_MIX = 0xBF58476D1CE4E5B9


def _mixed(x: Words) -> Words:
    x = (x ^ (x >> np.uint64(30))) * np.uint64(_MIX)
    found: Words = (x ^ (x >> np.uint64(27))) * np.uint64(_STEP)
    return found ^ (found >> np.uint64(31))


@dataclass(frozen=True)
class Donors:
    """Rows with missing values, and for each of these the values to draw from.

    Attributes
    ----------
    points : (n, p) float64
        With NaN.
    row, column : (h,) intp
        Of each missing value.
    values : (h, N_DONORS) float64
        Those of the nearest rows that have one, the nearest first.
    counts : (h,) int64
        How many there are.
    keys : (h,) uint64
        Depend on the contents of the row, and on the column.
    """

    points: Floats
    row: npt.NDArray[np.intp]
    column: npt.NDArray[np.intp]
    values: Floats
    counts: npt.NDArray[np.int64]
    keys: Words

    def fill(self, seed: np.uint64) -> Floats:
        """Return a copy of the rows without missing values, for the tree of this seed."""
        filled = self.points.copy()
        drawn = _mixed(self.keys ^ seed) % self.counts.astype(np.uint64)
        filled[self.row, self.column] = self.values[np.arange(len(drawn)), drawn.astype(np.intp)]
        return filled


@dataclass(frozen=True)
class Draws:
    """Draws each missing value from the nearest rows that have one, anew for each tree.

    Rows are near by the columns that both have, each divided by its standard deviation. A draw
    depends on the tree's seed and on the row's contents: equal rows go the same way, also when they
    are dropped down the tree later.

    Attributes
    ----------
    rows : (m, p) float64
        Training rows, with NaN.
    span : (p,) float64
        Standard deviations.
    """

    rows: Floats
    span: Floats

    @classmethod
    def of(cls, points: npt.NDArray[Any]) -> Draws:
        """Look at the training points (N, p), or at 5000 of more.

        Raises
        ------
        DataError
            If a column has no value.
        """
        require_some(points)
        rows = np.asarray(points, np.float64)
        if len(rows) > MOST_DONORS:
            chosen = np.linspace(0, len(rows) - 1, MOST_DONORS).astype(np.intp)
            without = np.flatnonzero(np.isnan(rows[chosen]).all(axis=0))
            first = np.argmax(~np.isnan(rows[:, without]), axis=0)
            rows = rows[np.union1d(chosen, first)]
        # squares of the largest values must not overflow
        largest = np.nanmax(np.abs(rows), axis=0)
        largest[largest == 0] = 1.0
        span = largest * np.nanstd(rows / largest, axis=0)
        return cls(rows, np.where(span > 0, span, largest))

    def donors(self, points: npt.NDArray[Any]) -> Donors:
        """Find the donors of all missing values of some rows (n, p)."""
        points = np.asarray(points, np.float64)
        holes = np.isnan(points)
        row, column = np.nonzero(holes)
        # every NaN has the same bits here
        bits = np.where(holes, np.nan, points + 0.0).view(np.uint64)
        keys = np.zeros(len(points), np.uint64)
        for part in bits.T:
            keys = _mixed(keys ^ part)
        values, counts = np.empty((len(row), N_DONORS)), np.empty(len(row), np.int64)
        for here, order in self._orders(points, row):
            place = row[here] - row[here.start]
            values[here], counts[here] = self._values(order, place, column[here])
        steps = column.astype(np.uint64) * np.uint64(_STEP)
        return Donors(points, row, column, values, counts, _mixed(keys[row] + steps))

    def _orders(
        self, points: Floats, row: npt.NDArray[np.intp]
    ) -> Iterator[tuple[slice, npt.NDArray[np.intp]]]:
        """Yield parts of the missing values, and all rows to draw from in the order of distance.

        The orders are those of the rows from that of the part's first value on.
        """
        known = self.rows / self.span
        some = max(1, _VALUES_AT_ONCE // len(known))
        for first in range(0, len(points), some):
            low, high = np.searchsorted(row, [first, first + some])
            if low == high:
                continue
            first_row, last_row = row[low], row[high - 1]
            scaled = points[first_row : last_row + 1] / self.span
            # NaN where no column is shared
            squares = nan_euclidean_distances(scaled, known, squared=True)
            # BLAS differs in the last digits for one row and for many: ties must stay ties
            order = np.argsort(np.round(squares, 6), axis=1, kind="stable")
            yield slice(int(low), int(high)), order

    def _values(
        self,
        order: npt.NDArray[np.intp],
        place: npt.NDArray[np.intp],
        column: npt.NDArray[np.intp],
    ) -> tuple[Floats, npt.NDArray[np.int64]]:
        """Return the first values of columns (h,) in the orders of these places, and how many."""
        values = self.rows[order[place, :_LOOKED_AT], column[:, None]]
        missing = np.isnan(values)
        first = np.argsort(missing, axis=1, kind="stable")[:, :N_DONORS]
        found = np.full((len(place), N_DONORS), np.nan)
        found[:, : first.shape[1]] = np.take_along_axis(values, first, axis=1)
        for i in np.flatnonzero((~missing).sum(axis=1) < N_DONORS).tolist():
            every = self.rows[order[place[i]], column[i]]
            some = every[~np.isnan(every)][:N_DONORS]
            found[i, : len(some)] = some
        return found, (~np.isnan(found)).sum(axis=1)
