"""How much a metric varies along a grid axis."""

from __future__ import annotations

import itertools
from typing import Literal

from geoforest_cli.study.claims.base import Claim, GridColumn, Method, Metric, Tolerance
from geoforest_cli.study.claims.comparison import paired
from geoforest_cli.study.claims.points import Contrast, GridPoint, Region
from geoforest_cli.study.frames import Point, Series, Table

__all__ = ["Range", "along"]


class Range(Claim):
    """The means of the metric along an axis are all within a tolerance of one another.

    Every pair of values of the axis is a contrast, paired by repetition, which must lie within
    the tolerance either way; the range of the means is at most the tolerance where they all do.
    (The range within each repetition would grow with chance variation.)

    Parameters
    ----------
    metric : str
    method : Method
    axis : str
        The grid column that varies; every combination of the others is a point.
    tolerance : float
    """

    check: Literal["range"]
    metric: Metric
    method: Method
    axis: GridColumn
    tolerance: Tolerance

    def points(self, table: Table) -> list[GridPoint]:
        """The difference between every two values of the axis."""
        series = table.series(self.method.name, self.method.variant, self.metric)
        kind = table.kind(self.metric).difference()
        found = []
        for point, curve in along(table, series, self.axis).items():
            contrasts = [
                paired(curve[b], curve[a], {self.axis: f"{b} against {a}"}, kind)
                for a, b in itertools.combinations(curve, 2)
            ]
            # one value has no range
            found.append(GridPoint(dict(point), contrasts or [Contrast({}, missing=1)]))
        return found

    def region(self) -> Region:
        """Within the tolerance, either way."""
        return Region(-self.tolerance, self.tolerance)

    def quantity(self) -> str:
        """Name the range."""
        return f"difference in {self.metric} of {self.method} between two values of {self.axis}"


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
