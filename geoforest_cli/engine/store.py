"""The store: one SQLite record per cell, committed the moment the cell ends."""

from __future__ import annotations

import json
import os
import sqlite3
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from types import TracebackType
from typing import Any, Self, cast

from geoforest_cli.engine.executor import Cell, Outcome, Plan, Status
from geoforest_cli.errors import UserError

__all__ = ["SCHEMA", "Record", "Store", "identity", "store_path"]

SCHEMA = 1
_APPLICATION = 0x67656F66  # "geof"
_CREATE = """
CREATE TABLE IF NOT EXISTS cells (
    key TEXT PRIMARY KEY,
    status TEXT NOT NULL,
    rows TEXT NOT NULL,
    seconds REAL NOT NULL,
    peak_memory INTEGER NOT NULL,
    error TEXT NOT NULL,
    traceback TEXT NOT NULL,
    finished TEXT NOT NULL,
    identity TEXT NOT NULL,
    versions TEXT NOT NULL
) WITHOUT ROWID
"""
_FIRST = "SELECT * FROM cells LIMIT 1"
_SOME = "SELECT * FROM cells WHERE key IN (SELECT value FROM json_each(?))"
_ALL = "SELECT * FROM cells ORDER BY key"
_PUT = "INSERT OR REPLACE INTO cells VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
_PATIENCE = 30.0  # seconds to wait for another process's commit


@dataclass(frozen=True)
class Record(Outcome):
    """An outcome as the store keeps it.

    Attributes
    ----------
    finished : str
        When, in UTC (ISO 8601).
    identity : dict
        What the cell was: grid point, method, variant and so on.
    """

    finished: str = ""
    identity: dict[str, Any] = field(default_factory=dict)


def store_path(plan: Plan, results_dir: Path) -> Path:
    """Return where a plan's store is: in the results folder of its name."""
    return results_dir / plan.name / "cells.sqlite"


def identity(cell: Cell) -> dict[str, Any]:
    """Return what a cell is, as the store records it beside the key."""
    return {
        **getattr(cell, "identity", {}),
        "experiment": Path(cell.experiment_path).stem,
        "point": dict(cell.point),
        "inner": {name: list(values) for name, values in cell.inner.items()},
        "method": cell.method,
        "use": cell.use,
        "variant": cell.variant,
        "repetition": cell.repetition,
    }


class Store:
    """The finished cells of one results folder.

    The journal is SQLite's rollback journal, not the write-ahead log: that one needs shared
    memory, which network file systems of clusters do not have.

    Parameters
    ----------
    path : Path
        The file.
    create : bool
        Make the file and its folder when missing.

    Raises
    ------
    UserError
        When the file is missing (and not to be created), is no store, is damaged, or was
        written by a newer geoforest.

    Examples
    --------
    >>> import tempfile
    >>> folder = tempfile.TemporaryDirectory()
    >>> with Store(Path(folder.name) / "cells.sqlite", create=True) as store:
    ...     store.put(Outcome("a1", "ok", [{"metric": "precision", "value": 0.5}]), {})
    ...     store.get(["a1", "b2"])["a1"].rows
    [{'metric': 'precision', 'value': 0.5}]
    >>> folder.cleanup()
    """

    def __init__(self, path: Path, *, create: bool = False) -> None:
        self.path = path
        if create:
            path.parent.mkdir(parents=True, exist_ok=True)
        elif not path.exists():
            raise UserError(f"{path} does not exist: nothing has been run into this folder yet")
        with self._explained():
            self._connection = sqlite3.connect(path, timeout=_PATIENCE, isolation_level=None)
            try:
                self._prepare()
            except BaseException:
                self._connection.close()
                raise

    def _prepare(self) -> None:
        # one transaction, one state: another run may create the store between two readings
        self._connection.execute("BEGIN")
        (version,) = self._connection.execute("PRAGMA user_version").fetchone()
        (tables,) = self._connection.execute("SELECT count(*) FROM sqlite_schema").fetchone()
        self._connection.execute("COMMIT")
        if version > SCHEMA:
            raise UserError(
                f"{self.path} was written by a newer geoforest (store version {version}, "
                f"this one knows {SCHEMA}): update geoforest, or choose another folder "
                "with --results"
            )
        if version == SCHEMA:
            self._connection.execute(_FIRST).fetchone()
            return
        if tables:
            raise sqlite3.DatabaseError("it is a database of another program")
        self._connection.execute("BEGIN IMMEDIATE")
        self._connection.execute(_CREATE)
        self._connection.execute(f"PRAGMA application_id = {_APPLICATION}")
        self._connection.execute(f"PRAGMA user_version = {SCHEMA}")
        self._connection.execute("COMMIT")

    def put(self, outcome: Outcome, identity: Mapping[str, Any]) -> None:
        """Write one outcome, in place of an earlier one of the same key; committed on return."""
        values = (
            outcome.key,
            outcome.status,
            json.dumps(outcome.rows),
            outcome.seconds,
            outcome.peak_memory,
            outcome.error,
            outcome.traceback,
            datetime.now(UTC).isoformat(timespec="seconds"),
            json.dumps(identity, sort_keys=True, default=str),
            json.dumps(outcome.versions, sort_keys=True),
        )
        with self._explained():
            self._connection.execute(_PUT, values)

    def get(self, keys: Iterable[str]) -> dict[str, Record]:
        """Return the records of those keys that are finished."""
        return {one.key: one for one in self._records(_SOME, json.dumps(list(keys)))}

    def all(self) -> list[Record]:
        """Return every record, those of other profiles and earlier configs too, by key."""
        return self._records(_ALL)

    def _records(self, statement: str, *values: str) -> list[Record]:
        with self._explained():
            return [_record(row) for row in self._connection.execute(statement, values)]

    def close(self) -> None:
        """Close the file."""
        self._connection.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    @contextmanager
    def _explained(self) -> Iterator[None]:
        try:
            yield
        except sqlite3.OperationalError as error:
            raise UserError(f"{self.path} cannot be used: {_reason(self.path, error)}") from error
        except (sqlite3.DatabaseError, ValueError, TypeError) as error:
            raise UserError(
                f"{self.path} is damaged or is not a store of geoforest ({error}): move it away "
                "to start afresh, or choose another folder with --results"
            ) from error


def _reason(path: Path, error: sqlite3.OperationalError) -> str:
    if not os.access(path.parent, os.W_OK):
        return f"the folder {path.parent} is not writable"
    return str(error)


def _record(row: tuple[Any, ...]) -> Record:
    key, status, rows, seconds, peak, error, trace, finished, identity, versions = row
    return Record(
        key=key,
        status=cast("Status", status),
        rows=json.loads(rows),
        seconds=seconds,
        peak_memory=peak,
        error=error,
        traceback=trace,
        finished=finished,
        identity=json.loads(identity),
        versions=json.loads(versions),
    )
