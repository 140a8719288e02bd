"""Preview of a run: its cells, and the time they would take."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from geoforest_cli.study.engine.estimate import Durations, Forecast
from geoforest_cli.study.engine.pending import PlanState, plan_state
from geoforest_cli.study.engine.store import RecordSummary, Store, store_path
from geoforest_cli.study.plan.cells import Job, Plan, PlanEntry

__all__ = ["Group", "Preview", "preview"]


@dataclass(frozen=True)
class Group:
    """The cells of one method and variant.

    ``seconds`` is the expected time of the cells still to run, one after the other; None when
    nothing is known of one of them.
    """

    method: str
    variant: str
    cells: int
    done: int
    failed: int
    to_run: int
    seconds: float | None


@dataclass(frozen=True)
class Preview:
    """A plan beside what the store has of it.

    ``axes`` are the values of the grid parameters. ``seconds`` is the expected duration of the
    run; cells of which nothing is known, ``unknown`` of them, count as the mean of the others;
    None when nothing is known of any.
    """

    axes: Mapping[str, Sequence[Any]]
    groups: tuple[Group, ...]
    cells: int
    done: int
    failed: int
    to_run: int
    unknown: int
    jobs: int
    seconds: float | None


def preview(
    plan: Plan,
    results_dir: Path,
    *,
    jobs: int,
    retry_failed: bool = False,
    reference: Durations | None = None,
) -> Preview:
    """Compare a plan with its store; nothing is run or written.

    Parameters
    ----------
    plan : Plan
        The plan.
    results_dir : Path
        As for :func:`geoforest_cli.study.engine.driver.run`.
    jobs : int
        Worker processes to reckon with.
    retry_failed : bool
        Whether failed cells would run again.
    reference : Durations, optional
        How long cells took on another machine.
    """
    path = store_path(plan, results_dir)
    records: list[RecordSummary] = []
    if path.exists():
        with Store(path) as store:
            records = store.summaries()
    state = plan_state(plan.jobs.values(), records, retry_failed=retry_failed)
    estimator = Forecast(records, reference)
    estimator.wait_for(state.to_run)
    waiting = {job.key: job for job in state.to_run}
    groups: dict[tuple[str, str], list[PlanEntry]] = {}
    counted: set[str] = set()  # a cell that two entries share counts for the first
    for entry in plan.entries:
        if entry.cell.key not in counted:
            counted.add(entry.cell.key)
            groups.setdefault((entry.method, entry.variant), []).append(entry)
    return Preview(
        axes={name: list(values) for name, values in plan.config.grid_values.items()},
        groups=tuple(_group(entries, state, waiting, estimator) for entries in groups.values()),
        cells=len(plan.jobs),
        done=len(state.done),
        failed=len(state.failed),
        to_run=len(state.to_run),
        unknown=len(waiting) - len(estimator.expected(waiting.values())),
        jobs=jobs,
        seconds=estimator.left({}, waiting.values(), jobs),
    )


def _group(
    entries: Sequence[PlanEntry], state: PlanState, waiting: Mapping[str, Job], estimator: Forecast
) -> Group:
    keys = [entry.cell.key for entry in entries]
    jobs = [waiting[key] for key in keys if key in waiting]
    expected = estimator.expected(jobs)
    return Group(
        method=entries[0].method,
        variant=entries[0].variant,
        cells=len(keys),
        done=sum(key in state.done for key in keys),
        failed=sum(key in state.failed for key in keys),
        to_run=len(jobs),
        seconds=sum(expected.values()) if len(expected) == len(jobs) else None,
    )
