"""What ``provenance.json`` says of a run, as the site and the reference need it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, TypeAdapter

from geoforest_cli.study.claims.storage import read_as

__all__ = ["Record", "read_record"]

_FACTS = ("commit", "processor", "python", "geoforest", "numpy", "numba")


class _File(BaseModel):
    name: str
    text: str


class _Config(BaseModel):
    """The config that was run, with the files it extends."""

    profile: str = "paper"
    overrides: list[str] = []
    text: str = ""
    extends: list[_File] = []


class _Failed(BaseModel):
    cell: str
    what: str
    status: str


class _Cells(BaseModel):
    total: int = 0
    failed: list[_Failed] = []


class _Origin(BaseModel):
    """Rows that were made with one set of versions, and that set."""

    model_config = ConfigDict(extra="allow")

    first: str
    last: str
    seconds: float = 0.0
    records: int = 0

    def fact(self, name: str) -> Any:
        return (self.model_extra or {}).get(name)


class _Made(BaseModel):
    differ: list[str] = []
    origins: list[_Origin] = []


class _Identity(BaseModel):
    """The cells of one method and variant: see `study.plan.identities`."""

    cells: int
    digest: str


class Record(BaseModel):
    """Where the rows of a run come from; empty where nothing is known."""

    config: _Config = _Config()
    cells: _Cells = _Cells()
    made: _Made = _Made()
    measures_time: bool = False
    bibtex: list[str] = []
    identities: dict[str, _Identity] = {}

    @property
    def seconds(self) -> float:
        """Time that the cells took, one after the other; 0 if that is not known."""
        return sum(one.seconds for one in self.made.origins)

    @property
    def failed(self) -> list[str]:
        """Cells that failed, in words."""
        return [f"{one.status}: {one.what} ({one.cell})" for one in self.cells.failed]

    @property
    def commits(self) -> list[str]:
        """The commits of geoforest that made the rows."""
        found = (one.fact("commit") for one in self.made.origins)
        return list(dict.fromkeys(str(one) for one in found if one))

    @property
    def facts(self) -> list[tuple[str, str]]:
        """With what the shown rows were made, and whether it was the same for all."""
        origins, differ = self.made.origins, self.made.differ
        if not origins:
            return []
        first, last = min(one.first for one in origins), max(one.last for one in origins)
        date = first[:10] + (f" to {last[:10]}" if last[:10] != first[:10] else "")
        known = {name: origins[0].fact(name) for name in _FACTS if name not in differ}
        found = [("made", date), *((name, str(value)) for name, value in known.items() if value)]
        if differ:
            parts = f"{len(origins)} parts that differ in {', '.join(differ)}"
            found.append(("made in", f"{parts} (provenance.json)"))
        return found


_RECORD = TypeAdapter(Record)


def read_record(folder: Path) -> Record:
    """Return the record of a run.

    Raises
    ------
    UserError
        If it is damaged.
    """
    path = folder / "provenance.json"
    return read_as(_RECORD, path, "run") if path.exists() else Record()
