"""What a run would do, and how long it would take."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from geoforest_cli.engine.estimate import Estimator
from geoforest_cli.engine.missing import Account, account
from geoforest_cli.engine.store import Mark, Store, store_path
from geoforest_cli.plan.cells import Job, Place, Plan

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
        As for :func:`geoforest_cli.engine.driver.run`.
    jobs : int
        Worker processes to reckon with.
    retry_failed : bool
        Whether failed cells would run again.
    """
    path = store_path(plan, results_dir)
    marks: list[Mark] = []
    if path.exists():
        with Store(path) as store:
            marks = store.marks()
    found = account(plan.jobs.values(), marks, retry_failed=retry_failed)
    estimator = Estimator(marks)
    estimator.wait_for(found.to_run)
    waiting = {job.key: job for job in found.to_run}
    groups: dict[str, list[Place]] = {}
    seen: set[str] = set()
    for place in plan.places:
        if place.cell.key not in seen:
            seen.add(place.cell.key)
            name = json.dumps([place.method, place.variant, dict(place.point)], default=str)
            groups.setdefault(name, []).append(place)
    return Preview(
        groups=tuple(_group(places, found, waiting, estimator) for places in groups.values()),
        cells=len(plan.jobs),
        done=len(found.done),
        failed=len(found.failed),
        to_run=len(found.to_run),
        unknown=len(waiting) - len(estimator.expected(waiting.values())),
        jobs=jobs,
        seconds=estimator.left({}, waiting.values(), jobs),
    )


def _group(
    places: Sequence[Place], found: Account, waiting: Mapping[str, Job], estimator: Estimator
) -> Group:
    keys = [place.cell.key for place in places]
    jobs = [waiting[key] for key in keys if key in waiting]
    expected = estimator.expected(jobs)
    return Group(
        method=places[0].method,
        variant=places[0].variant,
        point=dict(places[0].point),
        cells=len(keys),
        done=sum(key in found.done for key in keys),
        failed=sum(key in found.failed for key in keys),
        to_run=len(jobs),
        seconds=sum(expected.values()) if len(expected) == len(jobs) else None,
    )
