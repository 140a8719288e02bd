"""Several configs: how long each would take, and in which order they run."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from geoforest_cli.engine.preview import Preview
from geoforest_cli.errors import UserError
from geoforest_cli.reference.outcome import ConfigOutcome, is_reference, outcomes_in
from geoforest_cli.study import Study

__all__ = ["Entry", "Order", "agenda", "in_order"]

Order = Literal["given", "cheapest"]
_KEPT = ("reference", "reference-smoke")


@dataclass(frozen=True)
class Entry:
    """One config of several.

    Attributes
    ----------
    given : str
        What it was called by.
    cells, claims : int
        Cells still to run, and claims that they decide.
    seconds : float or None
        Expected duration; None where no cell like these has ever been timed.
    wrong : bool
        Whether it cannot be opened: its turn tells why.
    """

    given: str
    cells: int = 0
    claims: int = 0
    seconds: float | None = None
    wrong: bool = False


def agenda(
    configs: Sequence[str],
    profile: str,
    overrides: Sequence[str],
    results: Path,
    *,
    jobs: int | None = None,
    retry_failed: bool = False,
) -> list[Entry]:
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
    found = []
    for name in configs:
        try:
            study = Study.open(name, profile, overrides, results)
            seen = study.preview(jobs=jobs, retry_failed=retry_failed)
        except Exception:  # whatever it is, its turn tells it, and the others run
            found.append(Entry(name, wrong=True))
            continue
        kept = recorded.get(study.plan.name)
        claims = len(study.plan.config.claims)
        found.append(Entry(name, seen.to_run, claims, _expected(seen, kept)))
    return found


def in_order(entries: Sequence[Entry], order: Order) -> list[Entry]:
    """Return configs in the order in which they run.

    The cheapest come first, by the time that each of their claims takes; those that nothing is
    known of come after the others, by their cells for each claim. What is wrong, and what is done
    and only drawn, comes before all.

    Examples
    --------
    >>> slow, quick = Entry("slow", 10, 1, 900.0), Entry("quick", 10, 1, 60.0)
    >>> many, new = Entry("many", 10, 20, 1000.0), Entry("new", 5, 5)
    >>> [one.given for one in in_order([slow, new, many, quick], "cheapest")]
    ['many', 'quick', 'slow', 'new']
    """
    if order == "given":
        return list(entries)

    def cost(one: Entry) -> tuple[bool, float]:
        known = one.seconds is not None
        each = one.seconds if one.seconds is not None else float(one.cells)
        return bool(one.cells) and not known, each / max(1, one.claims)

    return sorted(entries, key=cost)


def _recorded(results: Path, profile: str) -> dict[str, ConfigOutcome]:
    """Return the outcomes of this size that are kept in the repository."""
    for folder in (parent / name for parent in (results, Path("results")) for name in _KEPT):
        if not is_reference(folder):
            continue
        found = outcomes_in(folder, profile)
        try:
            if all(one.profile == profile for one in found.values()):
                return found
        except UserError:
            continue
    return {}


def _expected(seen: Preview, kept: ConfigOutcome | None) -> float | None:
    if not seen.to_run:
        return 0.0
    if seen.seconds is not None and (not seen.unknown or kept is None):
        return seen.seconds
    if kept is None:
        return None
    try:
        return kept.seconds_per_cell * seen.to_run / seen.jobs
    except UserError:
        return None
