"""The local executor: killable processes, each a pool of one, reused from cell to cell."""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import signal
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, wait
from dataclasses import replace
from multiprocessing.context import SpawnContext, SpawnProcess
from pathlib import Path
from types import ModuleType
from typing import Any

import psutil
from pebble import ProcessExpired, ProcessPool

from geoforest_cli.core.threads import interrupts_blocked
from geoforest_cli.study.engine.executors import cell_process, contract
from geoforest_cli.study.engine.executors.cell_process import DEADLINE, LOADING, PHASE, PID
from geoforest_cli.study.engine.executors.contract import Outcome, Slots
from geoforest_cli.study.engine.executors.schedule import Pending
from geoforest_cli.study.plan.cells import Job

__all__ = ["PINS", "LocalExecutor", "cores", "machine_memory"]

_LIBRARIES = "OMP", "OPENBLAS", "MKL", "BLIS", "NUMEXPR", "NUMBA"
_THREADS = (
    *(f"{name}_NUM_THREADS" for name in _LIBRARIES),
    *("VECLIB_MAXIMUM_THREADS", "LOKY_MAX_CPU_COUNT"),
)
# the hash seed fixes the order of sets of strings, on which an experiment may depend unaware
PINS = {**dict.fromkeys(_THREADS, "1"), "PYTHONHASHSEED": "0", "MPLBACKEND": "Agg"}
_POLL = 0.05  # seconds between looks at the processes' memory and deadlines
_TRACEBACK_WAIT = 0.3  # seconds for a process to write its traceback before it is killed
_EXIT_NOTICE = 2.0  # seconds in which a pool notices a death, unless the exit status was 0
_CGROUPS = ("/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes")
_starting = threading.Lock()


def cores() -> int:
    """Return how many cores this process may use: affinity and quotas of containers count."""
    import joblib

    return int(joblib.cpu_count())


def machine_memory() -> int:
    """Return the bytes that processes here may hold in all: the machine's, or its container's."""
    limits = [int(psutil.virtual_memory().total)]
    for name in _CGROUPS:
        with contextlib.suppress(OSError, ValueError):
            limits.append(int(Path(name).read_text(encoding="ascii")))
    return min(limits)


class _Process(SpawnProcess):
    def start(self) -> None:
        """Start with pinned threads, with Ctrl-C blocked, and without the caller's main module.

        A worker of dask may be daemonic, which forbids children.
        """
        self.daemon = True
        parent = vars(multiprocessing.current_process())["_config"]
        with (
            _starting,
            _changed(os.environ, PINS),
            _changed(parent, {"daemon": False}),
            _changed(sys.modules, {"__main__": ModuleType("__main__")}),
            interrupts_blocked(),
        ):
            super().start()


class _Context(SpawnContext):
    Process = _Process


@contextlib.contextmanager
def _changed(mapping: Any, changes: Mapping[str, Any]) -> Iterator[None]:
    before = {name: mapping[name] for name in changes if name in mapping}
    mapping.update(changes)
    try:
        yield
    finally:
        for name in changes:
            del mapping[name]
        mapping.update(before)


class _Slot:
    """One process and the cell that it runs."""

    def __init__(self) -> None:
        context = _Context()
        self._shared = context.RawArray("d", 3)
        self._log, self._path = tempfile.mkstemp(prefix="geoforest-")
        given = (self._shared, self._path)
        self._pool: Any = ProcessPool(
            1, initializer=cell_process.begin, initargs=given, context=context
        )
        self._fresh_size = 0
        self._experiments: set[Path] = set()
        self.job: Job | None = None
        self.ran: list[str] = []
        self.alive = True

    def assign(self, job: Job) -> None:
        """Hand out a job.

        Raises
        ------
        RuntimeError
            If the process has just died.
        """
        self._shared[PHASE], self._shared[DEADLINE] = 0, time.monotonic() + LOADING
        self.future = self._pool.schedule(cell_process.run_cell, args=(job,))
        self.job = job
        self._begun = self._gone = self._next_look = 0.0
        self._peak = 0
        self.ran = [*(use for use in self.ran if use != job.use), job.use]
        self._experiments.add(job.cell.setting.experiment)

    def fits(self, job: Job) -> bool:
        """Return whether it lives, and earlier cells left little that counts against this one.

        What measures time starts anew after another experiment: where kernels had been compiled for
        others, numba took 65 microseconds to find the right one instead of one.
        """
        setting = job.cell.setting
        if not self._pool.active or (setting.measured and self._experiments - {setting.experiment}):
            return False
        return job.memory is None or self._size() - self._fresh_size <= job.memory / 2

    def events(self) -> Iterator[contract.Event]:
        """Yield what has happened to the job since the last call; end it if it is over a limit."""
        job, now = self.job, time.monotonic()
        assert job is not None
        done = self.future.done()
        if not self._begun and (done or self._shared[PHASE]):
            self._begun, self._pid = now, int(self._shared[PID])
            self._fresh_size = self._fresh_size or self._size()
            yield contract.Started(job.key)
        if done:
            yield self._result(job)
            return
        if now < self._next_look:
            return
        self._next_look = now + _POLL
        size = self._size()
        self._peak = max(self._peak, size)
        if self._begun and not size:
            self._gone = self._gone or now
        if job.memory is not None and self._peak > job.memory:
            sizes = f"{_readable(self._peak)} of memory, its bound is {_readable(job.memory)}"
            yield self._end(job, "out_of_memory", f"it took {sizes}")
        elif self._gone and now - self._gone > _EXIT_NOTICE:
            yield self._end(job, "crashed", _cause_of_death(0))
        elif now > self._shared[DEADLINE]:
            limits = (
                f"{LOADING:g} s to start",
                f"its {job.timeout:g} s",
                f"{LOADING:g} s to compile",
            )
            limit = limits[int(self._shared[PHASE])]
            yield self._end(job, "timeout", f"it took more than {limit}")

    def _result(self, job: Job) -> Outcome:
        try:
            outcome: Outcome = self.future.result()
        except contract.Refused:
            raise
        except ProcessExpired as death:
            return self._end(job, "crashed", _cause_of_death(death.exitcode))
        except Exception as problem:  # of the pool
            name = type(problem).__name__
            return self._end(job, "crashed", f"its process ended before it began ({name})")
        self.job = None
        peak = max(self._peak, outcome.peak_memory)
        return replace(outcome, inner=job.inner, peak_memory=peak)

    def _end(self, job: Job, status: contract.Status, error: str) -> Outcome:
        if status != "crashed" and self._begun:
            with contextlib.suppress(OSError):
                os.kill(self._pid, signal.SIGUSR1)
                time.sleep(_TRACEBACK_WAIT)
        seconds = time.monotonic() - (self._begun or time.monotonic())
        trace = cell_process.read_tail(self._log)
        _end([self])
        return Outcome(job.key, status, [], job.inner, seconds, self._peak, error, trace)

    def _size(self) -> int:
        with contextlib.suppress(psutil.Error):
            return int(psutil.Process(int(self._shared[PID])).memory_info().rss)
        return 0

    def kill(self) -> None:
        """Kill the process and all that it has started."""
        self.alive, self.job = False, None
        self._pool.stop()
        cell_process.kill_group(int(self._shared[PID]))

    def close(self) -> None:
        """Wait for the end of what was killed."""
        self._pool.join()
        os.close(self._log)
        Path(self._path).unlink(missing_ok=True)


def _end(slots: Iterable[_Slot]) -> None:
    """Kill all, then wait for all."""
    living = [slot for slot in slots if slot.alive]
    for slot in living:
        slot.kill()
    for slot in living:
        slot.close()


class LocalExecutor:
    """Runs cells in child processes of this one, which stay for the next run until `close`.

    A cell over its timeout or memory bound is killed with its process, and a process that dies
    takes only its cell along. The children end when this process does, however it ends.

    Parameters
    ----------
    wished : int, optional
        Number of processes; by default one per core.
    """

    def __init__(self, wished: int | None = None) -> None:
        while (descriptor := os.open(os.devnull, os.O_RDWR)) < 3:
            pass  # the number of a closed stdout is not for the pipe to a process
        os.close(descriptor)
        self._wished = wished
        self._slots: list[_Slot] = []

    def slots(self, jobs: Collection[Job]) -> Slots:
        """Return how many run at once: no more than fit in memory, one if they measure time."""
        wished = self._wished or cores()
        if _measured(jobs):
            return Slots(1, "cells that measure time run one at a time" if wished > 1 else "")
        memory = max((job.memory or 0 for job in jobs), default=0)
        here = machine_memory()
        fitting = max(1, here // memory) if memory else wished
        if wished <= fitting:
            return Slots(wished)
        cells = f"{fitting} cell{'s' if fitting > 1 else ''}"
        sizes = f"{_readable(memory)} each, of the {_readable(here)} here"
        return Slots(fitting, f"{cells} at once instead of {wished}: {sizes}")

    def run(
        self,
        jobs: Sequence[Job],
        stopping: Callable[[], bool] = contract.never,
        draining: Callable[[], bool] = contract.never,
    ) -> contract.Events:
        """Run the jobs; see :meth:`geoforest_cli.study.engine.executors.contract.Executor.run`."""
        pending = Pending(jobs, in_turns=_measured(jobs))
        number = self.slots(jobs).number
        try:
            while not stopping():
                if not draining():
                    self._hand_out(pending, number)
                if not (busy := self._busy()):
                    break
                wait([slot.future for slot in busy], _POLL, FIRST_COMPLETED)
                for slot in busy:
                    yield from slot.events()
                yield None
        finally:
            self._end(self._busy())

    def close(self) -> None:
        """End all processes."""
        self._end(self._slots)

    def _end(self, slots: Collection[_Slot]) -> None:
        _end(slots)
        self._slots = [slot for slot in self._slots if slot.alive]

    def _busy(self) -> list[_Slot]:
        return [slot for slot in self._slots if slot.job]

    def _hand_out(self, pending: Pending, number: int) -> None:
        while pending and len(self._busy()) < number:
            idle = [slot for slot in self._slots if slot.alive and not slot.job]
            slot = max(idle, key=lambda slot: pending.suits(slot.ran), default=None)
            others = {slot.job.use for slot in self._slots if slot.job}
            job = pending.take(slot.ran if slot else (), others)
            if slot is None or not slot.fits(job):
                slot = self._renewed(slot)
            try:
                slot.assign(job)
            except RuntimeError:  # it died just now
                self._renewed(slot).assign(job)

    def _renewed(self, slot: _Slot | None) -> _Slot:
        """Return a new process in the place of one that has to go."""
        self._end([slot] if slot else [])
        self._slots.append(_Slot())
        return self._slots[-1]


def _measured(jobs: Iterable[Job]) -> bool:
    return any(job.cell.setting.measured for job in jobs)


def _cause_of_death(code: int) -> str:
    if code >= 0:
        return f"its process ended with exit status {code}"
    name = signal.Signals(-code).name
    hint = " (killed from outside: out of memory?)" if name == "SIGKILL" else ""
    return f"its process died of {name}{hint}"


def _readable(count: int) -> str:
    """Return a number of bytes as people say it.

    Examples
    --------
    >>> _readable(2_500_000_000), _readable(400_000_000)
    ('2.50 GB', '400 MB')
    """
    return f"{count / 1e9:.2f} GB" if count >= 1e9 else f"{count / 1e6:.0f} MB"
