"""Jobs of a plan that have still to run."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, replace

from geoforest_cli.study.engine.store import RecordSummary
from geoforest_cli.study.plan.cells import Inner, Job, combinations

__all__ = ["PlanState", "plan_state"]


@dataclass(frozen=True)
class PlanState:
    """A plan's jobs beside what its store has of them.

    Attributes
    ----------
    to_run : tuple of Job
        With only the inner values that are missing.
    done, failed : frozenset of str
        Keys of the cells that are in the store in full, and of those that did not end well.
    """

    to_run: tuple[Job, ...]
    done: frozenset[str]
    failed: frozenset[str]


def plan_state(
    jobs: Iterable[Job], records: Iterable[RecordSummary], *, retry_failed: bool = False
) -> PlanState:
    """Compare jobs with the records of a store.

    A cell runs if inner values of it are missing, but not if they were tried and failed; unless
    that is wished, or a limit that stopped it has been raised.
    """
    by_key: dict[str, list[RecordSummary]] = defaultdict(list)
    for record in records:
        by_key[record.key].append(record)
    to_run, done, failed = [], set(), set()
    for job in jobs:
        earlier = by_key.get(job.key, [])
        missing = _missing(job, earlier)
        if missing is None:
            done.add(job.key)
        elif not retry_failed and any(_settles(record, job, missing) for record in earlier):
            failed.add(job.key)
        else:
            if any(record.status != "ok" for record in earlier):
                failed.add(job.key)
            to_run.append(replace(job, inner=missing))
    return PlanState(tuple(to_run), frozenset(done), frozenset(failed))


def _missing(job: Job, records: list[RecordSummary]) -> Inner | None:
    """Return the inner values to compute; None if nothing is missing."""
    successful = [record for record in records if record.status == "ok"]
    if not successful:
        return job.inner
    lacking = combinations(job.inner).difference(*(combinations(r.values) for r in successful))
    if not lacking:
        return None
    needed = zip(*lacking, strict=True)
    return {
        name: tuple(value for value in job.inner[name] if value in values)
        for name, values in zip(sorted(job.inner), map(set, needed), strict=True)
    }


def _settles(record: RecordSummary, job: Job, missing: Inner) -> bool:
    """Return whether a failure of the past is the answer for what is missing now."""
    return record.stopped_by(job) and combinations(missing) <= combinations(record.values)
