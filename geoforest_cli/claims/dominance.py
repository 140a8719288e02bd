"""One curve above another."""

from __future__ import annotations

from typing import Annotated, Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from geoforest_cli.claims.base import Claim, Method, Number, Sample
from geoforest_cli.claims.spread import along, complete
from geoforest_cli.claims.table import PublishedValues, Table
from geoforest_cli.claims.verdicts import Region

__all__ = ["Dominates", "smallest_gap"]

Curve = tuple[NDArray[np.float64], NDArray[np.float64]]


class Dominates(Claim):
    """Wherever both curves are defined, that of A lies above that of B by more than the margin.

    A curve is traced by the grid column ``along``: at each of its values the metrics ``x`` and
    ``y`` give a point, and the points are joined by lines ("at all precisions higher recall").
    The statistic of a repetition is the smallest vertical gap, which errs against the claim.

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
    margin : float
    """

    check: Literal["dominates"]
    x: str
    y: str
    along: str
    method: Method
    than: Annotated[tuple[Method, ...], Field(min_length=1)]
    margin: Number = 0.0

    def samples(self, table: Table, published: PublishedValues) -> list[Sample]:
        """The smallest gap in each repetition that has both curves."""
        del published
        ours = self._curves(table, self.method)
        found = []
        for other in self.than:
            theirs = self._curves(table, other)
            for point in dict.fromkeys([*ours, *theirs]):
                a, b = ours.get(point, ({}, 1)), theirs.get(point, ({}, 1))
                sample = _gaps(a, b)
                sample.point = {**dict(point), "than": str(other)}
                found.append(sample)
        return found

    def _curves(
        self, table: Table, method: Method
    ) -> dict[tuple[tuple[str, object], ...], tuple[dict[int, Curve], int]]:
        parts = [
            along(table, table.series(method.name, method.variant, metric), self.along)
            for metric in (self.x, self.y)
        ]
        found: dict[tuple[tuple[str, object], ...], tuple[dict[int, Curve], int]] = {}
        for point in dict.fromkeys([*parts[0], *parts[1]]):
            if point not in parts[0] or point not in parts[1]:
                found[point] = ({}, 1)
                continue
            xs, ys = complete(parts[0][point]), complete(parts[1][point])
            missing = max(sum(s.missing for s in part[point].values()) for part in parts)
            curves = {r: (np.array(xs[r]), np.array(ys[r])) for r in xs if r in ys}
            found[point] = (curves, missing)
        return found

    def region(self) -> Region:
        """Above the margin."""
        return Region(low=self.margin, open=True)

    def quantity(self) -> str:
        """Name the gap."""
        others = ", ".join(map(str, self.than))
        return f"smallest gap in {self.y} at equal {self.x}, {self.method} minus {others}"

    def methods(self) -> tuple[tuple[tuple[str | int, ...], Method], ...]:
        """A and each B."""
        others = tuple((("than", i), other) for i, other in enumerate(self.than))
        return ((("method",), self.method), *others)

    def metrics(self) -> tuple[tuple[tuple[str | int, ...], str], ...]:
        """Both metrics."""
        return ((("x",), self.x), (("y",), self.y))

    def axes(self) -> tuple[tuple[tuple[str | int, ...], str], ...]:
        """The column that traces the curve."""
        return ((("along",), self.along),)


def _gaps(a: tuple[dict[int, Curve], int], b: tuple[dict[int, Curve], int]) -> Sample:
    (ours, lost), (theirs, also_lost) = a, b
    gaps = {r: smallest_gap(ours[r], theirs[r]) for r in ours if r in theirs}
    values = {r: gap for r, gap in gaps.items() if gap is not None}
    missing = lost + also_lost + len(gaps) - len(values)
    return Sample({}, values, missing if values else max(1, missing))


def smallest_gap(a: Curve, b: Curve) -> float | None:
    """The smallest vertical gap a - b between two broken lines; None where they share no x.

    The difference of two broken lines is a broken line, so its minimum is at a knot.

    Examples
    --------
    >>> import numpy as np
    >>> a = np.array([0.0, 1.0]), np.array([1.0, 0.5])
    >>> b = np.array([0.5, 1.5]), np.array([0.5, 0.0])
    >>> smallest_gap(a, b)
    0.25
    """
    low, high = max(a[0].min(), b[0].min()), min(a[0].max(), b[0].max())
    if low > high:
        return None
    knots = np.unique(np.concatenate([a[0], b[0], [low, high]]))
    knots = knots[(knots >= low) & (knots <= high)]
    return float(np.min(_at(a, knots) - _at(b, knots)))


def _at(curve: Curve, knots: NDArray[np.float64]) -> NDArray[np.float64]:
    order = np.argsort(curve[0], kind="stable")
    return np.interp(knots, curve[0][order], curve[1][order])
