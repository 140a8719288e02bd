"""In which order, and on which worker, cells run. It affects the time taken, never the rows."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Mapping, Sequence, Set

from geoforest_cli.study.plan.cells import Job

__all__ = ["Pending"]


class Pending:
    """The jobs not yet handed out, by method.

    A worker has compiled the kernels of the methods it has run, which costs up to 20 s per
    process for some, so it stays with a method as long as there are cells of it.

    Parameters
    ----------
    jobs : sequence of Job
        What is to run.
    expected : mapping of str to float
        Expected seconds by cell key, where known; within a method the longest goes first, and
        cells of unknown length before those.
    in_turns : bool
        Where time is measured: the methods of a grid point take turns, repetition by repetition,
        for a machine may grow slower.
    """

    def __init__(
        self, jobs: Sequence[Job], expected: Mapping[str, float], *, in_turns: bool = False
    ) -> None:
        groups: dict[str, list[Job]] = defaultdict(list)
        for job in jobs:
            groups["" if in_turns else job.use].append(job)
        # popped from the end; the sort is stable, so equal cells keep the config's order
        for group in groups.values():
            if in_turns:
                _take_turns(group)
            group.reverse()
            if not in_turns:
                group.sort(key=lambda job: expected.get(job.key, math.inf))
        self._groups = dict(groups)
        self._length = len(jobs)

    def __len__(self) -> int:
        return self._length

    def knows(self, ran: Sequence[str]) -> bool:
        """Whether a worker that has run these methods has one of them to go on with."""
        return any(use in self._groups for use in ran)

    def take(self, ran: Sequence[str], others: Set[str]) -> Job:
        """Hand out the next job.

        Parameters
        ----------
        ran : sequence of str
            The methods this worker has run, the latest last.
        others : set of str
            The methods the other workers are on.
        """
        use = self._choose(ran, others)
        group = self._groups[use]
        job = group.pop()
        self._length -= 1
        if not group:
            del self._groups[use]
        return job

    def _choose(self, ran: Sequence[str], others: Set[str]) -> str:
        for use in reversed(ran):
            if use in self._groups:
                return use
        free = [use for use in self._groups if use not in others]
        return max(free or self._groups, key=lambda use: len(self._groups[use]))


def _take_turns(jobs: list[Job]) -> None:
    """Order jobs by grid point, then by repetition: all methods once, then all once more."""
    points: dict[str, int] = {}
    for job in jobs:
        points.setdefault(repr(job.cell.setting.point), len(points))
    jobs.sort(key=lambda job: (points[repr(job.cell.setting.point)], job.cell.repetition))
