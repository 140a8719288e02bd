"""One run of cells on a dask cluster: which worker gets what, and what becomes of it."""

from __future__ import annotations

import contextlib
import inspect
import pickle
import queue
import secrets
import time
from collections import Counter, defaultdict, deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from geoforest_cli.engine.executors import likeness, station
from geoforest_cli.engine.executors.contract import Event, Events, Note, Outcome, Started
from geoforest_cli.engine.executors.parcel import Parcel
from geoforest_cli.engine.executors.schedule import Pending
from geoforest_cli.engine.executors.station import Batch
from geoforest_cli.errors import MachineError, UserError
from geoforest_cli.plan.cells import Job

__all__ = ["Errand", "everywhere"]

_BATCH = 2.0  # seconds that the cells of a batch take together
_HANDLING = 0.001  # seconds that a cell takes beside what it computes
_AHEAD = 2  # batches per slot
_LOOK = 1.0  # seconds between looks at which workers there are
_TICK = 0.1
# a cell may be why its worker died: twice is enough; or longer than its worker's lifetime
_DIED, _LEFT, _ENOUGH = 3, 1, 6
_TAKEN_BACK = {"cancelled", "lost"}  # states of a task that say nothing about its cells
_REFUSED = 30.0  # seconds to wait for others when no worker can run the cells
_FAREWELL = 5.0  # seconds for workers to hand over what is finished when the run is stopped
_GONE = "the dask scheduler has gone; what is finished is kept: run it again to go on"
# by value, not by name: the worker may have no geoforest, or another one
_ASK = (
    "(lambda space: exec({text!r}, space) or space['describe']())"
    "({{'__name__': 'geoforest_likeness'}})"
)


@dataclass
class _Worker:
    """A worker as the driver knows it.

    Attributes
    ----------
    address, host, home : str
        Where it is; its folder tells it from an earlier one at the same address.
    slots : int
    ready : bool
        It can run the cells.
    asked : Any
        The future of the question that it has not answered yet.
    ran : list of str
        The methods it has run, the latest last.
    flights : dict
        What it has in hand, by the number of the batch.
    """

    address: str
    host: str
    home: str
    slots: int
    ready: bool = False
    asked: Any = None
    ran: list[str] = field(default_factory=list)
    flights: dict[int, _Flight] = field(default_factory=dict)


@dataclass
class _Flight:
    """A batch on its way."""

    jobs: list[Job]
    worker: _Worker
    future: Any = None
    begun: bool = False


class Errand:
    """One run; see :class:`geoforest_cli.engine.executors.dask.DaskExecutor`.

    Parameters
    ----------
    client : distributed.Client
    parcel : Parcel
        What the cells need beside geoforest.
    remote : bool
        Whether workers may be on other machines.
    """

    def __init__(self, client: Any, parcel: Parcel, *, remote: bool) -> None:
        self._client = client
        self._parcel = parcel
        self._prepare = station.prepare_elsewhere if remote else station.prepare
        self._name = f"geoforest-{secrets.token_hex(8)}"
        self._news: queue.SimpleQueue[Any] = queue.SimpleQueue()
        self._ours = likeness.describe()
        self._workers: dict[tuple[str, str], _Worker] = {}
        self._refused: set[tuple[str, str]] = set()
        self._flights: dict[int, _Flight] = {}
        self._singly: deque[Job] = deque()  # what goes alone, before all others
        self._losses: Counter[str] = Counter()
        self._learned: defaultdict[str, list[float]] = defaultdict(lambda: [0.0, 0.0])
        self._sent = 0
        self._looked = -_LOOK
        self._without = time.monotonic()  # since when no worker can run the cells
        self._said_waiting = False

    def run(
        self, jobs: Sequence[Job], expected: Mapping[str, float], stopping: Callable[[], bool]
    ) -> Events:
        """Run the jobs; see :meth:`geoforest_cli.engine.executors.contract.Executor.run`."""
        self._pending = Pending(jobs, expected)
        self._expected = expected
        self._most = max((job.memory or 0 for job in jobs), default=0)
        with self._connected():
            self._client.subscribe_topic(self._name, self._news.put)
            try:
                while self._pending or self._singly or self._flights:
                    if stopping():
                        yield from self._farewell()
                        return
                    yield from self._meet()
                    self._hand_out()
                    yield from self._hear(_TICK)
                    yield None
            finally:
                if self._client.status == "running":
                    self._clear_up()

    def _clear_up(self) -> None:
        self._client.unsubscribe_topic(self._name)
        if self._flights:
            self._tell_to_stop()
            self._client.cancel([one.future for one in self._flights.values()], force=True)

    @contextlib.contextmanager
    def _connected(self) -> Iterator[None]:
        """Say of whatever fails without the scheduler that it has gone."""
        try:
            yield
        except Exception as error:  # dask has many words for it
            if self._client.status == "running":
                raise
            raise MachineError(_GONE) from error

    def _insist(self) -> None:
        """Go no further without the scheduler: the client takes all tasks back when it goes."""
        if self._client.status != "running":
            raise MachineError(_GONE)

    # workers: who is there, who may help

    def _meet(self) -> Iterator[Event]:
        """Look who has come and who has gone."""
        now = time.monotonic()
        if now - self._looked < _LOOK:
            return
        self._looked = now
        self._insist()
        there = self._there()
        for place in [one for one in self._workers if one not in there]:
            yield from self._bury(self._workers.pop(place))
        for place, about in there.items():
            if place not in self._workers and place not in self._refused:
                self._workers[place] = self._greet(*place, about)
        if any(one.ready or one.asked for one in self._workers.values()):
            self._without = now
        elif self._refused and now - self._without > _REFUSED:
            raise UserError("no worker of this scheduler can run these cells")
        elif not self._refused and not self._said_waiting:
            self._said_waiting = True
            yield Note("No worker is there yet: waiting for one.")

    def _there(self) -> dict[tuple[str, str], Any]:
        known = self._client.scheduler_info(n_workers=-1).get("workers")
        if known is None:  # an answer that the client has made up
            raise MachineError(_GONE)
        return {
            (address, about["local_directory"]): about
            for address, about in known.items()
            if about["status"] in {"running", "paused", "closing_gracefully"}
        }

    def _greet(self, address: str, home: str, about: Any) -> _Worker:
        slots = int(about["nthreads"])
        if self._most and about["memory_limit"]:
            slots = max(1, min(slots, int(about["memory_limit"]) // self._most))
        worker = _Worker(address, about["host"], home, slots)
        text = _ASK.format(text=inspect.getsource(likeness))
        self._ask(worker, eval, text)
        return worker

    def _ask(self, worker: _Worker, question: Callable[..., Any], *given: Any) -> None:
        worker.asked = self._submit(worker, f"ask-{secrets.token_hex(8)}", question, *given)
        worker.asked.add_done_callback(lambda _: self._news.put(worker))

    def _submit(self, worker: _Worker, name: str, work: Callable[..., Any], *given: Any) -> Any:
        return self._client.submit(
            work,
            *given,
            key=f"{self._name}-{name}",
            workers=[worker.address],
            allow_other_workers=False,
            pure=False,
            retries=0,
        )

    def _answered(self, worker: _Worker) -> Iterator[Event]:
        """Go on with a worker that has answered what it is, or whether it is prepared."""
        self._insist()
        future, worker.asked = worker.asked, None
        answer, problem = _result(future)
        if problem:
            yield from self._refuse(worker, problem)
        elif isinstance(answer, dict):
            why = likeness.differences(self._ours, answer)
            if why:
                yield from self._refuse(worker, f"it has {why}")
            else:
                self._ask(worker, self._prepare, self._parcel)
        elif answer:
            yield from self._refuse(worker, str(answer))
        else:
            worker.ready = True

    def _refuse(self, worker: _Worker, why: str) -> Iterator[Event]:
        place = (worker.address, worker.home)
        if self._workers.pop(place, None) is not None:
            self._refused.add(place)
            yield Note(f"The worker {worker.address} on {worker.host} gets no cells: {why}.")

    def _bury(self, worker: _Worker) -> Iterator[Event]:
        """Take back what a worker had that has gone."""
        if worker.asked is not None:
            worker.asked.cancel(force=True)
            worker.asked = None
        if not worker.flights:
            return
        left = self._left_in_order(worker)
        why = f"its worker {worker.address} {'left' if left else 'was lost'}"
        for number, flight in list(worker.flights.items()):
            # of several cells most were not on when the worker died
            alone = flight.begun and len(flight.jobs) == 1
            yield from self._lost(number, why, _DIED if alone and not left else _LEFT)

    def _left_in_order(self, worker: _Worker) -> bool:
        """Whether a worker that has gone was to go, as at the end of its lifetime."""
        with contextlib.suppress(OSError, RuntimeError, TimeoutError):
            for _, told in self._client.get_events(worker.address):
                if told.get("action") == "remove-worker" and told.get("expected"):
                    return True
        return False

    # cells: out and in

    def _hand_out(self) -> None:
        for worker in self._workers.values():
            while worker.ready and len(worker.flights) < _AHEAD * worker.slots:
                jobs = self._next_batch(worker)
                if not jobs:
                    return
                self._send(worker, jobs)

    def _next_batch(self, worker: _Worker) -> list[Job]:
        """Take cells of one method that fill some seconds; one of which nothing is known alone."""
        if self._singly:
            return [self._singly.popleft()]
        if not self._pending:
            return []
        others = {one.jobs[0].use for one in self._flights.values() if one.worker is not worker}
        slots = sum(one.slots for one in self._workers.values())
        most = max(1, len(self._pending) // (_AHEAD * slots))
        jobs = [self._pending.take(worker.ran, others)]
        use, seconds = jobs[0].use, self._seconds(jobs[0])
        while seconds is not None and seconds < _BATCH and len(jobs) < most:
            if not self._pending.knows([use]):
                break
            job = self._pending.take([use], others)
            more = self._seconds(job)
            if more is None or seconds + more > 2 * _BATCH:
                self._singly.append(job)
                break
            jobs.append(job)
            seconds += more
        return jobs

    def _seconds(self, job: Job) -> float | None:
        """How long a cell takes, from what is known of it, or has been seen of its kin."""
        known = self._expected.get(job.key)
        if known is None:
            total, count = self._learned[job.cell.setting.far_kin]
            known = total / count if count else None
        return None if known is None else known + _HANDLING

    def _send(self, worker: _Worker, jobs: list[Job]) -> None:
        self._sent += 1
        number = self._sent
        flight = _Flight(jobs, worker)
        bare = [replace(job, label="") for job in jobs]
        packed = pickle.dumps(bare)
        batch = Batch(self._name, number, self._parcel.digest, packed, worker.slots)
        flight.future = self._submit(worker, f"batch-{number}", station.run_batch, batch)
        self._flights[number] = worker.flights[number] = flight
        flight.future.add_done_callback(lambda _: self._news.put(number))
        use = jobs[0].use
        if use in worker.ran:
            worker.ran.remove(use)
        worker.ran.append(use)

    def _hear(self, seconds: float) -> Iterator[Event]:
        """Wait for something to happen, then tell all that has."""
        try:
            heard = self._news.get(timeout=seconds)
            while True:
                yield from self._understood(heard)
                heard = self._news.get_nowait()
        except queue.Empty:
            return

    def _understood(self, heard: Any) -> Iterator[Event]:
        if isinstance(heard, _Worker):
            if heard.asked is not None and heard.asked.done():
                yield from self._answered(heard)
        elif isinstance(heard, int):
            if heard in self._flights:
                yield from self._landed(heard)
        else:
            _, told = heard
            if "cell" in told:
                yield Started(told["cell"])
            elif told["batch"] in self._flights:
                self._flights[told["batch"]].begun = True

    def _landed(self, number: int) -> Iterator[Event]:
        flight = self._flights[number]
        outcomes, problem = _result(flight.future)
        if problem:
            self._insist()
            taken_back = flight.future.status in _TAKEN_BACK
            yield from self._lost(number, problem, _LEFT if taken_back else _DIED)
            return
        self._forget(number)
        left = {job.key: job for job in flight.jobs}
        for outcome in outcomes:
            job = left.pop(outcome.key)
            seen = self._learned[job.cell.setting.far_kin]
            seen[0] += outcome.seconds
            seen[1] += 1
            yield replace(outcome, inner=job.inner)
        self._singly.extend(left.values())  # it was told to stop

    def _lost(self, number: int, why: str, weight: int) -> Iterator[Event]:
        """Send what was lost again, cell by cell; what was lost too often has crashed."""
        flight = self._forget(number)
        flight.future.cancel(force=True)
        for job in flight.jobs:
            self._losses[job.key] += weight
            if self._losses[job.key] < _ENOUGH:
                self._singly.append(job)
            else:
                yield Outcome(job.key, "crashed", [], job.inner, error=f"{why}, and others before")

    def _forget(self, number: int) -> _Flight:
        flight = self._flights.pop(number)
        flight.worker.flights.pop(number, None)
        return flight

    def _tell_to_stop(self) -> None:
        everywhere(self._client, station.stop, self._name)

    def _farewell(self) -> Iterator[Event]:
        """Stop the workers and take what is finished of what they have begun."""
        self._tell_to_stop()
        until = time.monotonic() + _FAREWELL
        self._singly.clear()
        while any(one.begun for one in self._flights.values()) and time.monotonic() < until:
            yield from (one for one in self._hear(_TICK) if isinstance(one, Outcome))
            yield None


def everywhere(client: Any, work: Callable[..., Any], *given: Any) -> None:
    """Call something on every worker that answers; one that does not is not waited for long."""
    with contextlib.suppress(OSError, RuntimeError, TimeoutError):  # the scheduler has gone
        run = client._run  # `run` itself knows no timeout
        client.sync(run, work, *given, on_error="ignore", callback_timeout=_FAREWELL)


def _result(future: Any) -> tuple[Any, str]:
    """Return what a future that is done holds, or why it holds nothing."""
    if future.status not in {"finished", "error"}:
        return None, f"its task was {future.status}"
    try:
        return future.result(timeout=_FAREWELL), ""
    except Exception as error:
        return None, f"{type(error).__name__}: {' '.join(str(error).split())}"
