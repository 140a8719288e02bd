"""Which worker gets what, and what becomes of what is lost: without a cluster."""

from types import SimpleNamespace

import pytest

from geoforest_cli.core.errors import MachineError, UserError
from geoforest_cli.study.engine.executors import dask_run
from geoforest_cli.study.engine.executors.contract import Started
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


class _Scheduler(_Mute):
    """A client of a scheduler that knows some workers, and how each of them has gone."""

    def __init__(self, **ends):
        self.known, self.ends, self.sent = {}, ends, []

    def scheduler_info(self, n_workers):
        shown = self.known.items() if n_workers < 0 else list(self.known.items())[:n_workers]
        return {"workers": dict(shown)}

    def get_events(self, address):
        return [(0.0, event) for event in self.ends.get(address, ())]

    def submit(self, function, *given, key, **options):
        self.sent.append(options)
        return super().submit(function, *given, key=key)

    def join(self, address, status="running", threads=1):
        self.known[address] = {
            "local_directory": "/home", "status": status, "nthreads": threads,
            "memory_limit": 10**9, "host": f"host of {address}",
        }  # fmt: skip


@pytest.fixture
def now(monkeypatch):
    clock = [1000.0]
    monkeypatch.setattr(dask_run, "time", SimpleNamespace(monotonic=lambda: clock[0]))
    return clock


def _run_on(client, tmp_path, *labels):
    run = dask_run.DaskRun(client, Payload((), (), ()), remote=False)
    run._pending = Pending([toy.job(tmp_path, label) for label in labels], {})
    run._memory = 0
    return run


def _looked(run, now, seconds):
    now[0] += seconds
    return [event.sentence for event in run._update_workers()]


def test_without_a_worker_it_is_said_once_and_waited_for_ever(tmp_path, now):
    client = _Scheduler()
    run = _run_on(client, tmp_path)
    assert _looked(run, now, 0.0) == ["No worker is there yet: waiting for one."]
    assert [_looked(run, now, seconds) for seconds in (0.5, 1.0, 31.0, 1e6)] == [[]] * 4
    for name, status in [("a", "running"), ("b", "paused"), ("c", "init"), ("d", "closed")]:
        client.join(name, status)
    client.join("e", "closing_gracefully", threads=3)
    _looked(run, now, 0.5)
    assert not run._workers
    _looked(run, now, 0.5)
    assert {name: one.slots for (name, _), one in run._workers.items()} == {"a": 1, "b": 1, "e": 3}
    assert {one.host for one in run._workers.values()} == {f"host of {name}" for name in "abe"}


def test_others_are_waited_for_half_a_minute_after_the_last_fitting_worker(tmp_path, now):
    client = _Scheduler()
    client.join("a")
    run = _run_on(client, tmp_path)
    _looked(run, now, 1.0)
    (worker,) = run._workers.values()
    worker.check = SimpleNamespace(status="finished", result=lambda timeout: {"python": "2.7"})
    (note,) = run._checked_worker(worker)
    assert note.sentence.startswith("The worker a on host of a gets no cells: it has ")
    assert _looked(run, now, 2.0) == []
    assert run._workers == {}
    assert _looked(run, now, 28.0) == []
    with pytest.raises(UserError, match="no worker of this scheduler can run these cells"):
        _looked(run, now, 1.0)


EXPECTED = [{"action": "add-worker"}, {"action": "remove-worker", "expected": True}]
UNFORESEEN = [
    {"action": "remove-worker", "expected": False}, {"action": "closing-worker", "expected": True},
]  # fmt: skip


@pytest.mark.parametrize(
    ("begun", "events", "chances", "words"),
    [
        (False, UNFORESEEN, 6, "was lost"),
        (True, UNFORESEEN, 2, "was lost"),
        (True, [], 2, "was lost"),
        (True, EXPECTED, 6, "left"),
        (False, EXPECTED, 6, "left"),
    ],
)
def test_a_lost_worker_is_blamed_on_the_cells_that_had_begun(
    tmp_path, begun, events, chances, words
):
    run = _run_on(_Scheduler(a=events), tmp_path, "x")
    job = run._pending.take([], set())
    for number in range(1, chances + 1):
        worker = dask_run._Worker("a", "host", "/home", 1, ready=True)
        cancelled = []
        run._send(worker, job)
        (task,) = worker.tasks.values()
        assert task.begun is False
        task.future.cancel = lambda force, told=cancelled: told.append(force)
        if begun:
            list(run._handle(("time", {"begun": task.future.key})))
        told = list(run._worker_lost(worker))
        assert (cancelled, worker.tasks, run._tasks) == ([True], {}, {})
        assert len(told) == (number == chances)
        assert list(run._again) == [job] * (number < chances)
        run._again.clear()
    (outcome,) = told
    assert outcome.error == f"its worker a {words}, and others before"
    assert (outcome.inner, outcome.seconds, outcome.peak_memory) == (job.inner, 0.0, 0)


def test_a_cell_is_told_to_have_begun_and_started_while_it_is_known(tmp_path):
    run, worker = _dask_run(tmp_path, "a")
    run._hand_out()
    (key, task), *_ = worker.tasks.items()
    assert list(run._handle(("time", {"begun": key}))) == []
    assert task.begun
    assert list(run._handle(("time", {"started": key}))) == [Started(task.job.key)]
    assert list(run._handle(("time", {"started": "of another run"}))) == []


def test_every_worker_begins_with_a_method_of_its_own_and_keeps_its_cells(tmp_path):
    client = _Scheduler()
    run = dask_run.DaskRun(client, Payload((), (), ()), remote=False)
    uses = ["isomap"] * 5 + ["euclidean"] * 2
    jobs = [toy.job(tmp_path, str(number), use=use) for number, use in enumerate(uses)]
    run._pending = Pending(jobs, {})
    for name in "ab":
        run._workers[name, ""] = dask_run._Worker(name, "here", "", 1, ready=True)
    run._workers["c", ""] = dask_run._Worker("c", "here", "", 9)
    run._hand_out()
    found = {name: [one.job.use for one in worker.tasks.values()]
             for (name, _), worker in run._workers.items()}  # fmt: skip
    assert found == {"a": ["isomap"] * 2, "b": ["euclidean"] * 2, "c": []}
    assert [worker.ran for worker in run._workers.values()] == [["isomap"], ["euclidean"], []]
    # dask sends a cell elsewhere, or keeps an earlier answer, unless it is told not to
    assert client.sent == [
        {"workers": [name], "allow_other_workers": False, "pure": False, "retries": 0}
        for name in "aabb"
    ]


def test_what_has_begun_is_waited_for_when_a_run_stops(tmp_path, now, monkeypatch):
    run, worker = _dask_run(tmp_path, "a")
    job = run._pending.take([], set())
    told = []
    monkeypatch.setattr(dask_run, "run_on_workers", lambda _, *given: told.append(given))
    run._again.append(job)
    for begun, ends_after in ((True, 3), (True, 10**6), (False, 3)):
        run._tasks = {"x": dask_run._Task(job, worker, _Taken("pending"), begun=begun)}
        calls = []

        def receive(calls=calls, ends_after=ends_after):
            calls.append(now[0])
            now[0] += 1.0
            if len(calls) < ends_after:
                return iter([Started(job.key)])
            run._tasks.clear()
            return iter([toy.outcome(job)])

        monkeypatch.setattr(run, "_receive", receive)
        found = [event for event in run._stop() if event is not None]
        waited = ends_after if begun and ends_after < dask_run._TIMEOUT else 0
        assert len(calls) == (waited or (dask_run._TIMEOUT if begun else 0))
        assert [one.key for one in found] == [job.key] * (waited > 0)
    assert told == [(dask_run.stop_run, run._name)] * 3
    assert not run._again
