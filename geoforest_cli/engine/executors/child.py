"""One killable child process: its start, its limits, its last words, its death.

It is started with `subprocess`, which works below a daemonic process too, and from one thread
that lives as long as this process: the kernel kills a child when the *thread* that started it
ends, and the thread that asked for it may end long before.
"""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import pickle
import queue
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any, Protocol

import psutil

from geoforest_cli.engine.executors import guard, inside
from geoforest_cli.engine.executors.contract import Event, Outcome, Started, Status
from geoforest_cli.plan.cells import Job

__all__ = ["LOADING", "Child", "readable_size"]

LOADING = 600.0  # seconds a child may take to start, to import an experiment, or to compile
_FAREWELL = 5.0  # seconds an idle child has to end by itself
_LAST_WORDS = 0.3  # seconds for a child to write down where it is before it is killed
_BEGIN = (
    "import json, sys\n"
    "given = json.loads(sys.argv[1])\n"
    "sys.path[:] = given['path']\n"
    "from multiprocessing.connection import Connection\n"
    "from geoforest_cli.engine.executors.inside import main\n"
    "main(Connection(given['pipe']), given['driver'], given['log'])\n"
)


class HasFileno(Protocol):
    """A file, or a socket."""

    def fileno(self) -> int:
        """Return its descriptor."""


class _Starter:
    """The thread that starts children, alive as long as its process."""

    def __init__(self) -> None:
        self.process = os.getpid()
        self._wanted: queue.SimpleQueue[tuple[Callable[[], Any], queue.SimpleQueue[Any]]]
        self._wanted = queue.SimpleQueue()
        threading.Thread(target=self._serve, name="geoforest-starter", daemon=True).start()

    def _serve(self) -> None:
        # a child begins with Ctrl-C blocked: the driver decides what it means
        signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
        while True:
            start, answer = self._wanted.get()
            try:
                answer.put(start())
            except BaseException as error:
                answer.put(error)

    def start(self, command: Callable[[], subprocess.Popen[bytes]]) -> subprocess.Popen[bytes]:
        answer: queue.SimpleQueue[Any] = queue.SimpleQueue()
        self._wanted.put((command, answer))
        found = answer.get()
        if isinstance(found, BaseException):
            raise found
        process: subprocess.Popen[bytes] = found
        return process


_starter: _Starter | None = None
_starting = threading.Lock()


def _start(command: Callable[[], subprocess.Popen[bytes]]) -> subprocess.Popen[bytes]:
    global _starter  # noqa: PLW0603 - one thread per process, made anew after a fork
    with _starting:
        if _starter is None or _starter.process != os.getpid():
            _starter = _Starter()
    return _starter.start(command)


@contextlib.contextmanager
def _beyond_standard(file: HasFileno) -> Iterator[int]:
    """Lend a descriptor of the file above 2: with stdout closed the file itself may have got 1."""
    descriptor = fcntl.fcntl(file.fileno(), fcntl.F_DUPFD_CLOEXEC, 3)
    try:
        yield descriptor
    finally:
        os.close(descriptor)


class Child:
    """The driver's side of one child process, which runs one job at a time.

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

    def __init__(self) -> None:
        self._log = tempfile.TemporaryFile()  # noqa: SIM115 - closed in `kill`; has no name
        ours, theirs = socket.socketpair()
        with theirs, _beyond_standard(theirs) as pipe, _beyond_standard(self._log) as log:
            given = {"path": sys.path, "pipe": pipe, "driver": os.getpid(), "log": log}
            self._process = _start(
                lambda: subprocess.Popen(  # noqa: S603 - our own interpreter, our own code
                    [sys.executable, "-c", _BEGIN, json.dumps(given)],
                    env={**os.environ, **inside.PINS},
                    stdin=subprocess.DEVNULL,
                    stdout=log,
                    stderr=log,
                    pass_fds=(pipe, log),
                    start_new_session=True,
                )
            )
        guard.know(self._process.pid)
        self.connection = Connection(ours.detach())
        self._system = psutil.Process(self._process.pid)
        self._fresh_size: int | None = None  # once its first experiment is imported
        self.job: Job | None = None
        self.ran: list[str] = []
        self._experiments: set[Path] = set()
        self.alive = True

    def assign(self, job: Job) -> None:
        """Hand out a job; whether it arrived is told by `news`."""
        self.job = job
        self._peak = 0
        self._begun = False
        self._since = time.monotonic()
        self._deadline = self._since + LOADING
        self._left: float | None = None  # of its timeout, while kernels are compiled
        if job.use in self.ran:
            self.ran.remove(job.use)
        self.ran.append(job.use)
        self._experiments.add(job.cell.setting.experiment)
        with contextlib.suppress(OSError):  # it has just died: news() will tell
            self.connection.send_bytes(pickle.dumps(job))

    def is_fit_for(self, job: Job) -> bool:
        """Whether it lives, and earlier cells left too little behind to count against this one.

        What measures time starts anew after another experiment: where kernels had been compiled for
        others, numba took 65 microseconds to find the right one instead of one.
        """
        if self._fresh_size is None:
            return True
        if self._process.poll() is not None:
            return False
        setting = job.cell.setting
        if setting.measured and self._experiments - {setting.experiment}:
            return False
        return job.memory is None or self._resident() - self._fresh_size <= job.memory / 2

    def news(self) -> Iterator[Event]:
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
            yield self._bury(job, "crashed", self._cause_of_death())
            return

    def watch(self) -> Iterator[Event]:
        """Yield the end of a job that is over one of its limits."""
        job = self.job
        if job is None:
            return
        self._peak = max(self._peak, self._resident())
        if job.memory is not None and self._peak > job.memory:
            sizes = f"{readable_size(self._peak)} of memory, its bound is "
            why = f"it took {sizes}{readable_size(job.memory)}"
            yield self._bury(job, "out_of_memory", why)
        elif self._process.poll() is not None and not self.connection.poll():
            # what it has started may hold the pipe open, so that its end is not news
            yield self._bury(job, "crashed", self._cause_of_death())
        elif time.monotonic() > self._deadline:
            if self._left is not None:
                what = f"{LOADING:g} s to compile"
            else:
                what = f"its {job.timeout:g} s" if self._begun else f"{LOADING:g} s to start"
            yield self._bury(job, "timeout", f"it took more than {what}")

    def dismiss(self) -> None:
        """Let an idle process end by itself, so that it tidies up; kill a busy one."""
        if self.alive and self.job is None:
            with contextlib.suppress(OSError, subprocess.TimeoutExpired):
                self.connection.send_bytes(inside.GOODBYE)
                self._process.wait(_FAREWELL)
        self.kill()

    def kill(self) -> None:
        """End the process and all that it started; a second time there is nothing to do."""
        if not self.alive:
            return
        self.alive = False
        with contextlib.suppress(psutil.Error):
            for child in self._system.children(recursive=True):
                with contextlib.suppress(psutil.Error):
                    child.kill()
        guard.end(self._process.pid)  # what has lost its parent is still of the group
        self._process.kill()
        self._process.wait()
        guard.forget(self._process.pid)
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
            self._left = self._deadline - now
            self._deadline = now + LOADING
            return None
        if message == "compiled":
            self._deadline = now + (self._left or 0.0)
            self._left = None
            return None
        self.job = None
        return Outcome(**{**message, "key": job.key, "inner": job.inner})

    def _bury(self, job: Job, status: Status, error: str) -> Outcome:
        if status != "crashed":
            with contextlib.suppress(psutil.Error):
                self._system.send_signal(signal.SIGUSR1)
                time.sleep(_LAST_WORDS)
        seconds = time.monotonic() - self._since
        trace = inside.read_tail(self._log.fileno())
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
