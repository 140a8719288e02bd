"""The folder that a search of a table in parts writes into: one call at a time, and no other's."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import filelock

from geoforest_cli.core.errors import DataError, UserError
from geoforest_cli.core.files import write_atomically

MANIFEST = "_manifest.json"
_LOCK = "_lock"
_OF_FILES = {".csv", ".tsv", ".parquet", ".h5ad"}


def write(folder: Path, manifest: dict[str, Any]) -> None:
    """Write down all that the result depends on, and what was decided on the way."""
    write_atomically(folder / MANIFEST, json.dumps(manifest, indent=1) + "\n")


def read(path: Path) -> dict[str, Any]:
    """Return what a call before has written.

    Raises
    ------
    DataError
        If that is no manifest.
    """
    try:
        return dict(json.loads(path.read_text(encoding="utf-8")))
    except (ValueError, TypeError, RecursionError):
        raise DataError(
            f"{path}: it is damaged; delete {path.parent}, or name another folder"
        ) from None


@contextlib.contextmanager
def held(folder: Path, manifest: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Hold the folder of a search; yield its manifest, of this call or the same one before.

    Raises
    ------
    DataError
        If it holds something else.
    UserError
        If it is a file, has the name of one, or another process writes there.
    """
    path = folder / MANIFEST
    if folder.suffix.lower() in _OF_FILES or folder.is_file():
        raise UserError(f"{folder}: the neighbours of a table in parts need a folder, not a file")
    inside = folder.iterdir() if folder.exists() else ()
    if not path.exists() and any(file.name != _LOCK for file in inside):
        raise DataError(f"{folder}: it is not empty and holds no neighbours; name another folder")
    folder.mkdir(parents=True, exist_ok=True)
    try:
        lock = filelock.FileLock(folder / _LOCK, blocking=False).acquire()
    except filelock.Timeout:
        raise UserError(f"{folder}: another process writes neighbours there") from None
    with lock:
        if path.exists():
            before = read(path)
            for name, value in manifest.items():
                if before.get(name) != value:
                    was = (
                        "" if name == "inputs" else f" ({before.get(name)!r} there, {value!r} now)"
                    )
                    raise DataError(
                        f"{folder}: it holds neighbours of another call: other {name}{was}; name "
                        "another folder, or delete that one"
                    )
            manifest = before
        else:
            write(folder, manifest)
        yield manifest
