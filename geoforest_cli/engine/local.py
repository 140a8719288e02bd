"""The local executor: killable processes, each reused from cell to cell."""

from __future__ import annotations

import contextlib
import json
import multiprocessing
import os
import pickle
import signal
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from multiprocessing.connection import Connection, wait
from pathlib import Path
from typing import Any

import psutil

from geoforest_cli.engine import worker
from geoforest_cli.engine.executor import Cell, Event, Events, Outcome, Started, Status
from geoforest_cli.engine.schedule import Pending

__all__ = ["LocalExecutor"]

_POLL = 0.05  # seconds between looks at the workers' memory and deadlines
_LOADING = 600.0  # seconds a worker may take to start and to import an experiment
_FAREWELL = 5.0  # seconds an idle worker has to end by itself
_LAST_WORDS = 0.3  # seconds for a worker to write down where it is before it is killed


class LocalExecutor:
    """Runs cells in child processes of this one.

    A cell over its timeout or memory bound is killed with its process, and a process that dies
    takes only its cell along. The children end when this process does, however it ends.

    Parameters
    ----------
    jobs : int
        Number of processes.
    """

    def __init__(self, jobs: int) -> None:
        self._jobs = jobs

    @property
    def jobs(self) -> int:
        """How many cells run at once."""
        return self._jobs

    def run(self, cells: Sequence[Cell], expected: Mapping[str, float]) -> Events:
        """Run the cells; see :meth:`geoforest_cli.engine.executor.Executor.run`."""
        pending = Pending(cells, expected)
        workers: list[_Worker] = []
        try:
            while pending or any(one.cell for one in workers):
                self._hand_out(pending, workers)
                for one in list(workers):
                    yield from one.news()
                    if not one.alive:
                        workers.remove(one)
                yield None
                _sleep_until_news(workers)
        finally:
            for one in workers:
                one.dismiss()

    def _hand_out(self, pending: Pending, workers: list[_Worker]) -> None:
        for _ in range(min(len(pending), self._jobs - sum(1 for one in workers if one.cell))):
            one = next((one for one in workers if not one.cell), None)
            if one is None:
                one = _Worker()
                workers.append(one)
            others = {other.cell.use for other in workers if other.cell}
            cell = pending.take(one.ran, others)
            if not one.is_fit_for(cell):
                one.kill()
                workers[workers.index(one)] = one = _Worker()
            one.assign(cell)


class _Worker:
    """The driver's side of one child process."""

    def __init__(self) -> None:
        self._log = _nameless_file()
        context = multiprocessing.get_context("spawn")
        self.connection, theirs = context.Pipe()
        self._process = context.Process(
            target=worker.main, args=(theirs, os.getpid(), self._log), daemon=True
        )
        with _environment(worker.PINS), _interrupts_blocked():
            self._process.start()
        theirs.close()
        self._system = psutil.Process(self._process.pid)
        self._fresh_size: int | None = None  # once its first experiment is imported
        self.cell: Cell | None = None
        self.ran: list[str] = []
        self.alive = True

    def assign(self, cell: Cell) -> None:
        self.cell = cell
        self._peak = 0
        self._begun = False
        self._since = time.monotonic()
        self._deadline = self._since + _LOADING
        if cell.use in self.ran:
            self.ran.remove(cell.use)
        self.ran.append(cell.use)
        with contextlib.suppress(OSError):  # it has just died: news() will tell
            self.connection.send_bytes(pickle.dumps(cell))

    def is_fit_for(self, cell: Cell) -> bool:
        """Whether it lives, and earlier cells left too little behind to count against this one."""
        if self._fresh_size is None:
            return True
        if not self._process.is_alive():
            return False
        return cell.memory is None or self._resident() - self._fresh_size <= cell.memory / 2

    def news(self) -> Iterator[Event]:
        """Yield what has happened to the cell since the last call."""
        cell = self.cell
        if cell is None:
            return
        try:
            if self.connection.poll():
                yield self._receive(cell)
                return
        except (EOFError, OSError):
            yield self._bury(cell, "crashed", self._cause_of_death())
            return
        self._peak = max(self._peak, self._resident())
        if cell.memory is not None and self._peak > cell.memory:
            sizes = f"{_size(self._peak)} of memory, its bound is {_size(cell.memory)}"
            yield self._bury(cell, "out_of_memory", f"it took {sizes}")
        elif time.monotonic() > self._deadline:
            what = f"its {cell.timeout:g} s" if self._begun else f"{_LOADING:g} s to start"
            yield self._bury(cell, "timeout", f"it took more than {what}")

    def dismiss(self) -> None:
        """Let an idle process end by itself, so that it tidies up; kill a busy one."""
        if self.cell is None:
            with contextlib.suppress(OSError):
                self.connection.send_bytes(worker.GOODBYE)
                self._process.join(_FAREWELL)
        self.kill()

    def kill(self) -> None:
        self.alive = False
        with contextlib.suppress(psutil.Error):
            for child in self._system.children(recursive=True):
                with contextlib.suppress(psutil.Error):
                    child.kill()
        self._process.kill()
        self._process.join()
        self._process.close()
        self.connection.close()
        self._log.close()

    def _receive(self, cell: Cell) -> Event:
        message: dict[str, Any] = json.loads(self.connection.recv_bytes())
        now = time.monotonic()
        if "started" in message:
            if self._fresh_size is None:
                self._fresh_size = self._resident()
            self._begun = True
            self._since = now
            self._deadline = now + cell.timeout
            return Started(cell.key)
        self.cell = None
        return Outcome(**{**message, "key": cell.key})

    def _bury(self, cell: Cell, status: Status, error: str) -> Outcome:
        if status != "crashed":
            with contextlib.suppress(psutil.Error):
                self._system.send_signal(signal.SIGUSR1)
                time.sleep(_LAST_WORDS)
        seconds = time.monotonic() - self._since
        trace = worker.read_tail(self._log.fileno())
        self.kill()
        self.cell = None
        return Outcome(cell.key, status, [], seconds, self._peak, error, trace)

    def _resident(self) -> int:
        try:
            return int(self._system.memory_info().rss)
        except psutil.Error:
            return 0

    def _cause_of_death(self) -> str:
        self._process.join()
        code = self._process.exitcode or 0
        if code >= 0:
            return f"its process ended with exit status {code}"
        name = signal.Signals(-code).name
        hint = " (killed from outside: out of memory?)" if name == "SIGKILL" else ""
        return f"its process died of {name}{hint}"


def _nameless_file() -> Connection:
    """Return a temporary file that no kill can leave behind.

    It is wrapped in a Connection because the standard library can hand those, and no bare file
    descriptors, to a spawned process.
    """
    descriptor, name = tempfile.mkstemp()
    Path(name).unlink()
    return Connection(descriptor)


def _sleep_until_news(workers: Sequence[_Worker]) -> None:
    connections: list[Connection] = [one.connection for one in workers if one.cell]
    if connections:
        wait(connections, timeout=_POLL)


def _size(count: int) -> str:
    return f"{count / 1e9:.2f} GB" if count >= 1e9 else f"{count / 1e6:.0f} MB"


@contextlib.contextmanager
def _environment(values: Mapping[str, str]) -> Iterator[None]:
    before = {name: os.environ.get(name) for name in values}
    os.environ.update(values)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value


@contextlib.contextmanager
def _interrupts_blocked() -> Iterator[None]:
    """Let a child begin with Ctrl-C blocked: the driver decides what it means."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
