"""Verdicts: from the contrasts at the points of a claim to a state, and to that of a sentence.

Each side is tested at the level .025. A point holds if all its contrasts do. Support of all of n is
an intersection-union test (Berger 1982): the largest p decides, without correction. Refutation of
all of n is Holm's first step: the smallest p times n. At least u of n: partial conjunctions
(Benjamini and Heller 2008), ``(n - u + 1) p_(u)`` for it and ``u p_(n - u + 1)`` against it.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from geoforest_cli.study.claims.contrasts import Contrast, GridPoint, pooled
from geoforest_cli.study.claims.estimates import Estimate
from geoforest_cli.study.claims.model import Quantifier, Region

__all__ = [
    "ALPHA",
    "Decision",
    "Rule",
    "State",
    "Verdict",
    "decide",
    "least",
    "over_points",
    "sentence_state",
]

State = Literal["supported", "refuted", "tie", "undecided"]
Verdict = Literal["supported", "refuted", "tie", "undecided", "not judged"]
ALPHA = 0.025
Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Rule:
    """The region and the quantifier of a claim, and what its repetitions are.

    Attributes
    ----------
    region : Region
    quantifier : {"all", "most", "mean"} or float
    tie : float
        Within so much of an open bound, either way, the two sides are called equal.
    exact : bool
        The values have no error.
    population : bool
        Splits of one table stand for draws from all tables: see `estimates.student`.
    trials : int
        Of a count, in each repetition.
    """

    region: Region
    quantifier: Quantifier = "all"
    tie: float = 0.0
    exact: bool = False
    population: bool = False
    trials: int = 1


@dataclass(frozen=True)
class Decision:
    """A state, and the contrast that decides it.

    Attributes
    ----------
    state : str
    estimate : Estimate or None
    at : dict
        The point and the contrast.
    p_support, p_refute : float
    """

    state: State
    estimate: Estimate | None
    at: dict[str, Any]
    p_support: float
    p_refute: float


def least(quantifier: Quantifier | int, n: int) -> int:
    """Return how many of n must hold.

    Examples
    --------
    >>> [least(q, 12) for q in ("all", "most", 0.9, "mean", 3)]
    [12, 7, 11, 12, 3]
    """
    if quantifier == "most":
        return n // 2 + 1
    if isinstance(quantifier, float):
        return max(1, math.ceil(quantifier * n - 1e-9))
    return min(quantifier, n) if isinstance(quantifier, int) else n


def over_points(inside: Floats, outside: Floats, wanted: int) -> tuple[float, float]:
    """Return the p values for at least so many of the points, and for fewer.

    Examples
    --------
    >>> p = over_points(np.array([0.01, 0.002, 0.5]), np.array([0.99, 0.998, 0.5]), 2)
    >>> [round(one, 3) for one in p]
    [0.02, 1.0]
    """
    n = len(inside)
    holds = float(np.sort(inside)[wanted - 1]) * (n - wanted + 1)
    fails = float(np.sort(outside)[n - wanted]) * wanted
    return min(1.0, holds), min(1.0, fails)


def decide(points: Sequence[GridPoint], rule: Rule, *, strict: bool = False) -> Decision | None:
    """Decide a claim; None where there is no number.

    Parameters
    ----------
    points : sequence of GridPoint
    rule : Rule
    strict : bool
        Count contrasts with failed or missing cells as unknown, instead of going by the values
        that they have.

    Examples
    --------
    >>> point = GridPoint({}, [Contrast({}, [(1.0, {0: 0.2, 1: 0.3, 2: 0.25})])])
    >>> found = decide([point], Rule(Region(low=0.0, open=True)))
    >>> found.state, found.estimate.n
    ('supported', 3)
    """
    judged = pooled(points) if rule.quantifier == "mean" else list(points)
    if not strict:
        judged = [GridPoint(p.at, [c for c in p.contrasts if c.terms], p.overlap) for p in judged]
    judged = [point for point in judged if point.contrasts]
    if not any(contrast.terms for point in judged for contrast in point.contrasts):
        return None
    return _decision([_Judged.of(point, rule, strict=strict) for point in judged], rule)


@dataclass(frozen=True)
class _Judged:
    """A point with the p values of its contrasts."""

    at: dict[str, Any]
    contrasts: list[Contrast]
    estimates: list[Estimate | None]
    known: NDArray[np.bool_]
    inside: Floats
    outside: Floats
    no_worse: Floats
    equal: Floats

    @classmethod
    def of(cls, point: GridPoint, rule: Rule, *, strict: bool) -> _Judged:
        overlap = point.overlap if rule.population else 0.0
        estimates: list[Estimate | None] = []
        known, rows = [], []
        for contrast in point.contrasts:
            known.append(bool(contrast.terms) and not (strict and contrast.missing))
            estimate = (
                contrast.estimate(exact=rule.exact, overlap=overlap, trials=rule.trials)
                if contrast.terms
                else None
            )
            estimates.append(estimate)
            rows.append(_p_values(estimate, rule) if estimate and known[-1] else (1.0,) * 4)
        p = np.array(rows, dtype=float).T
        return cls(point.at, point.contrasts, estimates, np.array(known), *p)

    @property
    def support(self) -> float:
        """All contrasts hold."""
        return float(self.inside.max())

    @property
    def refute(self) -> float:
        """One of them does not."""
        return min(1.0, float(self.outside.min()) * len(self.outside))

    @property
    def ahead(self) -> NDArray[np.bool_]:
        """Contrasts that hold, and are not level."""
        return np.asarray((self.inside <= ALPHA) & (self.equal > ALPHA))

    @property
    def level(self) -> NDArray[np.bool_]:
        """Contrasts whose two sides are equal within the margin."""
        return np.asarray(self.equal <= ALPHA)


def _p_values(estimate: Estimate, rule: Rule) -> tuple[float, float, float, float]:
    """For inside the region, outside it and its margin, inside or level, and level."""
    low, high, open_ = rule.region
    tie, closed = rule.tie, not open_
    inside = max(estimate.p_above(low, closed=closed), estimate.p_below(high, closed=closed))
    beyond = min(
        estimate.p_below(low - tie, closed=False), estimate.p_above(high + tie, closed=False)
    )
    outside = min(1.0, beyond * max(1, rule.region.bounds))
    if not open_:
        return inside, outside, inside, 1.0
    no_worse = max(estimate.p_above(low - tie), estimate.p_below(high + tie))
    bound = low if math.isfinite(low) else high
    equal = max(estimate.p_above(bound - tie), estimate.p_below(bound + tie))
    return inside, outside, no_worse, equal


def _decision(points: list[_Judged], rule: Rule) -> Decision:
    wanted = least(rule.quantifier, len(points))
    inside, outside = (np.array([getattr(p, n) for p in points]) for n in ("support", "refute"))
    support, refute = over_points(inside, outside, wanted)
    ahead = sum(bool(point.ahead.all()) for point in points)
    # what is not known may be ahead
    possible = sum(bool((point.ahead | ~point.known).all()) for point in points)
    state: State = "undecided"
    if possible < wanted and _level_or_ahead(points, rule, wanted):
        state = "tie"
    elif support <= ALPHA and (not rule.region.open or ahead >= wanted):
        state = "supported"
    elif refute <= ALPHA:
        state = "refuted"
    point, j = _deciding(points, rule.region, state, wanted)
    label = {**point.at, **point.contrasts[j].label}
    return Decision(state, point.estimates[j], label, support, refute)


def _level_or_ahead(points: list[_Judged], rule: Rule, wanted: int) -> bool:
    """Return whether enough points are nowhere worse, and ahead or level."""
    if not rule.region.open:
        return False
    no_worse = np.array([point.no_worse.max() for point in points])
    holds, _ = over_points(no_worse, np.ones(len(points)), wanted)
    either = sum(bool((point.ahead | point.level).all()) for point in points)
    return holds <= ALPHA and wanted <= either


def _deciding(
    points: list[_Judged], region: Region, state: State, wanted: int
) -> tuple[_Judged, int]:
    """The point and the contrast at which the state is decided, the worst of those that count."""
    if state == "tie":
        point = next(p for p in points if not p.ahead.all() and (p.ahead | p.level).all())
        return point, int(np.flatnonzero(~point.ahead)[0])
    slack = [[_slack(e, region) for e in point.estimates] for point in points]
    if state == "refuted":
        order = sorted(range(len(points)), key=lambda i: (points[i].refute, min(slack[i])))
        i = order[len(points) - wanted]
        keys = points[i].outside
    else:
        order = sorted(range(len(points)), key=lambda i: (points[i].support, -min(slack[i])))
        i = order[wanted - 1]
        keys = -points[i].inside
    return points[i], min(range(len(keys)), key=lambda j: (keys[j], slack[i][j]))


def _slack(estimate: Estimate | None, region: Region) -> float:
    """Distance of an estimate inside the region; none is the furthest outside."""
    if estimate is None:
        return -math.inf
    return min(estimate.mean - region.low, region.high - estimate.mean)


def sentence_state(states: Sequence[Verdict], holds: Literal["all", "most"] | int) -> Verdict:
    """Return the verdict of a sentence from those of its parts.

    It is supported when enough of its parts are, refuted when so many are refuted that too few are
    left, a tie when ties make up the number; otherwise undecided, or not judged where a part that
    is not could turn it.

    Examples
    --------
    >>> sentence_state(["supported", "refuted", "supported"], "all")
    'refuted'
    >>> sentence_state(["supported", "refuted", "supported"], "most")
    'supported'
    """
    wanted = least(holds, len(states))
    if states.count("supported") >= wanted:
        return "supported"
    if states.count("refuted") > len(states) - wanted:
        return "refuted"
    if states.count("supported") + states.count("tie") >= wanted:
        return "tie"
    return "not judged" if "not judged" in states else "undecided"
