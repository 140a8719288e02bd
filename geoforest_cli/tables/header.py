"""Names of columns: those of a file, and those that are asked for."""

from __future__ import annotations

import numbers
from collections import Counter
from collections.abc import Mapping, Sequence

from geoforest_cli.core.errors import DataError, UserError
from geoforest_cli.core.escaping import quoted
from geoforest_cli.core.suggestions import unknown
from geoforest_cli.tables.messages import as_argument

__all__ = [
    "named",
    "refuse_both",
    "refuse_duplicates",
    "require_color_among",
    "require_columns_of",
    "require_neighbors",
    "without_blanks",
]


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
    known = set(names)
    for argument, columns in arguments.items():
        for column in columns:
            if column not in known:
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
        place = as_argument("color", color)
        raise DataError(f"{table}: {place}: {unknown('column', color, names)}")


def _name_with_comma(part: str, names: Sequence[str], argument: str) -> str:
    """Return how a name with a comma is written, where a part of one was given."""
    whole = [name for name in names if part in [word.strip() for word in name.split(",")]]
    return f"; {as_argument(argument, whole[0])} is one name" if whole else ""


def without_blanks(names: Sequence[str]) -> list[str]:
    """Return the names of a file's columns without blanks around them: a command line has none.

    Examples
    --------
    >>> without_blanks(["x", " y", " "])
    ['x', 'y', ' ']
    """
    return [name.strip() or name for name in names]


def named(words: Sequence[str]) -> list[str]:
    """Return the names of columns, those without one numbered as pandas does.

    Examples
    --------
    >>> named(["", "a"])
    ['Unnamed: 0', 'a']
    """
    return [word or f"Unnamed: {place}" for place, word in enumerate(words)]


def refuse_duplicates(names: Sequence[str], table: str) -> None:
    """Refuse names that several columns have.

    Raises
    ------
    DataError
    """
    (name, times), *_ = [*Counter(names).most_common(1), ("", 0)]
    if times > 1:
        places = [str(place) for place, one in enumerate(names, 1) if one == name]
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
        place = as_argument("k", k)
        raise DataError(f"{place}: {table} has {rows} rows, so that {possible} possible")
