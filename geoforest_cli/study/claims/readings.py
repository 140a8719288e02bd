"""Claims whose reading changed, or that came, after results had been seen.

``readings.yaml`` lists every change: config and claims, when, from what to what, why, and whether
results had been seen by then.
"""

from __future__ import annotations

import functools
from collections.abc import Iterable, Mapping
from importlib import resources
from typing import Any

import yaml

__all__ = ["is_late", "late_among", "readings"]


def readings() -> list[dict[str, Any]]:
    """Return the changes of what claims test: config, claims, date, was, is, why, after_results.

    Examples
    --------
    >>> sorted(readings()[0])
    ['after_results', 'claims', 'config', 'date', 'is', 'was', 'why']
    """
    text = (resources.files(__package__) / "readings.yaml").read_text("utf-8")
    found: list[dict[str, Any]] = yaml.safe_load(text)
    return found


@functools.cache
def _late() -> frozenset[tuple[str, str]]:
    """Config and claim; the claim is "all" where the reading of all of a config's changed."""
    return frozenset(
        (config, claim)
        for one in readings()
        if one["after_results"]
        for config in one["config"].split(", ")
        for claim in (one["claims"] if isinstance(one["claims"], list) else ["all"])
    )


def is_late(config: str, claim: str) -> bool:
    """Return whether a claim's reading changed, or the claim came, after results had been seen.

    Examples
    --------
    >>> is_late("spiral_noisy", "sg_robust_to_noise"), is_late("noise", "search_beats_one_draw")
    (True, False)
    """
    return bool({(config, claim), (config, "all")} & _late())


def late_among(claims: Iterable[tuple[str, Mapping[str, Any]]]) -> int:
    """Count the claims that decide a paper's sentence and were read after results were seen.

    Parameters
    ----------
    claims : iterable of (str, mapping)
        The config's name, and a claim as ``claims.json`` or the config holds it; those that are not
        a paper's primary ones do not count.

    Examples
    --------
    >>> claim = {"id": "sg_robust_to_noise", "origin": "paper", "primary": "as run"}
    >>> late_among([("spiral_noisy", claim), ("spiral_noisy", claim | {"primary": ""})])
    1
    """
    return sum(
        claim["origin"] == "paper" and bool(claim.get("primary")) and is_late(config, claim["id"])
        for config, claim in claims
    )
