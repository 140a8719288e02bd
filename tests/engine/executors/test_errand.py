"""Which worker gets what, and what becomes of what is lost: without a cluster."""

import pytest

from geoforest_cli.engine.executors import errand
from geoforest_cli.engine.executors.schedule import Pending
from geoforest_cli.errors import MachineError
from tests.engine import toy


class _Mute:
    """A client whose futures are never done."""

    status = "running"

    def submit(self, *_, **__):
        return self

    def add_done_callback(self, _):
        pass


def test_no_more_cells_at_once_than_a_worker_holds(tmp_path):
    known = {"nthreads": 4, "memory_limit": 10**10, "host": "here"}
    trip = errand.Errand(_Mute(), None, remote=False)
    for most, slots in [(0, 4), (10**9, 4), (3 * 10**9, 3), (10**11, 1)]:
        trip._most = most
        assert trip._greet("tcp://a", "/home", known).slots == slots


def _trip(tmp_path, seconds, learned=None):
    """A run with one worker of one slot, about to hand out cells of such lengths."""
    jobs = [toy.job(tmp_path, f"a{number}", number=number) for number in range(len(seconds))]
    expected = {job.key: one for job, one in zip(jobs, seconds, strict=True) if one is not None}
    trip = errand.Errand(_Mute(), None, remote=False)
    trip._pending, trip._expected = Pending(jobs, expected), expected
    worker = errand._Worker("tcp://a", "here", "/home", 1)
    trip._workers[("tcp://a", "/home")] = worker
    if learned is not None:
        for job in jobs:
            trip._learned[job.cell.setting.far_kin] = [learned * 10, 10.0]
    return trip, worker


@pytest.mark.parametrize(
    ("seconds", "learned", "sizes"),
    [
        ([None] * 20, None, [1, 1, 1]),  # nothing is known: alone
        ([0.5] * 20, None, [4, 4, 4]),  # two seconds, with what handling takes
        ([0.001] * 20, None, [10, 5, 2]),  # half of what is left, shared among the slots
        ([None] * 20, 0.5, [4, 4, 4]),  # kin has told
        ([9.0, 9.0, 9.0, 9.0], None, [1, 1, 1]),
        ([3.9, 1.5, 0.4, 0.4, 0.4, 0.4], None, [1, 2, 1]),
    ],
)
def test_batches_fill_two_seconds_with_what_is_known(tmp_path, seconds, learned, sizes):
    trip, worker = _trip(tmp_path, seconds, learned)
    assert [len(trip._next_batch(worker)) for _ in sizes] == sizes


def test_every_cell_is_handed_out_once(tmp_path):
    seconds = [None, 5.0, 0.1, 0.2, None, 1.9, 1.9, 0.001, 2.5, 0.3]
    trip, worker = _trip(tmp_path, seconds)
    found = []
    while batch := trip._next_batch(worker):
        found += [job.label for job in batch]
    assert sorted(found) == [f"a{number}" for number in range(10)]


class _Taken:
    """A future that ended without a result."""

    def __init__(self, status):
        self.status = status

    def cancel(self, force):
        pass


def _fly(trip, worker, jobs, status):
    trip._sent += 1
    flight = errand._Flight(jobs, worker, _Taken(status))
    trip._flights[trip._sent] = worker.flights[trip._sent] = flight
    return list(trip._landed(trip._sent))


@pytest.mark.parametrize(("status", "chances"), [("cancelled", 6), ("lost", 6), ("error", 2)])
def test_what_dask_takes_back_is_hardly_the_cells_fault(tmp_path, status, chances):
    trip, worker = _trip(tmp_path, [1.0])
    job = trip._pending.take([], set())
    for _ in range(chances - 1):
        assert _fly(trip, worker, [job], status) == []
        assert trip._singly.popleft() is job
    (told,) = _fly(trip, worker, [job], status)
    assert (told.status, told.key, trip._flights) == ("crashed", job.key, {})


@pytest.mark.parametrize("state", ["connecting", "closing", "closed"])
def test_nothing_is_lost_by_a_scheduler_that_goes(tmp_path, state):
    trip, worker = _trip(tmp_path, [1.0])
    trip._client.status = state
    job = trip._pending.take([], set())
    for status in ("cancelled", "lost", "error"):
        with pytest.raises(MachineError, match="the dask scheduler has gone; what is finished"):
            _fly(trip, worker, [job], status)
    assert trip._losses == {}
    with pytest.raises(MachineError, match="the dask scheduler has gone"):
        list(trip._meet())
    with pytest.raises(MachineError, match="the dask scheduler has gone"), trip._connected():
        raise OSError("closed")


def test_what_fails_with_a_scheduler_is_no_loss_of_it(tmp_path):
    trip, _ = _trip(tmp_path, [1.0])
    with pytest.raises(OSError, match="disk"), trip._connected():
        raise OSError("disk")


def test_batches_of_cells_that_take_no_time_end(tmp_path, monkeypatch):
    monkeypatch.setattr(errand, "_HANDLING", 0.5)
    trip, worker = _trip(tmp_path, [0.0] * 20)
    assert [len(trip._next_batch(worker)) for _ in range(3)] == [4, 4, 4]


def test_what_does_not_fit_into_a_batch_goes_alone_next(tmp_path):
    trip, worker = _trip(tmp_path, [None] * 12)
    kin = [toy.job(tmp_path, "", number=number).cell.setting.far_kin for number in range(12)]
    for number, seconds in enumerate([0.5, 3.0, 0.5, 0.5, 30.0, 0.5]):  # the others: unknown
        trip._learned[kin[number]] = [seconds, 1.0]
    found = []
    while batch := trip._next_batch(worker):
        found.append([job.label for job in batch])
    assert found[:5] == [["a0", "a1"], ["a2", "a3"], ["a4"], ["a5"], ["a6"]]
    assert [len(batch) for batch in found[5:]] == [1] * 5
