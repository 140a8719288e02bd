"""One run of cells on a dask cluster: which worker gets which cells, and what is lost with it."""

from __future__ import annotations

import contextlib
import inspect
import pickle
import queue
import secrets
import time
from collections import Counter, deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from geoforest_cli.core.errors import MachineError, UserError
from geoforest_cli.study.engine.executors import environment
from geoforest_cli.study.engine.executors.contract import Event, Events, Note, Outcome, Started
from geoforest_cli.study.engine.executors.payload import Payload
from geoforest_cli.study.engine.executors.schedule import Pending
from geoforest_cli.study.engine.executors.worker import CellTask, prepare, run_cell, stop_run
from geoforest_cli.study.plan.cells import Job

__all__ = ["DaskRun", "run_on_workers"]

_AHEAD = 2  # tasks per slot
_CHECK = 1.0  # seconds between looks at which workers there are
_TICK = 0.1
# a cell may be why its worker died: twice is enough; or longer than its worker's lifetime
_DIED, _LEFT, _LIMIT = 3, 1, 6
_TAKEN_BACK = {"cancelled", "lost"}  # states of a future for which its cells are not to blame
_NO_WORKER = 30.0  # seconds to wait for others when no worker can run the cells
_TIMEOUT = 5.0  # seconds for workers to answer, and to hand over what is finished
_LOST = "the dask scheduler has gone; what is finished is kept: run it again to go on"
# as text: the worker may have no geoforest, another one, or another Python
_DESCRIBE = (
    "(lambda space: exec({text!r}, space) or space['describe']())"
    "({{'__name__': 'geoforest_environment'}})"
)


@dataclass
class _Worker:
    """A worker as the driver knows it.

    Attributes
    ----------
    address, host, folder : str
        Where it is; its folder distinguishes it from an earlier one at the same address.
    slots : int
    ready : bool
        It can run the cells.
    check : Any
        The future of a check that is not finished yet.
    ran : list of str
        The methods it has run, the latest last.
    tasks : dict
        The cells it has, by the key of the future.
    """

    address: str
    host: str
    folder: str
    slots: int
    ready: bool = False
    check: Any = None
    ran: list[str] = field(default_factory=list)
    tasks: dict[str, _Task] = field(default_factory=dict)


@dataclass
class _Task:
    """A cell that a worker has."""

    job: Job
    worker: _Worker
    future: Any
    begun: bool = False


class DaskRun:
    """One run; see :class:`geoforest_cli.study.engine.executors.dask.DaskExecutor`.

    Parameters
    ----------
    client : distributed.Client
    payload : Payload
        What the cells need beside geoforest.
    remote : bool
        Whether workers may be on other machines.
    """

    def __init__(self, client: Any, payload: Payload, *, remote: bool) -> None:
        self._client = client
        self._payload = payload
        self._remote = remote
        self._name = f"geoforest-{secrets.token_hex(8)}"
        self._messages: queue.SimpleQueue[Any] = queue.SimpleQueue()
        self._environment = environment.describe()
        self._workers: dict[tuple[str, str], _Worker] = {}
        self._refused: set[tuple[str, str]] = set()
        self._tasks: dict[str, _Task] = {}
        self._again: deque[Job] = deque()  # what was lost goes before all others
        self._losses: Counter[str] = Counter()
        self._checked = -_CHECK
        self._last_usable = time.monotonic()  # when a worker could last run the cells
        self._waiting_noted = False

    def run(
        self,
        jobs: Sequence[Job],
        expected: Mapping[str, float],
        stopping: Callable[[], bool],
        draining: Callable[[], bool],
    ) -> Events:
        """Run the jobs; see :meth:`geoforest_cli.study.engine.executors.contract.Executor.run`."""
        self._pending = Pending(jobs, expected)
        self._memory = max((job.memory or 0 for job in jobs), default=0)
        with self._connected():
            self._client.subscribe_topic(self._name, self._messages.put)
            try:
                while self._tasks or ((self._pending or self._again) and not draining()):
                    if stopping():
                        yield from self._stop()
                        return
                    yield from self._update_workers()
                    if not draining():
                        self._hand_out()
                    yield from self._receive()
                    yield None
            finally:
                if self._client.status == "running":
                    self._client.unsubscribe_topic(self._name)
                    if self._tasks:
                        run_on_workers(self._client, stop_run, self._name)
                        futures = [task.future for task in self._tasks.values()]
                        self._client.cancel(futures, force=True)

    def _stop(self) -> Iterator[Event]:
        """Stop the workers and take what is finished of what they have begun."""
        run_on_workers(self._client, stop_run, self._name)
        until = time.monotonic() + _TIMEOUT
        self._again.clear()
        while any(task.begun for task in self._tasks.values()) and time.monotonic() < until:
            yield from (event for event in self._receive() if isinstance(event, Outcome))
            yield None

    @contextlib.contextmanager
    def _connected(self) -> Iterator[None]:
        """Report whatever fails without the scheduler as its loss."""
        try:
            yield
        except Exception as error:  # dask raises many kinds of them
            if self._client.status == "running":
                raise
            raise MachineError(_LOST) from error

    def _require_scheduler(self) -> None:
        """Go no further without the scheduler: the client cancels all futures when it goes."""
        if self._client.status != "running":
            raise MachineError(_LOST)

    # workers

    def _update_workers(self) -> Iterator[Event]:
        """Look which workers have come and which have gone."""
        now = time.monotonic()
        if now - self._checked < _CHECK:
            return
        self._checked = now
        self._require_scheduler()
        live = self._live_workers()
        for identity in [known for known in self._workers if known not in live]:
            yield from self._worker_lost(self._workers.pop(identity))
        for identity, info in live.items():
            if identity not in self._workers and identity not in self._refused:
                self._workers[identity] = self._add_worker(*identity, info)
        if any(worker.ready or worker.check for worker in self._workers.values()):
            self._last_usable = now
        elif self._refused and now - self._last_usable > _NO_WORKER:
            raise UserError("no worker of this scheduler can run these cells")
        elif not self._refused and not self._waiting_noted:
            self._waiting_noted = True
            yield Note("No worker is there yet: waiting for one.")

    def _live_workers(self) -> dict[tuple[str, str], Any]:
        known = self._client.scheduler_info(n_workers=-1).get("workers")
        if known is None:  # the client's placeholder for an answer
            raise MachineError(_LOST)
        return {
            (address, info["local_directory"]): info
            for address, info in known.items()
            if info["status"] in {"running", "paused", "closing_gracefully"}
        }

    def _add_worker(self, address: str, folder: str, info: Any) -> _Worker:
        slots = int(info["nthreads"])
        if self._memory and info["memory_limit"]:
            slots = max(1, min(slots, int(info["memory_limit"]) // self._memory))
        worker = _Worker(address, info["host"], folder, slots)
        self._check(worker, eval, _DESCRIBE.format(text=inspect.getsource(environment)))
        return worker

    def _check(self, worker: _Worker, function: Callable[..., Any], *args: Any, **kw: Any) -> None:
        worker.check = self._submit(worker, function, *args, **kw)
        worker.check.add_done_callback(lambda _: self._messages.put(worker))

    def _submit(self, worker: _Worker, function: Callable[..., Any], *args: Any, **kw: Any) -> Any:
        return self._client.submit(
            function,
            *args,
            **kw,
            key=f"{self._name}-{secrets.token_hex(8)}",
            workers=[worker.address],
            allow_other_workers=False,
            pure=False,
            retries=0,
        )

    def _checked_worker(self, worker: _Worker) -> Iterator[Event]:
        """Go on with a worker that has described itself, or is prepared."""
        self._require_scheduler()
        future, worker.check = worker.check, None
        answer, problem = _result(future)
        if isinstance(answer, dict):
            difference = environment.differences(self._environment, answer)
            if not difference:
                self._check(worker, prepare, self._payload, remote=self._remote)
                return
            problem = f"it has {difference}"
        problem = problem or str(answer or "")
        worker.ready = not problem
        identity = (worker.address, worker.folder)
        if problem and self._workers.pop(identity, None) is not None:
            self._refused.add(identity)
            yield Note(f"The worker {worker.address} on {worker.host} gets no cells: {problem}.")

    def _worker_lost(self, worker: _Worker) -> Iterator[Event]:
        """Take back what a worker had that has gone."""
        if worker.check is not None:
            worker.check.cancel(force=True)
            worker.check = None
        if not worker.tasks:
            return
        left = self._left_as_planned(worker)
        reason = f"its worker {worker.address} {'left' if left else 'was lost'}"
        for key, task in list(worker.tasks.items()):
            yield from self._task_lost(key, reason, _DIED if task.begun and not left else _LEFT)

    def _left_as_planned(self, worker: _Worker) -> bool:
        """Whether a worker has gone as it should, as at the end of its lifetime."""
        with contextlib.suppress(OSError, RuntimeError, TimeoutError):
            for _, event in self._client.get_events(worker.address):
                if event.get("action") == "remove-worker" and event.get("expected"):
                    return True
        return False

    # cells

    def _hand_out(self) -> None:
        for worker in self._workers.values():
            while worker.ready and len(worker.tasks) < _AHEAD * worker.slots:
                if self._again:
                    job = self._again.popleft()
                elif self._pending:
                    tasks = self._tasks.values()
                    others = {task.job.use for task in tasks if task.worker is not worker}
                    job = self._pending.take(worker.ran, others)
                else:
                    return
                self._send(worker, job)

    def _send(self, worker: _Worker, job: Job) -> None:
        packed = pickle.dumps(replace(job, label=""))
        task = CellTask(self._name, self._payload.digest, packed, worker.slots)
        future = self._submit(worker, run_cell, task)
        key = future.key
        self._tasks[key] = worker.tasks[key] = _Task(job, worker, future)
        future.add_done_callback(lambda _: self._messages.put(key))
        if job.use in worker.ran:
            worker.ran.remove(job.use)
        worker.ran.append(job.use)

    def _receive(self) -> Iterator[Event]:
        """Wait for a message, then handle all that have come."""
        with contextlib.suppress(queue.Empty):
            message = self._messages.get(timeout=_TICK)
            while True:
                yield from self._handle(message)
                message = self._messages.get_nowait()

    def _handle(self, message: Any) -> Iterator[Event]:
        if isinstance(message, _Worker):
            if message.check is not None and message.check.done():
                yield from self._checked_worker(message)
        elif isinstance(message, str):
            if message in self._tasks:
                yield from self._task_done(message)
        else:
            _, event = message  # of a worker: `log_event`
            for kind, key in event.items():
                task = self._tasks.get(key)
                if task is not None:
                    task.begun = True
                    if kind == "started":
                        yield Started(task.job.key)

    def _task_done(self, key: str) -> Iterator[Event]:
        task = self._tasks[key]
        outcome, problem = _result(task.future)
        if problem:
            self._require_scheduler()
            taken_back = task.future.status in _TAKEN_BACK
            yield from self._task_lost(key, problem, _LEFT if taken_back else _DIED)
            return
        self._remove(key)
        if outcome is None:  # the worker was told to stop
            self._again.append(task.job)
        else:
            yield replace(outcome, inner=task.job.inner)

    def _task_lost(self, key: str, reason: str, weight: int) -> Iterator[Event]:
        """Send a lost cell again; one that was lost too often has crashed."""
        task = self._remove(key)
        task.future.cancel(force=True)
        job = task.job
        self._losses[job.key] += weight
        if self._losses[job.key] < _LIMIT:
            self._again.append(job)
        else:
            error = f"{reason}, and others before"
            yield Outcome(job.key, "crashed", [], job.inner, error=error)

    def _remove(self, key: str) -> _Task:
        task = self._tasks.pop(key)
        task.worker.tasks.pop(key, None)
        return task


def run_on_workers(client: Any, function: Callable[..., Any], *args: Any) -> None:
    """Call a function on every worker that answers; one that does not is not waited for long."""
    with contextlib.suppress(OSError, RuntimeError, TimeoutError):  # the scheduler has gone
        run = client._run  # `run` itself knows no timeout
        client.sync(run, function, *args, on_error="ignore", callback_timeout=_TIMEOUT)


def _result(future: Any) -> tuple[Any, str]:
    """Return what a future that is done holds, or why it holds nothing."""
    if future.status not in {"finished", "error"}:
        return None, f"its task was {future.status}"
    try:
        return future.result(timeout=_TIMEOUT), ""
    except Exception as error:
        return None, f"{type(error).__name__}: {' '.join(str(error).split())}"
