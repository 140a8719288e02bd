"""A table as it stands in a file, refused or noted where it would be misread in silence."""

from __future__ import annotations

import os
import re
import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple, Unpack

import numpy as np
import numpy.typing as npt
import pandas as pd

from geoforest_cli.errors import DataError, UserError
from geoforest_cli.own_data.dialect import Dialect, Reading, comma_numbers, dialect_of
from geoforest_cli.own_data.room import open_within_room, require_room_for_table
from geoforest_cli.own_data.sheets import WORKBOOKS, read_sheet
from geoforest_cli.own_data.wording import spell

__all__ = ["Opened", "TableLike", "open_frame"]

_TEXTS = {".csv": ",", ".tsv": "\t"}
_KINDS = (*_TEXTS, ".parquet", ".npy", *WORKBOOKS)
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


TableLike = str | os.PathLike[str] | pd.DataFrame | Opened | npt.ArrayLike


def open_frame(table: TableLike, **how: Unpack[Reading]) -> Opened:
    """Return a table as it is.

    Parameters
    ----------
    table : path, DataFrame or (N, p) array
        Or one that is open: it is returned.
    sep, decimal, encoding, sheet : str, optional
        How a file is read, see `geoforest_cli.own_data.dialect.Reading`.

    Raises
    ------
    DataError
        With a sentence: no such file, an unknown kind, nothing in it, not readable, complex
        numbers; or a first line that has not one name of its own for every column.
    """
    if isinstance(table, Opened):
        return table
    notes: tuple[str, ...] = ()
    path = None
    _require_suits(table, how)
    if isinstance(table, str | os.PathLike):
        path, name = Path(table), os.fspath(table)
        frame, notes = _read(path, how)
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


def _kind(path: Path) -> str:
    kind = path.suffix.lower()
    return Path(path.stem).suffix.lower() if kind == ".gz" else kind


def _require_suits(table: TableLike, how: Reading) -> None:
    """Refuse what is said about another kind of file."""
    kind = _kind(Path(table)) if isinstance(table, str | os.PathLike) else ""
    for argument, kinds in (
        ("sep", _TEXTS), ("decimal", _TEXTS), ("encoding", _TEXTS), ("sheet", WORKBOOKS),
    ):  # fmt: skip
        if (value := how.get(argument)) is not None and kind not in kinds:
            place = spell(argument, value)
            raise UserError(f"{place}: that is for {', '.join(kinds)}, not for {kind or 'arrays'}")


def _read(path: Path, how: Reading) -> tuple[pd.DataFrame, tuple[str, ...]]:
    if not path.is_file():
        near = sorted(p.name for p in path.parent.glob("*") if p.suffix.lower() in _KINDS)
        there = f" (in that folder: {', '.join(near[:5])})" if near else ""
        raise DataError(f"there is no file {path}{there}")
    kind = _kind(path)
    if kind not in _KINDS:
        raise DataError(f"{path}: a table is one of {', '.join(_KINDS)}, not {kind!r}")
    try:
        return _read_as(kind, path, how)
    except UserError:
        raise
    except UnicodeDecodeError as error:
        other = spell("encoding")
        raise DataError(
            f"{path}: its text is not {error.encoding} ({error.reason}); {other} names another"
        ) from error
    except Exception as error:
        cause = " ".join(str(error).split())
        raise DataError(f"{path}: cannot be read as {kind[1:]} ({cause})") from error


def _read_as(kind: str, path: Path, how: Reading) -> tuple[pd.DataFrame, tuple[str, ...]]:
    if kind == ".parquet":
        _require_room_for_parquet(path)
        return pd.read_parquet(path), ()
    if kind == ".npy":
        require_room_for_table(str(path), path.stat().st_size)
        return _from_array(np.load(path, allow_pickle=False), f"{path}: the array"), ()
    if kind in WORKBOOKS:
        frame, names, notes = read_sheet(path, how.get("sheet"))
    else:
        dialect = dialect_of(path, _TEXTS[kind], how)
        frame = _with_all_columns(path, dialect)
        if how.get("decimal") is None and comma_numbers(frame, dialect.sep):
            dialect = dialect.other("decimal", ",")
            frame = _with_all_columns(path, dialect)
        first = pd.read_csv(
            path, sep=dialect.sep, encoding=dialect.encoding, header=None, nrows=1, dtype=str,
            keep_default_na=False,
        )  # fmt: skip
        names, notes = first.iloc[0].tolist(), dialect.note()
    return frame, (*notes, *_judged_by_its_header(frame, names, path))


def _with_all_columns(path: Path, dialect: Dialect) -> pd.DataFrame:
    """Read a text; a column that has no name is not taken for names of the rows."""
    with warnings.catch_warnings(), open_within_room(path, dialect.sep) as text:
        warnings.simplefilter("error", pd.errors.ParserWarning)
        try:
            return pd.read_csv(
                text, sep=dialect.sep, decimal=dialect.decimal, encoding=dialect.encoding,
                index_col=False,
            )  # fmt: skip
        except pd.errors.ParserWarning:
            raise DataError(
                f"{path}: the rows have more values than the first line has names: give every "
                f"column a name, one of row names too, or say what separates values "
                f"({spell('sep')})"
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
