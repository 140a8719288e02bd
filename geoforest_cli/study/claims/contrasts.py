"""Contrasts of a claim: what it compares at each point of the grid, as weighted sums of series."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from geoforest_cli.study.claims.estimates import Estimate, Term, binomial, student
from geoforest_cli.study.claims.model import Claim, ClaimMethod
from geoforest_cli.study.frames import CHANCE, Series, Table, aligned

__all__ = ["Contrast", "GridPoint", "contrasts", "pooled"]

Curve = dict[object, Series]
Setting = tuple[tuple[str, object], ...]


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
    """Point at which a claim is judged: it holds there if all its contrasts do.

    Attributes
    ----------
    at : dict
        Grid values.
    contrasts : list of Contrast
    overlap : float
        What repetitions have in common: see `estimates.student`.
    """

    at: dict[str, Any]
    contrasts: list[Contrast]
    overlap: float = 0.0

    @property
    def missing(self) -> int:
        """Failed or missing cells."""
        return sum(contrast.missing for contrast in self.contrasts)


def contrasts(claim: Claim, table: Table) -> list[GridPoint]:
    """Return the contrasts of a claim at every point of the rows."""
    return list(_KINDS[claim.check](claim, table))


def pooled(points: Sequence[GridPoint]) -> list[GridPoint]:
    """Return one point whose contrasts are the means over the points that have numbers."""
    by_label: dict[str, list[Contrast]] = {}
    for point in points:
        for contrast in point.contrasts:
            by_label.setdefault(str(contrast.label), []).append(contrast)
    means = [_mean(group) for group in by_label.values()]
    return [GridPoint({}, means, max(p.overlap for p in points))] if means else []


def _mean(group: Sequence[Contrast]) -> Contrast:
    measured = [contrast for contrast in group if contrast.terms]
    terms = [(w / len(measured), values) for c in measured for w, values in c.terms]
    return replace(group[0], terms=terms, missing=sum(contrast.missing for contrast in group))


def _series(claim: Claim, table: Table, method: ClaimMethod) -> dict[tuple[Any, ...], Series]:
    return table.series(method.name, method.variant, claim.metric)


def _curves(claim: Claim, table: Table, method: ClaimMethod) -> dict[Setting, Curve]:
    """Other grid values -> value on the axis -> series."""
    curves: dict[Setting, Curve] = {}
    for point, series in _series(claim, table, method).items():
        setting = table.named(point)
        x = setting.pop(str(claim.axis), None)
        curves.setdefault(tuple(setting.items()), {})[x] = series
    return curves


def _level(claim: Claim, table: Table) -> Iterator[GridPoint]:
    """Metric itself, or over chance."""
    levels = _series(claim, table, claim.method)
    count = table.kind(claim.metric).name == "count" and claim.times_chance is None
    if claim.times_chance is not None:
        chances = table.series(claim.method.name, claim.method.variant, CHANCE)
        levels = {
            point: _over_chance(series, chance)
            for point, (series, chance) in aligned([levels, chances]).items()
        }
    for point, series in levels.items():
        yield GridPoint(table.named(point), [_sum({}, [(1.0, series)], count=count)])


def _over_chance(series: Series, chance: Series) -> Series:
    chances = {r: c for r, c in chance.values.items() if c > 0}
    values = {r: v / chances[r] for r, v in series.values.items() if r in chances}
    lost = len(series.values) - len(values)
    return Series(values, max(series.missing, chance.missing) + lost, series.undefined)


def _difference(claim: Claim, table: Table) -> Iterator[GridPoint]:
    """Metric of the method minus that of each other."""
    if claim.axis is not None:
        yield from _functional(claim, table)
        return
    parts = [_series(claim, table, method) for method in (claim.method, *claim.than)]
    for point, (ours, *theirs) in aligned(parts).items():
        differences = [
            _sum({"than": str(method)}, [(1.0, ours), (-1.0, series)])
            for method, series in zip(claim.than, theirs, strict=True)
        ]
        yield GridPoint(table.named(point), differences)


def _ratio(claim: Claim, table: Table) -> Iterator[GridPoint]:
    """Metric of the method over that of the other, in logarithms."""
    parts = [_series(claim, table, method) for _, method in claim.methods()]
    for point, (ours, theirs) in aligned(parts).items():
        terms = [(1.0, _log(ours)), (-1.0, _log(theirs))]
        yield GridPoint(table.named(point), [_sum({}, terms, log=True)])


def _range(claim: Claim, table: Table) -> Iterator[GridPoint]:
    """Difference between every two values of the axis."""
    for setting, curve in _curves(claim, table, claim.method).items():
        differences = [
            _sum({str(claim.axis): f"{b} against {a}"}, [(1.0, curve[b]), (-1.0, curve[a])])
            for a, b in itertools.combinations(curve, 2)
        ]
        # one value has no range
        yield GridPoint(dict(setting), differences or [Contrast({}, missing=1)])


def _functional(claim: Claim, table: Table) -> Iterator[GridPoint]:
    """Weighted sum along the axis, of the method minus that of each other."""
    ours, *theirs = (_curves(claim, table, method) for method in (claim.method, *claim.than))
    for setting, curve in ours.items():
        terms = _terms(claim, curve, curve)
        differences = []
        for method, curves in zip(claim.than, theirs, strict=True):
            subtracted = [(-w, s) for w, s in _terms(claim, curves.get(setting, {}), curve)]
            differences.append(_sum({"than": str(method)}, terms + subtracted))
        yield GridPoint(dict(setting), differences or [_sum({}, terms)])


def _terms(claim: Claim, curve: Curve, ours: Curve) -> list[tuple[float, Series]]:
    """Weighted series of a curve: of an exponent, or of the change between values."""
    lacking = Series(missing=1)
    if claim.check == "slope":
        # b of metric = a * axis^b, by least squares in logarithms
        x = [value for value in curve if isinstance(value, int | float) and value > 0]
        if len(x) < max(2, len(curve)):
            return [(1.0, lacking)]
        centred = np.log(x) - np.log(x).mean()
        weights = centred / np.sum(centred**2)
        return [(float(w), _log(s)) for w, s in zip(weights, curve.values(), strict=True)]
    terms: list[tuple[float, Series]] = []
    for sign, values in ((1.0, claim.at), (-1.0, claim.against)):
        # a smaller profile leaves values out
        present = [x for x in values or () if x in ours]
        terms += [(sign / len(present), curve.get(x, lacking)) for x in present]
        terms += [] if present else [(sign, lacking)]
    return terms


def _log(series: Series) -> Series:
    """Logarithms; a value that is not positive counts as missing."""
    values = {r: math.log(v) for r, v in series.values.items() if v > 0}
    return Series(values, series.missing + len(series.values) - len(values), series.undefined)


def _sum(label: dict[str, Any], terms: Sequence[tuple[float, Series]], **kind: bool) -> Contrast:
    """Weighted sum of series; without one of them there is no number."""
    missing = sum(series.missing for _, series in terms)
    if all(series.values for _, series in terms):
        return Contrast(label, [(w, s.values) for w, s in terms], missing, **kind)
    if not any(series.undefined for _, series in terms):
        missing = max(1, missing)
    return Contrast(label, [], missing, **kind)


_KINDS: Mapping[str, Callable[[Claim, Table], Iterator[GridPoint]]] = {
    **dict.fromkeys(("at_least", "at_most", "near"), _level),
    **dict.fromkeys(("greater", "less"), _difference),
    "range": _range,
    "ratio": _ratio,
    "slope": _functional,
}
