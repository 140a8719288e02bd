"""What a worker of a cluster does with its children, without a cluster or a process."""

import asyncio
import pickle
from types import SimpleNamespace

import pytest

pytest.importorskip("distributed")

from geoforest_cli.study.engine.executors import worker
from geoforest_cli.study.engine.executors.contract import Outcome, Started
from tests.study.engine import toy


class Child:
    """A child that tells of its job what it is given, one list of events a look."""

    def __init__(self, *looks):
        self.looks, self.job, self.alive, self.ran = list(looks), None, True, []
        self.connection, self.ends = None, []

    def assign(self, job):
        self.job = job

    def events(self):
        for event in self.looks.pop(0) if self.looks else ():
            if isinstance(event, Outcome):
                self.job = None
            yield event

    def check_limits(self):
        return iter(())

    def is_fit_for(self, _job):
        return True

    def kill(self):
        self.alive = False
        self.ends.append("killed")

    def dismiss(self):
        self.ends.append("dismissed")


class Worker:
    """A worker of dask that has one task, which the scheduler may cancel."""

    def __init__(self):
        self.told, self.task = [], SimpleNamespace(state="executing")
        self.state = SimpleNamespace(tasks={"key": self.task})

    def get_current_task(self):
        return "key"

    def log_event(self, topic, event):
        self.told.append((topic, event))


@pytest.fixture
def here(monkeypatch):
    made = Worker()
    monkeypatch.setattr("distributed.get_worker", lambda: made)
    monkeypatch.setattr(worker, "wait", lambda *_, **__: None)
    yield made
    if (timer := worker._state(made)._timer) is not None:
        timer.cancel()


@pytest.fixture
def task(here, tmp_path):
    job = toy.job(tmp_path, "a")
    folder = str(job.cell.setting.experiment.parent)
    worker._state(here).folders["p"] = {folder: folder, str(tmp_path): folder}
    return worker.CellTask("run", "p", pickle.dumps(job), 2)


def _fine(key="k"):
    return Outcome(key, "ok", inner={"k": (1,)})


def test_a_child_that_has_ended_its_cell_is_kept_for_the_next(here, task):
    child = Child([], [Started("k")], [], [_fine()])
    state = worker._state(here)
    state._idle.append(child)
    # the driver knows what it has asked for
    assert worker.run_cell(task) == Outcome("k", "ok", inner={})
    assert here.told == [("run", {"begun": "key"}), ("run", {"started": "key"})]
    assert (child.ends, state._idle) == ([], [child])
    assert (state._busy, state.running["run"]) == (0, 0)
    assert state._timer.interval == worker._IDLE
    assert state._timer.daemon


@pytest.mark.parametrize("why", ["gone", "cancelled", "stopped"])
def test_a_cell_that_nobody_waits_for_any_more_ends_with_its_child(here, task, why):
    child, state = Child(), worker._state(here)
    state._idle.append(child)

    def end():
        if why == "gone":
            here.state.tasks.clear()
        elif why == "cancelled":
            here.task.state = "cancelled"
        else:
            state.stopped.add("run")
        return iter(())

    child.check_limits = end
    assert worker.run_cell(task) is None
    assert (child.ends, state._idle, state._busy) == (["killed"], [], 0)


def test_idle_children_end_and_what_starts_them_stays_for_those_that_run(here, task):
    state, closed = worker._state(here), []
    state.launcher = SimpleNamespace(close=lambda: closed.append(True))
    children = [Child(), Child()]
    for one in children:
        state.give_back(one)
    first = state._timer
    with state.slot(task):
        assert state.running["run"] == 1
        worker.end_idle_children(here)
        assert [one.ends for one in children] == [["dismissed"]] * 2
        assert (state._idle, closed) == ([], [])
    assert first.finished.is_set()
    worker.end_idle_children(here)
    assert closed == [True]


@pytest.mark.parametrize(("left", "looks"), [(0, 0), (3, 3), (10**6, 7)])
def test_a_run_is_stopped_when_its_cells_have_ended_or_after_a_while(
    here, monkeypatch, left, looks
):
    state, clock, seen = worker._state(here), [100.0], []
    state.running["run"], state.running["other"] = left, 1

    async def sleep(seconds):
        seen.append(seconds)
        state.running["run"] -= 1
        clock[0] += 0.5

    monkeypatch.setattr(worker, "_STOP_TIMEOUT", 3.25)
    monkeypatch.setattr(worker, "asyncio", SimpleNamespace(sleep=sleep))
    monkeypatch.setattr(worker, "time", SimpleNamespace(monotonic=lambda: clock[0]))
    asyncio.run(worker.stop_run("run", here))
    assert state.stopped == {"run"}
    assert len(seen) == looks
