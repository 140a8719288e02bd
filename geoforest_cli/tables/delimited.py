"""Tables in delimited text, CSV or TSV: read once as text, then each column as what it holds."""

from __future__ import annotations

import csv
import io
import itertools
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import pandas as pd
import pyarrow as pa
import pyarrow.csv

from geoforest_cli.core.errors import DataError
from geoforest_cli.core.escaping import quoted
from geoforest_cli.tables.codes import MISSING_WORDS, numbers_of, typed
from geoforest_cli.tables.dialect import (
    Dialect,
    ReadingOptions,
    detect_dialect,
    has_decimal_commas,
    open_bytes,
)
from geoforest_cli.tables.header import named
from geoforest_cli.tables.messages import as_argument, format_row

__all__ = ["DelimitedText", "read_delimited"]

_MIN_LINES, _MOST_COLUMNS_OF_A_ROW = 3, 100_000
_BLOCK = 1 << 24  # bytes that are parsed at once: a row has to fit in


class DelimitedText(NamedTuple):
    """A text, how it is read, the names in its first line, and its table."""

    dialect: Dialect
    names: list[str]
    frame: pd.DataFrame
    words: pa.Table

    def column(self, number: int) -> pd.Series[Any]:
        """Return one column exactly as it is written: as text, unless all are plain integers."""
        values, words = self.frame.iloc[:, number], self.words.column(number).to_pandas()
        plain = pd.api.types.is_integer_dtype(values.dtype)
        return values if plain and words.tolist() == list(map(str, values)) else words


def read_delimited(path: Path, default: str, reading: ReadingOptions) -> DelimitedText:
    """Read a text, its separator, decimal mark and encoding as asked for or found.

    Parameters
    ----------
    path : Path
    default : str
        The separator that the file's ending means.
    reading : ReadingOptions

    Raises
    ------
    DataError
        For more values in a row than there are names, comments above the names, or rows within a
        text, because a quote is missing.
    """
    dialect = detect_dialect(path, default, reading)
    columns = _require_upright(path, dialect)
    try:
        words = _parse(path, dialect, columns)
    except (pa.ArrowInvalid, ValueError) as error:
        if isinstance(error, UnicodeError):
            raise
        words = _parse_row_by_row(path, dialect)
    names = [str(column[0]) for column in words.columns]
    words = words.slice(1)
    if not len(words) and not "".join(names).strip():
        raise DataError(f"{path}: the file has no column: it is empty, or blank")
    known = [word for word in MISSING_WORDS if word != reading.not_missing]
    frame = _frame(words, names, ".", known)
    if reading.decimal is None and has_decimal_commas(frame, dialect.sep):
        dialect = dialect.with_detected("decimal", ",")
    if dialect.decimal == ",":
        frame = _frame(words, names, ",", known)
    _refuse_rows_within_a_text(path, dialect, frame)
    return DelimitedText(dialect, names, frame, words)


def _frame(words: pa.Table, names: list[str], decimal: str, missing: list[str]) -> pd.DataFrame:
    columns = {number: typed(column, decimal, missing) for number, column in enumerate(words)}
    return pd.DataFrame(columns).set_axis(named(names), axis=1)


def _require_upright(path: Path, dialect: Dialect) -> int:
    """Return how many columns there may be; refuse a table that lies on its side."""
    with open_bytes(path) as file, io.TextIOWrapper(file, dialect.encoding, "replace") as text:
        first, *others = [
            *itertools.islice(text, dialect.skipped, dialect.skipped + _MIN_LINES),
            "",
        ]
    columns = first.count(dialect.sep) + 1
    if len(others) < _MIN_LINES and columns > _MOST_COLUMNS_OF_A_ROW:
        raise DataError(
            f"{path}: {columns:,} columns in {len(others)} lines: a line is a row, and a table has "
            "at least two below the names; turn it round if columns are rows"
        )
    return columns


def _parse(path: Path, dialect: Dialect, columns: int) -> pa.Table:
    """Return all values of a text, those of the first line too, in columns of text."""
    with open_bytes(path) as file:
        return pa.csv.read_csv(
            file,
            pa.csv.ReadOptions(
                autogenerate_column_names=True, block_size=_BLOCK, encoding=dialect.encoding,
                skip_rows=dialect.skipped,
            ),
            pa.csv.ParseOptions(delimiter=dialect.sep, newlines_in_values=True),
            pa.csv.ConvertOptions(
                column_types={f"f{number}": pa.string() for number in range(columns)}
            ),
        )  # fmt: skip


def _parse_row_by_row(path: Path, dialect: Dialect) -> pa.Table:
    """Return the values of a text whose rows are short, or end with separators; refuse others."""
    with open_bytes(path) as file:
        text = io.StringIO(file.read().decode(dialect.encoding), newline="")
    reader = csv.reader(itertools.islice(text, dialect.skipped, None), delimiter=dialect.sep)
    rows = [row for row in reader if len(row) > 1 or "".join(row).strip()]
    width = len(rows[0]) if rows else 0
    if any(map(any, [row[width:] for row in rows])):
        if rows[0][0].lstrip("\ufeff ").startswith("#"):
            raise DataError(
                f"{path}: line 1 begins with '#': delete comments, the first line names the columns"
            )
        raise DataError(
            f"{path}: the rows have more values than the first line has names: give every column a "
            f"name, one of row names too, or say what separates values ({as_argument('sep')})"
        )
    columns = itertools.islice(itertools.zip_longest(*rows, fillvalue=""), width)
    return pa.table({f"f{number}": pa.array(column) for number, column in enumerate(columns)})


def _refuse_rows_within_a_text(path: Path, dialect: Dialect, frame: pd.DataFrame) -> None:
    """Refuse a text that holds whole rows: two stray quotes make one value of what is between."""
    is_numeric = [pd.api.types.is_numeric_dtype(kind) for kind in frame.dtypes]
    if not any(is_numeric):
        return
    for number in range(len(is_numeric)):
        if is_numeric[number]:
            continue
        words = frame.iloc[:, number].dropna().astype(str)
        for row, word in words[words.str.contains("\n")].items():
            # the first and the last line share their rows with other values
            lines = word.split("\n")[1:-1]
            if lines and all(_is_row(line, dialect, is_numeric) for line in lines):
                raise DataError(
                    f"{path}: the column {quoted(str(frame.columns[number]))} has a text of "
                    f"{len(lines) + 2} lines in {format_row(int(str(row)))}, which look like rows "
                    'of the table: a quote is missing, or there is one too many; write "" for one '
                    "within a text"
                )


def _is_row(line: str, dialect: Dialect, is_numeric: Sequence[bool]) -> bool:
    fields = line.split(dialect.sep)
    if len(fields) != len(is_numeric):
        return False
    words = [field or "0" for field, numeric in zip(fields, is_numeric, strict=True) if numeric]
    return bool(numbers_of(pd.Series(words), dialect.decimal).notna().all())
