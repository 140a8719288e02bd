"""The store and a plain dictionary go through the same things, and hold the same."""

import json
import tempfile
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    rule,
)

from geoforest_cli.study.engine import store as store_module
from geoforest_cli.study.engine.executors.contract import FAILURES, Outcome
from geoforest_cli.study.engine.store import Store
from tests.study.engine import toy

VALUES = (1, 2, 3)
LIMITS = (5, 10, 20)


@pytest.fixture(scope="module", autouse=True)
def jobs(tmp_path_factory):
    """The cells that all examples write."""
    folder = tmp_path_factory.mktemp("toy")
    StoreMachine.jobs = {name: toy.job(folder, name) for name in "ab"}


@dataclass(frozen=True)
class Record:
    """Facts that the dictionary has of one record."""

    status: str
    rows: list
    timeout: float
    memory: int | None
    error: str
    facts: dict
    finished: datetime


STATUSES = st.sampled_from(("ok", "ok", *FAILURES))
WISHES = st.fixed_dictionaries(
    {
        "name": st.sampled_from("ab"),
        "inner": st.lists(st.sampled_from(VALUES), min_size=1, max_size=3, unique=True),
        "timeout": st.sampled_from(LIMITS),
        "memory": st.sampled_from((None, *LIMITS)),
        "status": STATUSES,
        "value": st.floats(allow_nan=False),
    }
)
BATCHES = st.lists(WISHES, min_size=1, max_size=4)


class StoreMachine(RuleBasedStateMachine):
    """Outcomes are written one after the other; two readers look all the time."""

    @initialize()
    def open(self):
        self.folder = tempfile.TemporaryDirectory()
        self.path = Path(self.folder.name) / "cells.sqlite"
        self.moment = datetime(2024, 2, 28, 23, 59, 50, tzinfo=UTC)
        self.records = {}
        self.store = Store(self.path, create=True)
        self.store._connection.execute("PRAGMA synchronous = OFF")
        self.readers = [Store(self.path), Store(self.path)]

    def teardown(self):
        if not hasattr(self, "folder"):
            return
        for store in (self.store, *self.readers):
            store.close()
        self.folder.cleanup()

    def now(self, _):
        return self.moment

    def _job(self, wish):
        job = self.jobs[wish["name"]]
        limits = {"timeout": float(wish["timeout"]), "memory": wish["memory"]}
        cell = replace(job.cell, setting=replace(job.cell.setting, **limits))
        return replace(job, cell=cell, inner={"k": tuple(wish["inner"])})

    def _outcome(self, job, status, value):
        rows = [{"k": k, "metric": "m", "value": value} for k in job.inner["k"]]
        fine = status == "ok"
        return Outcome(
            job.key, status, rows if fine else [], job.inner, 1.0,
            error="" if fine else f"no luck with {value}", made_with={"numpy": str(self.moment)},
        )  # fmt: skip

    def _done(self, batch):
        self.moment += timedelta(seconds=1)
        jobs = [self._job(wish) for wish in batch]
        return [
            (job, self._outcome(job, wish["status"], wish["value"]))
            for job, wish in zip(jobs, batch, strict=True)
        ]

    def _origin(self):
        return {"commit": f"c{self.moment.second % 2}"}

    def _learn(self, done):
        for job, outcome in done:
            at = job.key, job.inner["k"]
            # the latest stands last
            self.records.pop(at, None)
            self.records[at] = Record(
                outcome.status, outcome.rows, job.timeout, job.memory, outcome.error,
                {**outcome.made_with, **self._origin()}, self.moment,
            )  # fmt: skip

    def _put(self, done):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(store_module, "datetime", self)
            self.store.put(done, self._origin())
        self._learn(done)

    @rule(batch=BATCHES)
    def put(self, batch):
        self._put(self._done(batch))

    @rule(number=st.sampled_from((0, 1)))
    def reopen(self, number):
        self.readers[number].close()
        self.readers[number] = Store(self.path)

    @invariant()
    def every_reader_finds_what_was_finished(self):
        for reader in self.readers:
            marks = reader.summaries()
            assert {(mark.key, mark.values["k"]) for mark in marks} == set(self.records)
            assert len(marks) == len(self.records)
            moments = [self.records[mark.key, mark.values["k"]].finished for mark in marks]
            assert moments == sorted(moments)
            origins = reader.origins()
            keys = {job.key for job in self.jobs.values()}
            stored = reader.get([*keys, "nobody"])
            assert stored.keys() == {key for key, _ in self.records}
            for key, records in stored.items():
                assert {rec.summary for rec in records} == {m for m in marks if m.key == key}
                assert [rec.finished for rec in records] == sorted(rec.finished for rec in records)
                for rec in records:
                    same = self.records[key, rec.summary.values["k"]]
                    assert (rec.summary.status, rec.rows, rec.error) == (
                        same.status, same.rows, same.error,
                    )  # fmt: skip
                    assert (rec.summary.timeout, rec.summary.memory) == (same.timeout, same.memory)
                    assert origins[rec.origin] == same.facts
                    assert datetime.fromisoformat(rec.finished) == same.finished
                identity = next(job for job in self.jobs.values() if job.key == key).cell.identity
                kept = reader.identity(key)
                assert kept.pop("label") in {"a", "b"}
                assert kept == json.loads(json.dumps(identity))


TestStore = StoreMachine.TestCase
TestStore.settings = settings(
    max_examples=15,
    stateful_step_count=25,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much],
)
