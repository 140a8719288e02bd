"""Expected time of cells, from the time of others."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TypeAlias

from geoforest_cli.study.engine.executors.contract import Outcome, Status
from geoforest_cli.study.engine.store import RecordSummary
from geoforest_cli.study.plan.cells import Job

__all__ = ["Durations", "Forecast", "durations"]

# cells and their seconds in all, by the hashes of method and grid point; "" counts all cells
Durations: TypeAlias = Mapping[str, tuple[int, float]]

# how long a cell took that failed otherwise says nothing
_INFORMATIVE: frozenset[Status] = frozenset({"ok", "timeout"})


@dataclass
class _Group:
    """Cells that are expected to take equally long: how many ran, for how long, how many wait."""

    ran: int = 0
    seconds: float = 0.0
    waiting: int = 0

    @property
    def mean(self) -> float | None:
        return self.seconds / self.ran if self.ran else None


def durations(records: Iterable[RecordSummary]) -> dict[str, tuple[int, float]]:
    """Return how long cells took, for an estimator on another machine."""
    groups: defaultdict[str, list[float]] = defaultdict(list)
    for record in records:
        if record.status in _INFORMATIVE:
            groups[f"{record.method_group} {record.point_group}"].append(record.seconds)
    return {name: (len(times), round(sum(times), 3)) for name, times in sorted(groups.items())}


class Forecast:
    """Expected seconds of cells, and of all that wait.

    A cell is expected to take as long as its other repetitions, here or in the reference, else as
    the other grid points of its method and variant at the same size. Cells of another size or
    profile say nothing.

    Parameters
    ----------
    records : iterable of RecordSummary
        What the store holds.
    reference : Durations
        How long cells took on another machine.
    """

    def __init__(
        self, records: Iterable[RecordSummary] = (), reference: Durations | None = None
    ) -> None:
        self._points: defaultdict[tuple[str, str], _Group] = defaultdict(_Group)
        self._methods: defaultdict[str, _Group] = defaultdict(_Group)
        self._reference = reference or {}
        self._waiting = 0
        for record in records:
            self._add(record.point_group, record.method_group, record.status, record.seconds)

    def learn(self, job: Job, outcome: Outcome) -> None:
        """Learn from one more outcome."""
        setting = job.cell.setting
        self._add(setting.point_group, setting.method_group, outcome.status, outcome.seconds)

    def wait_for(self, jobs: Iterable[Job], *, change: int = 1) -> None:
        """Note jobs that wait, or with a change of -1 that wait no more."""
        for job in jobs:
            setting = job.cell.setting
            self._waiting += change
            self._points[setting.method_group, setting.point_group].waiting += change
            self._methods[setting.method_group].waiting += change

    def seconds(self, job: Job) -> float | None:
        """Return the expected seconds of a cell, None when nothing is known of similar ones."""
        setting = job.cell.setting
        return self._mean(setting.method_group, setting.point_group)

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
        cells, total = 0, 0.0
        for names, group in self._points.items():
            mean = self._mean(*names)
            if group.waiting and mean is not None:
                cells += group.waiting
                total += group.waiting * mean
        ran = [group for group in self._methods.values() if group.ran]
        if not cells:
            return None
        # with those that ran: the most expensive cells of a method may be left
        mean = (total + sum(group.seconds for group in ran)) / (
            cells + sum(group.ran for group in ran)
        )
        total += mean * (self._waiting - cells)
        rests = []
        for job in running:
            seconds = self.seconds(job)
            if seconds is not None:
                spent = min(elapsed.get(job.key, 0.0), seconds)
                total -= spent
                rests.append(seconds - spent)
        return max(total / slots, *rests, 0.0)

    def _mean(self, method: str, point: str) -> float | None:
        there = (_Group(*self._reference.get(key, (0, 0.0))) for key in (f"{method} {point}", ""))
        here = self._points.get((method, point)), self._methods.get(method)
        for group in (here[0], next(there), here[1], next(there)):
            if group is not None and group.mean is not None:
                return group.mean
        return None

    def _add(self, point: str, method: str, status: Status, seconds: float) -> None:
        if status in _INFORMATIVE:
            for group in (self._points[method, point], self._methods[method]):
                group.ran += 1
                group.seconds += seconds
