"""Open a table: a file of any kind, a DataFrame or an array, its header checked."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pandas as pd
from scipy.sparse import issparse

from geoforest_cli.core.errors import DataError, UserError
from geoforest_cli.core.escaping import quoted, shortened
from geoforest_cli.tables.annotated import read_annotated
from geoforest_cli.tables.arrays import frame_of, read_array, with_columns
from geoforest_cli.tables.arrow import frame_of_stream, read_feather, read_parquet
from geoforest_cli.tables.delimited import read_delimited
from geoforest_cli.tables.dialect import ReadingOptions
from geoforest_cli.tables.excel import read_sheet
from geoforest_cli.tables.header import named, refuse_duplicates, without_blanks
from geoforest_cli.tables.kinds import ANNOTATED, TEXTS, WORKBOOKS, require_file, require_suitable
from geoforest_cli.tables.memory import out_of_memory
from geoforest_cli.tables.messages import Note, as_argument
from geoforest_cli.tables.profiles import is_number

__all__ = ["RawTable", "TableLike", "open_table"]

_OF_ARROW = {".parquet": read_parquet, ".feather": read_feather}
_FEW_ROWS = 3
_ORDINALS = ("first", "second", "third", "fourth")
_UNNAMED = re.compile(r"(Unnamed: \d+)?")
_AS_IT_SHOWS = ReadingOptions()


class RawTable(NamedTuple):
    """A table as it is.

    Attributes
    ----------
    frame : pandas.DataFrame
        Its column names made text.
    name : str
        What messages call it.
    path : Path, optional
        The file, if it is one: nothing is to be written over it.
    notes : tuple of str
        One sentence for everything that may have been meant otherwise.
    unnamed : tuple of str
        Columns without a name that number the rows or are empty: used only by those
        who ask for them.
    as_written : callable, optional
        Returns a column, of that number, as its values are written in the file, empty cells as
        empty text; without it they are as in the frame.
    decimal : str
        The decimal mark of the file.
    annotations : tuple of str
        Columns that describe the rows and are used only by those who name them.
    row_names : pandas.Series, optional
        What rows are called without an identifier.
    """

    frame: pd.DataFrame
    name: str
    path: Path | None = None
    notes: tuple[str, ...] = ()
    unnamed: tuple[str, ...] = ()
    as_written: Callable[[int], pd.Series[Any]] | None = None
    decimal: str = "."
    annotations: tuple[str, ...] = ()
    row_names: pd.Series[Any] | None = None

    def as_in_file(self, column: str) -> pd.Series[Any]:
        """Return a column with its values as they are written in the file.

        Whole numbers of a text are numbers if all of them are written as 7 is, not as 007 or 7.0.
        Missing are empty cells only, not names such as NA.
        """
        values = self.frame[column]
        text = not (is_number(values) or values.isna().any())
        if self.as_written is None or text:
            return values
        words = self.as_written(list(self.frame.columns).index(column))
        if is_number(words):
            return words
        words = words.astype(object)
        empty = [isinstance(word, str) and not word.strip() for word in words]
        return words.mask(np.array(empty, bool), None)


TableLike = str | os.PathLike[str] | pd.DataFrame | RawTable | npt.ArrayLike


def open_table(table: TableLike, reading: ReadingOptions = _AS_IT_SHOWS) -> RawTable:
    """Return a table as it is.

    Parameters
    ----------
    table : path, DataFrame or (N, p) array
        Or one that is open: it is returned.
    reading : ReadingOptions
        How a file is read.

    Raises
    ------
    DataError
        With a sentence: no such file, an unknown kind, nothing in it, not readable, complex
        numbers; or a first line that has not one name of its own for every column.
    """
    if isinstance(table, RawTable):
        return table
    if isinstance(table, str | os.PathLike):
        raw = _read(Path(table), os.fspath(table), reading)
    elif isinstance(table, pd.DataFrame):
        require_suitable("", reading)
        raw = RawTable(table, "the DataFrame", row_names=_names_of_rows(table.index))
    else:
        require_suitable("", reading)
        raw = _in_memory(table)
    if raw.frame.empty or not len(raw.frame.columns):
        what = "columns" if len(raw.frame) else "rows"
        raise DataError(f"{raw.name}: the table has no {what}")
    names = [str(column) for column in raw.frame.columns]
    frame = raw.frame.set_axis(names if raw.path is None else without_blanks(names), axis=1)
    refuse_duplicates(list(frame.columns), raw.name)
    frame = _with_native_numbers(frame, raw.name)
    return raw._replace(frame=frame, unnamed=_unnamed_columns(frame))


def _names_of_rows(index: pd.Index[Any]) -> pd.Series[Any] | None:
    """Return an index of texts that all differ; numbers are no names of rows."""
    if isinstance(index, pd.MultiIndex):
        return None
    if isinstance(index, pd.CategoricalIndex):
        index = pd.Index(index.astype(object))
    texts = pd.api.types.is_string_dtype(index.dtype) or index.inferred_type == "string"
    if not texts or not index.is_unique or index.isna().any():
        return None
    return pd.Series(index.astype(object), dtype=object)


def _in_memory(table: Any) -> RawTable:
    if isinstance(table, pd.Series):
        raise DataError("the table is a Series; table.to_frame() is a table of one column")
    if hasattr(table, "__arrow_c_stream__"):  # polars, pyarrow and others
        return RawTable(frame_of_stream(table), "the table")
    if issparse(table):
        raise DataError("the table is a sparse matrix; table.toarray() makes it dense")
    if not isinstance(table, Sequence) and not hasattr(table, "__array__"):
        raise DataError(
            f"the table is a {type(table).__name__}; a path, a DataFrame or an (N, p) array is one"
        )
    try:
        array = table if np.ma.isMaskedArray(table) else np.asarray(table)
    except ValueError:
        raise DataError("the array has rows of different lengths") from None
    if array.dtype.kind == "U" and not hasattr(table, "__array__"):
        array = np.asarray(table, object)  # numbers beside texts stay numbers
    try:
        return RawTable(frame_of(array, "the array"), "the array")
    except UnicodeEncodeError as error:
        text = shortened(ascii(error.object), 40)
        raise DataError(f"the array has text that is no Unicode: {text}") from None


def _read(path: Path, name: str, reading: ReadingOptions) -> RawTable:
    kind = require_file(path, reading)
    try:
        raw = _read_as(kind, path, reading)
    except UserError:
        raise
    except UnicodeDecodeError as error:
        argument = as_argument("encoding")
        raise DataError(
            f"{path}: its text is not {error.encoding} ({error.reason}); {argument} names another"
        ) from error
    except MemoryError as error:
        raise DataError(out_of_memory(str(path))) from error
    except Exception as error:
        cause = shortened(" ".join(str(error).split()), 300) or type(error).__name__
        raise DataError(f"{path}: cannot be read as {kind[1:]} ({cause})") from error
    return raw._replace(name=name, path=Path(os.path.realpath(path)))


def _read_as(kind: str, path: Path, reading: ReadingOptions) -> RawTable:
    name = str(path)
    if kind in _OF_ARROW:
        return RawTable(_OF_ARROW[kind](path), name)
    if kind in ANNOTATED:
        matrix = read_annotated(path, reading.matrix)
        repeated = int(matrix.row_names.duplicated().sum())
        return RawTable(
            matrix.frame, name, annotations=matrix.annotations, row_names=matrix.row_names,
            notes=(Note(f"{repeated} rows repeat a name.", "repeated"),) if repeated else (),
        )  # fmt: skip
    if kind == ".npy":
        return RawTable(frame_of(read_array(path), f"{path}: the array"), name)
    if kind in WORKBOOKS:
        sheet = read_sheet(path, reading.sheet)
        notes = (*sheet.notes, *_check_header(sheet.frame, sheet.names, path))
        return RawTable(sheet.frame, name, notes=notes, as_written=sheet.column)
    text = read_delimited(path, TEXTS[kind], reading)
    notes = (*text.dialect.note(), *_check_header(text.frame, text.names, path))
    return RawTable(
        text.frame, name, notes=notes, as_written=text.column, decimal=text.dialect.decimal
    )


def _check_header(frame: pd.DataFrame, names: Sequence[str], path: Path) -> tuple[str, ...]:
    """Refuse a first line that does not name every column by itself; return notes."""
    if frame.empty:
        return ()
    doubt = _header_is_data(frame, names)
    shown = ", ".join(map(shortened, names[:3])) + (", ..." if len(names) > 3 else "")
    if doubt == "is one":
        raise DataError(
            f"{path}: the first line ({shown}) is read as the names of the columns, and looks like "
            "a row: put a line with a name for every column above it"
        )
    refuse_duplicates(named(names), str(path))
    _refuse_texts_above_numbers(frame, path)
    if doubt:
        sentence = f"The first line ({shown}) is taken for the names of the columns."
        return (Note(sentence, "header"),)
    return ()


def _refuse_texts_above_numbers(frame: pd.DataFrame, path: Path) -> None:
    """Refuse first rows of names or units: a title stands above the names, or units below."""
    if len(frame) < _FEW_ROWS:
        return
    for row, ordinal in enumerate(_ORDINALS[: len(frame) - 1]):
        words = {name: str(word) for name, word in frame.iloc[row].dropna().items()}
        if not all(any(letter.isalpha() for letter in word) for word in words.values()):
            return
        if sum(numbers := [_are_numbers(frame[name].iloc[row + 1 :]) for name in words]) < 2:
            continue
        found = [word for word, above in zip(words.values(), numbers, strict=True) if above]
        shown = ", ".join(map(shortened, found[:3])) + (", ..." if len(found) > 3 else "")
        raise DataError(
            f"{path}: the {ordinal} row ({shown}) is text above numbers, as names or units of "
            "columns are: leave one line of names above the numbers"
        )


def _are_numbers(values: pd.Series[Any]) -> bool:
    present = values.dropna()
    return bool(len(present) and pd.to_numeric(present, errors="coerce").notna().all())


def _header_is_data(frame: pd.DataFrame, names: Sequence[str]) -> str:
    """Return whether the names of columns are a row of the table: "is one", "may be one" or "".

    Numbers may name columns: 0, 1, 2, years, wavelengths. They rise or fall evenly or lie where
    no value of their column does.
    """
    kinds = frame.dtypes.tolist()
    columns = [number for number, kind in enumerate(kinds) if pd.api.types.is_numeric_dtype(kind)]
    try:
        header = np.array([float(names[number]) for number in columns])
    except ValueError:
        return ""
    if not len(header) or not np.isfinite(header).all():
        return ""
    whole = bool((header == np.round(header)).all())
    steps = np.diff(header)
    if whole and (steps == 1).all() and header[0] in {0, 1, len(names) - len(columns)}:
        return ""
    values = frame.iloc[:, columns].to_numpy(np.float64, na_value=np.nan)
    with np.errstate(invalid="ignore"):
        low, high = np.fmin.reduce(values), np.fmax.reduce(values)
        within = np.mean((low <= header) & (header <= high)) >= 0.5
    in_order = bool((steps > 0).all() or (steps < 0).all())
    if within:
        return "may be one" if whole and in_order else "is one"
    return "" if in_order else "is one"


def _with_native_numbers(frame: pd.DataFrame, name: str) -> pd.DataFrame:
    """Return the frame with numbers in the byte order of this machine; refuse complex ones.

    Numbers and truth values that are kept as Python objects are made numbers.
    """
    changed: dict[str, pd.Series[Any]] = {}
    for column, kind in frame.dtypes.items():
        if pd.api.types.is_complex_dtype(kind):
            raise DataError(
                f"{name}: the column {quoted(column)} has complex numbers, which no method takes; "
                "make their real and imaginary parts, or their sizes, columns of their own"
            )
        if isinstance(kind, np.dtype) and not kind.isnative:
            changed[str(column)] = frame[column].astype(kind.newbyteorder("="))
        elif pd.api.types.is_object_dtype(kind) or _is_arrow_bool(kind):
            numbers = _numbers(frame[column])
            if numbers is not None:
                changed[str(column)] = numbers
        elif pd.api.types.is_float_dtype(kind) and pd.api.types.is_extension_array_dtype(kind):
            # there NaN is no missing value, and counts as one in every other column
            values = frame[column].to_numpy(np.float64, na_value=np.nan)
            changed[str(column)] = pd.Series(values, frame.index)
    return with_columns(frame, changed)


def _is_arrow_bool(kind: Any) -> bool:
    return isinstance(kind, pd.ArrowDtype) and pd.api.types.is_bool_dtype(kind)


def _numbers(values: pd.Series[Any]) -> pd.Series[Any] | None:
    """Return a column of numbers or truth values, missing ones among them; None for any other."""
    kind = pd.api.types.infer_dtype(values, skipna=True)
    if kind == "boolean":
        return values.astype("boolean")
    if kind not in {"integer", "floating", "mixed-integer-float", "decimal"}:
        return None
    return pd.to_numeric(values.map(float, na_action="ignore") if kind == "decimal" else values)


def _unnamed_columns(frame: pd.DataFrame) -> tuple[str, ...]:
    return tuple(
        column
        for number, column in enumerate(frame.columns)
        if _UNNAMED.fullmatch(column) and _is_index(frame.iloc[:, number], first=number == 0)
    )


def _is_index(values: pd.Series[Any], *, first: bool) -> bool:
    """Whether a column without a name is empty, or in front and numbers the rows."""
    if values.isna().all():
        return True
    if not first or values.isna().any() or not pd.api.types.is_numeric_dtype(values.dtype):
        return False
    numbers = values.to_numpy(np.float64)
    return bool((numbers == np.round(numbers)).all() and values.is_unique)
