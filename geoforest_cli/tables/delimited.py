"""Tables in delimited text, CSV or TSV: read once as text, then each column as what it holds."""

from __future__ import annotations

import csv
import io
import itertools
from collections.abc import Sequence
from pathlib import Path

import pandas as pd
import pyarrow as pa
import pyarrow.csv

from geoforest_cli.core.errors import DataError
from geoforest_cli.core.escaping import quoted
from geoforest_cli.tables.codes import numbers_of
from geoforest_cli.tables.dialect import (
    Dialect,
    ReadingOptions,
    decimal_mark,
    detect_dialect,
    open_bytes,
)
from geoforest_cli.tables.messages import Note, as_argument, format_row
from geoforest_cli.tables.raw import RawTable, raw_of_words

__all__ = ["read_delimited"]

_MIN_LINES, _MOST_COLUMNS_OF_A_ROW = 3, 100_000
_BLOCK = 1 << 24  # bytes that are parsed at once: a row has to fit in


def read_delimited(path: Path, default: str, reading: ReadingOptions) -> RawTable:
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
    except UnicodeError:
        raise
    except ValueError:  # Arrow's are
        words = _parse_row_by_row(path, dialect)
    if len(words) < 2 and not any(str(column[0]).strip() for column in words.columns):
        raise DataError(f"{path}: the file has no column: it is empty, or blank")
    word = reading.not_missing or ""
    raw = raw_of_words(words, path, reading.decimal or ".", word)
    if reading.decimal is None:
        typed: dict[bool, list[pa.ChunkedArray]] = {True: [], False: []}
        for kind, column in zip(raw.frame.dtypes, words.columns, strict=True):
            typed[pd.api.types.is_numeric_dtype(kind)].append(column[1:])
        if decimal_mark(typed[False], typed[True], dialect.sep) == ",":
            raw = raw_of_words(words, path, ",", word)
    shown = " ".join(
        as_argument(argument, value)
        for argument, value, usual in (
            ("encoding", dialect.encoding, "utf-8"), ("sep", dialect.sep, default),
            ("decimal", raw.decimal, "."),
        )
        if getattr(reading, argument) is None and value != usual
    )  # fmt: skip
    if shown:
        note = Note(f"Read as the file shows ({shown}).", "dialect")
        raw = raw._replace(notes=(note, *raw.notes))
    _refuse_rows_within_a_text(raw, dialect.sep)
    return raw


def _require_upright(path: Path, dialect: Dialect) -> int:
    """Return how many columns there may be; refuse a table that lies on its side."""
    with open_bytes(path) as file, io.TextIOWrapper(file, dialect.encoding, "replace") as text:
        filled = filter(str.strip, itertools.islice(text, dialect.skipped, None))
        lines = list(itertools.islice(filled, _MIN_LINES))
    columns = 1 + max((line.count(dialect.sep) for line in lines), default=0)
    if len(lines) < _MIN_LINES and columns > _MOST_COLUMNS_OF_A_ROW:
        raise DataError(
            f"{path}: {columns:,} columns in {len(lines)} lines: a line is a row, and a table has "
            "at least two below the names; turn it round if columns are rows"
        )
    return columns


def _parse(path: Path, dialect: Dialect, columns: int) -> pa.Table:
    """Return all values of a text, those of the first line too, in columns of text."""
    with open_bytes(path) as file:
        words = pa.csv.read_csv(
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
    if set(words.schema.types) != {pa.string()}:  # more columns than the first lines show
        raise ValueError
    return words


def _parse_row_by_row(path: Path, dialect: Dialect) -> pa.Table:
    """Return the values of a text whose rows are short, or end with separators; refuse others."""
    with open_bytes(path) as file:
        text = io.StringIO(file.read().decode(dialect.encoding).lstrip("\ufeff"), newline="")
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


def _refuse_rows_within_a_text(raw: RawTable, sep: str) -> None:
    """Refuse a text that holds whole rows: two stray quotes make one value of what is between."""
    is_numeric = [pd.api.types.is_numeric_dtype(kind) for kind in raw.frame.dtypes]
    for name in raw.frame.columns[[not numeric for numeric in is_numeric]]:
        words = raw.frame[name].dropna().astype(str)
        for row, word in words[words.str.contains("\n")].items():
            # the first and the last line share their rows with other values
            lines = [line.split(sep) for line in word.split("\n")[1:-1]]
            if (
                any(is_numeric)
                and lines
                and all(_is_row(fields, is_numeric, raw.decimal) for fields in lines)
            ):
                raise DataError(
                    f"{raw.name}: the column {quoted(name)} has a text of {len(lines) + 2} lines "
                    f"in {format_row(int(str(row)))}, which look like rows of the table: a quote "
                    'is missing, or there is one too many; write "" for one within a text'
                )


def _is_row(fields: Sequence[str], is_numeric: Sequence[bool], decimal: str) -> bool:
    if len(fields) != len(is_numeric):
        return False
    words = [field or "0" for field, numeric in zip(fields, is_numeric, strict=True) if numeric]
    return bool(numbers_of(pd.Series(words), decimal).notna().all())
