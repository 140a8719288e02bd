"""The local executor: killable processes, each reused from cell to cell."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from multiprocessing.connection import wait
from pathlib import Path

import psutil

from geoforest_cli.engine.executors.child import Child, readable_size
from geoforest_cli.engine.executors.contract import Events, Slots, never
from geoforest_cli.engine.executors.schedule import Pending
from geoforest_cli.plan.cells import Job

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
        self._children: list[Child] = []

    def slots(self, jobs: Collection[Job]) -> Slots:
        """Return how many run at once: no more than fit in memory, one if they measure time."""
        wished = self._wished or cores()
        if _measured(jobs):
            return Slots(1, "cells that measure time run one at a time" if wished > 1 else "")
        memory = max((job.memory or 0 for job in jobs), default=0)
        here = machine_memory()
        room = max(1, here // memory) if memory else wished
        if wished <= room:
            return Slots(wished)
        sizes = f"{readable_size(memory)} each, of the {readable_size(here)} here"
        return Slots(room, f"{_cells(room)} at once instead of {wished}: {sizes}")

    def run(
        self,
        jobs: Sequence[Job],
        expected: Mapping[str, float],
        stopping: Callable[[], bool] = never,
    ) -> Events:
        """Run the jobs; see :meth:`geoforest_cli.engine.executors.contract.Executor.run`."""
        pending = Pending(jobs, expected, in_turns=_measured(jobs))
        slots = self.slots(jobs).number
        looked = time.monotonic()
        try:
            while not stopping() and (pending or any(one.job for one in self._children)):
                self._hand_out(pending, slots)
                for one in self._children:
                    yield from one.news()
                if time.monotonic() - looked >= _POLL:
                    looked = time.monotonic()
                    for one in self._children:
                        yield from one.watch()
                    yield None
                self._bury()
                _sleep_until_news(self._children)
        finally:
            for one in self._children:
                if one.job:
                    one.kill()
            self._bury()

    def close(self) -> None:
        """End all children."""
        for one in self._children:
            one.dismiss()
        self._children.clear()

    def _bury(self) -> None:
        self._children[:] = [one for one in self._children if one.alive]

    def _hand_out(self, pending: Pending, slots: int) -> None:
        for _ in range(min(len(pending), slots - sum(1 for one in self._children if one.job))):
            idle = [one for one in self._children if not one.job]
            others = {other.job.use for other in self._children if other.job}
            if idle:
                one = max(idle, key=lambda child: pending.knows(child.ran))
            else:
                one = Child()
                self._children.append(one)
            job = pending.take(one.ran, others)
            if not one.is_fit_for(job):
                one.kill()
                self._children[self._children.index(one)] = one = Child()
            one.assign(job)


def _measured(jobs: Iterable[Job]) -> bool:
    return any(job.cell.setting.measured for job in jobs)


def _cells(count: int) -> str:
    return f"{count} cell{'s' if count > 1 else ''}"


def _sleep_until_news(children: Sequence[Child]) -> None:
    busy = [one.connection for one in children if one.job]
    if busy:
        wait(busy, timeout=_POLL)
