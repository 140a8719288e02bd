"""How much a metric varies along a grid axis."""

from __future__ import annotations

from typing import Literal

from geoforest_cli.claims.base import Claim, Method, Sample, Tolerance
from geoforest_cli.claims.table import Point, PublishedValues, Series, Table
from geoforest_cli.claims.verdicts import Region

__all__ = ["Range", "along"]


class Range(Claim):
    """Maximum minus minimum of the metric along an axis is at most a tolerance.

    The range is taken within each repetition, so that chance variation widens it: the check errs
    against the claim of robustness, never for it.

    Parameters
    ----------
    metric : str
    method : Method
    axis : str
        The grid column that varies; every combination of the others is a point.
    tolerance : float
    """

    check: Literal["range"]
    metric: str
    method: Method
    axis: str
    tolerance: Tolerance

    def samples(self, table: Table, published: PublishedValues) -> list[Sample]:
        """The range in each repetition that has the whole axis."""
        del published
        series = table.series(self.method.name, self.method.variant, self.metric)
        found = []
        for point, curve in along(table, series, self.axis).items():
            sample = complete(curve)
            values = {r: max(v) - min(v) for r, v in sample.items()}
            missing = sum(s.missing for s in curve.values())
            if not values or len(curve) < 2:
                values, missing = {}, max(1, missing)
            found.append(Sample(dict(point), values, missing))
        return found

    def region(self) -> Region:
        """Up to the tolerance."""
        return Region(high=self.tolerance)

    def quantity(self) -> str:
        """Name the range."""
        return f"range of the {self.metric} of {self.method} over {self.axis}"

    def methods(self) -> tuple[tuple[tuple[str | int, ...], Method], ...]:
        """The one method."""
        return ((("method",), self.method),)

    def metrics(self) -> tuple[tuple[tuple[str | int, ...], str], ...]:
        """The metric."""
        return ((("metric",), self.metric),)

    def axes(self) -> tuple[tuple[tuple[str | int, ...], str], ...]:
        """The axis."""
        return ((("axis",), self.axis),)


def along(
    table: Table, series: dict[Point, Series], axis: str
) -> dict[tuple[tuple[str, object], ...], dict[object, Series]]:
    """Group series into curves: the other grid values -> value on the axis -> series."""
    curves: dict[tuple[tuple[str, object], ...], dict[object, Series]] = {}
    for point, found in series.items():
        named = table.named(point)
        at = named.pop(axis, None)
        curves.setdefault(tuple(named.items()), {})[at] = found
    return curves


def complete(curve: dict[object, Series]) -> dict[int, list[float]]:
    """Repetition -> values along the curve, for the repetitions that have all of it."""
    common = set.intersection(*(set(s.values) for s in curve.values()))
    return {r: [s.values[r] for s in curve.values()] for r in sorted(common)}
