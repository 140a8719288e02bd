"""One method against others on the same samples."""

from __future__ import annotations

from typing import Any, Literal

from geoforest_cli.problems.metrics.kinds import REAL, MetricKind, positive
from geoforest_cli.study.claims.base import BoundsClaim, MarginClaim, Method, Methods, Metric
from geoforest_cli.study.claims.points import Contrast, GridPoint, Region
from geoforest_cli.study.frames import Series, Table, aligned

__all__ = ["Greater", "Less", "Ratio", "paired"]


class _Difference(MarginClaim):
    metric: Metric
    method: Method
    than: Methods

    def points(self, table: Table) -> list[GridPoint]:
        """Paired differences over repetitions from each B."""
        kind = table.kind(self.metric).difference()
        parts = [table.series(m.name, m.variant, self.metric) for m in (self.method, *self.than)]
        return [
            GridPoint(
                table.named(point),
                [
                    paired(ours, other, {"than": str(method)}, kind)
                    for method, other in zip(self.than, theirs, strict=True)
                ],
            )
            for point, (ours, *theirs) in aligned(parts).items()
        ]

    def quantity(self) -> str:
        """Name the difference."""
        return f"{self.metric} of {self.method} minus that of {_others(self.than)}"


class Greater(_Difference):
    """The mean paired difference A - B lies above the margin, for every B.

    A point counts where A is above every B. With the quantifier "mean" the differences are
    averaged over the points first, B by B: A must be above the best of them.

    Parameters
    ----------
    metric : str
        What is compared; larger is better.
    method : Method
        A.
    than : list of Method
        Each B.
    margin : float
        The difference that must be exceeded.
    tie : float
        See `base.MarginClaim`.
    """

    check: Literal["greater"]

    def region(self) -> Region:
        """Above the margin."""
        return Region(low=self.margin, open=True)


class Less(_Difference):
    """The mean paired difference A - B lies below the margin, for every B.

    As for `Greater`, the other way round.

    Parameters
    ----------
    metric : str
        What is compared; smaller is better.
    method : Method
        A.
    than : list of Method
        Each B.
    margin : float
        The difference that must not be reached.
    tie : float
        See `base.MarginClaim`.
    """

    check: Literal["less"]

    def region(self) -> Region:
        """Below the margin."""
        return Region(high=self.margin, open=True)


class Ratio(BoundsClaim):
    """The paired ratio A / B of a positive metric lies in bounds.

    Parameters
    ----------
    metric : str
    method, over : Method
        A and B.
    at_least, at_most : float, optional
        Bounds of the ratio; at least one of them.
    """

    check: Literal["ratio"]
    metric: Metric
    method: Method
    over: Method

    def points(self, table: Table) -> list[GridPoint]:
        """Ratios over repetitions; one to a value that is not positive counts as missing."""
        parts = [table.series(m.name, m.variant, self.metric) for m in (self.method, self.over)]
        found = []
        for point, (a, b) in aligned(parts).items():
            contrast = paired(a, b, {}, positive)
            good = [r for r in contrast.values if b.values[r] > 0]
            contrast.missing += len(contrast.values) - len(good)
            contrast.values = {r: a.values[r] / b.values[r] for r in good}
            found.append(GridPoint(table.named(point), [contrast]))
        return found

    def quantity(self) -> str:
        """Name the ratio."""
        return f"{self.metric} of {self.method} over that of {self.over}"


def paired(a: Series, b: Series, label: dict[str, Any], kind: MetricKind = REAL) -> Contrast:
    """Differences a - b over the repetitions that both have."""
    common = [r for r in sorted(a.values) if r in b.values]
    missing = a.missing + b.missing
    if not common and not missing and not (a.undefined or b.undefined):
        missing = 1
    return Contrast(label, {r: a.values[r] - b.values[r] for r in common}, missing, kind)


def _others(methods: tuple[Method, ...]) -> str:
    return str(methods[0]) if len(methods) == 1 else "each of " + ", ".join(map(str, methods))
