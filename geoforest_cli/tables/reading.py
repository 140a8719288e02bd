"""Open a table: a file of any kind, a DataFrame or an array, its header checked."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from geoforest_cli.core.errors import DataError, UserError
from geoforest_cli.core.escaping import quoted, shortened
from geoforest_cli.tables.annotated import read_annotated
from geoforest_cli.tables.arrays import (
    frame_of,
    frame_of_stream,
    read_array,
    read_feather,
    read_parquet,
    with_columns,
)
from geoforest_cli.tables.delimited import read_delimited
from geoforest_cli.tables.dialect import ReadingOptions
from geoforest_cli.tables.excel import read_sheet
from geoforest_cli.tables.header import refuse_duplicates
from geoforest_cli.tables.kinds import ANNOTATED, TEXTS, WORKBOOKS, require_file, require_suitable
from geoforest_cli.tables.memory import out_of_memory
from geoforest_cli.tables.messages import as_argument
from geoforest_cli.tables.raw import RawTable

__all__ = ["RawTable", "TableLike", "open_table"]

_FRAMES = {".parquet": read_parquet, ".feather": read_feather, ".npy": read_array}
_UNNAMED = re.compile(r"(Unnamed: \d+)?")
_AS_IT_SHOWS = ReadingOptions()


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
    if raw.path is not None:  # a command line has no blanks around names
        names = [name.strip() or name for name in names]
    frame = raw.frame.set_axis(names, axis=1)
    refuse_duplicates(list(frame.columns), raw.name)
    frame = _with_native_numbers(frame, raw.name)
    return raw._replace(frame=frame, unnamed=_unnamed_columns(frame))


def _names_of_rows(index: pd.Index[Any]) -> pd.Series[Any] | None:
    """Return an index of texts that all differ; numbers are no names of rows."""
    names = index.to_flat_index().astype(object)
    return pd.Series(names) if names.is_unique and names.inferred_type == "string" else None


def _in_memory(table: Any) -> RawTable:
    if hasattr(table, "__arrow_c_stream__"):  # polars, pyarrow and others
        return RawTable(frame_of_stream(table), "the table")
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
    except BaseException as error:
        # the reader of workbooks panics beyond all exceptions
        if not isinstance(error, Exception) and type(error).__name__ != "PanicException":
            raise
        cause = shortened(" ".join(str(error).split()), 300) or type(error).__name__
        raise DataError(f"{path}: cannot be read as {kind[1:]} ({cause})") from error
    return raw._replace(name=name, path=Path(os.path.realpath(path)))


def _read_as(kind: str, path: Path, reading: ReadingOptions) -> RawTable:
    if kind in TEXTS:
        return read_delimited(path, TEXTS[kind], reading)
    if kind in WORKBOOKS:
        return read_sheet(path, reading.sheet)
    if kind in ANNOTATED:
        return read_annotated(path, reading.matrix)
    return RawTable(_FRAMES[kind](path), str(path))


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
    """Return whether a column without a name is empty, or in front and numbers the rows."""
    if values.isna().all():
        return True
    if not first or values.isna().any() or not pd.api.types.is_numeric_dtype(values.dtype):
        return False
    numbers = values.to_numpy(np.float64)
    return bool((numbers == np.round(numbers)).all() and values.is_unique)
