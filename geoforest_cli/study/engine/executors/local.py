"""The local executor: killable processes, each reused from cell to cell."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from multiprocessing.connection import wait
from pathlib import Path

import psutil

from geoforest_cli.study.engine.executors.child import Child, readable_size
from geoforest_cli.study.engine.executors.contract import Events, Slots, never
from geoforest_cli.study.engine.executors.launcher import Launcher
from geoforest_cli.study.engine.executors.schedule import Pending
from geoforest_cli.study.plan.cells import Job

__all__ = ["LocalExecutor", "cores", "machine_memory"]

_POLL = 0.05  # seconds between looks at the children's memory and deadlines
_CGROUPS = ("/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes")


def cores() -> int:
    """Return how many cores this process may use: affinity and quotas of containers count."""
    import joblib

    return int(joblib.cpu_count())


def machine_memory() -> int:
    """Return the bytes that processes here may hold in all: the machine's, or its container's."""
    limits = [int(psutil.virtual_memory().total)]
    for name in _CGROUPS:
        try:
            text = Path(name).read_text(encoding="ascii").strip()
        except OSError:
            continue
        if text.isdecimal():
            limits.append(int(text))
    return min(limits)


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
        self._wished = wished
        self._launcher = Launcher()
        self._children: list[Child] = []

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
        sizes = f"{readable_size(memory)} each, of the {readable_size(here)} here"
        return Slots(fitting, f"{cells} at once instead of {wished}: {sizes}")

    def run(
        self,
        jobs: Sequence[Job],
        expected: Mapping[str, float],
        stopping: Callable[[], bool] = never,
        draining: Callable[[], bool] = never,
    ) -> Events:
        """Run the jobs; see :meth:`geoforest_cli.study.engine.executors.contract.Executor.run`."""
        pending = Pending(jobs, expected, in_turns=_measured(jobs))
        slots = self.slots(jobs).number
        checked = time.monotonic()
        try:
            while not stopping():
                if not draining():
                    self._hand_out(pending, slots)
                if not self._busy():
                    break
                for child in self._children:
                    yield from child.events()
                if time.monotonic() - checked >= _POLL:
                    checked = time.monotonic()
                    for child in self._children:
                        yield from child.check_limits()
                    yield None
                self._remove_dead()
                if busy := self._busy():
                    wait([child.connection for child in busy], timeout=_POLL)
        finally:
            for child in self._busy():
                child.kill()
            self._remove_dead()

    def close(self) -> None:
        """End all children."""
        for child in self._children:
            child.dismiss()
        self._children.clear()
        self._launcher.close()

    def _busy(self) -> list[Child]:
        return [child for child in self._children if child.job]

    def _remove_dead(self) -> None:
        self._children[:] = [child for child in self._children if child.alive]

    def _hand_out(self, pending: Pending, slots: int) -> None:
        for _ in range(min(len(pending), slots - len(self._busy()))):
            others = {child.job.use for child in self._children if child.job}
            idle = [child for child in self._children if not child.job]
            child = max(idle, key=lambda child: pending.knows(child.ran), default=None)
            job = pending.take(child.ran if child else (), others)
            if child is None or not child.is_fit_for(job):
                if child is not None:
                    child.kill()
                    self._children.remove(child)
                child = Child(self._launcher)
                self._children.append(child)
            child.assign(job)


def _measured(jobs: Iterable[Job]) -> bool:
    return any(job.cell.setting.measured for job in jobs)
