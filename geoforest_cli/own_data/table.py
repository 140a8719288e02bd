"""A user's own table, read and checked for what the methods cannot take."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Unpack

import numpy as np
import numpy.typing as npt
import pandas as pd

from geoforest_cli.errors import DataError
from geoforest_cli.hints import unknown
from geoforest_cli.own_data.categories import Points, one_per_source, with_categories
from geoforest_cli.own_data.dialect import Reading
from geoforest_cli.own_data.gaps import complete_rows, refuse_gaps, way_out
from geoforest_cli.own_data.reading import Opened, TableLike, open_frame
from geoforest_cli.own_data.strays import without_strays
from geoforest_cli.own_data.wording import listed, spell

__all__ = [
    "Points",
    "TableLike",
    "UserTable",
    "one_per_source",
    "read_table",
    "table_of",
]


_FEW_ROWS = 10  # fewer may be in order by chance


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
    rows : (N,) int64
        Numbers of the rows that are left, from 0.
    left_out : mapping
        The columns that are not used, with the reason.
    count : int
        Of all columns that the table has.
    """

    points: Points
    ids: pd.Series[Any]
    columns: tuple[str, ...]
    sources: tuple[str, ...]
    notes: tuple[str, ...]
    name: str
    path: Path | None = None
    rows: npt.NDArray[np.int64] = field(default_factory=lambda: np.arange(0))
    left_out: Mapping[str, str] = field(default_factory=dict)
    count: int = 0

    def used(self) -> str:
        """Return which columns are used, in a sentence."""
        names = list(dict.fromkeys(self.sources))
        return f"Used, {len(names)} of {self.count} columns: {listed(names)}."

    def numbering(self, ways: str) -> tuple[str, ...]:
        """Return a note on columns that only count the rows, with what can be done about them."""
        if len(self.rows) < _FEW_ROWS:
            return ()
        ends = [0, 1, -1]
        maybe = (np.diff(self.points[ends] - self.rows[ends, None], axis=0) == 0).all(axis=0)
        counting = [
            self.sources[one]
            for one in np.flatnonzero(maybe)
            if np.ptp(self.points[:, one] - self.rows) == 0
        ]
        if not counting:
            return ()
        which = "each of them counts" if len(counting) > 1 else "it counts"
        return (f"Used, though {which} the rows: {listed(counting)}; {ways}.",)

    def of_rows(self, there: npt.NDArray[np.bool_], why: str) -> UserTable:
        """Return the table without some rows, and a note on how many go and why.

        Parameters
        ----------
        there : (rows of the whole table,) bool
        why : str
        """
        stay = there[self.rows]
        if (gone := int((~stay).sum())) == 0:
            return self
        note = f"Left out, {gone} more of {len(there)} rows: {why}."
        return replace(
            self, points=self.points[stay], ids=self.ids[stay].reset_index(drop=True),
            rows=self.rows[stay], notes=(*self.notes, note),
        )  # fmt: skip

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
    drop: bool = False,
    codes: bool = False,
    ways: Sequence[str] = (),
    **how: Unpack[Reading],
) -> UserTable:
    """Read a table and keep what can be compared: numbers that vary, and categories.

    A column of text with at most 20 different values, no more than half as many as there are
    rows, is a category: it becomes one column of zeros and ones for each value. Other text is
    left out with a note. Truth values are numbers, 0 and 1. A text column that is mostly numbers
    is a column of numbers; what is none in it counts as missing.

    Parameters
    ----------
    table : path, DataFrame or (N, p) array
        A file is CSV, TSV (both gzipped too), Parquet, NPY or a workbook (.xlsx, .xls, .ods).
        The columns of an array are numbered from 0.
    columns : sequence of str
        Columns to use; by default all numeric ones but the identifier.
    identifier : str, optional
        Column that names the rows.
    constant : bool
        Keep columns that are the same in every row.
    gaps : bool
        Keep missing values, as NaN.
    drop : bool
        Leave rows out that miss a value of a column that is used.
    codes : bool
        Make a category one column, of its values' numbers in alphabetical order.
    ways : sequence of str
        What ``missing`` may be where the caller has it: a sentence on missing values names them.
    sep, decimal, encoding, sheet : str, optional
        How a file is read, see `geoforest_cli.own_data.dialect.Reading`.

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
    found = table_of(
        open_frame(table, **how), columns, identifier, constant=constant, gaps=gaps, drop=drop,
        codes=codes, ways=ways,
    )  # fmt: skip
    if columns or identifier is not None:
        return found
    way = f"{spell('identifier')} names the rows by a column, {spell('columns')} leaves it out"
    return replace(found, notes=found.notes + found.numbering(way))


def table_of(
    opened: Opened,
    columns: Sequence[str] = (),
    identifier: str | None = None,
    *,
    other_than: Sequence[str] = (),
    constant: bool = False,
    gaps: bool = False,
    drop: bool = False,
    codes: bool = False,
    ways: Sequence[str] = (),
) -> UserTable:
    """Keep what can be compared of a table that `open_frame` has returned.

    Parameters
    ----------
    opened : Opened
    columns, identifier, constant, gaps, drop, codes, ways
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
            raise DataError(f"{name}: {unknown('column', column, names)}{_comma(column, names)}")
    unnamed = [one for one in opened.unnamed if one not in {identifier, *other_than, *columns}]
    hidden = {identifier, *other_than, *unnamed}
    wanted = list(dict.fromkeys(columns))
    wanted = wanted or [column for column in names if column not in hidden]
    frame, notes = without_strays(frame, wanted, name, allowed=gaps or drop, way_out=way_out(ways))
    frame, origin, text, more = with_categories(frame, wanted, name, codes=codes)
    notes = [*opened.notes, *notes, *more]
    left_out = {}
    if unnamed and not columns:
        left_out["without a name, and the numbers of the rows or empty"] = unnamed
    if columns:
        _refuse_text(frame, text, name)
    left_out["not numeric"] = text
    kept = np.ones(len(frame), bool)
    if drop:
        left_out["no value in any row"] = _without_values(frame, origin)
        kept, more = complete_rows(frame, origin, name)
        frame = frame[kept]
        notes += more
    refuse_gaps(frame, origin, name, gaps=gaps, ways=ways)
    if not constant:
        left_out.update(_without_constants(frame, origin, left_out))
    notes += [
        f"Left out, {why}: {listed([repr(one) for one in some] if some == unnamed else some)}."
        for why, some in left_out.items()
        if some
    ]
    if not origin:
        raise DataError(f"{name}: no column is left to compare. {' '.join(notes)}".rstrip())
    narrow = all(frame[column].dtype == np.float32 for column in origin)
    points = frame[list(origin)].to_numpy(np.float32 if narrow else np.float64, na_value=np.nan)
    rows = np.flatnonzero(kept)
    ids = pd.Series(rows)
    if identifier is not None:
        ids = frame[identifier].reset_index(drop=True)
        notes += _judged(ids, identifier, name)
    names_of_points, sources = tuple(origin), tuple(origin.values())
    if codes:
        points, sources = one_per_source(points, sources)
        names_of_points = sources
    return UserTable(
        points, ids, names_of_points, sources, tuple(notes), name, opened.path, rows=rows,
        left_out={one: why for why, some in left_out.items() for one in some},
        count=len(names),
    )  # fmt: skip


def _refuse_text(frame: pd.DataFrame, text: Sequence[str], name: str) -> None:
    for column in text:
        example = frame[column].iloc[0]
        raise DataError(
            f"{name}: the column {column!r} is not numeric ({example!r} in its first row), and "
            f"has too many different values for a category"
        )


def _comma(column: str, names: Sequence[str]) -> str:
    """Return how a name with a comma is written, where a part of one was given."""
    whole = [one for one in names if column in [part.strip() for part in one.split(",")]]
    return f"; {spell('columns', whole[0])} is one name" if whole else ""


def _judged(ids: pd.Series[Any], identifier: str, name: str) -> list[str]:
    """Return a note on names that repeat; empty ones are refused."""
    if ids.isna().any():
        raise DataError(f"{name}: the column {identifier!r} has empty cells and cannot name rows")
    repeated = int(ids.duplicated().sum())
    return [f"{repeated} rows repeat a name of the column {identifier}."] if repeated else []


def _without_values(frame: pd.DataFrame, origin: dict[str, str]) -> list[str]:
    """Take columns without any value out of `origin`; return them."""
    empty = [column for column in origin if frame[column].isna().all()]
    for column in empty:
        del origin[column]
    return empty


def _without_constants(
    frame: pd.DataFrame, origin: dict[str, str], known: Mapping[str, list[str]]
) -> dict[str, list[str]]:
    """Take columns that do not vary out of `origin`; return them with the reason."""
    if len(frame) == 1:
        return {}
    nothing = "no value in any row"
    left_out: dict[str, list[str]] = {nothing: list(known.get(nothing, []))}
    left_out["the same in every row"] = []
    for column in list(origin):
        values = frame[column].to_numpy(np.float64, na_value=np.nan)
        there = values[~np.isnan(values)]
        if not len(there) or there.min() == there.max():
            left_out["the same in every row" if len(there) else nothing].append(column)
            del origin[column]
    return left_out
