"""Missing values of a table, filled from the rows that are most alike."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import numpy.typing as npt
import pandas as pd
from sklearn.impute import KNNImputer

from geoforest_cli.core.errors import DataError
from geoforest_cli.tables.messages import as_argument, format_names
from geoforest_cli.tables.table import UserTable

__all__ = ["fill_missing", "missing_note"]

_NEIGHBORS = 5
_MOST_ROWS = 5_000  # that are searched: all pairs of more would take long


def fill_missing(data: UserTable) -> tuple[UserTable, list[str]]:
    """Fill missing values with the mean of the five nearest rows that have one.

    Rows are near by the columns that both have, each divided by its standard deviation. The nearest
    are looked for among 5000 rows where there are more.

    Parameters
    ----------
    data : UserTable

    Returns
    -------
    UserTable
    list of str
        A note on what was filled; empty if nothing was missing.

    Raises
    ------
    DataError
        If a column has no value.

    Examples
    --------
    >>> import pandas as pd
    >>> from geoforest_cli.tables.options import read_table
    >>> from geoforest_cli.tables.cleaning import CleanOptions
    >>> frame = pd.DataFrame({"x": [0.0, 1.0, 2.0, None], "y": [0.0, 2.0, 4.0, 2.0]})
    >>> filled, notes = fill_missing(read_table(frame, CleanOptions(missing="keep")))
    >>> filled.points[3].round(6).tolist(), notes
    ([1.0, 2.0], ['Missing, filled by the mean of the nearest rows that have one: 1 of 8 \
values, in x.'])
    """
    missing = np.isnan(data.points)
    if not missing.any():
        return data, []
    empty = np.flatnonzero(missing.all(axis=0))
    if len(empty):
        raise DataError(f"{data.name}: the column {data.columns[empty[0]]!r} has no value at all")
    points = _filled(data.points.astype(np.float64)).astype(data.points.dtype)
    enough = (~missing).sum(axis=0).min() >= _NEIGHBORS
    which = f"{_NEIGHBORS} nearest rows" if enough else "nearest rows"
    count, mostly = _missing_values(data)
    note = f"Missing, filled by the mean of the {which} that have one: {count}."
    if mostly:
        note += (
            f" More than half is missing in {format_names(mostly)}: "
            f"{as_argument('exclude', mostly[0])} leaves {'it' if len(mostly) == 1 else 'one'} out."
        )
    return replace(data, points=points), [note]


def missing_note(data: UserTable) -> list[str]:
    """Return a note on missing values that a method takes as they are, if there are any."""
    if not np.isnan(data.points).any():
        return []
    return [f"Missing: {_missing_values(data)[0]}; cuts send them to the side that scores better."]


def _missing_values(data: UserTable) -> tuple[str, list[str]]:
    """Return how many values are missing and where, most first, and where they are most."""
    missing = np.isnan(data.points)
    shares = pd.Series(missing.mean(axis=0), index=list(data.sources))
    shares = shares[shares > 0].sort_values(ascending=False, kind="stable")
    names, mostly = (list(part.index.unique()) for part in (shares, shares[shares > 0.5]))
    return f"{int(missing.sum())} of {missing.size} values, in {format_names(names)}", mostly


def _filled(points: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    # squares of the largest values must not overflow
    largest = np.nanmax(np.abs(points), axis=0)
    largest[largest == 0] = 1.0
    deviation = np.nanstd(points / largest, axis=0)
    span = largest * deviation
    span = np.where(span > 0, span, largest)
    scaled = points / span
    searched = np.arange(len(points))
    if len(points) > _MOST_ROWS:
        searched = np.linspace(0, len(points) - 1, _MOST_ROWS).astype(np.intp)
        without = np.flatnonzero(np.isnan(points[searched]).all(axis=0))
        searched = np.union1d(searched, np.argmax(~np.isnan(points[:, without]), axis=0))
    imputed = KNNImputer(n_neighbors=_NEIGHBORS).fit(scaled[searched]).transform(scaled) * span
    # values that are there keep every digit
    filled: npt.NDArray[np.float64] = np.where(np.isnan(points), imputed, points)
    return filled
