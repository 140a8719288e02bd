"""What a run would do, and how long it would take."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from geoforest_cli.engine.estimate import Estimator, time_left
from geoforest_cli.engine.executor import Cell, Plan
from geoforest_cli.engine.store import Record, Store, store_path

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
        As for :func:`geoforest_cli.engine.runner.run`.
    jobs : int
        Worker processes to reckon with.
    retry_failed : bool
        Whether failed cells would run again.
    """
    path = store_path(plan, results_dir)
    records: list[Record] = []
    if path.exists():
        with Store(path) as store:
            records = store.all()
    estimator = Estimator(records)
    statuses = {record.key: record.status for record in records}
    parts: dict[str, list[Cell]] = {}
    for cell in {cell.key: cell for cell in plan.cells}.values():
        name = json.dumps([cell.method, cell.variant, dict(cell.point)], default=str)
        parts.setdefault(name, []).append(cell)
    groups = [
        _group(cells, statuses, estimator, retry_failed=retry_failed) for cells in parts.values()
    ]
    waiting = [
        cell
        for cells in parts.values()
        for cell in cells
        if _must_run(statuses.get(cell.key), retry_failed=retry_failed)
    ]
    return Preview(
        groups=tuple(groups),
        cells=sum(group.cells for group in groups),
        done=sum(group.done for group in groups),
        failed=sum(group.failed for group in groups),
        to_run=len(waiting),
        unknown=len(waiting) - len(estimator.expected(waiting)),
        jobs=jobs,
        seconds=time_left(estimator, waiting, {}, jobs),
    )


def _group(
    cells: Sequence[Cell],
    statuses: Mapping[str, str],
    estimator: Estimator,
    *,
    retry_failed: bool,
) -> Group:
    known = [statuses[cell.key] for cell in cells if cell.key in statuses]
    waiting = [
        cell for cell in cells if _must_run(statuses.get(cell.key), retry_failed=retry_failed)
    ]
    expected = estimator.expected(waiting)
    return Group(
        method=cells[0].method,
        variant=cells[0].variant,
        point=dict(cells[0].point),
        cells=len(cells),
        done=known.count("ok"),
        failed=len(known) - known.count("ok"),
        to_run=len(waiting),
        seconds=sum(expected.values()) if len(expected) == len(waiting) else None,
    )


def _must_run(status: str | None, *, retry_failed: bool) -> bool:
    return status is None or (retry_failed and status != "ok")
