"""One killable child process: its start, its limits, its last traceback, its end.

It is started with `subprocess`, which works below a daemonic process too.
"""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import pickle
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

import psutil

from geoforest_cli.study.engine.executors import cell_process
from geoforest_cli.study.engine.executors.contract import Event, Outcome, Started, Status
from geoforest_cli.study.engine.executors.launcher import Launcher
from geoforest_cli.study.plan.cells import Job

__all__ = ["LOADING", "Child", "readable_size"]

LOADING = 600.0  # seconds a child may take to start, to import an experiment, or to compile
_EXIT_TIMEOUT = 5.0  # seconds an idle child has to end by itself
_TRACEBACK_WAIT = 0.3  # seconds for a child to write its traceback before it is killed
_CODE = (
    "import json, sys\n"
    "options = json.loads(sys.argv[1])\n"
    "sys.path[:] = options['path']\n"
    "from multiprocessing.connection import Connection\n"
    "from geoforest_cli.study.engine.executors.cell_process import main\n"
    "main(Connection(options['pipe']), options['driver'], options['log'])\n"
)


@contextlib.contextmanager
def _above_standard(descriptor: int) -> Iterator[int]:
    """Duplicate a descriptor above 2: with stdout closed the file itself may have got 1."""
    descriptor = fcntl.fcntl(descriptor, fcntl.F_DUPFD_CLOEXEC, 3)
    try:
        yield descriptor
    finally:
        os.close(descriptor)


class Child:
    """The driver's side of one child process, which runs one job at a time.

    Parameters
    ----------
    launcher : Launcher
        Starts the process.

    Attributes
    ----------
    connection : Connection
        To wait on.
    job : Job or None
        What it is on.
    ran : list of str
        The methods it has run, the latest last.
    alive : bool
    """

    def __init__(self, launcher: Launcher) -> None:
        self._launcher = launcher
        self._log = tempfile.TemporaryFile()  # noqa: SIM115 - closed in `kill`; has no name
        ours, theirs = socket.socketpair()
        with (
            theirs,
            _above_standard(theirs.fileno()) as pipe,
            _above_standard(self._log.fileno()) as log,
        ):
            options = {"path": sys.path, "pipe": pipe, "driver": os.getpid(), "log": log}
            self._process = launcher.start(
                [sys.executable, "-c", _CODE, json.dumps(options)],
                env={**os.environ, **cell_process.PINS},
                stdout=log,
                stderr=log,
                pass_fds=(pipe, log),
            )
        self.connection = Connection(ours.detach())
        self._system = psutil.Process(self._process.pid)
        self._fresh_size: int | None = None  # once its first experiment is imported
        self.job: Job | None = None
        self.ran: list[str] = []
        self._experiments: set[Path] = set()
        self.alive = True

    def assign(self, job: Job) -> None:
        """Hand out a job; whether it arrived is reported by `events`."""
        self.job = job
        self._peak = 0
        self._begun = False
        self._since = time.monotonic()
        self._deadline = self._since + LOADING
        self._remaining: float | None = None  # of its timeout, while kernels are compiled
        if job.use in self.ran:
            self.ran.remove(job.use)
        self.ran.append(job.use)
        self._experiments.add(job.cell.setting.experiment)
        with contextlib.suppress(OSError):  # it has just died: events() reports it
            self.connection.send_bytes(pickle.dumps(job))

    def is_fit_for(self, job: Job) -> bool:
        """Whether it lives, and earlier cells left too little behind to count against this one.

        What measures time starts anew after another experiment: where kernels had been compiled for
        others, numba took 65 microseconds to find the right one instead of one.
        """
        if not self.alive:
            return False
        if self._fresh_size is None:
            return True
        if self._process.poll() is not None:
            return False
        setting = job.cell.setting
        if setting.measured and self._experiments - {setting.experiment}:
            return False
        return job.memory is None or self._resident() - self._fresh_size <= job.memory / 2

    def events(self) -> Iterator[Event]:
        """Yield what has happened to the job since the last call."""
        job = self.job
        if job is None:
            return
        try:
            while self.job is job and self.connection.poll():
                event = self._receive(job)
                if event is not None:
                    yield event
        except (EOFError, OSError):
            yield self._end(job, "crashed", self._cause_of_death())

    def check_limits(self) -> Iterator[Event]:
        """Yield the end of a job that is over one of its limits, or whose process has died."""
        job = self.job
        if job is None:
            return
        self._peak = max(self._peak, self._resident())
        if job.memory is not None and self._peak > job.memory:
            sizes = f"{readable_size(self._peak)} of memory, its bound is "
            error = f"it took {sizes}{readable_size(job.memory)}"
            yield self._end(job, "out_of_memory", error)
        elif self._process.poll() is not None and not self.connection.poll():
            # what it has started may hold the pipe open, so that no end of file arrives
            yield self._end(job, "crashed", self._cause_of_death())
        elif time.monotonic() > self._deadline:
            if self._remaining is not None:
                limit = f"{LOADING:g} s to compile"
            else:
                limit = f"its {job.timeout:g} s" if self._begun else f"{LOADING:g} s to start"
            yield self._end(job, "timeout", f"it took more than {limit}")

    def dismiss(self) -> None:
        """Let an idle process end by itself, so that it tidies up; kill a busy one."""
        if self.alive and self.job is None:
            with contextlib.suppress(OSError, subprocess.TimeoutExpired):
                self.connection.send_bytes(cell_process.STOP)
                self._process.wait(_EXIT_TIMEOUT)
        self.kill()

    def kill(self) -> None:
        """End the process and all that it started; a second time there is nothing to do."""
        if not self.alive:
            return
        self.alive = False
        with contextlib.suppress(psutil.Error):
            for descendant in self._system.children(recursive=True):
                with contextlib.suppress(psutil.Error):
                    descendant.kill()
        self._process.kill()
        self._launcher.kill_group(self._process.pid)  # what has lost its parent is still of it
        self._process.wait()
        self.connection.close()
        self._log.close()

    def _receive(self, job: Job) -> Event:
        message: Any = json.loads(self.connection.recv_bytes())
        now = time.monotonic()
        if message == "started":
            if self._fresh_size is None:
                self._fresh_size = self._resident()
            self._begun = True
            self._since = now
            self._deadline = now + job.timeout
            return Started(job.key)
        if message == "compiling":
            self._remaining = self._deadline - now
            self._deadline = now + LOADING
            return None
        if message == "compiled":
            self._deadline = now + (self._remaining or 0.0)
            self._remaining = None
            return None
        self.job = None
        return Outcome(**{**message, "key": job.key, "inner": job.inner})

    def _end(self, job: Job, status: Status, error: str) -> Outcome:
        if status != "crashed":
            with contextlib.suppress(psutil.Error):
                self._system.send_signal(signal.SIGUSR1)
                time.sleep(_TRACEBACK_WAIT)
        seconds = time.monotonic() - self._since
        trace = cell_process.read_tail(self._log.fileno())
        self.kill()
        self.job = None
        return Outcome(job.key, status, [], job.inner, seconds, self._peak, error, trace)

    def _resident(self) -> int:
        try:
            return int(self._system.memory_info().rss)
        except psutil.Error:
            return 0

    def _cause_of_death(self) -> str:
        code = self._process.wait()
        if code >= 0:
            return f"its process ended with exit status {code}"
        name = signal.Signals(-code).name
        hint = " (killed from outside: out of memory?)" if name == "SIGKILL" else ""
        return f"its process died of {name}{hint}"


def readable_size(count: int) -> str:
    """Return a number of bytes as people say it.

    Examples
    --------
    >>> readable_size(2_500_000_000), readable_size(400_000_000)
    ('2.50 GB', '400 MB')
    """
    return f"{count / 1e9:.2f} GB" if count >= 1e9 else f"{count / 1e6:.0f} MB"
