"""What runs on a worker of dask: children that run cells, one per slot.

The worker itself never runs a cell: whatever a cell does, the worker lives. Everything here is
called from the worker's threads, so that its event loop answers all the time.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import pickle
import stat
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from multiprocessing.connection import wait
from pathlib import Path
from typing import Any

from geoforest_cli.core.errors import UserError
from geoforest_cli.study.engine.executors.child import Child
from geoforest_cli.study.engine.executors.contract import Outcome, Started
from geoforest_cli.study.engine.executors.launcher import Launcher
from geoforest_cli.study.engine.executors.payload import Folders, Payload, unpack, with_folders
from geoforest_cli.study.plan.cells import Job

__all__ = ["CellTask", "end_idle_children", "prepare", "run_cell", "stop_run"]

_POLL = 0.05  # seconds between looks at a child's memory and deadline
_STOP_TIMEOUT = 3.0  # seconds for the cells of a run that is stopped
_IDLE = 300.0  # seconds until an idle child is ended


@dataclass(frozen=True)
class CellTask:
    """One cell for one worker.

    Attributes
    ----------
    run : str
        Names the driver's run; the topic of the worker's events.
    payload : str
        The digest of what was unpacked for it.
    job : bytes
        Pickled, so that nothing on the way imports what it needs.
    slots : int
        How many cells may run at once on this worker.
    """

    run: str
    payload: str
    job: bytes
    slots: int


class _State:
    """The children of one worker, and the folders of what was unpacked for it."""

    def __init__(self) -> None:
        self.folders: dict[str, Folders] = {}
        self.stopped: set[str] = set()
        self.running: Counter[str] = Counter()  # cells of each run
        self.launcher = Launcher()
        self._idle: list[Child] = []
        self._timer: threading.Timer | None = None
        self._busy = 0
        self._free = threading.Condition()

    @contextlib.contextmanager
    def slot(self, task: CellTask) -> Iterator[None]:
        """Wait until fewer cells run here than may."""
        with self._free:
            self._free.wait_for(lambda: self._busy < task.slots)
            self._busy += 1
            self.running[task.run] += 1
        try:
            yield
        finally:
            with self._free:
                self._busy -= 1
                self.running[task.run] -= 1
                self._free.notify_all()

    def child_for(self, job: Job) -> Child:
        """Return an idle child, preferably one that has run the job's method, or a new one."""
        with self._free:
            known = [child for child in self._idle if job.use in child.ran]
            if not self._idle:
                return Child(self.launcher)
            child = (known or self._idle)[-1]
            self._idle.remove(child)
        if child.is_fit_for(job):
            return child
        child.kill()
        return Child(self.launcher)

    def give_back(self, child: Child) -> None:
        """Keep a child for the next cell."""
        if not child.alive:
            return
        with self._free:
            self._idle.append(child)
            if self._timer is not None:
                self._timer.cancel()
            self._timer = threading.Timer(_IDLE, self.end_idle)
            self._timer.daemon = True
            self._timer.start()

    def end_idle(self) -> None:
        """End the idle children, and what starts them if there are no others."""
        with self._free:
            if self._timer is not None:
                self._timer.cancel()
            for child in self._idle:
                child.dismiss()
            self._idle.clear()
            if not self._busy:
                self.launcher.close()


def _state(worker: Any) -> _State:
    state: _State = vars(worker).setdefault("geoforest", _State())  # atomic
    return state


def prepare(payload: Payload, *, remote: bool) -> str:
    """Make this worker ready for the cells of a run.

    Parameters
    ----------
    payload : Payload
    remote : bool
        The driver may be on another machine. Then kernels are compiled into a folder of the
        worker's own disk, unless $NUMBA_CACHE_DIR names one: the installation may lie on a disk
        that all machines share.

    Returns
    -------
    str
        Why it cannot run them, in one sentence; else nothing.
    """
    from distributed import get_worker

    worker = get_worker()
    if remote and "NUMBA_CACHE_DIR" not in os.environ:
        os.environ["NUMBA_CACHE_DIR"] = str(_kernel_folder(Path(worker.local_directory)))
    folder = Path(worker.local_directory) / f"geoforest-{payload.digest}"
    try:
        _state(worker).folders[payload.digest] = unpack(payload, folder)
    except UserError as error:
        return str(error)
    except OSError as error:
        return f"{folder} cannot be written: {error.strerror}"
    return ""


def _kernel_folder(otherwise: Path) -> Path:
    """Return a folder for compiled kernels that only we can write to, and other runs use too."""
    folder = Path(tempfile.gettempdir()) / f"geoforest-kernels-{os.getuid()}"
    with contextlib.suppress(OSError):
        folder.mkdir(mode=0o700, exist_ok=True)
        status = folder.lstat()
        private = stat.S_ISDIR(status.st_mode) and not status.st_mode & 0o022
        # what is compiled is executed: nobody else may have put it there
        if private and status.st_uid == os.getuid():
            return folder
    return otherwise / "geoforest-kernels"


def run_cell(task: CellTask) -> Outcome | None:
    """Run one cell in a child process of this worker.

    There is no outcome if the run is stopped, or the scheduler has cancelled the task: the driver
    has gone, or the worker is leaving.
    """
    from distributed import get_worker

    worker = get_worker()
    state = _state(worker)
    job = with_folders(pickle.loads(task.job), state.folders[task.payload])  # noqa: S301 - the driver's
    with state.slot(task):
        if task.run in state.stopped:
            return None
        # before the cell starts, which may end this worker
        worker.log_event(task.run, {"begun": worker.get_current_task()})
        child = state.child_for(job)
        try:
            child.assign(job)
            return _outcome(child, task, worker)
        finally:
            if child.job is not None:
                child.kill()
            state.give_back(child)


def _outcome(child: Child, task: CellTask, worker: Any) -> Outcome | None:
    """Wait for a cell's outcome; None if the run is stopped, or the task is cancelled, before."""
    key = worker.get_current_task()
    while task.run not in _state(worker).stopped:
        wait([child.connection], timeout=_POLL)
        for event in (*child.events(), *child.check_limits()):
            if isinstance(event, Outcome):
                return replace(event, inner={})
            if isinstance(event, Started):
                worker.log_event(task.run, {"started": key})
        known = worker.state.tasks.get(key)
        if known is None or known.state != "executing":
            return None
    return None


async def stop_run(run: str, dask_worker: Any) -> None:
    """End the cells of a run here: what is finished goes to the driver."""
    state = _state(dask_worker)
    state.stopped.add(run)
    until = time.monotonic() + _STOP_TIMEOUT
    while time.monotonic() < until and state.running[run]:
        await asyncio.sleep(_POLL)


def end_idle_children(dask_worker: Any) -> None:
    """End the idle children."""
    _state(dask_worker).end_idle()
