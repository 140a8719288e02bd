"""Names of columns: those of a file, and those that are asked for."""

from __future__ import annotations

import numbers
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from geoforest_cli.core.errors import DataError, UserError
from geoforest_cli.core.escaping import quoted, shortened
from geoforest_cli.core.suggestions import unknown
from geoforest_cli.tables.messages import Note, as_argument

__all__ = [
    "check_header",
    "refuse_both",
    "refuse_duplicates",
    "require_color_among",
    "require_columns_of",
    "require_neighbors",
]

_MIN_ROWS_BELOW_UNITS = 3
_ORDINALS = ("first", "second", "third", "fourth")


def require_columns_of(
    names: Sequence[str], table: str, arguments: Mapping[str, Sequence[str]]
) -> None:
    """Refuse columns that a table does not have.

    Parameters
    ----------
    names : sequence of str
        Its columns.
    table : str
        What messages call it.
    arguments : mapping
        The columns that each argument names.

    Raises
    ------
    DataError
    """
    present = set(names)
    for argument, columns in arguments.items():
        for column in columns:
            if column not in present:
                problem = unknown("column", column, names)
                raise DataError(f"{table}: {problem}{_name_with_comma(column, names, argument)}")


def refuse_both(columns: Sequence[str], exclude: Sequence[str], table: str) -> None:
    """Refuse a column that is both used and left out.

    Raises
    ------
    DataError
    """
    if both := [column for column in columns if column in set(exclude)]:
        raise DataError(
            f"{table}: the column {quoted(both[0])} cannot be both used "
            f"({as_argument('columns')}) and left out ({as_argument('exclude')}, "
            f"{as_argument('label')})"
        )


def require_color_among(names: Sequence[str], table: str, color: str) -> None:
    """Refuse a column for the colours of a map that a table does not have.

    Parameters
    ----------
    names : sequence of str
        Its columns.
    table : str
        What messages call it.
    color : str

    Raises
    ------
    DataError
    """
    if color not in names:
        argument = as_argument("color", color)
        raise DataError(f"{table}: {argument}: {unknown('column', color, names)}")


def _name_with_comma(part: str, names: Sequence[str], argument: str) -> str:
    """Return how a name with a comma is written, where a part of one was given."""
    whole = [name for name in names if part in [word.strip() for word in name.split(",")]]
    return f"; {as_argument(argument, whole[0])} is one name" if whole else ""


def refuse_duplicates(names: Sequence[str], table: str) -> None:
    """Refuse names that several columns have.

    Raises
    ------
    DataError
    """
    (name, times), *_ = [*Counter(names).most_common(1), ("", 0)]
    if times > 1:
        places = [number for number, other in enumerate(names, 1) if other == name]
        raise DataError(
            f"{table}: duplicate column {quoted(name)} (columns {places[0]} and {places[1]}): give "
            "each column a name of its own"
        )


def require_neighbors(k: int, rows: int, table: str) -> None:
    """Refuse more neighbours than a table of so many rows has.

    Raises
    ------
    DataError

    Examples
    --------
    >>> require_neighbors(1, 1, "t.csv")
    Traceback (most recent call last):
    geoforest_cli.core.errors.DataError: t.csv has one row only, which has no neighbours
    """
    if not isinstance(k, numbers.Integral) or isinstance(k, bool):
        raise UserError(f"{as_argument('k', k)}: a number of neighbours is a whole number")
    if rows < 2:
        raise DataError(f"{table} has one row only, which has no neighbours")
    if not 1 <= k <= rows - 1:
        possible = "1 is" if rows == 2 else f"1 to {rows - 1} are"
        argument = as_argument("k", k)
        raise DataError(f"{argument}: {table} has {rows} rows, so that {possible} possible")


def check_header(frame: pd.DataFrame, names: Sequence[str], table: str) -> list[Note]:
    """Refuse a first line that does not name every column by itself; return notes.

    Parameters
    ----------
    frame : pandas.DataFrame
        The table below the line.
    names : sequence of str
        The words of the line.
    table : str
        What messages call the table.

    Raises
    ------
    DataError
    """
    if frame.empty:
        return []
    doubt = _header_is_data(frame, names)
    shown = _shown(names)
    if doubt == "is one":
        raise DataError(
            f"{table}: the first line ({shown}) is read as the names of the columns, and looks "
            "like a row: put a line with a name for every column above it"
        )
    refuse_duplicates(list(frame.columns), table)
    _refuse_texts_above_numbers(frame, table)
    if doubt:
        sentence = f"The first line ({shown}) is taken for the names of the columns."
        return [Note(sentence, "header")]
    return []


def _refuse_texts_above_numbers(frame: pd.DataFrame, table: str) -> None:
    """Refuse first rows of names or units: a title stands above the names, or units below."""
    if len(frame) < _MIN_ROWS_BELOW_UNITS:
        return
    for row, ordinal in enumerate(_ORDINALS[: len(frame) - 1]):
        words = {name: str(word) for name, word in frame.iloc[row].dropna().items()}
        if not all(any(letter.isalpha() for letter in word) for word in words.values()):
            return
        if sum(numbers := [_are_numbers(frame[name].iloc[row + 1 :]) for name in words]) < 2:
            continue
        shown = _shown([word for word, above in zip(words.values(), numbers, strict=True) if above])
        raise DataError(
            f"{table}: the {ordinal} row ({shown}) is text above numbers, as names or units of "
            "columns are: leave one line of names above the numbers"
        )


def _shown(names: Sequence[str]) -> str:
    return ", ".join(map(shortened, names[:3])) + (", ..." if len(names) > 3 else "")


def _are_numbers(values: pd.Series[Any]) -> bool:
    present = values.dropna()
    return bool(len(present) and pd.to_numeric(present, errors="coerce").notna().all())


def _header_is_data(frame: pd.DataFrame, names: Sequence[str]) -> str:
    """Return whether the names of columns are a row of the table: "is one", "may be one" or "".

    Numbers may name columns: 0, 1, 2, years, wavelengths. They rise or fall evenly or lie where
    no value of their column does.
    """
    numeric = [pd.api.types.is_numeric_dtype(kind) for kind in frame.dtypes]
    try:
        header = np.array([float(names[number]) for number in np.flatnonzero(numeric).tolist()])
    except ValueError:
        return ""
    if not len(header) or not np.isfinite(header).all():
        return ""
    steps, whole = np.diff(header), bool((header % 1 == 0).all())
    if whole and (steps == 1).all() and header[0] in {0, 1, len(names) - len(header)}:
        return ""
    if not ((steps > 0).all() or (steps < 0).all()):
        return "is one"
    values = frame.loc[:, numeric].to_numpy(np.float64, na_value=np.nan)
    low, high = np.fmin.reduce(values), np.fmax.reduce(values)
    within = np.mean((low <= header) & (header <= high)) >= 0.5
    return ("may be one" if whole else "is one") if within else ""
