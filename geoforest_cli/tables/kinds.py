"""Kinds of files that are tables, by their endings: asked before a reader is imported."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import fields
from pathlib import Path
from typing import Any

from geoforest_cli.core.errors import DataError, UserError
from geoforest_cli.tables.dialect import PACKED, ReadingOptions
from geoforest_cli.tables.messages import as_argument

__all__ = [
    "ANNOTATED",
    "TEXTS",
    "WORKBOOKS",
    "kind_of_file",
    "reading_options",
    "require_file",
    "require_suitable",
]

TEXTS: Mapping[str, str] = {".csv": ",", ".tsv": "\t"}
WORKBOOKS = (".xlsx", ".xlsm")
ANNOTATED = (".h5ad",)
_KINDS = (*TEXTS, ".parquet", ".feather", ".npy", *WORKBOOKS, *ANNOTATED)
_ADVICE = {
    **dict.fromkeys((".xls", ".xlsb", ".ods"), "save it as .xlsx"),
    ".npz": "save the array of the table as .npy",
}


def kind_of_file(path: str | os.PathLike[str]) -> str:
    """Return the ending that says what a file is; that of a packed text is inside.

    Examples
    --------
    >>> kind_of_file("a.CSV"), kind_of_file("a.tsv.gz"), kind_of_file("a.npy.gz")
    ('.csv', '.tsv', '.gz')
    """
    name = Path(path)
    kind = name.suffix.lower()
    inner = Path(name.stem).suffix.lower()
    return inner if kind in PACKED and inner in TEXTS else kind


def reading_options(given: Mapping[str, Any]) -> ReadingOptions:
    """Return those of a call's options that say how a file is read."""
    names = [field.name for field in fields(ReadingOptions)]
    return ReadingOptions(**{name: given[name] for name in names if name in given})


def require_file(path: Path, reading: ReadingOptions) -> str:
    """Return the kind of a file, if it is there, is a table and takes the reading options.

    Raises
    ------
    DataError
        For no such file, or a file of another kind.
    UserError
        For an option that is for another kind.
    """
    kind = kind_of_file(path)
    require_suitable(kind, reading)
    if path.is_dir():
        parts = "only geoforest neighbors takes a folder of Parquet files"
        raise DataError(f"{path} is a folder, not a table; {parts}")
    if path.exists() and not path.is_file():
        raise DataError(f"{path} is a pipe or a device, not a file: save the table to a file first")
    if not path.exists():
        names = sorted(p.name for p in path.parent.glob("*") if p.suffix.lower() in _KINDS)
        files = f" (in that folder: {', '.join(names[:5])})" if names else ""
        raise DataError(f"there is no file {path}{files}")
    if kind not in _KINDS:
        advice = f"; {_ADVICE[kind]}" if kind in _ADVICE else ""
        allowed = f"{', '.join(_KINDS)}, a text also with {' or '.join(sorted(PACKED))} behind it"
        raise DataError(f"{path}: a table is one of {allowed}, not {kind!r}{advice}")
    return kind


def require_suitable(kind: str, reading: ReadingOptions) -> None:
    """Refuse reading options of another kind of file; the kind of an array is empty.

    Raises
    ------
    UserError
    """
    for argument, kinds in (
        ("sep", TEXTS), ("decimal", TEXTS), ("encoding", TEXTS), ("sheet", WORKBOOKS),
        ("matrix", ANNOTATED), ("not_missing", TEXTS),
    ):  # fmt: skip
        if (value := getattr(reading, argument)) is not None and kind not in kinds:
            shown = as_argument(argument, value)
            raise UserError(f"{shown}: that is for {', '.join(kinds)}, not for {kind or 'arrays'}")
