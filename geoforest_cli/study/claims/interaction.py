"""A lead that is larger at some values of an axis than at others."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Mapping
from typing import Annotated, Literal

from pydantic import Field

from geoforest_cli.problems.metrics.kinds import MetricKind
from geoforest_cli.study.claims.base import (
    GridColumn,
    MarginClaim,
    Method,
    Methods,
    Metric,
    Number,
)
from geoforest_cli.study.claims.points import Contrast, GridPoint, Region
from geoforest_cli.study.claims.spread import along
from geoforest_cli.study.frames import Series, Table

__all__ = ["Interaction"]

Values = Annotated[tuple[Number, ...], Field(min_length=1)]
Curve = Mapping[object, Series]


class Interaction(MarginClaim):
    """The lead of A over every B is larger at some values of an axis than at others.

    A difference of differences, repetition by repetition: the mean lead at the values `at`, minus
    the mean lead at the values `against`. It must exceed the margin for every B. A can be ahead
    at both, or behind at both.

    Parameters
    ----------
    metric : str
    better : {"greater", "less"}
        Which values are better: the lead is A - B, or B - A.
    method : Method
        A.
    than : list of Method
        Each B.
    axis : str
        A numeric grid column; every combination of the others is a point.
    at, against : list of float
        Values of the axis. Those that a smaller profile leaves out do not count.
    margin, tie : float
        See `base.MarginClaim`.
    """

    check: Literal["interaction"]
    metric: Metric
    better: Literal["greater", "less"]
    method: Method
    than: Methods
    axis: GridColumn
    at: Values
    against: Values

    def points(self, table: Table) -> list[GridPoint]:
        """The change of the lead, in the repetitions that have all of it."""
        several = (self.method, *self.than)
        parts = [
            along(table, table.series(m.name, m.variant, self.metric), self.axis) for m in several
        ]
        # a difference of differences
        kind = table.kind(self.metric).difference().difference()
        found = []
        for place in dict.fromkeys(itertools.chain(*parts)):
            ours, *theirs = (part.get(place, {}) for part in parts)
            contrasts = [
                self._change(ours, other, method, kind)
                for method, other in zip(self.than, theirs, strict=True)
            ]
            found.append(GridPoint(dict(place), contrasts))
        return found

    def _change(self, ours: Curve, theirs: Curve, than: Method, kind: MetricKind) -> Contrast:
        low, high = ([x for x in values if x in {*ours, *theirs}]
                     for values in (self.at, self.against))  # fmt: skip
        needed = [curve.get(x, Series(missing=1)) for x in low + high for curve in (ours, theirs)]
        missing = sum(series.missing for series in needed)
        label = {"than": str(than)}
        if not low or not high:
            return Contrast(label, missing=max(1, missing), kind=kind)
        common = set.intersection(*(set(series.values) for series in needed))
        if not common:
            missing = max(1, missing)
        change = {
            r: self._lead(ours, theirs, low, r) - self._lead(ours, theirs, high, r)
            for r in sorted(common)
        }
        return Contrast(label, change, missing, kind)

    def _lead(self, ours: Curve, theirs: Curve, at: Iterable[float], repetition: int) -> float:
        leads = [ours[x].values[repetition] - theirs[x].values[repetition] for x in at]
        mean = sum(leads) / len(leads)
        return mean if self.better == "greater" else -mean

    def region(self) -> Region:
        """Above the margin."""
        return Region(low=self.margin, open=True)

    def quantity(self) -> str:
        """Name the change."""
        low, high = (", ".join(f"{x:g}" for x in values) for values in (self.at, self.against))
        others = ", ".join(map(str, self.than))
        return (
            f"lead in {self.metric} of {self.method} over {others} at {self.axis} {low}, "
            f"minus that at {high}"
        )
