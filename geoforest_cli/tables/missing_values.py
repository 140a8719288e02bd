"""Invalid, missing and infinite values of a table: refused, kept, or dropped with their rows."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from geoforest_cli.core.errors import DataError
from geoforest_cli.core.escaping import quoted
from geoforest_cli.estimators.base.validation import LARGEST_VALUE
from geoforest_cli.tables.messages import Note, as_argument, as_exclude, format_names, format_row

__all__ = [
    "complete_rows",
    "missing_value_remedies",
    "require_comparable",
    "uncompared_note",
]

_SHOWN = 5  # names of costly columns
_COLUMNS_AT_ONCE = 512  # columns


def missing_value_remedies(allowed: Sequence[str]) -> str:
    """Return what can be done about missing values, where ``missing`` may be one of `allowed`.

    Examples
    --------
    >>> print(missing_value_remedies(["drop"]))
    fill them, leave the column out (columns) or leave these rows out (missing='drop')
    """
    fill, drop = (
        f" ({as_argument('missing', value)})" if value in allowed else ""
        for value in ("impute", "drop")
    )
    columns = f"leave the column out ({as_argument('columns')})"
    return f"fill them{fill}, {columns} or leave these rows out{drop}"


def require_comparable(
    points: npt.NDArray[np.floating],
    sources: Sequence[str],
    rows: npt.NDArray[np.int64],
    name: str,
    *,
    keep_missing: bool,
    remedies: Sequence[str],
    as_in_file: Callable[[str], pd.Series[Any]] | None = None,
) -> None:
    """Refuse infinite values, those whose squares are, and missing ones without `keep_missing`.

    Parameters
    ----------
    points : (N, p) array
    sources : sequence of str
        The user's column that each column of points comes from.
    rows : (N,) int64
        Numbers of the rows in the user's table.
    name : str
        What messages call the table.
    keep_missing : bool
    remedies : sequence of str
        As for `missing_value_remedies`.
    as_in_file : callable, optional
        Returns a column of the user's as it is written.

    Raises
    ------
    DataError
    """
    missing, infinite = np.isnan(points) & (not keep_missing), np.isinf(points)
    wrong = (missing | infinite).any(axis=0)
    if wrong.any():
        column = int(np.argmax(wrong))
        kind = "missing" if missing[:, column].any() else "infinite"
        bad = (missing if kind == "missing" else infinite)[:, column]
        count, row = int(bad.sum()), int(rows[np.argmax(bad)])
        where = f"in {format_row(row)}"
        if kind == "infinite" and as_in_file is not None:
            where = f"{quoted(str(as_in_file(sources[column]).iloc[row]))} {where}"
        if kind == "missing":
            lacking = {source for source, gaps in zip(sources, missing.any(0), strict=True) if gaps}
            if more := len(lacking) - 1:
                verb = "s have" if more > 1 else " has"
                where += f", and {more} more column{verb} missing values too"
        raise DataError(
            f"{name}: the column {quoted(sources[column])} has {count} {kind} "
            f"{'values, the first' if count > 1 else 'value,'} {where}; "
            f"{missing_value_remedies(remedies if kind == 'missing' else ())}"
        )
    beyond = np.abs(points) > np.float64(LARGEST_VALUE)
    if beyond.any():
        column = int(np.argmax(beyond.any(axis=0)))
        values = points[:, column]
        position = int(np.nanargmax(np.abs(values)))
        raise DataError(
            f"{name}: the column {quoted(sources[column])} holds {values[position]:g} in "
            f"{format_row(int(rows[position]))}; values up to {LARGEST_VALUE:g} are allowed: "
            "use other units, or the logarithm"
        )


def complete_rows(
    points: npt.NDArray[np.floating], sources: Sequence[str], name: str
) -> tuple[npt.NDArray[np.bool_], list[str]]:
    """Return which rows have a value in all columns, and notes on the others.

    The notes name the columns that cost rows, those that cost most first, and what would be kept
    without them.

    Parameters
    ----------
    points, sources, name
        As for `require_comparable`.

    Raises
    ------
    DataError
        Where no row has.
    """
    empty = np.isnan(points)
    missing: npt.NDArray[np.bool_] = empty.any(axis=1)
    if not missing.any():
        return ~missing, []
    if missing.all():
        worst = int(empty.sum(axis=0).argmax())
        raise DataError(
            f"{name}: no row is complete; the column {quoted(sources[worst])} misses most values, "
            f"{int(empty[:, worst].sum())} of {len(points)}: leave it out "
            f"({as_argument('columns')})"
        )
    count, row = int(missing.sum()), format_row(int(np.argmax(missing)))
    verb = "rows miss values" if count > 1 else "rows misses a value"
    left_out = f"Left out, {count} of {len(points)} {verb}; the first is {row}."
    costs = _costly_columns(pd.DataFrame(empty, columns=list(sources)))
    return ~missing, [Note(left_out, "dropped"), Note(costs, "dropped")]


def _costly_columns(empty: pd.DataFrame) -> str:
    """Return a note on the columns that miss values (N, p), in the order of how many.

    Examples
    --------
    >>> empty = pd.DataFrame({"a": [True, True, False], "b": [False, True, False], "c": False})
    >>> print(_costly_columns(empty))
    Rows without a value: a 2, b 1. Without the column a, 2 of 3 rows would stay (exclude='a').
    """
    by_source = empty.T.groupby(level=0, sort=False).any().T
    counts = by_source.sum().sort_values(ascending=False, kind="stable")
    costly = counts[counts > 0]
    said = format_names([f"{name} {count}" for name, count in costly.items()], _SHOWN)
    worst = str(costly.index[0])
    if by_source.shape[1] == 1:
        return f"Rows without a value: {said}."
    stays = int((~by_source.drop(columns=worst).any(axis=1)).sum())
    return (
        f"Rows without a value: {said}. Without the column {format_names([worst])}, {stays} of "
        f"{len(empty)} rows would stay ({as_exclude([worst])})."
    )


def uncompared_note(points: npt.NDArray[np.floating], names: Sequence[str]) -> str:
    """Return how many pairs of columns share too few rows to be compared; empty for none.

    Parameters
    ----------
    points : (N, p) array
    names : sequence of str

    Examples
    --------
    >>> table = np.ones((16, 3))
    >>> table[:8, 0] = table[10:, 1] = np.nan
    >>> uncompared_note(table, ["before", "after", "age"])
    '1 pair of columns has values in fewer than 6 common rows, and is not compared: before with \
after.'
    """
    from geoforest_cli.estimators.screening.moments import MIN_ROWS

    missing = np.isnan(points)
    if not missing.any():
        return ""
    present = (~missing).astype(np.float32)
    count, first = 0, ""
    for start in range(0, len(names), _COLUMNS_AT_ONCE):
        shared = present[:, start : start + _COLUMNS_AT_ONCE].T @ present[:, start:]
        few = np.triu(shared < MIN_ROWS, 1)
        if not count and few.any():
            left, right = np.argwhere(few)[0] + start
            first = f"{format_names([names[left]])} with {format_names([names[right]])}"
        count += int(few.sum())
    if not count:
        return ""
    pairs, verb, what = ("pair", "has", "is") if count == 1 else ("pairs", "have", "are")
    given = "" if count == 1 else "such as "
    return (
        f"{count:,} {pairs} of columns {verb} values in fewer than {MIN_ROWS} common rows, and "
        f"{what} not compared: {given}{first}."
    )
