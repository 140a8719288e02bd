"""Contrasts of a claim: what it compares at each point of the grid, as weighted sums of series."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from geoforest_cli.study.claims.estimates import Estimate, Term, binomial, student
from geoforest_cli.study.claims.model import Claim, Method
from geoforest_cli.study.frames import CHANCE, Point, Series, Table, aligned

__all__ = ["Contrast", "GridPoint", "contrasts", "pooled"]

Curve = Mapping[object, Series]


@dataclass(frozen=True)
class Contrast:
    """One statistic of a claim at one point: against one method, or between two values of an axis.

    Attributes
    ----------
    label : dict
        What distinguishes it from the others of its point, such as ``than``.
    terms : list
        Weights, and repetition -> value (or its logarithm); empty where there is no number.
    missing : int
        Failed or missing cells that should have contributed.
    log : bool
        The values are logarithms of what is estimated.
    count : bool
        The values are shares of successes.
    """

    label: dict[str, Any]
    terms: list[Term] = field(default_factory=list)
    missing: int = 0
    log: bool = False
    count: bool = False

    def estimate(self, *, exact: bool, overlap: float, trials: int) -> Estimate:
        """Return the estimate by the test that its values ask for."""
        if self.count and not exact:
            return binomial([values for _, values in self.terms], trials)
        return student(self.terms, exact=exact, log=self.log, overlap=overlap)


@dataclass(frozen=True)
class GridPoint:
    """A point at which a claim is judged: it holds there if all its contrasts do.

    Attributes
    ----------
    at : dict
        Grid values.
    contrasts : list of Contrast
    overlap : float
        Rows tested over rows trained on, where repetitions are splits of one table.
    """

    at: dict[str, Any]
    contrasts: list[Contrast]
    overlap: float = 0.0

    @property
    def missing(self) -> int:
        """Failed or missing cells."""
        return sum(contrast.missing for contrast in self.contrasts)


def contrasts(claim: Claim, table: Table) -> list[GridPoint]:
    """Return the contrasts of a claim at every point, from the rows or from published values."""
    return _KINDS[claim.check](claim, table)


def pooled(points: Sequence[GridPoint]) -> list[GridPoint]:
    """Return one point whose contrasts are the means over the points that have numbers."""
    by_label: dict[tuple[tuple[str, Any], ...], list[Contrast]] = {}
    for point in points:
        for contrast in point.contrasts:
            by_label.setdefault(tuple(contrast.label.items()), []).append(contrast)
    means = [_mean(dict(label), several) for label, several in by_label.items()]
    return [GridPoint({}, means, max(p.overlap for p in points))] if means else []


def _mean(label: dict[str, Any], several: list[Contrast]) -> Contrast:
    measured = [contrast for contrast in several if contrast.terms]
    terms = [(w / len(measured), values) for one in measured for w, values in one.terms]
    missing = sum(contrast.missing for contrast in several)
    return Contrast(label, terms, missing, several[0].log, several[0].count)


def _of(table: Table, claim: Claim, method: Method) -> dict[Point, Series]:
    return table.series(method.name, method.variant, claim.metric)


def _level(claim: Claim, table: Table) -> list[GridPoint]:
    """The metric itself, or against chance."""
    series = _of(table, claim, claim.method)
    if claim.times_chance is None and claim.target != CHANCE:
        count = table.kind(claim.metric).name == "count"
        return [
            GridPoint(table.named(point), [_sum({}, [(1.0, one)], count=count)])
            for point, one in series.items()
        ]
    compare: Callable[[float, float], float] = (
        (lambda value, chance: value - chance)
        if claim.target == CHANCE
        else (lambda value, chance: value / chance)
    )
    chances = table.series(claim.method.name, claim.method.variant, CHANCE)
    return [
        GridPoint(table.named(point), [_sum({}, [(1.0, _compared(ours, chance, compare))])])
        for point, (ours, chance) in aligned([series, chances]).items()
    ]


def _compared(series: Series, chance: Series, compare: Callable[[float, float], float]) -> Series:
    levels = {r: c for r, c in chance.values.items() if c > 0}
    values = {r: compare(v, levels[r]) for r, v in series.values.items() if r in levels}
    lost = len(series.values) - len(values)
    return Series(values, max(series.missing, chance.missing) + lost, series.undefined)


def _difference(claim: Claim, table: Table) -> list[GridPoint]:
    """The metric of the method minus that of each other."""
    if claim.axis is not None:
        return _change(claim, table)
    parts = [_of(table, claim, method) for method in (claim.method, *claim.than)]
    return [
        GridPoint(
            table.named(point),
            [
                _sum({"than": str(method)}, [(1.0, ours), (-1.0, other)])
                for method, other in zip(claim.than, theirs, strict=True)
            ],
        )
        for point, (ours, *theirs) in aligned(parts).items()
    ]


def _change(claim: Claim, table: Table) -> list[GridPoint]:
    """The difference at some values of an axis minus that at others, each a mean."""
    ours, *theirs = (_along(claim, table, method) for method in (claim.method, *claim.than))
    grid_points = []
    for setting, curve in ours.items():
        point = GridPoint(dict(setting), [])
        for method, curves in zip(claim.than, theirs, strict=True):
            terms = []
            for sign, wanted in ((1.0, claim.at), (-1.0, claim.against)):
                # a smaller profile leaves values out
                there = [x for x in wanted or () if x in curve]
                other = curves.get(setting, {})
                lacking = Series(missing=1)
                for x in there:
                    terms += [
                        (sign / len(there), curve[x]),
                        (-sign / len(there), other.get(x, lacking)),
                    ]
                terms += [] if there else [(sign, lacking)]
            point.contrasts.append(_sum({"than": str(method)}, terms))
        grid_points.append(point)
    return grid_points


def _range(claim: Claim, table: Table) -> list[GridPoint]:
    """The difference between every two values of the axis."""
    grid_points = []
    for setting, curve in _along(claim, table, claim.method).items():
        several = [
            _sum({str(claim.axis): f"{b} against {a}"}, [(1.0, curve[b]), (-1.0, curve[a])])
            for a, b in itertools.combinations(curve, 2)
        ]
        # one value has no range
        grid_points.append(GridPoint(dict(setting), several or [Contrast({}, missing=1)]))
    return grid_points


def _ratio(claim: Claim, table: Table) -> list[GridPoint]:
    """The metric of the method over that of the other, in logarithms."""
    assert claim.over is not None
    parts = [_of(table, claim, method) for method in (claim.method, claim.over)]
    return [
        GridPoint(table.named(point), [_sum({}, [(1.0, _log(a)), (-1.0, _log(b))], log=True)])
        for point, (a, b) in aligned(parts).items()
    ]


def _slope(claim: Claim, table: Table) -> list[GridPoint]:
    """The exponent b of metric = a * axis^b by least squares in logarithms; or minus others'."""
    ours, *theirs = (_along(claim, table, method) for method in (claim.method, *claim.than))
    grid_points = []
    for setting, curve in ours.items():
        ours_terms = _exponent(curve, 1.0)
        labels = [{"than": str(method)} for method in claim.than] or [{}]
        others = [_exponent(part.get(setting, {}), -1.0) for part in theirs] or [[]]
        several = [
            _sum(label, ours_terms + other) for label, other in zip(labels, others, strict=True)
        ]
        grid_points.append(GridPoint(dict(setting), several))
    return grid_points


def _exponent(curve: Curve, sign: float) -> list[tuple[float, Series]]:
    x = [value for value in curve if isinstance(value, int | float) and value > 0]
    if len(x) < max(2, len(curve)):
        return [(sign, Series(missing=1))]
    centred = np.log(x) - np.log(x).mean()
    weights = sign * centred / np.sum(centred**2)
    return [(float(w), _log(s)) for w, s in zip(weights, curve.values(), strict=True)]


def _log(series: Series) -> Series:
    """The logarithms; a value that is not positive counts as missing."""
    values = {r: math.log(v) for r, v in series.values.items() if v > 0}
    return Series(values, series.missing + len(series.values) - len(values), series.undefined)


def _along(
    claim: Claim, table: Table, method: Method
) -> dict[tuple[tuple[str, object], ...], dict[object, Series]]:
    """The other grid values -> value on the axis -> series."""
    curves: dict[tuple[tuple[str, object], ...], dict[object, Series]] = {}
    for point, series in _of(table, claim, method).items():
        named = table.named(point)
        at = named.pop(str(claim.axis), None)
        curves.setdefault(tuple(named.items()), {})[at] = series
    return curves


def _sum(
    label: dict[str, Any],
    terms: Sequence[tuple[float, Series]],
    *,
    log: bool = False,
    count: bool = False,
) -> Contrast:
    """A weighted sum of series; without one of them there is no number."""
    missing = sum(series.missing for _, series in terms)
    if all(series.values for _, series in terms):
        return Contrast(label, [(w, s.values) for w, s in terms], missing, log, count)
    if not any(series.undefined for _, series in terms):
        missing = max(1, missing)
    return Contrast(label, [], missing, log, count)


_KINDS: Mapping[str, Callable[[Claim, Table], list[GridPoint]]] = {
    "at_least": _level,
    "at_most": _level,
    "near": _level,
    "greater": _difference,
    "less": _difference,
    "range": _range,
    "ratio": _ratio,
    "slope": _slope,
}
