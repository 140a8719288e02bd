"""Tables in delimited text, CSV or TSV: numbers as numbers, codes as they are written."""

from __future__ import annotations

import itertools
import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import pandas as pd

from geoforest_cli.core.errors import DataError
from geoforest_cli.core.escaping import quoted
from geoforest_cli.tables.arrays import with_columns
from geoforest_cli.tables.categories import is_number
from geoforest_cli.tables.codes import MISSING_WORDS, has_leading_zeros, may_have_leading_zeros
from geoforest_cli.tables.dialect import (
    PACKED,
    Dialect,
    ReadingOptions,
    detect_dialect,
    has_decimal_commas,
    open_bytes,
    starts_with_comment,
)
from geoforest_cli.tables.header import is_number_or_empty
from geoforest_cli.tables.messages import as_argument, format_row

__all__ = ["DelimitedText", "read_delimited"]

_MISSING = [*MISSING_WORDS, *(f" {word}" for word in MISSING_WORDS[1:])]
_MISSING += [f"{word} " for word in MISSING_WORDS[1:]]
_MIN_LINES, _MOST_COLUMNS_OF_A_ROW = 3, 100_000


class DelimitedText(NamedTuple):
    """A text, how it is read, and its table."""

    path: Path
    dialect: Dialect
    frame: pd.DataFrame

    def first_line(self) -> list[str]:
        """Return the values of the first line, as text."""
        with open_bytes(self.path) as text:
            first = pd.read_csv(
                text, sep=self.dialect.sep, encoding=self.dialect.encoding, header=None, nrows=1,
                dtype=str, keep_default_na=False, skiprows=self.dialect.skipped,
            )  # fmt: skip
        words: list[str] = first.iloc[0].tolist()
        return words

    def with_codes(self) -> pd.DataFrame:
        """Return the table with columns as text where a number has a leading zero."""
        with open_bytes(self.path) as file:
            if not may_have_leading_zeros(file, self.dialect.sep, self.dialect.encoding):
                return self.frame
        numeric = [
            number
            for number, (_, values) in enumerate(self.frame.items())
            if is_number(values) and not values.isna().all()
        ]
        if not numeric:
            return self.frame
        text = self._text(numeric)
        changed = {}
        for place, number in enumerate(numeric):
            words = text.iloc[:, place].astype(object)
            if has_leading_zeros(words):
                present = self.frame.iloc[:, number].notna().to_numpy()
                changed[str(self.frame.columns[number])] = words.str.strip().where(present, None)
        return with_columns(self.frame, changed)

    def column(self, number: int) -> pd.Series[Any]:
        """Return one column exactly as it is written: as text, unless all are plain integers."""
        values = self.frame.iloc[:, number]
        words = self._text([number]).iloc[:, 0]
        plain = pd.api.types.is_integer_dtype(values.dtype)
        return values if plain and words.tolist() == list(map(str, values)) else words

    def _text(self, columns: Sequence[int]) -> pd.DataFrame:
        with open_bytes(self.path) as text:
            return pd.read_csv(
                text, sep=self.dialect.sep, encoding=self.dialect.encoding, index_col=False,
                usecols=list(columns), dtype=str, na_filter=False, skiprows=self.dialect.skipped,
            )  # fmt: skip


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
        For more values in a row than there are names, or comments above the names.
    """
    dialect = detect_dialect(path, default, reading)
    _refuse_a_row_of_many_columns(path, dialect)
    try:
        frame = _read_all_columns(path, dialect)
    except (pd.errors.ParserError, DataError):
        if starts_with_comment(path, dialect.encoding):
            raise DataError(
                f"{path}: line 1 begins with '#': delete comments, the first line names the columns"
            ) from None
        raise
    if reading.decimal is None and has_decimal_commas(frame, dialect.sep):
        dialect = dialect.with_detected("decimal", ",")
        frame = _read_all_columns(path, dialect)
    _refuse_rows_within_a_text(path, dialect, frame)
    return DelimitedText(path, dialect, frame)


def _refuse_a_row_of_many_columns(path: Path, dialect: Dialect) -> None:
    """Refuse a table that lies on its side before minutes go into reading it."""
    if path.suffix.lower() in PACKED:
        return
    with path.open("rb") as text:
        lines = list(itertools.islice(text, _MIN_LINES))
    columns = lines[0].count(dialect.sep.encode(dialect.encoding)) + 1 if lines else 0
    if len(lines) < _MIN_LINES and columns > _MOST_COLUMNS_OF_A_ROW:
        raise DataError(
            f"{path}: {columns:,} columns in {len(lines)} lines: a line is a row, and a table has "
            "at least two below the names; turn it round if columns are rows"
        )


def _refuse_rows_within_a_text(path: Path, dialect: Dialect, frame: pd.DataFrame) -> None:
    """Refuse a text that holds whole rows: two stray quotes make one value of what is between."""
    is_numeric = [pd.api.types.is_numeric_dtype(kind) for kind in frame.dtypes]
    if not any(is_numeric):
        return
    for column in frame.columns[[not numeric for numeric in is_numeric]]:
        words = frame[column].dropna().astype(str)
        for row, word in words[words.map(lambda word: "\n" in word).astype(bool)].items():
            # the first and the last line share their rows with other values
            lines = word.split("\n")[1:-1]
            if lines and all(_is_row(line, dialect, is_numeric) for line in lines):
                raise DataError(
                    f"{path}: the column {quoted(str(column))} has a text of {len(lines) + 2} "
                    f"lines in {format_row(int(str(row)))}, which look like rows of the table: a "
                    'quote is missing, or there is one too many; write "" for one within a text'
                )


def _is_row(line: str, dialect: Dialect, is_numeric: Sequence[bool]) -> bool:
    fields = line.split(dialect.sep)
    if len(fields) != len(is_numeric):
        return False
    numbers = [field for field, numeric in zip(fields, is_numeric, strict=True) if numeric]
    return all(map(is_number_or_empty, [one.replace(dialect.decimal, ".") for one in numbers]))


def _read_all_columns(path: Path, dialect: Dialect) -> pd.DataFrame:
    """Read a text; a column that has no name is not taken for names of the rows."""
    with warnings.catch_warnings(), open_bytes(path) as text:
        warnings.simplefilter("error", pd.errors.ParserWarning)
        try:
            return pd.read_csv(
                text, sep=dialect.sep, decimal=dialect.decimal, encoding=dialect.encoding,
                index_col=False, skiprows=dialect.skipped, keep_default_na=False,
                na_values=[word for word in _MISSING if word.strip() != dialect.not_missing],
            )  # fmt: skip
        except pd.errors.ParserWarning:
            raise DataError(
                f"{path}: the rows have more values than the first line has names: give every "
                f"column a name, one of row names too, or say what separates values "
                f"({as_argument('sep')})"
            ) from None
