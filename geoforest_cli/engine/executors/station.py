"""On a worker of dask: children that run cells, one per slot, and what is told of them.

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

from geoforest_cli.engine.executors import parcel as parcels
from geoforest_cli.engine.executors.child import Child
from geoforest_cli.engine.executors.contract import Outcome, Started
from geoforest_cli.engine.executors.parcel import Parcel, Places
from geoforest_cli.errors import UserError
from geoforest_cli.plan.cells import Job

__all__ = ["Batch", "leave", "prepare", "prepare_elsewhere", "run_batch", "stop"]

_POLL = 0.05  # seconds between looks at a child's memory and deadline
_LOOK = 0.5  # seconds between looks at whether anybody still wants the cells
_SHORT = 0.3  # seconds: cells that end sooner are not told to have begun
_FAREWELL = 3.0  # seconds for the cells of a run that is stopped
_IDLE = 300.0  # seconds until a child that nobody needs is ended


@dataclass(frozen=True)
class Batch:
    """Some cells of one method, for one slot of one worker.

    Attributes
    ----------
    run : str
        Tells the driver's run; the topic of the worker's events.
    number : int
        Tells the run's batches apart.
    parcel : str
        The digest of what was unpacked for it.
    jobs : bytes
        Pickled, so that nobody on the way looks into them.
    slots : int
        How many cells may run at once on this worker.
    """

    run: str
    number: int
    parcel: str
    jobs: bytes
    slots: int


class _Station:
    """The children of one worker, and the places of what was unpacked for it."""

    def __init__(self) -> None:
        self.places: dict[str, Places] = {}
        self.stopped: set[str] = set()
        self.running: Counter[str] = Counter()  # batches of each run that have begun
        self._idle: list[Child] = []
        self._since = time.monotonic()
        self._busy = 0
        self._free = threading.Condition()

    @contextlib.contextmanager
    def slot(self, slots: int, run: str) -> Iterator[None]:
        """Wait until fewer cells run here than may."""
        with self._free:
            self._free.wait_for(lambda: self._busy < slots)
            self._busy += 1
            self.running[run] += 1
        try:
            yield
        finally:
            with self._free:
                self._busy -= 1
                self.running[run] -= 1
                self._free.notify_all()

    def borrow(self, job: Job) -> Child:
        """Return a child that is fit for a job, best one that has run its method before."""
        with self._free:
            known = [one for one in self._idle if job.use in one.ran]
            waiting = known or self._idle
            if not waiting:
                return Child()
            one = waiting[-1]
            self._idle.remove(one)
        return fit(one, job)

    def give_back(self, one: Child) -> None:
        """Keep a child for the next batch."""
        if not one.alive:
            return
        with self._free:
            self._idle.append(one)
            self._since = time.monotonic()
        timer = threading.Timer(_IDLE, self.dismiss, [_IDLE])
        timer.daemon = True
        timer.start()

    def dismiss(self, idle: float = 0.0) -> None:
        """End the children that nobody uses, if that has been so for some seconds."""
        with self._free:
            if time.monotonic() - self._since < idle:
                return
            others, self._idle = self._idle, []
        for one in others:
            one.dismiss()


def fit(one: Child, job: Job) -> Child:
    """Return the child, or a new one if it has ended or grown too large for the job."""
    if one.alive and one.is_fit_for(job):
        return one
    one.kill()
    return Child()


_stations: dict[str, _Station] = {}
_one_at_a_time = threading.Lock()


def _station(worker: Any) -> _Station:
    with _one_at_a_time:
        return _stations.setdefault(worker.address, _Station())


def prepare(parcel: Parcel) -> str:
    """Make this worker ready for the cells of a run.

    Returns
    -------
    str
        Why it cannot run them, in one sentence; else nothing.
    """
    from distributed import get_worker

    worker = get_worker()
    home = Path(worker.local_directory) / f"geoforest-{parcel.digest}"
    try:
        _station(worker).places[parcel.digest] = parcels.unpack(parcel, home)
    except UserError as error:
        return str(error)
    except OSError as error:
        return f"{home} cannot be written: {error.strerror}"
    return ""


def prepare_elsewhere(parcel: Parcel) -> str:
    """Do the same where the driver may be on another machine.

    Kernels are compiled into a folder of the worker's own disk, unless $NUMBA_CACHE_DIR names
    one: the installation may lie on a disk that all machines share.
    """
    from distributed import get_worker

    if "NUMBA_CACHE_DIR" not in os.environ:
        os.environ["NUMBA_CACHE_DIR"] = str(_own_disk(Path(get_worker().local_directory)))
    return prepare(parcel)


def _own_disk(otherwise: Path) -> Path:
    """Return a folder for compiled kernels that is ours alone, and stays for other runs."""
    folder = Path(tempfile.gettempdir()) / f"geoforest-kernels-{os.getuid()}"
    with contextlib.suppress(OSError):
        folder.mkdir(mode=0o700, exist_ok=True)
        found = folder.lstat()
        private = stat.S_ISDIR(found.st_mode) and not found.st_mode & 0o022
        # what is compiled is executed: nobody else may have put it there
        if private and found.st_uid == os.getuid():
            return folder
    return otherwise / "geoforest-kernels"


def run_batch(batch: Batch) -> list[Outcome]:
    """Run cells one after the other; those that were not begun have no outcome.

    They are left when the run is stopped, and when nobody wants them any more: the driver has
    gone, or the worker is leaving.
    """
    from distributed import get_worker

    worker = get_worker()
    station = _station(worker)
    jobs = parcels.moved(pickle.loads(batch.jobs), station.places[batch.parcel])  # noqa: S301 - the driver's
    with station.slot(batch.slots, batch.run):
        if batch.run in station.stopped:
            return []
        worker.log_event(batch.run, {"batch": batch.number})
        one = station.borrow(jobs[0])
        watched = _Watched(worker, station, batch.run)
        done: list[Outcome] = []
        try:
            for job in jobs:
                one = fit(one, job)
                outcome = watched.run(one, job)
                if outcome is None:
                    break
                done.append(outcome)
        finally:
            if one.job is not None:
                one.kill()
            station.give_back(one)
    return done


class _Watched:
    """One task of dask, as its thread sees it."""

    def __init__(self, worker: Any, station: _Station, run: str) -> None:
        self._worker = worker
        self._station = station
        self._run = run
        self._task = worker.get_current_task()
        self._looked = time.monotonic()

    def run(self, one: Child, job: Job) -> Outcome | None:
        """Run one cell in a child to its end; None if it was ended from outside."""
        one.assign(job)
        begun: float | None = None
        checked = time.monotonic()
        while True:
            wait([one.connection], timeout=_POLL)
            now = time.monotonic()
            events = list(one.news())
            if not events and now - checked >= _POLL:
                checked = now
                events = list(one.watch())
            for event in events:
                if isinstance(event, Outcome):
                    return replace(event, inner={})
                if isinstance(event, Started):
                    begun = now
            if begun is not None and now - begun > _SHORT:
                begun = None
                self._worker.log_event(self._run, {"cell": job.key})
            if not self._is_wanted(now):
                one.kill()
                return None

    def _is_wanted(self, now: float) -> bool:
        if self._run in self._station.stopped:
            return False
        if now - self._looked > _LOOK:
            self._looked = now
            # the scheduler takes a task back when its client has gone
            task = self._worker.state.tasks.get(self._task)
            return task is not None and task.state == "executing"
        return True


async def stop(run: str) -> None:
    """End the cells of a run here: what is finished goes to the driver."""
    for station in list(_stations.values()):
        station.stopped.add(run)
    until = time.monotonic() + _FAREWELL
    while time.monotonic() < until and any(one.running[run] for one in _stations.values()):
        await asyncio.sleep(_POLL)


def leave() -> None:
    """End the children that nobody uses."""
    for station in list(_stations.values()):
        station.dismiss()
