"""A user's own table, read and checked for what the methods cannot take."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from geoforest_cli.errors import DataError
from geoforest_cli.hints import unknown
from geoforest_cli.own_data.reading import Opened, TableLike, open_frame
from geoforest_cli.own_data.wording import listed, spell

__all__ = [
    "Points",
    "TableLike",
    "UserTable",
    "one_per_source",
    "read_table",
    "table_of",
]

Points = npt.NDArray[np.floating[Any]]

_MOST_VALUES = 20  # of a category


@dataclass(frozen=True, eq=False)
class UserTable:
    """The numeric columns of a table.

    Attributes
    ----------
    points : (N, p) float64 or float32
    ids : pandas.Series
        The identifier column, or row numbers from 0.
    columns : tuple of str
        Names of the columns of `points`.
    sources : tuple of str
        The user's column that each of these comes from: several come from one category.
    notes : tuple of str
        One sentence for everything that was left out.
    name : str
        What messages call the table: its file, or what it is.
    path : Path, optional
        The file that was read.
    """

    points: Points
    ids: pd.Series[Any]
    columns: tuple[str, ...]
    sources: tuple[str, ...]
    notes: tuple[str, ...]
    name: str
    path: Path | None = None

    def only(self, which: npt.NDArray[np.bool_]) -> UserTable:
        """Return the table of some of its columns."""
        chosen = np.flatnonzero(which)
        columns, sources = (
            tuple(names[number] for number in chosen) for names in (self.columns, self.sources)
        )
        return replace(self, points=self.points[:, chosen], columns=columns, sources=sources)


def read_table(
    table: TableLike,
    columns: Sequence[str] = (),
    identifier: str | None = None,
    *,
    constant: bool = False,
    gaps: bool = False,
    codes: bool = False,
) -> UserTable:
    """Read a table and keep what can be compared: numbers that vary, and categories.

    A column of text with at most 20 different values, no more than half as many as there are
    rows, is a category: it becomes one column of zeros and ones for each value. Other text is
    left out with a note. Truth values are numbers, 0 and 1.

    Parameters
    ----------
    table : path, DataFrame or (N, p) array
        A file is CSV, TSV (both gzipped too), Parquet or NPY. The columns of an array are
        numbered from 0.
    columns : sequence of str
        Columns to use; by default all numeric ones but the identifier.
    identifier : str, optional
        Column that names the rows.
    constant : bool
        Keep columns that are the same in every row.
    gaps : bool
        Keep missing values, as NaN.
    codes : bool
        Make a category one column, of its values' numbers in alphabetical order.

    Raises
    ------
    DataError
        If the table cannot be read or is empty, for unknown columns, missing (without `gaps`) or
        infinite values, text in a column asked for that is no category, or nothing left to
        compare.

    Examples
    --------
    >>> import pandas as pd
    >>> frame = pd.DataFrame({"name": ["a", "b", "c"], "x": [0.5, 1.5, 4.0], "same": 1})
    >>> table = read_table(frame, identifier="name")
    >>> table.columns, table.notes
    (('x',), ('Left out, the same in every row: same.',))
    """
    opened = open_frame(table)
    return table_of(opened, columns, identifier, constant=constant, gaps=gaps, codes=codes)


def table_of(
    opened: Opened,
    columns: Sequence[str] = (),
    identifier: str | None = None,
    *,
    other_than: Sequence[str] = (),
    constant: bool = False,
    gaps: bool = False,
    codes: bool = False,
) -> UserTable:
    """Keep what can be compared of a table that `open_frame` has returned.

    Parameters
    ----------
    opened : Opened
    columns, identifier, constant, gaps, codes
        As in `read_table`.
    other_than : sequence of str
        Columns that are left out without a word unless `columns` has them.

    Raises
    ------
    DataError
        As in `read_table`.
    """
    frame, name = opened.frame, opened.name
    names = list(frame.columns)
    for column in [*columns, *([] if identifier is None else [identifier])]:
        if column not in names:
            raise DataError(f"{name}: {unknown('column', column, names)}")
    unnamed = [one for one in opened.unnamed if one not in {identifier, *other_than, *columns}]
    hidden = {identifier, *other_than, *unnamed}
    wanted = list(dict.fromkeys(columns))
    wanted = wanted or [column for column in names if column not in hidden]
    frame, origin, text, more = _with_categories(frame, wanted, name, codes=codes)
    notes = [*opened.notes, *more]
    if unnamed and not columns:
        notes.append(
            "Left out, without a name, and the numbers of the rows or empty: "
            f"{listed([repr(one) for one in unnamed])}."
        )
    if text and columns:
        example = frame[text[0]].iloc[0]
        raise DataError(
            f"{name}: the column {text[0]!r} is not numeric ({example!r} in its first row), and "
            f"has too many different values for a category"
        )
    if text:
        notes.append(f"Left out, not numeric: {listed(text)}.")
    _refuse_gaps(frame, list(origin), name, gaps=gaps)
    if not constant:
        notes += _without_constants(frame, origin)
    if not origin:
        raise DataError(f"{name}: no column is left to compare. {' '.join(notes)}".rstrip())
    narrow = all(frame[column].dtype == np.float32 for column in origin)
    points = frame[list(origin)].to_numpy(np.float32 if narrow else np.float64, na_value=np.nan)
    ids = pd.Series(np.arange(len(frame)))
    if identifier is not None:
        ids = frame[identifier].reset_index(drop=True)
        notes += _judged(ids, identifier, name)
    sources = tuple(origin.values())
    if not codes:
        return UserTable(points, ids, tuple(origin), sources, tuple(notes), name, opened.path)
    points, own = one_per_source(points, sources)
    return UserTable(points, ids, own, own, tuple(notes), name, opened.path)


def one_per_source(points: Points, sources: Sequence[str]) -> tuple[Points, tuple[str, ...]]:
    """Make a category one column again, of the numbers of its values.

    Parameters
    ----------
    points : (N, p) array
        Zeros and ones where several neighbouring columns have one source.
    sources : sequence of str
        The source of each column.

    Returns
    -------
    (N, q) array
    tuple of str
        The q sources. A missing category is NaN.

    Examples
    --------
    >>> points = np.array([[0.5, 0, 1], [1.5, 1, 0], [2.5, np.nan, np.nan]])
    >>> codes, names = one_per_source(points, ["x", "colour", "colour"])
    >>> codes.tolist(), names
    ([[0.5, 1.0], [1.5, 0.0], [2.5, nan]], ('x', 'colour'))
    """
    names = tuple(dict.fromkeys(sources))
    if len(names) == len(sources):
        return points, names
    numbers = {name: number for number, name in enumerate(names)}
    owner = np.array([numbers[source] for source in sources])
    first = np.searchsorted(owner, np.arange(len(names)))
    found = points[:, first].copy()
    for number in np.flatnonzero(np.bincount(owner) > 1):
        marks = points[:, owner == number]
        found[:, number] = np.where(np.isnan(marks[:, 0]), np.nan, marks.argmax(axis=1))
    return found, names


def _is_number(values: pd.Series[Any]) -> bool:
    kind = values.dtype
    return pd.api.types.is_numeric_dtype(kind) and not pd.api.types.is_complex_dtype(kind)


def _judged(ids: pd.Series[Any], identifier: str, name: str) -> list[str]:
    """Return a note on names that repeat; empty ones are refused."""
    if ids.isna().any():
        raise DataError(f"{name}: the column {identifier!r} has empty cells and cannot name rows")
    repeated = int(ids.duplicated().sum())
    return [f"{repeated} rows repeat a name of the column {identifier}."] if repeated else []


def _without_constants(frame: pd.DataFrame, origin: dict[str, str]) -> list[str]:
    """Take columns that do not vary out of `origin`; return the notes."""
    if len(frame) == 1:
        return []
    left_out: dict[str, list[str]] = {"no value in any row": [], "the same in every row": []}
    for column in list(origin):
        values = frame[column].to_numpy(np.float64, na_value=np.nan)
        there = values[~np.isnan(values)]
        if not len(there) or there.min() == there.max():
            why = "the same in every row" if len(there) else "no value in any row"
            left_out[why].append(column)
            del origin[column]
    return [f"Left out, {why}: {listed(names)}." for why, names in left_out.items() if names]


def _with_categories(
    frame: pd.DataFrame, wanted: Sequence[str], name: str, *, codes: bool
) -> tuple[pd.DataFrame, dict[str, str], list[str], list[str]]:
    """Return the frame with indicators for categories, its usable columns, and other text.

    Usable columns come with their sources, and the notes on categories are the last.
    """
    origin: dict[str, str] = {}
    text: list[str] = []
    categories: dict[int, list[str]] = {}
    added: dict[str, list[float]] = {}
    for column in wanted:
        if _is_number(frame[column]):
            origin[column] = column
            continue
        values = sorted(map(str, frame[column].dropna().unique()))
        if not 2 <= len(values) <= min(_MOST_VALUES, len(frame) // 2):
            text.append(column)
            continue
        words = frame[column].astype(object).where(frame[column].notna(), None)
        for value in values:
            mark = f"{column}={value}"
            if mark in frame.columns:
                raise DataError(
                    f"{name}: the column {mark!r} has the name that the value {value!r} of the "
                    f"category {column!r} needs; give it another"
                )
            added[mark] = [
                float("nan") if one is None else float(str(one) == value) for one in words
            ]
            origin[mark] = column
        categories.setdefault(len(values), []).append(column)
    if added:
        frame = pd.concat([frame, pd.DataFrame(added, index=frame.index)], axis=1)
    way = "as one column" if codes else "as zeros and ones"
    notes = [
        f"Category of {count} values, {way}: {listed(names)}."
        for count, names in categories.items()
    ]
    return frame, origin, text, notes


def _refuse_gaps(frame: pd.DataFrame, chosen: Sequence[str], name: str, *, gaps: bool) -> None:
    for column in chosen:
        values = frame[column].to_numpy(np.float64, na_value=np.nan)
        for what, bad in (("missing", np.isnan(values)), ("infinite", np.isinf(values))):
            if (count := int(bad.sum())) and not (gaps and what == "missing"):
                first = int(np.argmax(bad)) + 1
                many = "values, the first" if count > 1 else "value,"
                other = f", or {spell('missing', 'random')} with a forest"
                raise DataError(
                    f"{name}: the column {column!r} has {count} {what} {many} in row {first}; "
                    f"fill them or leave these rows or the column out ({spell('columns')}"
                    f"{other if what == 'missing' else ''})"
                )
