"""A user's own table, read and checked for what the methods cannot take."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from geoforest_cli.errors import DataError
from geoforest_cli.hints import unknown

__all__ = ["UserTable", "read_frame", "read_table"]

_READERS = {".csv": ",", ".tsv": "\t", ".parquet": "", ".npy": ""}


@dataclass(frozen=True)
class UserTable:
    """The numeric columns of a table.

    Attributes
    ----------
    points : (N, p) float64 or float32
    ids : pandas.Series or numpy.ndarray
        The identifier column, or row numbers from 0.
    columns : tuple of str
        Names of the columns of `points`.
    notes : tuple of str
        One sentence for everything that was left out.
    """

    points: npt.NDArray[Any]
    ids: Any
    columns: tuple[str, ...]
    notes: tuple[str, ...]


def read_frame(path: Path) -> pd.DataFrame:
    """Read a CSV, TSV, Parquet or NPY file; the columns of an NPY array are numbered from 0.

    Raises
    ------
    DataError
        With a sentence: no such file, an unknown kind, nothing in it, or not readable.
    """
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
        frame = _read(path, kind)
    except DataError:
        raise
    except Exception as error:
        cause = " ".join(str(error).split())
        raise DataError(f"{path}: cannot be read as {kind[1:]} ({cause})") from error
    if frame.empty or not len(frame.columns):
        raise DataError(f"{path}: the table has no rows")
    if twice := [str(c) for c in frame.columns[frame.columns.duplicated()]]:
        raise DataError(f"{path}: the column {twice[0]!r} stands there twice")
    return frame


def _read(path: Path, kind: str) -> pd.DataFrame:
    if kind == ".parquet":
        return pd.read_parquet(path)
    if kind != ".npy":
        return pd.read_csv(path, sep=_READERS[kind])
    array = np.load(path, allow_pickle=False)
    if array.ndim != 2:
        raise DataError(f"{path}: the array has {array.ndim} dimensions, a table has 2")
    return pd.DataFrame(array, columns=[str(j) for j in range(array.shape[1])])


def read_table(
    path: Path,
    columns: Sequence[str] = (),
    identifier: str | None = None,
    *,
    constant: bool = False,
) -> UserTable:
    """Read a table and keep what can be compared: numbers that vary.

    Parameters
    ----------
    path : Path
    columns : sequence of str
        Columns to use; by default all numeric ones but the identifier.
    identifier : str, optional
        Column that names the rows.
    constant : bool
        Keep columns that are the same in every row.

    Raises
    ------
    DataError
        For unknown columns, missing or infinite values, text in a column asked for, or nothing
        left to compare.
    """
    frame = read_frame(path)
    names = [str(name) for name in frame.columns]
    frame.columns = pd.Index(names)
    for name in [*columns, *([identifier] if identifier else [])]:
        if name not in names:
            raise DataError(f"{path}: {unknown('column', name, names)}")
    chosen = list(columns) or [name for name in names if name != identifier]
    notes = []
    text = [name for name in chosen if not pd.api.types.is_numeric_dtype(frame[name])]
    if text and columns:
        example = frame[text[0]].iloc[0]
        raise DataError(
            f"{path}: the column {text[0]!r} is not numeric ({example!r} in its first row)"
        )
    if text:
        notes.append(f"Left out, not numeric: {', '.join(text)}.")
        chosen = [name for name in chosen if name not in text]
    _refuse_gaps(frame, chosen, path)
    same = [name for name in chosen if frame[name].min() == frame[name].max()]
    if same and len(frame) > 1 and not constant:
        notes.append(f"Left out, the same in every row: {', '.join(same)}.")
        chosen = [name for name in chosen if name not in same]
    if not chosen:
        raise DataError(f"{path}: no column is left to compare. {' '.join(notes)}".rstrip())
    narrow = all(frame[name].dtype == np.float32 for name in chosen)
    points = frame[chosen].to_numpy(np.float32 if narrow else np.float64)
    if identifier is None:
        return UserTable(points, np.arange(len(frame)), tuple(chosen), tuple(notes))
    ids = frame[identifier]
    if ids.isna().any():
        raise DataError(f"{path}: the column {identifier!r} has empty cells and cannot name rows")
    if repeated := int(ids.duplicated().sum()):
        notes.append(f"{repeated} rows repeat a name of the column {identifier}.")
    return UserTable(points, ids, tuple(chosen), tuple(notes))


def _refuse_gaps(frame: pd.DataFrame, names: Sequence[str], path: Path) -> None:
    for name in names:
        values = frame[name].to_numpy(np.float64, na_value=np.nan)
        for what, bad in (("missing", np.isnan(values)), ("infinite", np.isinf(values))):
            if count := int(bad.sum()):
                first = int(np.argmax(bad)) + 1
                many = "values, the first" if count > 1 else "value,"
                raise DataError(
                    f"{path}: the column {name!r} has {count} {what} {many} in row {first}; "
                    "fill them or leave these rows or the column out (--columns)"
                )
