"""Claims that the reference leaves undecided, and what it would cost to decide them."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from geoforest_cli.study.claims.storage import read_claims

__all__ = ["hours", "table"]

_HEAD = """## Undecided claims, and what they would cost
How many repetitions would decide the claims that `results/reference` leaves undecided, and how long
would these take? The repetitions decide with power .8 if mean and spread stay as they are. The
hours are those of repeating all cells of the config on two cores, by the seconds of the reference;
the cells of a claim may take less. {hopeless} of {number} cannot be decided by 100,000 repetitions:
their mean is too close to the bound, or splits of one table overlap too much.

| config | claim | repetitions now | would decide | hours on two cores |
|---|---|---:|---:|---:|"""
_CORES, _HOUR = 2, 3600


def hours(seconds: float, repetitions: int, needed: int) -> float:
    """Return how long so many repetitions of a config take on two cores.

    Parameters
    ----------
    seconds : float
        Of all its cells together.
    repetitions, needed : int
        How many these are, and how many there are to be.

    Examples
    --------
    >>> hours(7200, 5, 20)
    3.0
    """
    return seconds / repetitions * (needed - repetitions) / _CORES / _HOUR


def table(reference: Path) -> Iterator[str]:
    """Yield the lines of the table of a folder with one folder per config."""
    found = [
        (path.parent.name, claim, _seconds(path.parent))
        for path in sorted(reference.glob("*/claims.json"))
        for claim in read_claims(path.parent)
        if claim["verdict"] == "undecided"
    ]
    hopeless = sum(claim["repetitions"] is None for _, claim, _ in found)
    yield _HEAD.format(hopeless=hopeless, number=len(found))
    for config, claim, seconds in found:
        cells = _cost(claim["n"], claim["repetitions"], seconds)
        yield f"| `{config}` | `{claim['id']}` | {claim['n']} | {cells[0]} | {cells[1]} |"


def _cost(now: int, stored: int | None, seconds: float) -> tuple[str, str]:
    if stored is None:
        return "cannot be decided", ""
    needed = max(stored, now + 1)
    cost = hours(seconds, now, needed)
    shown = f"{cost:,.0f}" if cost >= 10 else f"{cost:.1f}"
    return f"{needed:,}", shown if cost >= 0.1 else "< 0.1"


def _seconds(folder: Path) -> float:
    record: dict[str, Any] = json.loads((folder / "provenance.json").read_text("utf-8"))
    return sum(float(origin["seconds"]) for origin in record["made"]["origins"])
