"""Values that lie far from all others of their column."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from geoforest_cli.core.escaping import shortened
from geoforest_cli.tables.messages import Note, format_names

__all__ = ["CODES", "outlier_note"]

# numbers that stand for a missing value where they lie far from all others
_WORDS = ["9" * digits for digits in range(2, 7)]
_WORDS += ["97", "98", "77", "88", "997", "998", "777", "888", "9997", "9998"]
CODES = {sign * float(word) for word in _WORDS for sign in (-1, 1)} | {-7.0, -8.0, -9.0}
_FAR = 3.0  # ranges of the other values
_MIN_DIFFERENT_VALUES = 10  # different values
_MOST_ROWS = 3
_MOST_SHARE = 20  # one row in so many
_SHORT_TAILS = 10.0  # interquartile ranges: a normal column of a million rows has 7


class _Far(NamedTuple):
    rows: npt.NDArray[np.int64]
    value: float
    short_tails: bool


def outlier_note(
    points: npt.NDArray[np.floating], names: Sequence[str], rows: npt.NDArray[np.int64]
) -> list[Note]:
    """Return a note on values that are further from all others than three times their range.

    On either side of the others they are one value in twenty at most. Where the others have long
    tails themselves, such values are no mistake but a tail, unless they are in three rows of the
    whole table at most. Numbers such as -999 have a note of their own, see
    `column_notes.missing_code_notes`.

    Parameters
    ----------
    points : (N, p) array
    names : sequence of str
    rows : (N,) int64
        Numbers of the rows in the user's table.

    Examples
    --------
    >>> lengths = np.arange(20.0)[:, None]
    >>> lengths[7] = 1000
    >>> print(*outlier_note(lengths, ["length"], np.arange(20)))
    Far from all other values of the column: length (1000 in row 7). Scales, distances and \
directions rest on it; if it is a mistake, correct it or leave the row out.
    """
    far = {column: outlying for column, values in enumerate(points.T) if (outlying := _far(values))}
    places = {row for outlying in far.values() for row in outlying.rows}
    if len(places) > _MOST_ROWS:
        far = {column: outlying for column, outlying in far.items() if outlying.short_tails}
    shown = []
    for column, outlying in far.items():
        row = rows[outlying.rows[0]]
        many = "" if len(outlying.rows) == 1 else f"{len(outlying.rows)} values such as "
        shown.append(f"{shortened(names[column])} ({many}{outlying.value:g} in row {row})")
    if not shown:
        return []
    if len({row for outlying in far.values() for row in outlying.rows}) == 1:
        way = "rest on it; if it is a mistake, correct it or leave the row out."
    else:
        way = "rest on them; if they are mistakes, correct them or leave their rows out."
    said = f"Far from all other values of the column: {format_names(shown)}."
    sentence = f"{said} Scales, distances and directions {way}"
    return [Note(sentence, "outlier", [names[column] for column in far])]


def _far(values: npt.NDArray[np.floating]) -> _Far | None:
    present = values[~np.isnan(values)]
    few = max(1, len(present) // _MOST_SHARE)
    if len(present) < 2 * few + _MIN_DIFFERENT_VALUES:
        return None
    present = np.partition(present, [few, len(present) - 1 - few])
    low, high = np.sort(present[: few + 1]), np.sort(present[-few - 1 :])
    ends = _others(low, high)
    if ends is None:
        return None
    first, last = ends
    others = present[(present >= first) & (present <= last)]
    places = np.flatnonzero((values < first) | (values > last))
    value = values[places[0]]
    if len(np.unique(others)) < _MIN_DIFFERENT_VALUES or CODES.issuperset(values[places].tolist()):
        return None
    quarter, three = np.quantile(others, [0.25, 0.75])
    return _Far(places, float(value), bool(last - first <= _SHORT_TAILS * (three - quarter)))


def _others(
    low: npt.NDArray[np.floating], high: npt.NDArray[np.floating]
) -> tuple[float, float] | None:
    """Return the ends of the values from which the smallest, the largest or both are far.

    Parameters
    ----------
    low, high : (m,) array
        The smallest and the largest values in order; the last and the first of them are others.
    """
    # a gap must be wide for what lies on its inner side, however far its outer side reaches
    wide_below = np.flatnonzero(np.diff(low) > _FAR * (high[0] - low[1:]))[::-1]
    wide_above = np.flatnonzero(np.diff(high) > _FAR * (high[:-1] - low[-1]))
    for after in (*wide_below, None):
        for before in (*wide_above, None):
            first = low[0] if after is None else low[after + 1]
            last = high[-1] if before is None else high[before]
            gaps = [np.inf if after is None else first - low[after]]
            gaps += [np.inf if before is None else high[before + 1] - last]
            if np.inf > min(gaps) > _FAR * (last - first):
                return float(first), float(last)
    return None
