"""How long cells will take, from how long others took."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from geoforest_cli.engine.executors.contract import Outcome, Status
from geoforest_cli.engine.store import Mark
from geoforest_cli.plan.cells import Job

__all__ = ["Estimator"]

_TELLING: frozenset[Status] = frozenset({"ok", "timeout"})  # how a failed cell ended says nothing


@dataclass
class _Near:
    """The repetitions of one work: how many ran and how long, how many wait."""

    ran: int = 0
    seconds: float = 0.0
    waiting: int = 0

    @property
    def left(self) -> float:
        return self.waiting * self.seconds / self.ran


@dataclass
class _Far:
    """All grid points of a method at one size.

    Attributes
    ----------
    known : float
        Expected seconds of those that wait beside repetitions that ran.
    unknown : int
        The others that wait: they count as the mean.
    """

    ran: int = 0
    seconds: float = 0.0
    waiting: int = 0
    known: float = 0.0
    unknown: int = 0
    below: dict[str, _Near] = field(default_factory=dict)

    @property
    def left(self) -> float:
        return self.known + self.unknown * self.seconds / self.ran

    def change(self, kin: str, *, ran: int = 0, seconds: float = 0.0, waiting: int = 0) -> None:
        """Note that cells ran or wait; in constant time."""
        near = self.below.setdefault(kin, _Near())
        self._count(near, -1)
        near.ran += ran
        near.seconds += seconds
        near.waiting += waiting
        self._count(near, 1)
        self.ran += ran
        self.seconds += seconds
        self.waiting += waiting

    def _count(self, near: _Near, sign: int) -> None:
        if near.ran:
            self.known += sign * near.left
        else:
            self.unknown += sign * near.waiting


class Estimator:
    """Expected seconds of cells, and of all that wait, kept up to date cell by cell.

    Kin are, from near to far, a cell's other repetitions, and the other grid points of its method
    and variant at the same size. Cells of another size or another profile say nothing.

    Parameters
    ----------
    marks : iterable of Mark
        What the store holds.
    """

    def __init__(self, marks: Iterable[Mark] = ()) -> None:
        self._kinds: dict[str, _Far] = defaultdict(_Far)
        self._waiting = 0
        for mark in marks:
            self._add(mark.near_kin, mark.far_kin, mark.status, mark.seconds)

    def add(self, job: Job, outcome: Outcome) -> None:
        """Learn from one more outcome; the job no longer waits."""
        setting = job.cell.setting
        self._waiting -= 1
        self._kinds[setting.far_kin].change(setting.near_kin, waiting=-1)
        self._add(setting.near_kin, setting.far_kin, outcome.status, outcome.seconds)

    def wait_for(self, jobs: Iterable[Job]) -> None:
        """Note jobs that wait."""
        for job in jobs:
            setting = job.cell.setting
            self._waiting += 1
            self._kinds[setting.far_kin].change(setting.near_kin, waiting=1)

    def seconds(self, job: Job) -> float | None:
        """Return the expected seconds of a cell, None when nothing is known of its like."""
        setting = job.cell.setting
        far = self._kinds.get(setting.far_kin)
        near = None if far is None else far.below.get(setting.near_kin)
        for kin in (near, far):
            if kin is not None and kin.ran:
                return kin.seconds / kin.ran
        return None

    def expected(self, jobs: Iterable[Job]) -> dict[str, float]:
        """Return the expected seconds by key, of those cells for which anything is known."""
        pairs = ((job.key, self.seconds(job)) for job in jobs)
        return {key: seconds for key, seconds in pairs if seconds is not None}

    def left(
        self, elapsed: Mapping[str, float], running: Iterable[Job], slots: int
    ) -> float | None:
        """Return the expected seconds until nothing waits, None when nothing is known.

        Cells of which nothing is known count as the mean of the others, run or not. No cell is
        divided among the slots.

        Parameters
        ----------
        elapsed : mapping of str to float
            Seconds since the start of those that run, by key.
        running : iterable of Job
            They count among those that wait.
        slots : int
            How many run at once.
        """
        if not self._waiting:
            return 0.0
        known = [far for far in self._kinds.values() if far.ran]
        waiting = sum(far.waiting for far in known)
        if not waiting:
            return None
        total = sum(far.left for far in known)
        # with those that ran: what is left of a kind may be its dearest cells
        mean = (total + sum(far.seconds for far in known)) / (
            waiting + sum(far.ran for far in known)
        )
        total += mean * (self._waiting - waiting)
        rests = []
        for job in running:
            seconds = self.seconds(job)
            if seconds is not None:
                gone = min(elapsed.get(job.key, 0.0), seconds)
                total -= gone
                rests.append(seconds - gone)
        return max(total / slots, *rests, 0.0)

    def _add(self, near: str, far: str, status: Status, seconds: float) -> None:
        if status in _TELLING:
            self._kinds[far].change(near, ran=1, seconds=seconds)
