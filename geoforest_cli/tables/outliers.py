"""Single values that lie far from all others of their column."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from geoforest_cli.tables.messages import format_names
from geoforest_cli.tables.missing_values import CODES

__all__ = ["outlier_note"]

_FAR = 3.0  # ranges of the other values
_FEWEST = 10  # different values
_MOST_ROWS = 3


def outlier_note(
    points: npt.NDArray[np.floating], names: Sequence[str], rows: npt.NDArray[np.int64]
) -> list[str]:
    """Return a note on values that are further from all others than three times their range.

    Numbers such as -999 have a note of their own, see `missing_values.missing_code_notes`.

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
    found, places = [], set()
    for column, values in enumerate(points.T):
        known = values[~np.isnan(values)]
        if len(known) <= _FEWEST:
            continue
        low, second, before, high = np.partition(known, [0, 1, -2, -1])[[0, 1, -2, -1]]
        alone = high if high - before > second - low else low
        gap = max(high - before, second - low)
        others = known[known != alone]
        if alone in CODES or gap <= _FAR * (np.ptp(others) if len(others) else np.inf):
            continue
        if len(np.unique(others)) >= _FEWEST:
            row = rows[int(np.argmax(values == alone))]
            found.append(f"{names[column]} ({alone:g} in row {row})")
            places.add(int(row))
    # in many rows they are the tail of a distribution
    if not 1 <= len(places) <= _MOST_ROWS:
        return []
    note = (
        f"Far from all other values of the column: {format_names(found)}. Scales, distances and "
        "directions rest on it; if it is a mistake, correct it or leave the row out."
    )
    return [note]
