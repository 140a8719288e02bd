"""Running a plan: what is missing runs, what is finished is kept."""

from __future__ import annotations

import contextlib
import signal
import threading
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from types import FrameType
from typing import Any, Self

import pandas as pd

from geoforest_cli.core.errors import UserError
from geoforest_cli.study.engine import lock, provenance, rows
from geoforest_cli.study.engine.estimate import Durations, Forecast
from geoforest_cli.study.engine.executors.contract import Executor, ExecutorNote, Outcome, Started
from geoforest_cli.study.engine.older import describe_older
from geoforest_cli.study.engine.pending import PlanState, plan_state
from geoforest_cli.study.engine.progress import Progress
from geoforest_cli.study.engine.store import Origin, Store, store_path
from geoforest_cli.study.plan.cells import Job, Plan, PlanEntry

__all__ = ["Failure", "Hooks", "RunResult", "run"]

_ESTIMATE_INTERVAL = 1.0  # seconds between new estimates of the time left
_WRITE_INTERVAL = 1.0  # seconds that an outcome may wait for others to be written with
_MIN_SECONDS_LEFT = 30.0  # with less to go a preliminary figure helps nobody


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
    mixture : str
        The kinds of processor, and the versions of numpy, of the rows; empty where there is one.
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
    mixture: str = ""
    out_of_time: bool = False
    facts: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Hooks:
    """Callbacks of the driver during a run.

    Attributes
    ----------
    progress : Progress
        Is called during the run.
    preliminary : callable
        Receives the plan of the repetitions that are complete, their rows and the facts of
        `provenance.collect`: after the first one, and whenever their number has doubled.
    until : float, optional
        When no cell is begun any more, on the clock of `time.monotonic`; those that have begun
        are run to their end.
    """

    progress: Progress = field(default_factory=Progress)
    preliminary: Callable[[Plan, pd.DataFrame, dict[str, Any]], None] = lambda *_: None
    until: float | None = None

    @property
    def out_of_time(self) -> bool:
        """True once no cell is begun any more."""
        return self.until is not None and time.monotonic() >= self.until


def run(
    plan: Plan,
    results_dir: Path,
    executor: Executor,
    *,
    retry_failed: bool = False,
    hooks: Hooks | None = None,
    claims: Mapping[str, str] | None = None,
    reference: Durations | None = None,
) -> RunResult:
    """Run the cells of the plan that are not in the store yet.

    Parameters
    ----------
    plan : Plan
        A validated config at one profile, see :func:`geoforest_cli.study.plan.load`.
    results_dir : Path
        Results go to its folder of the plan's name.
    executor : Executor
        Runs the cells.
    retry_failed : bool
        Run the cells that failed before once more; otherwise they are kept as they are.
    hooks : Hooks, optional
        Progress, preliminary rows, and when to stop.
    claims : mapping, optional
        Claim -> digest of what it tests: registered before the first cell of the plan is run.
    reference : Durations, optional
        How long cells took on another machine.

    Returns
    -------
    RunResult

    Raises
    ------
    UserError
        When another run holds the folder, or the store cannot be used.
    """
    start = datetime.now(UTC)
    hooks = hooks or Hooks()
    path = store_path(plan, results_dir)
    folder = path.parent / plan.size
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UserError(f"{folder} cannot be made: {error.strerror}") from error
    with lock.hold(path.parent), Store(path, create=True) as store:
        records = store.summaries()
        store.register(plan.config.seed, plan.size, _registered_now(claims or {}, plan, store))
        state = plan_state(plan.jobs.values(), records, retry_failed=retry_failed)
        driver = _Driver(plan, store, hooks, Forecast(records, reference))
        ran, interrupted = driver.run(state, executor)
        out_of_time = hooks.until is not None and ran < len(state.to_run) and not interrupted
        table = rows.collect(plan, store)
        failed = tuple(Failure(*failure) for failure in table.failed)
        facts = provenance.collect(plan, store, table)
        if not (interrupted or out_of_time):
            rows.write_rows(table.frame, folder)
            slots = executor.slots(state.to_run).number
            facts["last_run"] = provenance.last_run(plan, folder, start, slots, ran)
        mixture = provenance.mixture(store, table)
    return RunResult(
        folder=folder,
        frame=table.frame,
        total=len(plan.jobs),
        ran=ran,
        kept=len(plan.jobs) - len(state.to_run),
        failed=failed,
        interrupted=interrupted,
        mixture=mixture,
        out_of_time=out_of_time,
        facts=facts,
    )


def _registered_now(claims: Mapping[str, str], plan: Plan, store: Store) -> dict[str, str]:
    """The claims that are fixed before the data: all, or those registered in another profile."""
    if not {record.key for record in store.summaries()} & plan.jobs.keys():
        return dict(claims)
    before = [
        {name: tested.partition("-")[0] for name, tested in claims.items()}
        for claims in store.registrations(plan.config.seed)
    ]
    return {
        name: tested
        for name, tested in claims.items()
        if any(digests.get(name) == tested.partition("-")[0] for digests in before)
    }


def _by_repetition(jobs: Sequence[Job], expected: Mapping[str, float]) -> list[Job]:
    """Order jobs by repetition, within one the cheapest method first, for an early picture."""
    if any(job.cell.setting.measured for job in jobs):
        return list(jobs)
    times: defaultdict[tuple[str, str], list[float]] = defaultdict(list)
    for job in jobs:
        setting = job.cell.setting
        times[setting.use, setting.variant].append(expected.get(job.key, 0.0))
    means = {method: sum(seconds) / len(seconds) for method, seconds in times.items()}

    def key(job: Job) -> tuple[Any, ...]:
        method = job.cell.setting.use, job.cell.setting.variant
        return (job.cell.repetition, means[method], method)

    return sorted(jobs, key=key)


class _Driver:
    """The loop that receives outcomes, and alone writes the store."""

    def __init__(self, plan: Plan, store: Store, hooks: Hooks, estimator: Forecast) -> None:
        self._plan = plan
        self._store = store
        self._hooks = hooks
        self._progress = hooks.progress
        self._estimator = estimator
        self._origin: Origin = provenance.origin(plan.path)
        self._held: list[tuple[Job, Outcome]] = []
        self._written = time.monotonic()
        self._estimated = -_ESTIMATE_INTERVAL
        self._left: float | None = None
        self._open: Counter[int] = Counter()  # repetition -> its cells that have not ended
        self._drawn = 0  # repetitions in the last preliminary figure

    def run(self, state: PlanState, executor: Executor) -> tuple[int, bool]:
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
        self._open = Counter(job.cell.repetition for job in state.to_run)
        self._drawn = min(self._open)
        running: dict[str, float] = {}
        jobs = _by_repetition(state.to_run, expected)
        with (
            _Interrupt() as interrupt,
            contextlib.closing(
                executor.run(jobs, lambda: interrupt.came, lambda: self._hooks.out_of_time)
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
                        self._show_preliminary()
                    elif isinstance(event, ExecutorNote):
                        self._progress.note(event.sentence)
                    else:
                        self._write()
                        self._left = self._time_left(waiting, running, slots)
                        self._progress.tick(self._left)
            finally:
                self._write(at_once=True)
                self._progress.end()
        return len(state.to_run) - len(waiting), bool(interrupt.came and waiting)

    def _show_preliminary(self) -> None:
        """Hand on the rows so far after the first repetition, and when their number has doubled."""
        complete = min(self._open, default=0)
        if complete < max(1, 2 * self._drawn) or (self._left or 0.0) < _MIN_SECONDS_LEFT:
            return
        self._drawn = complete
        self._write(at_once=True)
        part = self._plan.first(complete)
        table = rows.collect(part, self._store)
        facts = provenance.collect(part, self._store, table)
        self._hooks.preliminary(part, table.frame, facts)

    def _keep(self, job: Job, outcome: Outcome) -> None:
        self._held.append((job, outcome))
        self._write()
        self._estimator.wait_for([job], change=-1)
        self._estimator.learn(job, outcome)
        self._open -= Counter([job.cell.repetition])
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
