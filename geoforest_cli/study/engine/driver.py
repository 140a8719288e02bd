"""Running a plan: what is missing runs, what is finished is kept."""

from __future__ import annotations

import contextlib
import signal
import threading
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import FrameType
from typing import Any, Self

import pandas as pd

from geoforest_cli.core.errors import UserError
from geoforest_cli.study.engine import lock, provenance, rows
from geoforest_cli.study.engine.estimate import Estimator
from geoforest_cli.study.engine.executors.contract import Executor, Note, Outcome, Started
from geoforest_cli.study.engine.executors.local import LocalExecutor
from geoforest_cli.study.engine.older import describe_older
from geoforest_cli.study.engine.pending import PlanState, plan_state
from geoforest_cli.study.engine.progress import Progress
from geoforest_cli.study.engine.store import Origin, Store, store_path
from geoforest_cli.study.plan.cells import Job, Plan, PlanEntry

__all__ = ["Failure", "RunResult", "run"]

_ESTIMATE_INTERVAL = 1.0  # seconds between new estimates of the time left
_WRITE_INTERVAL = 1.0  # seconds that an outcome may wait for others to be written with


@dataclass(frozen=True)
class Failure:
    """A cell that did not end well."""

    entry: PlanEntry
    status: str
    error: str


@dataclass(frozen=True)
class RunResult:
    """The results of a run.

    Attributes
    ----------
    folder : Path
        ``results/<config>/<profile>``.
    frame : DataFrame
        The tidy rows, see :func:`geoforest_cli.study.engine.rows.collect`.
    total, ran, kept : int
        Cells in the plan, run just now, and kept from earlier.
    failed : tuple of Failure
        Cells whose status is not ``ok``, run now or earlier, in the plan's order.
    interrupted : bool
        Ctrl-C came; then the frame holds what is finished, and no file but the store is new.
    out_of_time : bool
        The time was over before all cells had begun; otherwise the same.
    processors : tuple of str
        The kinds of processor that the rows were computed on.
    facts : mapping
        What the record says of the rows and the run, see `provenance.collect`.
    """

    folder: Path
    frame: pd.DataFrame
    total: int
    ran: int
    kept: int
    failed: tuple[Failure, ...]
    interrupted: bool
    processors: tuple[str, ...] = ()
    out_of_time: bool = False
    facts: Mapping[str, Any] = field(default_factory=dict)


def run(
    plan: Plan,
    results_dir: Path,
    *,
    jobs: int | None = None,
    retry_failed: bool = False,
    executor: Executor | None = None,
    progress: Progress | None = None,
    until: float | None = None,
    claims: Mapping[str, str] | None = None,
) -> RunResult:
    """Run the cells of the plan that are not in the store yet.

    Parameters
    ----------
    plan : Plan
        A validated config at one profile, see :func:`geoforest_cli.study.plan.load`.
    results_dir : Path
        Results go to its folder of the plan's name.
    jobs : int, optional
        Worker processes; default: one per core, as far as memory allows.
    retry_failed : bool
        Run the cells that failed before once more; otherwise they are kept as they are.
    executor : Executor, optional
        Runs the cells; default: processes of this machine.
    progress : Progress, optional
        Is called during the run; default: nothing is shown.
    until : float, optional
        When no cell is begun any more, on the clock of `time.monotonic`; those that have begun
        are run to their end.
    claims : mapping, optional
        Claim -> digest of what it tests: registered before the first cell of the plan is run.

    Returns
    -------
    RunResult

    Raises
    ------
    UserError
        When another run holds the folder, or the store cannot be used.
    """
    start = provenance.Clock.now()
    if executor is None:
        with contextlib.closing(LocalExecutor(jobs)) as local:
            return run(
                plan,
                results_dir,
                retry_failed=retry_failed,
                executor=local,
                progress=progress,
                until=until,
                claims=claims,
            )
    progress = progress or Progress()
    path = store_path(plan, results_dir)
    folder = path.parent / plan.size
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UserError(f"{folder} cannot be made: {error.strerror}") from error
    with lock.hold(path.parent), Store(path, create=True) as store:
        known = store.summaries()
        store.register(plan.config.seed, plan.size, _registered_now(claims or {}, plan, store))
        state = plan_state(plan.jobs.values(), known, retry_failed=retry_failed)
        driver = _Driver(plan, store, progress)
        ran, interrupted = driver.run(state, executor, until)
        out_of_time = until is not None and ran < len(state.to_run) and not interrupted
        table = rows.collect(plan, store)
        failed = tuple(Failure(*failure) for failure in table.failed)
        facts = provenance.collect(plan, store, table)
        if not (interrupted or out_of_time):
            rows.write_rows(table.frame, folder)
            slots = executor.slots(state.to_run).number
            facts["last_run"] = provenance.last_run(plan, folder, start, slots, ran)
        processors = provenance.processors(store, table)
    return RunResult(
        folder=folder,
        frame=table.frame,
        total=len(plan.jobs),
        ran=ran,
        kept=len(plan.jobs) - len(state.to_run),
        failed=failed,
        interrupted=interrupted,
        processors=processors,
        out_of_time=out_of_time,
        facts=facts,
    )


def _registered_now(claims: Mapping[str, str], plan: Plan, store: Store) -> dict[str, str]:
    """The claims that are fixed before the data: all, or those registered in another profile."""
    if not {record.key for record in store.summaries()} & plan.jobs.keys():
        return dict(claims)
    before = [
        {name: tested.partition("-")[0] for name, tested in one.items()}
        for one in store.registrations(plan.config.seed)
    ]
    return {
        name: tested
        for name, tested in claims.items()
        if any(one.get(name) == tested.partition("-")[0] for one in before)
    }


class _Driver:
    """The loop that receives outcomes, and alone writes the store."""

    def __init__(self, plan: Plan, store: Store, progress: Progress) -> None:
        self._plan = plan
        self._store = store
        self._progress = progress
        self._estimator = Estimator(store.summaries())
        self._origin: Origin = provenance.origin(plan.path)
        self._held: list[tuple[Job, Outcome]] = []
        self._written = time.monotonic()
        self._estimated = -_ESTIMATE_INTERVAL
        self._left: float | None = None

    def run(
        self, state: PlanState, executor: Executor, until: float | None = None
    ) -> tuple[int, bool]:
        """Run the jobs; return how many ended, and whether Ctrl-C stopped it."""
        waiting = {job.key: job for job in state.to_run}
        if not waiting:
            return 0, False
        total = len(self._plan.jobs)
        slots, note = executor.slots(state.to_run)
        for sentence in (note, describe_older(state.to_run, self._store)):
            if sentence:
                self._progress.note(sentence)
        self._progress.begin(self._plan.name, total, total - len(waiting))
        expected = self._estimator.expected(state.to_run)
        self._estimator.wait_for(state.to_run)
        running: dict[str, float] = {}
        with (
            _Interrupt() as interrupt,
            contextlib.closing(
                executor.run(
                    state.to_run,
                    expected,
                    lambda: interrupt.came,
                    lambda: until is not None and time.monotonic() >= until,
                )
            ) as events,
        ):
            try:
                for event in events:
                    if isinstance(event, Started):
                        running[event.key] = time.monotonic()
                        self._progress.started(waiting[event.key])
                    elif isinstance(event, Outcome):
                        running.pop(event.key, None)
                        self._keep(waiting.pop(event.key), event)
                    elif isinstance(event, Note):
                        self._progress.note(event.sentence)
                    else:
                        self._write()
                        left = self._time_left(waiting, running, slots)
                        self._progress.tick(left)
            finally:
                self._write(at_once=True)
                self._progress.end()
        return len(state.to_run) - len(waiting), bool(interrupt.came and waiting)

    def _keep(self, job: Job, outcome: Outcome) -> None:
        self._held.append((job, outcome))
        self._write()
        self._estimator.wait_for([job], change=-1)
        self._estimator.learn(job, outcome)
        self._progress.finished(job, outcome)

    def _write(self, *, at_once: bool = False) -> None:
        """Write what is held; a transaction takes ten times as long as what is in it."""
        now = time.monotonic()
        if self._held and (at_once or now - self._written >= _WRITE_INTERVAL):
            held, self._held = self._held, []
            self._store.put(held, self._origin)
            self._written = time.monotonic()

    def _time_left(
        self, waiting: dict[str, Job], running: dict[str, float], slots: int
    ) -> float | None:
        now = time.monotonic()
        if now - self._estimated > _ESTIMATE_INTERVAL:
            self._estimated = now
            elapsed = {key: now - start for key, start in running.items()}
            jobs = [waiting[key] for key in running]
            self._left = self._estimator.left(elapsed, jobs, slots)
        return self._left


class _Interrupt:
    """Turns the first Ctrl-C into a flag; a second one raises.

    A KeyboardInterrupt out of nowhere could come between a cell's end and its record.
    """

    def __init__(self) -> None:
        self.came = False
        self._before: Any = None

    def __enter__(self) -> Self:
        if threading.current_thread() is threading.main_thread():
            self._before = signal.getsignal(signal.SIGINT)
        if self._before is signal.default_int_handler:
            signal.signal(signal.SIGINT, self._set)
        return self

    def __exit__(self, *_: object) -> None:
        if self._before is signal.default_int_handler:
            signal.signal(signal.SIGINT, self._before)

    def _set(self, _signal: int, _frame: FrameType | None) -> None:
        self.came = True
        signal.signal(signal.SIGINT, signal.default_int_handler)
