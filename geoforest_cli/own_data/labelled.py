"""A user's table with a column of classes, as the data of a config."""

from __future__ import annotations

import functools
import hashlib
from pathlib import Path
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from geoforest_cli import sources
from geoforest_cli.errors import DataError
from geoforest_cli.hints import unknown
from geoforest_cli.own_data.reading import open_frame
from geoforest_cli.own_data.table import Points, table_of
from geoforest_cli.own_data.wording import in_row
from geoforest_cli.registry import Entry, Registry

__all__ = ["TABLES", "Labelled", "labelled"]

_READER = 2  # raised when a table is read otherwise than before


class Labelled(NamedTuple):
    """Rows and their classes, numbered from 0 in the order of their names."""

    points: Points
    classes: npt.NDArray[np.int64]
    names: tuple[str, ...]


class _Tables(Registry[Entry]):
    """Files beside a config; the version of one is the digest of what it holds."""

    def __getitem__(self, name: str) -> Entry:
        path = _find(name)
        about = f"a table of one's own, {path.name}"
        return Entry(name, f"{__name__}:labelled", about, f"{_READER} {_digest(*_state(path))}")

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str)


TABLES = _Tables("table")


def labelled(table: str, label: str, columns: tuple[str, ...] = ()) -> Labelled:
    """Read a table that lies beside the config.

    Parameters
    ----------
    table : str
        Its file, from the folder of the config (or of a config that this one extends).
    label : str
        The column that holds the classes; it is not among the points.
    columns : tuple of str
        The columns to use; by default all that can be compared.

    Raises
    ------
    DataError
        With one sentence, as :func:`geoforest_cli.own_data.table.read_table`; and for a label
        that is missing somewhere, has one class only, or more than half as many as there are
        rows.
    """
    path, *state = _state(_find(table))
    return _read(path, *state, label, columns)


def _find(name: str) -> Path:
    folders = sources.folders() or (Path(),)
    found = [folder / name for folder in folders if (folder / name).is_file()]
    if not found:
        near = sorted(
            one.name
            for folder in folders
            for one in folder.glob("*")
            if one.suffix in {".csv", ".tsv", ".parquet"}
        )
        raise DataError(unknown("table", name, near))
    return found[0].resolve()


def _state(path: Path) -> tuple[Path, int, int]:
    """Return a file with what tells that it was written again."""
    status = path.stat()
    return path, status.st_mtime_ns, status.st_size


@functools.lru_cache(maxsize=64)
def _digest(path: Path, _time: int, _size: int) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()[:16]


@functools.lru_cache(maxsize=8)
def _read(path: Path, _time: int, _size: int, label: str, columns: tuple[str, ...]) -> Labelled:
    opened = open_frame(path)
    frame, name = opened.frame, opened.name
    if label not in frame.columns:
        raise DataError(f"{name}: {unknown('column', label, list(frame.columns))}")
    if label in columns:
        raise DataError(f"{name}: {label!r} is the label and cannot be one of the columns")
    values = frame[label]
    if values.isna().any():
        place = in_row(int(np.argmax(values.isna().to_numpy())))
        raise DataError(f"{name}: the label {label!r} is missing in {place}")
    names, classes = np.unique(values.astype(str).to_numpy(str), return_inverse=True)
    if not 2 <= len(names) <= len(frame) / 2:
        raise DataError(
            f"{name}: the label {label!r} has {len(names)} different values in {len(frame)} rows; "
            "classes are at least 2, and at most half as many as rows"
        )
    points = table_of(opened, columns, other_than=(label,)).points
    return Labelled(points, classes.astype(np.int64), tuple(map(str, names)))
