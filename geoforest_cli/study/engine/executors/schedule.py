"""In which order, and on which worker, cells run. It affects the time taken, never the rows."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence, Set

from geoforest_cli.study.plan.cells import Job

__all__ = ["Pending"]


class Pending:
    """The jobs not yet handed out: repetition by repetition, in the order given.

    Within a repetition a worker stays with a method: it has compiled its kernels, which costs up
    to 20 s per process for some.

    Parameters
    ----------
    jobs : sequence of Job
        In the order in which they are wanted.
    in_turns : bool
        Where time is measured: within a repetition the methods of a grid point take turns, for a
        machine may grow slower.
    """

    def __init__(self, jobs: Sequence[Job], *, in_turns: bool = False) -> None:
        if in_turns:
            points = {repr(job.cell.setting.point): None for job in jobs}
            places = {point: rank for rank, point in enumerate(points)}
            jobs = sorted(jobs, key=lambda job: places[repr(job.cell.setting.point)])
        self._groups: dict[int, dict[str, deque[Job]]] = {}
        for repetition in dict.fromkeys(job.cell.repetition for job in jobs):
            self._groups[repetition] = {}
        for job in jobs:
            methods = self._groups[job.cell.repetition]
            methods.setdefault("" if in_turns else job.use, deque()).append(job)

    def __bool__(self) -> bool:
        return bool(self._groups)

    def suits(self, ran: Sequence[str]) -> bool:
        """Return whether a worker that has run these methods has one of them to go on with."""
        return any(use in methods for methods in [*self._groups.values()][:1] for use in ran)

    def take(self, ran: Sequence[str], others: Set[str]) -> Job:
        """Hand out the next job.

        Parameters
        ----------
        ran : sequence of str
            The methods this worker has run, the latest last.
        others : set of str
            The methods the other workers are on.
        """
        repetition, methods = next(iter(self._groups.items()))
        uses = [use for use in reversed(ran) if use in methods]
        uses += [use for use in methods if use not in others]
        use = next(iter(uses or methods))
        job = methods[use].popleft()
        if not methods[use]:
            del methods[use]
        if not methods:
            del self._groups[repetition]
        return job
