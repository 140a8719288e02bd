"""A table as it stands in a file, refused or noted where it would be misread in silence."""

from __future__ import annotations

import os
import re
import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pandas as pd

from geoforest_cli.errors import DataError
from geoforest_cli.own_data.room import open_within_room, require_room_for_table

__all__ = ["Opened", "TableLike", "open_frame"]

TableLike = str | os.PathLike[str] | pd.DataFrame | npt.ArrayLike

_READERS = {".csv": ",", ".tsv": "\t", ".parquet": "", ".npy": ""}
_UNNAMED = re.compile(r"(Unnamed: \d+)?")


class Opened(NamedTuple):
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
        Columns without a name of their own that number the rows or are empty: used only by those
        who ask for them.
    """

    frame: pd.DataFrame
    name: str
    path: Path | None = None
    notes: tuple[str, ...] = ()
    unnamed: tuple[str, ...] = ()


def open_frame(table: TableLike) -> Opened:
    """Return a table as it is.

    Parameters
    ----------
    table : path, DataFrame or (N, p) array

    Raises
    ------
    DataError
        With a sentence: no such file, an unknown kind, nothing in it, not readable, complex
        numbers; or a first line that has not one name of its own for every column.
    """
    notes: tuple[str, ...] = ()
    path = None
    if isinstance(table, str | os.PathLike):
        path, name = Path(table), os.fspath(table)
        frame, notes = _read(path)
        path = Path(os.path.realpath(path))
    elif isinstance(table, pd.DataFrame):
        frame, name = table, "the DataFrame"
    else:
        name = "the array"
        frame = _from_array(np.asarray(table), name)
    if frame.empty or not len(frame.columns):
        raise DataError(f"{name}: the table has no rows")
    frame = frame.set_axis([str(column) for column in frame.columns], axis=1)
    if twice := list(frame.columns[frame.columns.duplicated()]):
        raise DataError(f"{name}: the column {twice[0]!r} stands there twice")
    frame = _of_this_machine(frame, name)
    return Opened(frame, name, path, notes, _without_a_name(frame))


def _read(path: Path) -> tuple[pd.DataFrame, tuple[str, ...]]:
    if not path.is_file():
        near = sorted(p.name for p in path.parent.glob("*") if p.suffix in _READERS)
        there = f" (in that folder: {', '.join(near[:5])})" if near else ""
        raise DataError(f"there is no file {path}{there}")
    kind = path.suffix.lower()
    if kind == ".gz":
        kind = Path(path.stem).suffix.lower()
    if kind not in _READERS:
        raise DataError(f"{path}: a table is one of {', '.join(_READERS)}, not {kind!r}")
    try:
        return _read_as(kind, path)
    except DataError:
        raise
    except Exception as error:
        cause = " ".join(str(error).split())
        raise DataError(f"{path}: cannot be read as {kind[1:]} ({cause})") from error


def _read_as(kind: str, path: Path) -> tuple[pd.DataFrame, tuple[str, ...]]:
    if kind == ".parquet":
        _require_room_for_parquet(path)
        return pd.read_parquet(path), ()
    if kind == ".npy":
        require_room_for_table(str(path), path.stat().st_size)
        return _from_array(np.load(path, allow_pickle=False), f"{path}: the array"), ()
    frame = _with_all_columns(path, _READERS[kind])
    first = pd.read_csv(
        path, sep=_READERS[kind], header=None, nrows=1, dtype=str, keep_default_na=False
    )
    return frame, _judged_by_its_header(frame, first.iloc[0].tolist(), path)


def _with_all_columns(path: Path, separator: str) -> pd.DataFrame:
    """Read a text; a column that has no name is not taken for names of the rows."""
    with warnings.catch_warnings(), open_within_room(path, separator) as text:
        warnings.simplefilter("error", pd.errors.ParserWarning)
        try:
            return pd.read_csv(text, sep=separator, index_col=False)
        except pd.errors.ParserWarning:
            raise DataError(
                f"{path}: the rows have more values than the first line has names: give every "
                "column a name, one of row names too"
            ) from None


def _require_room_for_parquet(path: Path) -> None:
    import pyarrow.parquet as pq

    facts = pq.read_metadata(path)
    stored = sum(facts.row_group(number).total_byte_size for number in range(facts.num_row_groups))
    require_room_for_table(str(path), stored, facts.num_rows * facts.num_columns)


def _from_array(array: npt.NDArray[Any], name: str) -> pd.DataFrame:
    if array.ndim != 2:
        raise DataError(f"{name} has {array.ndim} dimensions, a table has 2")
    return pd.DataFrame(array.astype(array.dtype.newbyteorder("="), copy=False))


def _judged_by_its_header(frame: pd.DataFrame, names: Sequence[str], path: Path) -> tuple[str, ...]:
    """Refuse a first line that does not name every column by itself; return notes."""
    if frame.empty:
        return ()
    doubt = _like_a_row(frame, names)
    shown = ", ".join(names[:3]) + (", ..." if len(names) > 3 else "")
    if doubt == "is one":
        raise DataError(
            f"{path}: the first line ({shown}) is read as the names of the columns, and looks like "
            "a row: put a line with a name for every column above it"
        )
    if twice := [name for number, name in enumerate(names) if name and name in names[:number]]:
        raise DataError(f"{path}: the column {twice[0]!r} stands there twice")
    if doubt:
        return (f"The first line ({shown}) is taken for the names of the columns.",)
    return ()


def _like_a_row(frame: pd.DataFrame, names: Sequence[str]) -> str:
    """Return whether the names of columns are a row of the table: "is one", "may be one" or "".

    Numbers may name columns: 0, 1, 2, years, wavelengths. They rise or fall evenly or lie where
    no value of their column does.
    """
    kinds = frame.dtypes.tolist()
    columns = [number for number, kind in enumerate(kinds) if pd.api.types.is_numeric_dtype(kind)]
    try:
        found = np.array([float(names[number]) for number in columns])
    except ValueError:
        return ""
    if not len(found) or not np.isfinite(found).all():
        return ""
    whole = bool((found == np.round(found)).all())
    steps = np.diff(found)
    if whole and (steps == 1).all() and found[0] in {0, 1, len(names) - len(columns)}:
        return ""
    values = frame.iloc[:, columns].to_numpy(np.float64, na_value=np.nan)
    with np.errstate(invalid="ignore"):
        low, high = np.fmin.reduce(values), np.fmax.reduce(values)
        within = np.mean((low <= found) & (found <= high)) >= 0.5
    in_order = bool((steps > 0).all() or (steps < 0).all())
    if within:
        return "may be one" if whole and in_order else "is one"
    return "" if in_order else "is one"


def _of_this_machine(frame: pd.DataFrame, name: str) -> pd.DataFrame:
    """Return the frame with numbers in the byte order of this machine; refuse complex ones."""
    changed = {}
    for column, kind in frame.dtypes.items():
        if pd.api.types.is_complex_dtype(kind):
            raise DataError(
                f"{name}: the column {column!r} has complex numbers, which no method takes; make "
                "their real and imaginary parts, or their sizes, columns of their own"
            )
        if isinstance(kind, np.dtype) and not kind.isnative:
            changed[str(column)] = frame[column].astype(kind.newbyteorder("="))
    return frame.assign(**changed) if changed else frame


def _without_a_name(frame: pd.DataFrame) -> tuple[str, ...]:
    return tuple(
        column
        for number, column in enumerate(frame.columns)
        if _UNNAMED.fullmatch(column) and _says_nothing(frame.iloc[:, number], first=number == 0)
    )


def _says_nothing(values: pd.Series[Any], *, first: bool) -> bool:
    """Whether a column without a name is empty, or in front and numbers the rows."""
    if values.isna().all():
        return True
    if not first or values.isna().any() or not pd.api.types.is_numeric_dtype(values.dtype):
        return False
    numbers = values.to_numpy(np.float64)
    return bool((numbers == np.round(numbers)).all() and values.is_unique)
