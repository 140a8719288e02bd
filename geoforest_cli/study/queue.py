"""Several configs: how long each would take, and in which order they run."""

from __future__ import annotations

import contextlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from geoforest_cli.core.errors import UserError
from geoforest_cli.study.engine.preview import Preview
from geoforest_cli.study.reference.outcome import ConfigOutcome, is_reference, outcomes_in
from geoforest_cli.study.session import Study

__all__ = ["Order", "QueueEntry", "ordered", "read_queue"]

Order = Literal["given", "cheapest"]
_KEPT = ("reference", "reference-smoke")


@dataclass(frozen=True)
class QueueEntry:
    """One config of several.

    Attributes
    ----------
    config : str
        As it was named.
    cells, claims : int
        Cells still to run, and claims that they decide.
    seconds : float or None
        Expected duration; None where no cell like these has ever been timed.
    invalid : bool
        Whether it cannot be opened: the error is shown when its turn comes.
    """

    config: str
    cells: int = 0
    claims: int = 0
    seconds: float | None = None
    invalid: bool = False


def read_queue(
    configs: Sequence[str],
    profile: str,
    overrides: Sequence[str],
    results: Path,
    *,
    jobs: int | None = None,
    retry_failed: bool = False,
) -> list[QueueEntry]:
    """Look at configs one by one; nothing is run or written.

    How long a config takes is known from the cells of its store, else from what its outcome in
    the repository says about the seconds that its cells took.

    Parameters
    ----------
    configs, profile, overrides, results
        As for `Study.open`.
    jobs, retry_failed
        As for `Study.preview`.
    """
    recorded = _recorded(results, profile)
    entries = []
    for config in configs:
        try:
            study = Study.open(config, profile, overrides, results)
            preview = study.preview(jobs=jobs, retry_failed=retry_failed)
        except (UserError, OSError):
            entries.append(QueueEntry(config, invalid=True))
            continue
        seconds = _expected(preview, recorded.get(study.plan.name))
        claims = len(study.plan.config.claims)
        entries.append(QueueEntry(config, preview.to_run, claims, seconds))
    return entries


def ordered(entries: Sequence[QueueEntry], order: Order) -> list[QueueEntry]:
    """Return configs in the order in which they run.

    The cheapest come first, by the time that each of their claims takes; those that nothing is
    known of come after the others, by their cells for each claim. What is invalid, and what is
    done and only drawn, comes before all.

    Examples
    --------
    >>> slow, quick = QueueEntry("slow", 10, 1, 900.0), QueueEntry("quick", 10, 1, 60.0)
    >>> many, new = QueueEntry("many", 10, 20, 1000.0), QueueEntry("new", 5, 5)
    >>> [entry.config for entry in ordered([slow, new, many, quick], "cheapest")]
    ['many', 'quick', 'slow', 'new']
    """
    if order == "given":
        return list(entries)

    def cost(entry: QueueEntry) -> tuple[bool, float]:
        unknown = entry.seconds is None
        total = float(entry.cells) if entry.seconds is None else entry.seconds
        return bool(entry.cells) and unknown, total / max(1, entry.claims)

    return sorted(entries, key=cost)


def _recorded(results: Path, profile: str) -> dict[str, ConfigOutcome]:
    """Return the outcomes of this size that are kept in the repository."""
    for folder in (parent / name for parent in (results, Path("results")) for name in _KEPT):
        with contextlib.suppress(UserError):
            outcomes = outcomes_in(folder, profile) if is_reference(folder) else {}
            if outcomes and all(outcome.profile == profile for outcome in outcomes.values()):
                return outcomes
    return {}


def _expected(preview: Preview, kept: ConfigOutcome | None) -> float | None:
    if not preview.to_run:
        return 0.0
    if preview.seconds is not None and (not preview.unknown or kept is None):
        return preview.seconds
    with contextlib.suppress(UserError):
        if kept is not None and kept.seconds_per_cell is not None:
            return kept.seconds_per_cell * preview.to_run / preview.jobs
    return None
