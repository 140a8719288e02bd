"""Which jobs of a plan have still to run."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, replace

from geoforest_cli.engine.store import Mark
from geoforest_cli.plan.cells import Inner, Job, combinations

__all__ = ["Account", "account"]


@dataclass(frozen=True)
class Account:
    """A plan's jobs beside what its store has of them.

    Attributes
    ----------
    to_run : tuple of Job
        With only the inner values that are missing.
    done, failed : frozenset of str
        Keys of the cells that are there in full, and of those that did not end well.
    """

    to_run: tuple[Job, ...]
    done: frozenset[str]
    failed: frozenset[str]


def account(jobs: Iterable[Job], marks: Iterable[Mark], *, retry_failed: bool = False) -> Account:
    """Compare jobs with the marks of a store.

    A cell runs if inner values of it are missing, but not if they were tried and failed; unless
    that is wished, or a limit that stopped it has been raised.
    """
    known: dict[str, list[Mark]] = defaultdict(list)
    for mark in marks:
        known[mark.key].append(mark)
    to_run, done, failed = [], set(), set()
    for job in jobs:
        records = known.get(job.key, [])
        missing = _missing(job, records)
        if missing is None:
            done.add(job.key)
        elif not retry_failed and any(_settles(mark, job, missing) for mark in records):
            failed.add(job.key)
        else:
            if any(mark.status != "ok" for mark in records):
                failed.add(job.key)
            to_run.append(replace(job, inner=missing))
    return Account(tuple(to_run), frozenset(done), frozenset(failed))


def _missing(job: Job, records: list[Mark]) -> Inner | None:
    """Return the inner values to compute; None if nothing is missing."""
    fine = [mark for mark in records if mark.status == "ok"]
    if not fine:
        return job.inner
    names = sorted(job.inner)
    lacking = combinations(job.inner)
    for mark in fine:
        lacking -= combinations(mark.values)
    if not lacking:
        return None
    needed = [{one[place] for one in lacking} for place in range(len(names))]
    return {
        name: tuple(v for v in job.inner[name] if v in wanted)
        for name, wanted in zip(names, needed, strict=True)
    }


def _settles(mark: Mark, job: Job, missing: Inner) -> bool:
    """Whether a failure of the past is the answer for what is missing now."""
    if mark.status == "ok" or not mark.stopped_by(job):
        return False
    return combinations(missing) <= combinations(mark.values)
