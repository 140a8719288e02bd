"""A user's table with a column of classes, as the data of a config."""

from __future__ import annotations

import functools
import hashlib
from pathlib import Path
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from geoforest_cli.core import user_modules
from geoforest_cli.core.errors import DataError, UserError
from geoforest_cli.core.registry import Entry, Registry
from geoforest_cli.core.suggestions import unknown
from geoforest_cli.tables.cleaning import CleanOptions, clean_table
from geoforest_cli.tables.labels import numbered_classes
from geoforest_cli.tables.reading import open_table
from geoforest_cli.tables.table import Points

__all__ = ["TABLES", "ClassTable", "labelled"]

_READER = 3  # raised when a table is read otherwise than before


class ClassTable(NamedTuple):
    """Rows and their classes, numbered from 0 in the order of their names."""

    points: Points
    classes: npt.NDArray[np.int64]
    names: tuple[str, ...]


class _Tables(Registry[Entry]):
    """Files beside a config; the version of one is the digest of what it holds."""

    def __getitem__(self, name: str) -> Entry:
        path = _find(name)
        about = f"a table beside the config, {path.name}"
        return Entry(name, f"{__name__}:labelled", about, f"{_READER} {_digest(*_state(path))}")

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str)


TABLES = _Tables("table")


def labelled(table: str, label: str, columns: tuple[str, ...] = ()) -> ClassTable:
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
        With one sentence, as :func:`geoforest_cli.tables.options.read_table`; for a file outside
        of these folders; and for a label that is missing somewhere, has one class only, or more
        than half as many as there are rows.
    """
    path, *state = _state(_find(table))
    return _read(path, *state, label, columns)


def _find(name: str) -> Path:
    folders = user_modules.folders() or (Path(),)
    paths = [folder / name for folder in folders if (folder / name).is_file()]
    if not paths:
        files = sorted(
            path.name
            for folder in folders
            for path in folder.glob("*")
            if path.suffix in {".csv", ".tsv", ".parquet"}
        )
        raise DataError(unknown("table", name, files))
    try:
        return user_modules.require_below(name, paths[0], folders)
    except UserError as error:
        raise DataError(str(error)) from None


def _state(path: Path) -> tuple[Path, int, int]:
    """Return a file with what tells that it was written again."""
    status = path.stat()
    return path, status.st_mtime_ns, status.st_size


@functools.lru_cache(maxsize=64)
def _digest(path: Path, _time: int, _size: int) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()[:16]


@functools.lru_cache(maxsize=8)
def _read(path: Path, _time: int, _size: int, label: str, columns: tuple[str, ...]) -> ClassTable:
    raw = open_table(path)
    names, classes = numbered_classes(raw, label, columns)
    points = clean_table(raw, CleanOptions(columns=columns, exclude=(label,))).points
    return ClassTable(points, classes, names)
