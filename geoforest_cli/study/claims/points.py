"""What a check measures at the points of the grid, and the means over points."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from geoforest_cli.problems.metrics.kinds import REAL, MetricKind

__all__ = ["Contrast", "GridPoint", "Region", "pooled"]


@dataclass(frozen=True)
class Region:
    """The values a claim allows.

    Attributes
    ----------
    low, high : float
        Bounds, infinite where there is none.
    open : bool
        Whether the bounds themselves are excluded ("greater than"): there the two sides tie.

    Examples
    --------
    >>> Region(low=0.0, open=True).holds(0.0), Region(high=1.0).holds(1.0)
    (False, True)
    """

    low: float = -math.inf
    high: float = math.inf
    open: bool = False

    def holds(self, value: float) -> bool:
        """Whether a value is allowed."""
        if self.open:
            return self.low < value < self.high
        return self.low <= value <= self.high

    @property
    def bounds(self) -> int:
        """How many bounds there are."""
        return math.isfinite(self.low) + math.isfinite(self.high)


@dataclass
class Contrast:
    """One statistic of a claim at one point: against one rival, or between two values of an axis.

    Attributes
    ----------
    label : dict
        What distinguishes it from the others of its point, such as ``than``.
    values : dict
        Repetition -> statistic.
    missing : int
        Failed or missing cells that should have contributed.
    kind : MetricKind
        What values are possible.
    """

    label: dict[str, Any]
    values: dict[int, float] = field(default_factory=dict)
    missing: int = 0
    kind: MetricKind = REAL


@dataclass
class GridPoint:
    """A point at which a claim is judged: it holds there if all its contrasts do.

    Attributes
    ----------
    at : dict
        Grid values.
    contrasts : list of Contrast
    overlap : float
        What the repetitions have in common, see `decision.standard_error`.
    """

    at: dict[str, Any]
    contrasts: list[Contrast]
    overlap: float = 0.0

    @property
    def missing(self) -> int:
        """Failed or missing cells."""
        return sum(contrast.missing for contrast in self.contrasts)


def pooled(points: Sequence[GridPoint]) -> list[GridPoint]:
    """Return one point whose contrasts are the means over the points, repetition by repetition."""
    by_label: dict[tuple[tuple[str, Any], ...], list[Contrast]] = {}
    for point in points:
        for contrast in point.contrasts:
            by_label.setdefault(tuple(contrast.label.items()), []).append(contrast)
    if not by_label:
        return []
    contrasts = [
        Contrast(dict(label), _mean(several), sum(c.missing for c in several), several[0].kind)
        for label, several in by_label.items()
    ]
    return [GridPoint({}, contrasts, max(point.overlap for point in points))]


def _mean(contrasts: list[Contrast]) -> dict[int, float]:
    measured = [c for c in contrasts if c.values]
    if not measured:
        return {}
    common = set.intersection(*(set(c.values) for c in measured))
    return {r: math.fsum(c.values[r] for c in measured) / len(measured) for r in sorted(common)}
