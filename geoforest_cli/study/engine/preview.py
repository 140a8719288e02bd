"""What a run would do, and how long it would take."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from geoforest_cli.study.engine.estimate import Estimator
from geoforest_cli.study.engine.pending import PlanState, plan_state
from geoforest_cli.study.engine.store import RecordSummary, Store, store_path
from geoforest_cli.study.plan.cells import Job, Plan, PlanEntry

__all__ = ["Group", "Preview", "preview"]


@dataclass(frozen=True)
class Group:
    """The repetitions of one method and variant at one grid point.

    ``seconds`` is the expected time of the cells still to run, one after the other; None when
    nothing is known of one of them.
    """

    method: str
    variant: str
    point: Mapping[str, Any]
    cells: int
    done: int
    failed: int
    to_run: int
    seconds: float | None


@dataclass(frozen=True)
class Preview:
    """A plan beside what the store has of it.

    ``seconds`` is the expected duration of the run; cells of which nothing is known, ``unknown``
    of them, count as the mean of the others; None when nothing is known of any.
    """

    groups: tuple[Group, ...]
    cells: int
    done: int
    failed: int
    to_run: int
    unknown: int
    jobs: int
    seconds: float | None


def preview(plan: Plan, results_dir: Path, *, jobs: int, retry_failed: bool = False) -> Preview:
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
    """
    path = store_path(plan, results_dir)
    records: list[RecordSummary] = []
    if path.exists():
        with Store(path) as store:
            records = store.summaries()
    state = plan_state(plan.jobs.values(), records, retry_failed=retry_failed)
    estimator = Estimator(records)
    estimator.wait_for(state.to_run)
    waiting = {job.key: job for job in state.to_run}
    groups: dict[str, list[PlanEntry]] = {}
    seen: set[str] = set()
    for entry in plan.entries:
        if entry.cell.key not in seen:
            seen.add(entry.cell.key)
            name = json.dumps([entry.method, entry.variant, dict(entry.point)], default=str)
            groups.setdefault(name, []).append(entry)
    return Preview(
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
    entries: Sequence[PlanEntry], state: PlanState, waiting: Mapping[str, Job], estimator: Estimator
) -> Group:
    keys = [entry.cell.key for entry in entries]
    jobs = [waiting[key] for key in keys if key in waiting]
    expected = estimator.expected(jobs)
    return Group(
        method=entries[0].method,
        variant=entries[0].variant,
        point=dict(entries[0].point),
        cells=len(keys),
        done=sum(key in state.done for key in keys),
        failed=sum(key in state.failed for key in keys),
        to_run=len(jobs),
        seconds=sum(expected.values()) if len(expected) == len(jobs) else None,
    )
