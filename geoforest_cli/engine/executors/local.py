"""The local executor: killable processes, each reused from cell to cell."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from multiprocessing.connection import wait
from pathlib import Path

import joblib
import psutil

from geoforest_cli.engine.executors.child import Child, readable_size
from geoforest_cli.engine.executors.contract import Events
from geoforest_cli.engine.executors.schedule import Pending
from geoforest_cli.plan.cells import Job

__all__ = ["LocalExecutor", "cores", "machine_memory", "slots_for"]

_POLL = 0.05  # seconds between looks at the children's memory and deadlines
_CGROUPS = ("/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes")


def cores() -> int:
    """Return how many cores this process may use: affinity and quotas of containers count."""
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


def slots_for(jobs: int | None, memory: int | None, *, alone: bool = False) -> tuple[int, str]:
    """Return how many cells may run at once, and a sentence where that is fewer than wished.

    Parameters
    ----------
    jobs : int, optional
        Wished; by default one per core.
    memory : int, optional
        Bytes that each cell may hold.
    alone : bool
        The cells measure time.
    """
    wished = jobs or cores()
    if alone:
        told = "cells that measure time run one at a time" if wished > 1 else ""
        return 1, told
    if memory is None:
        return wished, ""
    room = max(1, machine_memory() // memory)
    if wished <= room:
        return wished, ""
    sizes = f"{readable_size(memory)} each, of the {readable_size(machine_memory())} here"
    return room, f"{room} cell{'s' if room > 1 else ''} at once instead of {wished}: {sizes}"


class LocalExecutor:
    """Runs cells in child processes of this one.

    A cell over its timeout or memory bound is killed with its process, and a process that dies
    takes only its cell along. The children end when this process does, however it ends.

    Parameters
    ----------
    slots : int
        Number of processes.
    """

    def __init__(self, slots: int) -> None:
        self._slots = slots

    @property
    def slots(self) -> int:
        """How many cells run at once."""
        return self._slots

    def run(self, jobs: Sequence[Job], expected: Mapping[str, float]) -> Events:
        """Run the jobs; see :meth:`geoforest_cli.engine.executors.contract.Executor.run`."""
        pending = Pending(jobs, expected)
        children: list[Child] = []
        looked = time.monotonic()
        try:
            while pending or any(one.job for one in children):
                self._hand_out(pending, children)
                for one in children:
                    yield from one.news()
                if time.monotonic() - looked >= _POLL:
                    looked = time.monotonic()
                    for one in children:
                        yield from one.watch()
                    yield None
                children[:] = [one for one in children if one.alive]
                _sleep_until_news(children)
        finally:
            for one in children:
                one.dismiss()

    def _hand_out(self, pending: Pending, children: list[Child]) -> None:
        for _ in range(min(len(pending), self._slots - sum(1 for one in children if one.job))):
            one = next((one for one in children if not one.job), None)
            if one is None:
                one = Child()
                children.append(one)
            others = {other.job.use for other in children if other.job}
            job = pending.take(one.ran, others)
            if not one.is_fit_for(job):
                one.kill()
                children[children.index(one)] = one = Child()
            one.assign(job)


def _sleep_until_news(children: Sequence[Child]) -> None:
    busy = [one.connection for one in children if one.job]
    if busy:
        wait(busy, timeout=_POLL)
