"""The executor for clusters: dask moves cells and outcomes, processes of its workers run them."""

from __future__ import annotations

import contextlib
import importlib.util
import inspect
import pickle
import re
import time
from collections import Counter, deque
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from geoforest_cli.core import dask_client
from geoforest_cli.core.errors import MachineError, UserError
from geoforest_cli.estimators.methods import METHODS
from geoforest_cli.study.engine.executors import contract, environment, worker
from geoforest_cli.study.engine.executors.local import cores
from geoforest_cli.study.engine.executors.payload import pack
from geoforest_cli.study.plan.cells import Job

__all__ = ["DaskExecutor", "packages"]

_TICK = 0.02
_CHECK = 1.0  # seconds between looks at which workers there are
_NO_WORKER = 30.0  # seconds to wait for others when no worker can run the cells
_LOSSES = 4  # a cell may be why its worker is lost, or need longer than its worker's lifetime
_TIMEOUT = 5.0  # seconds for a worker to answer
_LOST = "the dask scheduler has gone; what is finished is kept: run it again to go on"
_UNANSWERED = OSError, RuntimeError, TimeoutError
# as text: the worker may have no geoforest, another one, or another Python
_DESCRIBE = (
    "(lambda space: exec({text!r}, space) or space['describe']({packages!r}))"
    "({{'__name__': 'geoforest_environment'}})"
)
_PACKAGES = ("numpy", "scipy", "numba", "scikit-learn", "pandas", "pyarrow")  # of every cell
_IMPORTS = {"umap": "umap-learn", "pyflann": "pyflann-py3", "pynndescent": "pynndescent"}


class DaskExecutor:
    """Runs cells on the workers of a dask scheduler, each in a child process of its worker.

    Timeouts, memory bounds and tracebacks are as on one machine, and so are the rows, on one
    kind of processor. A worker that differs in its sources or packages gets nothing; one that is
    lost takes no cell along: dask runs its cells on others, and a cell that has lost four workers
    has crashed.

    Parameters
    ----------
    client : distributed.Client
    cluster : distributed.LocalCluster, optional
        Closed with the executor.
    """

    def __init__(self, client: Any, cluster: Any = None) -> None:
        self._client = client
        self._cluster = cluster

    @classmethod
    def connect(cls, address: str) -> DaskExecutor:
        """Use the workers of a scheduler.

        Raises
        ------
        Unavailable
            If dask is not installed.
        UserError
            If no scheduler answers at the address.
        """
        return cls(dask_client.connect(address))

    @classmethod
    def start(cls, jobs: int | None = None) -> DaskExecutor:
        """Start a scheduler and so many workers on this machine; by default one per core.

        Raises
        ------
        Unavailable
            If dask is not installed.
        """
        return cls(*dask_client.start(jobs or cores()))

    def slots(self, jobs: Collection[Job]) -> contract.Slots:
        """Return how many run at once on the workers that there are now, at least one."""
        if any(job.cell.setting.measured for job in jobs):
            raise UserError(
                "cells that measure time run on this machine, alone: leave --executor dask out"
            )
        workers = self._client.scheduler_info(n_workers=-1).get("workers", {}).values()
        return contract.Slots(max(1, sum(worker["nthreads"] for worker in workers)))

    def run(
        self,
        jobs: Sequence[Job],
        stopping: Callable[[], bool] = contract.never,
        draining: Callable[[], bool] = contract.never,
    ) -> contract.Events:
        """Run the jobs; see :meth:`geoforest_cli.study.engine.executors.contract.Executor.run`."""
        self.slots(jobs)
        run = _DaskRun(self._client, jobs)
        try:
            yield from run.events(stopping, draining)
        except UserError:
            raise
        except Exception as error:  # dask raises many kinds of them without its scheduler
            if self._client.status == "running":
                raise
            raise MachineError(_LOST) from error
        finally:
            run.cancel()

    def close(self) -> None:
        """End the idle processes of the workers, disconnect, and end what was started here."""
        if self._client.status == "running":
            with contextlib.suppress(*_UNANSWERED):
                _call(self._client, worker.end_idle, on_error="ignore")
        dask_client.close(self._client, self._cluster)


def packages(jobs: Collection[Job]) -> tuple[str, ...]:
    """Return the packages that decide some cells' rows: those that the files of methods import."""
    paths = {job.cell.setting.experiment for job in jobs}
    for use in {job.use for job in jobs if ":" not in job.use}:
        spec = importlib.util.find_spec(METHODS[use].target.partition(":")[0])
        paths |= {Path(spec.origin)} if spec is not None and spec.origin else set()
    text = "\n".join(path.read_text(encoding="utf-8") for path in paths)
    imported = re.findall(r"^\s*(?:import|from) (\w+)", text, re.MULTILINE)
    extra = (_IMPORTS.get(name, name) for name in {*_IMPORTS, "torch"} & {*imported})
    return (*_PACKAGES, *sorted(extra))


def _call(client: Any, function: Callable[..., Any], *args: Any, **options: Any) -> Any:
    """Call a function on workers; `Client.run` itself knows no timeout."""
    return client.sync(client._run, function, *args, callback_timeout=_TIMEOUT, **options)


# a worker's address and its folder, which distinguishes it from an earlier one at that address
Identity = tuple[str, str]


class _DaskRun:
    """One run of cells."""

    def __init__(self, client: Any, jobs: Sequence[Job]) -> None:
        self._client = client
        self._pending = deque(jobs)
        self._payload = pack(jobs)
        self._memory = max((job.memory or 0 for job in jobs), default=0)
        names = packages(jobs)
        self._environment = environment.describe(names)
        self._describe = _DESCRIBE.format(text=inspect.getsource(environment), packages=names)
        self._workers: dict[Identity, int] = {}  # with their numbers of slots
        self._preparing: dict[Identity, tuple[int, Any]] = {}
        self._refused: set[Identity] = set()
        # future -> its cell, and the workers that may run it
        self._tasks: dict[Any, tuple[Job, set[Identity]]] = {}
        self._losses: Counter[str] = Counter()
        self._checked = -_CHECK
        self._last_usable = time.monotonic()  # when a worker could last run the cells
        self._waiting_noted = False

    def events(
        self, stopping: Callable[[], bool], draining: Callable[[], bool]
    ) -> Iterator[contract.Event]:
        """Yield what happens until all cells are done."""
        while self._tasks or (self._pending and not draining()):
            if time.monotonic() - self._checked >= _CHECK:
                self._checked = time.monotonic()
                yield from self._update_workers()
            yield from self._admit()
            yield from self._receive()
            if stopping():
                return
            if not draining():
                yield from self._hand_out()
            yield None
            time.sleep(_TICK)

    def cancel(self) -> None:
        """End the cells in flight."""
        if self._client.status == "running" and self._tasks:
            self._client.cancel([*self._tasks], force=True)

    def _update_workers(self) -> Iterator[contract.Event]:
        """Look which workers have come and which have gone."""
        info = self._client.scheduler_info(n_workers=-1).get("workers")
        if info is None or self._client.status != "running":
            raise MachineError(_LOST)
        live = {(address, worker["local_directory"]): worker for address, worker in info.items()}
        for workers in (self._workers, self._preparing):
            for identity in workers.keys() - live.keys():
                del workers[identity]
        for identity in live.keys() - self._workers.keys() - self._preparing.keys() - self._refused:
            with contextlib.suppress(*_UNANSWERED):  # it is asked again
                yield from self._ask(identity, live[identity])
        for future, (job, allowed) in [*self._tasks.items()]:
            if not allowed & live.keys():  # dask would wait for them
                future.cancel(force=True)
                yield from self._lost(future, job)
        if self._workers or self._preparing:
            self._last_usable = time.monotonic()
        elif self._refused and time.monotonic() - self._last_usable > _NO_WORKER:
            raise UserError("no worker of this scheduler can run these cells")
        elif not self._refused and not self._waiting_noted:
            self._waiting_noted = True
            yield contract.ExecutorNote("No worker is there yet: waiting for one.")

    def _ask(self, identity: Identity, info: Any) -> Iterator[contract.Event]:
        """Compare a worker with this machine, and prepare it for the cells."""
        address = identity[0]
        theirs = _call(self._client, eval, self._describe, workers=[address])[address]
        difference = environment.differences(self._environment, theirs)
        if difference:
            yield from self._refuse(identity, f"it has {difference}")
            return
        slots, limit = int(info["nthreads"]), int(info["memory_limit"] or 0)
        if self._memory and limit:
            slots = max(1, min(slots, limit // self._memory))
        future = self._submit([address], worker.prepare, self._payload)
        self._preparing[identity] = slots, future

    def _admit(self) -> Iterator[contract.Event]:
        """Take on the workers that are prepared."""
        for identity, (slots, future) in [*self._preparing.items()]:
            if future.done():
                del self._preparing[identity]
                problem = future.result(timeout=_TIMEOUT)
                if problem:
                    yield from self._refuse(identity, problem)
                else:
                    self._workers[identity] = slots

    def _refuse(self, identity: Identity, problem: str) -> Iterator[contract.Event]:
        self._refused.add(identity)
        yield contract.ExecutorNote(f"The worker {identity[0]} gets no cells: {problem}.")

    def _submit(self, addresses: list[str], function: Callable[..., Any], *args: Any) -> Any:
        return self._client.submit(
            function, *args, workers=addresses, allow_other_workers=False, pure=False
        )

    def _hand_out(self) -> Iterator[contract.Event]:
        while self._pending and len(self._tasks) < sum(self._workers.values()):
            job = self._pending.popleft()
            addresses = [address for address, _ in self._workers]
            packed = pickle.dumps(replace(job, label=""))
            future = self._submit(addresses, worker.run_cell, self._payload.digest, packed)
            self._tasks[future] = job, {*self._workers}
            yield contract.Started(job.key)

    def _receive(self) -> Iterator[contract.Event]:
        for future, (job, _) in [*self._tasks.items()]:
            if future.status == "error":
                problem = future.exception(timeout=_TIMEOUT)
                if isinstance(problem, UserError):
                    raise problem
                self._losses[job.key] = _LOSSES  # dask has repeated it
                yield from self._lost(future, job)
            elif future.done():
                outcome = None
                # a result that cannot be had has left with its worker
                with contextlib.suppress(TimeoutError):
                    if future.status == "finished":
                        outcome = future.result(timeout=_TIMEOUT)
                if outcome is None:
                    yield from self._lost(future, job)
                else:
                    del self._tasks[future]
                    yield replace(outcome, inner=job.inner)

    def _lost(self, future: Any, job: Job) -> Iterator[contract.Event]:
        """Put a lost cell before all others; one that was lost too often has crashed."""
        if self._client.status != "running":
            raise MachineError(_LOST)
        del self._tasks[future]
        self._losses[job.key] += 1
        if self._losses[job.key] < _LOSSES:
            self._pending.appendleft(job)
        else:
            error = "its worker left or was lost, and others before"
            yield contract.Outcome(job.key, "crashed", [], job.inner, error=error)
