"""Running a plan: what is missing runs, what is finished is kept."""

from __future__ import annotations

import contextlib
import os
import signal
import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import FrameType
from typing import Any, Self

import pandas as pd

from geoforest_cli.engine import lock, provenance, rows
from geoforest_cli.engine.estimate import Estimator, time_left
from geoforest_cli.engine.executor import Cell, Executor, Outcome, Plan, Started
from geoforest_cli.engine.local import LocalExecutor
from geoforest_cli.engine.progress import NoProgress, Progress
from geoforest_cli.engine.store import Store, identity, store_path
from geoforest_cli.errors import UserError

__all__ = ["RunResult", "cores", "run"]

_LOOK = 1.0  # seconds between new estimates of the time left


@dataclass(frozen=True)
class RunResult:
    """What a run left behind.

    Attributes
    ----------
    folder : Path
        ``results/<config>``.
    frame : DataFrame
        The tidy rows, see :func:`geoforest_cli.engine.rows.frame`.
    total, ran, kept : int
        Cells in the plan, run just now, and kept from earlier.
    failed : tuple of (Cell, Outcome)
        Cells whose status is not ``ok``, run now or earlier, in the plan's order.
    interrupted : bool
        Ctrl-C came; then the frame holds what is finished, and no file but the store is new.
    """

    folder: Path
    frame: pd.DataFrame
    total: int
    ran: int
    kept: int
    failed: tuple[tuple[Cell, Outcome], ...]
    interrupted: bool


def run(
    plan: Plan,
    results_dir: Path,
    *,
    jobs: int | None = None,
    retry_failed: bool = False,
    executor: Executor | None = None,
    progress: Progress | None = None,
) -> RunResult:
    """Run the cells of the plan that are not in the store yet.

    Parameters
    ----------
    plan : Plan
        A validated config at one profile, see :func:`geoforest_cli.config.load`.
    results_dir : Path
        Results go to its folder of the plan's name.
    jobs : int, optional
        Worker processes; default: one per core.
    retry_failed : bool
        Run the cells that failed before once more; otherwise they are kept as they are.
    executor : Executor, optional
        Runs the cells; default: processes of this machine.
    progress : Progress, optional
        Is told what happens; default: nobody is.

    Returns
    -------
    RunResult

    Raises
    ------
    UserError
        When another run holds the folder, or the store cannot be used.
    """
    start = provenance.Clock.now()
    executor = executor or LocalExecutor(jobs or cores())
    path = store_path(plan, results_dir)
    folder = path.parent
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UserError(f"{folder} cannot be made: {error.strerror}") from error
    with lock.hold(folder), Store(path, create=True) as store:
        driver = _Driver(plan, store, progress or NoProgress())
        missing = driver.missing(retry_failed=retry_failed)
        ran, interrupted = driver.run(missing, executor)
        result = _result(plan, store, folder, ran, interrupted=interrupted)
        if not interrupted:
            rows.write_rows(result.frame, folder)
            facts = provenance.collect(plan, result.failed, start, executor.jobs, result.ran)
            provenance.write(facts, folder)
    return result


def cores() -> int:
    """Return how many cores this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _result(plan: Plan, store: Store, folder: Path, ran: int, *, interrupted: bool) -> RunResult:
    records = store.get(cell.key for cell in plan.cells)
    failed = tuple(
        (cell, records[cell.key])
        for cell in plan.cells
        if cell.key in records and records[cell.key].status != "ok"
    )
    return RunResult(
        folder=folder,
        frame=rows.frame(plan, store),
        total=len(plan.cells),
        ran=ran,
        kept=len(records) - ran,
        failed=failed,
        interrupted=interrupted,
    )


class _Driver:
    """The one loop that hands out cells and the one hand that writes the store."""

    def __init__(self, plan: Plan, store: Store, progress: Progress) -> None:
        # two methods of a config may be the same thing under two names: one key, one cell
        self._cells = {cell.key: cell for cell in plan.cells}
        self._name = plan.name
        self._store = store
        self._progress = progress
        self._estimator = Estimator(store.all())
        self._looked = -_LOOK
        self._left: float | None = None

    def missing(self, *, retry_failed: bool) -> list[Cell]:
        """Return the cells that have to run."""
        records = self._store.get(self._cells)
        keep = {key for key, one in records.items() if one.status == "ok" or not retry_failed}
        return [cell for key, cell in self._cells.items() if key not in keep]

    def run(self, missing: Sequence[Cell], executor: Executor) -> tuple[int, bool]:
        """Run the cells; return how many ended, and whether Ctrl-C stopped it."""
        waiting = {cell.key: cell for cell in missing}
        if not waiting:
            return 0, False
        self._progress.begin(self._name, len(self._cells), len(self._cells) - len(waiting))
        expected = self._estimator.expected(missing)
        running: dict[str, float] = {}
        with _Interrupt() as interrupt, contextlib.closing(executor.run(missing, expected)) as run:
            try:
                for event in run:
                    if isinstance(event, Started):
                        running[event.key] = time.monotonic()
                        self._progress.started(self._cells[event.key])
                    elif isinstance(event, Outcome):
                        running.pop(event.key, None)
                        self._keep(waiting.pop(event.key), event)
                    else:
                        self._progress.tick(self._time_left(waiting, running, executor.jobs))
                    if interrupt.came:
                        break
            finally:
                self._progress.end()
        return len(missing) - len(waiting), bool(interrupt.came and waiting)

    def _keep(self, cell: Cell, outcome: Outcome) -> None:
        known = identity(cell)
        self._store.put(outcome, known)
        self._estimator.add(outcome, known)
        self._progress.finished(cell, outcome)

    def _time_left(
        self, waiting: Mapping[str, Cell], running: Mapping[str, float], jobs: int
    ) -> float | None:
        now = time.monotonic()
        if now - self._looked > _LOOK:
            self._looked = now
            elapsed = {key: now - start for key, start in running.items()}
            self._left = time_left(self._estimator, waiting.values(), elapsed, jobs)
        return self._left


class _Interrupt:
    """Turns the first Ctrl-C into a flag; a second one means it.

    A KeyboardInterrupt out of nowhere could come between a cell's end and its record.
    """

    def __init__(self) -> None:
        self.came = False
        self._before: Any = None

    def __enter__(self) -> Self:
        if threading.current_thread() is threading.main_thread():
            self._before = signal.getsignal(signal.SIGINT)
        if self._before is signal.default_int_handler:
            signal.signal(signal.SIGINT, self._note)
        return self

    def __exit__(self, *_: object) -> None:
        if self._before is signal.default_int_handler:
            signal.signal(signal.SIGINT, self._before)

    def _note(self, _signal: int, _frame: FrameType | None) -> None:
        self.came = True
        signal.signal(signal.SIGINT, signal.default_int_handler)
