"""What the driver and the executors agree on: cells go in, outcomes come out."""

from __future__ import annotations

from collections.abc import Generator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, Protocol

__all__ = [
    "FAILURES",
    "Cell",
    "Event",
    "Events",
    "Executor",
    "Outcome",
    "Plan",
    "Started",
    "Status",
]

Status = Literal["ok", "failed", "timeout", "out_of_memory", "crashed"]
FAILURES: tuple[Status, ...] = ("failed", "timeout", "out_of_memory", "crashed")


class Cell(Protocol):
    """The part of :class:`geoforest_cli.config.cells.Cell` that the engine uses."""

    @property
    def key(self) -> str:
        """Hash of everything its rows depend on."""

    @property
    def point(self) -> Mapping[str, Any]:
        """Values of the outer grid parameters."""

    @property
    def inner(self) -> Mapping[str, Sequence[Any]]:
        """Values of the grid parameters that the cell evaluates itself."""

    @property
    def detail(self) -> Sequence[str]:
        """Columns that its rows may have beside those of the grid."""

    @property
    def method(self) -> str:
        """The method's name in the config and the rows."""

    @property
    def use(self) -> str:
        """The method's name in the registry."""

    @property
    def variant(self) -> str:
        """``as_written``, ``as_run`` or ``recommended``."""

    @property
    def repetition(self) -> int:
        """Counted from 0."""

    @property
    def timeout(self) -> float:
        """Seconds it may take."""

    @property
    def memory(self) -> int | None:
        """Bytes its process may hold, if bounded."""

    @property
    def experiment_path(self) -> Path:
        """File of the experiment module."""

    def task(self) -> Any:
        """Return what is handed to the experiment's ``run_cell``."""

    def describe(self) -> str:
        """Return one short line for people."""


class Plan(Protocol):
    """The part of :class:`geoforest_cli.config.cells.Plan` that the engine uses."""

    @property
    def config(self) -> Any:
        """The validated config."""

    @property
    def profile(self) -> str:
        """The profile's name."""

    @property
    def name(self) -> str:
        """Stem of the file name."""

    @property
    def path(self) -> Path:
        """The config file."""

    @property
    def cells(self) -> Sequence[Cell]:
        """Every cell, in the order of the config."""

    @property
    def grid_columns(self) -> Sequence[str]:
        """Names of all grid parameters, in the order of the config."""


@dataclass(frozen=True)
class Started:
    """A worker has begun a cell."""

    key: str


@dataclass(frozen=True)
class Outcome:
    """How one cell ended.

    Attributes
    ----------
    key : str
        The cell's key.
    status : {"ok", "failed", "timeout", "out_of_memory", "crashed"}
        ``failed`` is an exception of the cell itself, ``crashed`` a death of its process.
    rows : list of dict
        What ``run_cell`` returned; empty unless the status is ``ok``.
    seconds : float
        Wall-clock seconds inside the cell.
    peak_memory : int
        Largest resident size of the worker during the cell, in bytes.
    error : str
        One sentence; empty when all went well.
    traceback : str
        For whoever has to repair the cell.
    versions : dict
        Versions of the packages of the worker that ran the cell.
    output : str
        What the cell printed; shown, not stored.
    """

    key: str
    status: Status
    rows: list[dict[str, Any]] = field(default_factory=list)
    seconds: float = 0.0
    peak_memory: int = 0
    error: str = ""
    traceback: str = ""
    versions: dict[str, str] = field(default_factory=dict)
    output: str = ""


Event = Started | Outcome | None
Events = Generator[Event, None, None]


class Executor(Protocol):
    """Something that runs cells: processes here, or workers elsewhere."""

    @property
    def jobs(self) -> int:
        """How many cells run at once."""

    def run(self, cells: Sequence[Cell], expected: Mapping[str, float]) -> Events:
        """Run the cells and yield an :class:`Outcome` for each, in any order.

        ``None`` is yielded at least every quarter of a second, so that the driver can draw its
        progress and stop. Closing the generator ends every cell in flight.

        Parameters
        ----------
        cells : sequence of Cell
            What to run.
        expected : mapping of str to float
            Expected seconds by cell key, where known: advice for the order, nothing more.
        """
