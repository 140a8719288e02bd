"""Contract of the driver and the executors: jobs go in, outcomes come out."""

from __future__ import annotations

from collections.abc import Callable, Collection, Generator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple, Protocol

from geoforest_cli.core.errors import UserError
from geoforest_cli.study.plan.cells import Inner, Job

__all__ = [
    "FAILURES",
    "Event",
    "Events",
    "Executor",
    "ExecutorNote",
    "Outcome",
    "Refused",
    "Slots",
    "Started",
    "Status",
    "never",
]

Status = Literal["ok", "failed", "timeout", "out_of_memory", "crashed"]
FAILURES: tuple[Status, ...] = ("failed", "timeout", "out_of_memory", "crashed")


class Refused(UserError):
    """A cell cannot run as it was planned, nor can others: code or a table has changed since."""


@dataclass(frozen=True)
class Started:
    """A worker has begun a cell."""

    key: str


@dataclass(frozen=True)
class Outcome:
    """End of one job.

    Attributes
    ----------
    key : str
        The cell's key.
    status : {"ok", "failed", "timeout", "out_of_memory", "crashed"}
        ``failed`` is an exception of the cell itself, ``crashed`` a death of its process.
    rows : list of dict
        What ``run_cell`` returned; empty unless the status is ``ok``.
    inner : mapping
        The inner values that were asked for.
    seconds : float
        Wall-clock seconds inside the cell, without those in which kernels were compiled.
    peak_memory : int
        Largest resident size of the worker during the cell, in bytes.
    error : str
        One sentence; empty when all went well.
    traceback : str
        For whoever has to repair the cell.
    made_with : mapping
        Versions of the packages, and the processor, of the worker that ran the cell.
    output : str
        What the cell printed; shown, not stored.
    """

    key: str
    status: Status
    rows: list[dict[str, Any]] = field(default_factory=list)
    inner: Inner = field(default_factory=dict)
    seconds: float = 0.0
    peak_memory: int = 0
    error: str = ""
    traceback: str = ""
    made_with: Mapping[str, str] = field(default_factory=dict)
    output: str = ""


class Slots(NamedTuple):
    """Number of cells that run at once, and a sentence where that is fewer than was wished."""

    number: int
    note: str = ""


@dataclass(frozen=True)
class ExecutorNote:
    """Something that the user should know of where cells run, in one sentence."""

    sentence: str


Event = Started | Outcome | ExecutorNote | None
Events = Generator[Event, None, None]


def never() -> bool:
    """Say no: of a run that nobody stops."""
    return False


class Executor(Protocol):
    """Something that runs cells: processes here, or workers elsewhere."""

    def slots(self, jobs: Collection[Job]) -> Slots:
        """Return how many of these jobs would run at once.

        Raises
        ------
        UserError
            If it cannot run them at all.
        """

    def run(
        self,
        jobs: Sequence[Job],
        stopping: Callable[[], bool] = never,
        draining: Callable[[], bool] = never,
    ) -> Events:
        """Run the jobs and yield an :class:`Outcome` for each, in any order.

        ``None`` is yielded at least every quarter of a second, so that the driver can draw its
        progress. Closing the generator ends every cell in flight.

        Parameters
        ----------
        jobs : sequence of Job
            What to run, in the order in which it is wanted.
        stopping : callable
            Asked all the time; once it says yes, no cell is begun, those in flight are ended, and
            the generator yields the outcomes that exist, and ends.
        draining : callable
            Asked all the time, too; once it says yes, no cell is begun, and those that have been
            handed out are run to their end.

        Raises
        ------
        Refused
            If a cell cannot run as it was planned; the cells in flight are ended.
        """
