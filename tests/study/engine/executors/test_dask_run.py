"""Which worker gets what, and what becomes of what is lost: without a cluster."""

from types import SimpleNamespace

import pytest

from geoforest_cli.core.errors import MachineError
from geoforest_cli.study.engine.executors import dask_run
from geoforest_cli.study.engine.executors.payload import Payload
from geoforest_cli.study.engine.executors.schedule import Pending
from tests.study.engine import toy


class _Mute:
    """A client whose futures are never done."""

    status = "running"

    def submit(self, *_, key, **__):
        return SimpleNamespace(key=key, add_done_callback=lambda _: None, cancel=lambda force: None)


def test_no_more_cells_at_once_than_a_worker_holds(tmp_path):
    known = {"nthreads": 4, "memory_limit": 10**10, "host": "here"}
    run = dask_run.DaskRun(_Mute(), None, remote=False)
    for most, slots in [(0, 4), (10**9, 4), (3 * 10**9, 3), (10**11, 1)]:
        run._memory = most
        assert run._add_worker("tcp://a", "/home", known).slots == slots


def _dask_run(tmp_path, *labels):
    """A run with one worker of one slot, about to hand out cells."""
    run = dask_run.DaskRun(_Mute(), Payload((), (), ()), remote=False)
    run._pending = Pending([toy.job(tmp_path, label) for label in labels], {})
    worker = dask_run._Worker("tcp://a", "here", "/home", 1, ready=True)
    run._workers[("tcp://a", "/home")] = worker
    return run, worker


def test_a_worker_has_two_cells_for_each_slot_and_lost_ones_go_first(tmp_path):
    run, worker = _dask_run(tmp_path, "a", "b", "c", "d")
    run._hand_out()
    assert [task.job.label for task in worker.tasks.values()] == ["a", "b"]
    lost = next(iter(worker.tasks))
    assert list(run._task_lost(lost, "gone", 1)) == []
    run._hand_out()
    assert [task.job.label for task in worker.tasks.values()] == ["b", "a"]


class _Taken:
    """A future that ended without a result."""

    def __init__(self, status):
        self.status = status

    def cancel(self, force):
        pass


def _lose(run, worker, job, status):
    run._tasks["x"] = worker.tasks["x"] = dask_run._Task(job, worker, _Taken(status))
    return list(run._task_done("x"))


@pytest.mark.parametrize(("status", "chances"), [("cancelled", 6), ("lost", 6), ("error", 2)])
def test_what_dask_takes_back_is_hardly_the_cells_fault(tmp_path, status, chances):
    run, worker = _dask_run(tmp_path, "a")
    job = run._pending.take([], set())
    for _ in range(chances - 1):
        assert _lose(run, worker, job, status) == []
        assert run._again.popleft() is job
    (told,) = _lose(run, worker, job, status)
    assert (told.status, told.key, run._tasks) == ("crashed", job.key, {})


@pytest.mark.parametrize("state", ["connecting", "closing", "closed"])
def test_nothing_is_lost_by_a_scheduler_that_goes(tmp_path, state):
    run, worker = _dask_run(tmp_path, "a")
    run._client.status = state
    job = run._pending.take([], set())
    for status in ("cancelled", "lost", "error"):
        with pytest.raises(MachineError, match="the dask scheduler has gone; what is finished"):
            _lose(run, worker, job, status)
    assert run._losses == {}
    with pytest.raises(MachineError, match="the dask scheduler has gone"):
        list(run._update_workers())
    with pytest.raises(MachineError, match="the dask scheduler has gone"), run._connected():
        raise OSError("closed")


def test_what_fails_with_a_scheduler_is_no_loss_of_it(tmp_path):
    run, _ = _dask_run(tmp_path, "a")
    with pytest.raises(OSError, match="disk"), run._connected():
        raise OSError("disk")
