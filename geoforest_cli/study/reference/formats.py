"""What the files of a run hold, and whether those of a folder do.

`geoforest check FOLDER` and `geoforest reference verify` use it. The schema of ``claims.json`` is
`Verdicts`, that of ``report.json`` `RunInfo`; those of the other files are here.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Mapping
from datetime import datetime
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BaseModel, Field, TypeAdapter, model_validator

from geoforest_cli.core.errors import UserError
from geoforest_cli.study.claims.storage import (
    command_again,
    is_reference_entry,
    read_as,
    read_claims,
    read_run_info,
)
from geoforest_cli.study.reference.columns import ROWS, SUMMARY, require_columns
from geoforest_cli.study.reference.outcome import FILES

__all__ = ["FORMATS", "Provenance", "problems", "run_folders"]

Count = Annotated[int, Field(ge=0)]
Seconds = Annotated[float, Field(ge=0, allow_inf_nan=False)]


class _Text(BaseModel):
    """A config, or one that it extends, with its hash."""

    sha256: str
    text: str

    @model_validator(mode="after")
    def _require_hash(self) -> _Text:
        data = self.text.encode("utf-8", "surrogatepass")
        # bytes that are no UTF-8 are kept as U+FFFD, and have another hash
        if "\ufffd" not in self.text and hashlib.sha256(data).hexdigest() != self.sha256:
            raise ValueError("sha256 is not the hash of the text")
        return self


class _Parent(_Text):
    name: str


class _Config(_Text):
    name: str
    profile: str
    overrides: list[str]
    seed: int
    extends: list[_Parent]


class _Failed(BaseModel):
    cell: str
    what: str
    status: str
    why: str


class _Cells(BaseModel):
    total: Count
    failed: list[_Failed]


class _Origin(BaseModel):
    records: Count
    first: datetime
    last: datetime
    seconds: Seconds


class _Made(BaseModel):
    differ: list[str]
    origins: list[_Origin]


class _Identity(BaseModel):
    cells: Count
    digest: str


class _LastRun(BaseModel):
    started: datetime
    ended: datetime
    wall_seconds: Seconds
    cpu_seconds: float
    cells: Count
    at_once: Count
    packages: dict[str, str]


class Provenance(BaseModel):
    """The schema of ``provenance.json``; its number counts for all files of the folder."""

    version: Literal[3] = Field(alias="schema")
    config: _Config
    cells: _Cells
    made: _Made
    measures_time: bool
    data: dict[str, str | int]
    used: dict[str, int]
    identities: dict[str, _Identity] = {}  # files of older versions lack them
    bibtex: list[str]
    last_run: _LastRun


_PROVENANCE = TypeAdapter(Provenance)


def _check_provenance(path: Path) -> None:
    read_as(_PROVENANCE, path, "run")


FORMATS: Mapping[str, Callable[[Path], Any]] = {
    "claims.json": lambda path: read_claims(path.parent),
    "report.json": lambda path: read_run_info(path.parent),
    "provenance.json": _check_provenance,
    "rows.csv": lambda path: require_columns(path, ROWS),
    "summary.csv": lambda path: require_columns(path, SUMMARY),
}
# what a run writes after its last cell, and the figure of an unfinished one does not
_AT_THE_END = ("rows.csv", "provenance.json")


def run_folders(folder: Path) -> list[Path]:
    """Return the folders of runs in a folder: itself, those of its profiles, of all its configs."""
    files = ("claims.json", "report.json")
    places = [f"{depth}{file}" for depth in ("", "*/", "*/*/") for file in files]
    return sorted({path.parent for place in places for path in folder.glob(place)})


def problems(folder: Path) -> Iterator[str]:
    """Yield a sentence for each file of a run that is missing or not as its schema says.

    Parameters
    ----------
    folder : Path
        Of one run, or of one config in a reference, which has fewer files.
    """
    names = FILES if is_reference_entry(folder) else tuple(FORMATS)
    if names != FILES and not any((folder / name).exists() for name in _AT_THE_END):
        command = command_again(folder / _AT_THE_END[0], "run")
        yield f"{folder} is of a run that is not finished: {command} goes on with it"
        names = tuple(name for name in names if name not in _AT_THE_END)
    for name in names:
        try:
            FORMATS[name](folder / name)
        except UserError as error:
            yield from error.sentences
