"""One curve above another."""

from __future__ import annotations

import functools
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from geoforest_cli.problems.metrics.kinds import MetricKind
from geoforest_cli.study.claims.base import GridColumn, MarginClaim, Method, Methods, Metric
from geoforest_cli.study.claims.points import Contrast, GridPoint, Region
from geoforest_cli.study.claims.spread import along, complete
from geoforest_cli.study.frames import Table

__all__ = ["Dominates", "gap"]

Place = tuple[tuple[str, object], ...]
Curve = tuple[NDArray[np.float64], NDArray[np.float64]]


class Dominates(MarginClaim):
    """Along the common curve, that of A lies above that of every B by more than the margin.

    A curve is traced by the grid column ``along``: at each of its values the metrics ``x`` and
    ``y`` give a point, and the points are joined by lines ("at all precisions higher recall").
    The points judged are the knots of the mean curves, as far as the curves of A and of a B have
    them in common in every repetition; at each the vertical gaps of the repetitions are a
    contrast. The quantifier counts these points.

    Parameters
    ----------
    x, y : str
        Metrics, for instance precision and recall.
    along : str
        The grid column that traces the curve.
    method : Method
        A.
    than : list of Method
        Each B.
    margin, tie : float
        See `base.MarginClaim`.
    """

    check: Literal["dominates"]
    x: Metric
    y: Metric
    along: GridColumn
    method: Method
    than: Methods

    def points(self, table: Table) -> list[GridPoint]:
        """The gaps at every knot, in the repetitions that have both curves."""
        curves = [self._curves(table, method) for method in (self.method, *self.than)]
        found: list[GridPoint] = []
        for place in dict.fromkeys(at for one in curves for at in one):
            ours, *theirs = (one.get(place, _Traced({}, 1)) for one in curves)
            pairs = {str(m): _Pair(ours, t) for m, t in zip(self.than, theirs, strict=True)}
            found += self._knots(dict(place), pairs, table.kind(self.y).difference())
        return found

    def _knots(
        self, at: dict[str, Any], pairs: dict[str, _Pair], kind: MetricKind
    ) -> Iterator[GridPoint]:
        # a curve that is not there at all is missing wherever the others are judged
        lost = [
            Contrast({"than": name}, missing=pair.missing)
            for name, pair in pairs.items()
            if pair.common is None
        ]
        knots = np.unique(np.concatenate([np.empty(0), *(p.knots for p in pairs.values())]))
        for knot in knots:
            contrasts = [
                Contrast({"than": name}, pair.gaps(float(knot)), pair.missing, kind)
                for name, pair in pairs.items()
                if pair.covers(float(knot))
            ]
            yield GridPoint({**at, self.x: float(f"{knot:.4g}")}, contrasts + lost)
        if not knots.size:
            yield GridPoint(at, lost)

    def _curves(
        self, table: Table, method: Method
    ) -> dict[tuple[tuple[str, object], ...], _Traced]:
        parts = [
            along(table, table.series(method.name, method.variant, metric), self.along)
            for metric in (self.x, self.y)
        ]
        found: dict[Place, _Traced] = {}
        for point in dict.fromkeys([*parts[0], *parts[1]]):
            if point not in parts[0] or point not in parts[1]:
                found[point] = _Traced({}, 1)
                continue
            xs, ys = complete(parts[0][point]), complete(parts[1][point])
            missing = max(sum(s.missing for s in part[point].values()) for part in parts)
            curves = {r: _sorted(xs[r], ys[r]) for r in xs if r in ys}
            found[point] = _Traced(curves, missing)
        return found

    def region(self) -> Region:
        """Above the margin."""
        return Region(low=self.margin, open=True)

    def quantity(self) -> str:
        """Name the gap."""
        others = ", ".join(map(str, self.than))
        return f"gap in {self.y} at equal {self.x}, {self.method} minus {others}"


@dataclass(frozen=True)
class _Traced:
    """The curves of one method at one place: repetition -> x ascending and y."""

    curves: dict[int, Curve]
    missing: int

    @functools.cached_property
    def mean_knots(self) -> NDArray[np.float64]:
        """The mean x of each knot over the repetitions."""
        return np.asarray(np.mean([x for x, _ in self.curves.values()], axis=0))


class _Pair:
    """The curves of A and of one B at one place."""

    def __init__(self, ours: _Traced, theirs: _Traced) -> None:
        self.ours, self.theirs = ours, theirs
        self.repetitions = [r for r in ours.curves if r in theirs.curves]
        self.missing = ours.missing + theirs.missing
        self.common = self._common()
        if self.common is None:
            self.missing = max(1, self.missing)

    def _common(self) -> tuple[float, float] | None:
        several = [one.curves[r][0] for r in self.repetitions for one in (self.ours, self.theirs)]
        if not several:
            return None
        low, high = max(x[0] for x in several), min(x[-1] for x in several)
        return (float(low), float(high)) if low <= high else None

    def covers(self, knot: float) -> bool:
        """Whether both curves have this x in every repetition."""
        return self.common is not None and self.common[0] <= knot <= self.common[1]

    @property
    def knots(self) -> NDArray[np.float64]:
        """Where the mean curves bend, and the ends of what they have in common."""
        if self.common is None:
            return np.empty(0)
        several = np.concatenate([self.ours.mean_knots, self.theirs.mean_knots, self.common])
        return several[(several >= self.common[0]) & (several <= self.common[1])]

    def gaps(self, knot: float) -> dict[int, float]:
        """Repetition -> height of A over B."""
        return {r: gap(self.ours.curves[r], self.theirs.curves[r], knot) for r in self.repetitions}


def _sorted(x: list[float], y: list[float]) -> Curve:
    order = np.argsort(x, kind="stable")
    return np.array(x)[order], np.array(y)[order]


def gap(a: Curve, b: Curve, x: float) -> float:
    """The vertical gap a - b between two broken lines, their x ascending.

    Examples
    --------
    >>> import numpy as np
    >>> a = np.array([0.0, 1.0]), np.array([1.0, 0.5])
    >>> b = np.array([0.5, 1.5]), np.array([0.5, 0.0])
    >>> gap(a, b, 0.5), gap(a, b, 1.0)
    (0.25, 0.25)
    """
    return float(np.interp(x, *a) - np.interp(x, *b))
