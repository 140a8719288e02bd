"""The store: one SQLite record per cell and asked-for inner values."""

from __future__ import annotations

import hashlib
import json
import os
import sqlite3
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple, Self, TypeAlias, cast

from geoforest_cli.core.errors import UserError
from geoforest_cli.core.escaping import shortened
from geoforest_cli.core.identity import canonical, digest
from geoforest_cli.study.engine.executors.contract import Outcome, Status
from geoforest_cli.study.plan.cells import Inner, Job, Plan

__all__ = ["SCHEMA", "Record", "RecordSummary", "Store", "store_path"]

SCHEMA = 3
_APPLICATION = 0x67656F66  # "geof"
_CREATE = """
CREATE TABLE cells (
    key TEXT NOT NULL,
    inner TEXT NOT NULL,
    status TEXT NOT NULL,
    seconds REAL NOT NULL,
    timeout REAL NOT NULL,
    memory INTEGER,
    near_kin TEXT NOT NULL,
    far_kin TEXT NOT NULL,
    origin TEXT NOT NULL,
    finished TEXT NOT NULL,
    peak_memory INTEGER NOT NULL,
    error TEXT NOT NULL,
    traceback TEXT NOT NULL,
    identity TEXT NOT NULL,
    rows TEXT NOT NULL,
    checksum TEXT NOT NULL,
    PRIMARY KEY (key, inner)
) WITHOUT ROWID
"""
_CREATE_ORIGINS = "CREATE TABLE origins (digest TEXT PRIMARY KEY, facts TEXT NOT NULL)"
_CREATE_REGISTRATIONS = """
CREATE TABLE IF NOT EXISTS registrations (
    seed TEXT NOT NULL, size TEXT NOT NULL, claims TEXT NOT NULL, registered TEXT NOT NULL,
    PRIMARY KEY (seed, size)
) WITHOUT ROWID
"""
_SUMMARY = "key, inner, status, seconds, timeout, memory, near_kin, far_kin"
_FIRST = "SELECT * FROM cells LIMIT 1"
_SUMMARIES = f"SELECT {_SUMMARY}, checksum FROM cells ORDER BY finished"  # noqa: S608 - no user's text
_RECORDS_OF_KEYS = """
SELECT * FROM cells WHERE key IN (SELECT value FROM json_each(?)) ORDER BY key, finished
"""
_PUT = "INSERT OR REPLACE INTO cells VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
_PUT_ORIGIN = "INSERT OR IGNORE INTO origins VALUES (?, ?)"
_ORIGINS = "SELECT digest, facts FROM origins"
_REGISTER = "INSERT OR IGNORE INTO registrations VALUES (?, ?, ?, ?)"
_REGISTERED = "SELECT claims FROM registrations WHERE seed = ? AND size = ?"
_REGISTRATIONS = "SELECT claims FROM registrations WHERE seed = ? AND size NOT LIKE '%-changed'"
_IDENTITIES = "SELECT identity FROM cells"
_IDENTITY = "SELECT identity FROM cells WHERE key = ? LIMIT 1"
_TIMEOUT = 30.0  # seconds to wait for another process's commit
_KEYS_PER_QUERY = 20_000  # keys per query
_LONGEST_PATH = 504  # bytes, so that the journal beside the file has a name too

Origin: TypeAlias = Mapping[str, str]


class RecordSummary(NamedTuple):
    """A record without its rows."""

    key: str
    inner: str
    status: Status
    seconds: float
    timeout: float
    memory: int | None
    point_group: str
    method_group: str

    @property
    def values(self) -> Inner:
        """The inner values that were computed."""
        return {name: tuple(values) for name, values in json.loads(self.inner).items()}

    def stopped_by(self, job: Job) -> bool:
        """Return whether the job's limits would stop the cell again."""
        if self.status == "timeout":
            return job.timeout <= self.timeout
        if self.status == "out_of_memory":
            if self.memory is None:
                return True
            return job.memory is not None and job.memory <= self.memory
        return True


@dataclass(frozen=True)
class Record:
    """A record as the store keeps it."""

    summary: RecordSummary
    error: str
    traceback: str
    finished: str
    origin: str
    rows: list[dict[str, Any]]


def store_path(plan: Plan, results_dir: Path) -> Path:
    """Return where a plan's store is: in the results folder of its name, for all profiles."""
    return results_dir / plan.name / "cells.sqlite"


class Store:
    """The finished cells of one config.

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
        written by another version of geoforest.
    """

    def __init__(self, path: Path, *, create: bool = False) -> None:
        self.path = path
        if create:
            path.parent.mkdir(parents=True, exist_ok=True)
        elif not path.exists():
            raise UserError(f"{path} does not exist: nothing has been run into this folder yet")
        with self._explained():
            self._connection = sqlite3.connect(path, timeout=_TIMEOUT, isolation_level=None)
            # bytes that are no text are damage; sqlite3 itself would quote them all in its message
            self._connection.text_factory = bytes.decode
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
        if version and tables:
            raise self._older()
        if tables:
            raise sqlite3.DatabaseError("it is a database of another program")
        with self._transaction():
            # another run may have been faster
            (tables,) = self._connection.execute("SELECT count(*) FROM sqlite_schema").fetchone()
            if not tables:
                self._connection.execute(_CREATE)
                self._connection.execute(_CREATE_ORIGINS)
                self._connection.execute(f"PRAGMA application_id = {_APPLICATION}")
                self._connection.execute(f"PRAGMA user_version = {SCHEMA}")

    def _older(self) -> UserError:
        return UserError(
            f"{self.path} was written by an older version of geoforest: move it away and run "
            "again, or choose another folder with --results"
        )

    @contextmanager
    def _transaction(self) -> Iterator[None]:
        """Write all that the block writes, or nothing."""
        self._connection.execute("BEGIN IMMEDIATE")
        try:
            yield
        except BaseException:
            self._connection.execute("ROLLBACK")
            raise
        self._connection.execute("COMMIT")

    def put(self, finished: Sequence[tuple[Job, Outcome]], origin: Origin) -> None:
        """Write outcomes, each in place of an earlier one of the same key and inner values.

        All are in the store on return, or none.

        Parameters
        ----------
        finished : sequence of (Job, Outcome)
        origin : mapping
            The commit: what is true of all of them beside what their workers report.
        """
        now = datetime.now(UTC).isoformat(timespec="seconds")
        facts = [
            json.dumps({**outcome.made_with, **origin}, sort_keys=True) for _, outcome in finished
        ]
        origins = {text: digest(text)[:16] for text in facts}
        values = [
            _values(job, outcome, origins[text], now)
            for (job, outcome), text in zip(finished, facts, strict=True)
        ]
        with self._explained(), self._transaction():
            rows = [(name, text) for text, name in origins.items()]
            self._connection.executemany(_PUT_ORIGIN, rows)
            self._connection.executemany(_PUT, values)

    def summaries(self) -> list[RecordSummary]:
        """Return every record without its rows, the oldest first."""
        with self._explained():
            return [self._summary(row[:8], row[8]) for row in self._connection.execute(_SUMMARIES)]

    def get(self, keys: Iterable[str]) -> dict[str, list[Record]]:
        """Return the records of those keys that have some, the oldest first."""
        wanted = list(dict.fromkeys(keys))
        records: dict[str, list[Record]] = {}
        with self._explained():
            for start in range(0, len(wanted), _KEYS_PER_QUERY):
                part = json.dumps(wanted[start : start + _KEYS_PER_QUERY])
                for row in self._connection.execute(_RECORDS_OF_KEYS, (part,)):
                    origin, finished, _, error, trace, _, rows, checksum = row[8:]
                    summary = self._summary(row[:8], checksum)
                    _, *of_others, of_rows = checksum.split("-")
                    # records of earlier versions have no checksum of the other columns
                    if of_rows != _checksum(*row[:3], rows) or of_others not in (
                        [],
                        [_checksum(*map(_stored, row[8:14]))],
                    ):
                        raise _damaged(summary.key)
                    record = Record(summary, error, trace, finished, origin, json.loads(rows))
                    records.setdefault(summary.key, []).append(record)
        return records

    def _summary(self, marks: Sequence[Any], checksum: str) -> RecordSummary:
        of_marks, dash, _ = checksum.partition("-")
        if not dash:
            raise self._older()
        if of_marks != _checksum(*map(_stored, marks)):
            raise _damaged(marks[0])
        return RecordSummary(*marks)

    def origins(self) -> dict[str, dict[str, str]]:
        """Return where records were made, by the digest that they carry."""
        with self._explained():
            rows = self._connection.execute(_ORIGINS).fetchall()
            for name, facts in rows:
                if name != digest(facts)[:16]:
                    raise ValueError(f"the versions {shortened(str(name))} have another checksum")
            return {name: cast("dict[str, str]", json.loads(facts)) for name, facts in rows}

    def register(self, seed: int, size: str, claims: Mapping[str, str]) -> None:
        """Fix what the claims of a root seed and a profile test; the first registration counts."""
        now = datetime.now(UTC).isoformat(timespec="seconds")
        values = (str(seed), size, json.dumps(dict(claims), sort_keys=True), now)
        with self._explained(), self._transaction():
            self._connection.execute(_CREATE_REGISTRATIONS)
            self._connection.execute(_REGISTER, values)

    def registered(self, seed: int, size: str) -> dict[str, str]:
        """Return what the claims were to test before the first cell was run: id -> digest."""
        with self._explained(), self._transaction():
            self._connection.execute(_CREATE_REGISTRATIONS)
            row = self._connection.execute(_REGISTERED, (str(seed), size)).fetchone()
        return {} if row is None else cast("dict[str, str]", json.loads(row[0]))

    def registrations(self, seed: int) -> list[dict[str, str]]:
        """Return what was registered for a root seed, profile by profile."""
        with self._explained(), self._transaction():
            self._connection.execute(_CREATE_REGISTRATIONS)
            rows = self._connection.execute(_REGISTRATIONS, (str(seed),)).fetchall()
        return [cast("dict[str, str]", json.loads(claims)) for (claims,) in rows]

    def identities(self) -> list[dict[str, Any]]:
        """Return everything that the rows of each record depend on."""
        with self._explained():
            return [json.loads(text) for (text,) in self._connection.execute(_IDENTITIES)]

    def identity(self, key: str) -> dict[str, Any]:
        """Return everything that the rows of a cell depend on."""
        with self._explained():
            row = self._connection.execute(_IDENTITY, (key,)).fetchone()
        return {} if row is None else cast("dict[str, Any]", json.loads(row[0]))

    def close(self) -> None:
        """Close the file."""
        self._connection.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
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


def _values(job: Job, outcome: Outcome, origin: str, now: str) -> tuple[Any, ...]:
    setting = job.cell.setting
    inner = json.dumps(canonical(outcome.inner), sort_keys=True)
    rows = json.dumps(outcome.rows)
    limits = outcome.seconds, job.timeout, job.memory
    groups = setting.point_group, setting.method_group
    marks = (outcome.key, inner, outcome.status, *limits, *groups)
    identity = json.dumps({**job.cell.identity, "label": job.label}, sort_keys=True, default=str)
    others = origin, now, outcome.peak_memory, outcome.error, outcome.traceback, identity
    checksums = (
        _checksum(*map(_stored, marks)),
        _checksum(*map(_stored, others)),
        _checksum(outcome.key, inner, outcome.status, rows),
    )
    return (*marks, *others, rows, "-".join(checksums))


def _stored(mark: object) -> str:
    return repr(float(mark)) if isinstance(mark, int | float) else repr(mark)


def _damaged(key: object) -> ValueError:
    return ValueError(f"the record of cell {shortened(str(key))} has another checksum")


def _checksum(*parts: str) -> str:
    """Return a digest that shows whether a record is as it was written."""
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()[:16]


def _reason(path: Path, error: sqlite3.OperationalError) -> str:
    if not path.parent.is_dir():
        return f"the folder {path.parent} was removed during the run"
    length = len(os.fsencode(path.absolute()))
    if length > _LONGEST_PATH:
        return f"its path has {length} bytes, and SQLite opens {_LONGEST_PATH} at most"
    if not os.access(path.parent, os.W_OK):
        return f"the folder {path.parent} is not writable"
    return str(error)
