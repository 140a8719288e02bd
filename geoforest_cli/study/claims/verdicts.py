"""Verdicts: from the contrasts at the points of a claim to a state, and to that of a sentence.

Each side is tested at the level .025. A point holds if all its contrasts do. Support of all of n is
an intersection-union test (Berger 1982): the largest p decides, without correction. Refutation of
all of n is Holm's first step: the smallest p times n. At least u of n: partial conjunctions
(Benjamini and Heller 2008), ``(n - u + 1) p_(u)`` for it and ``u p_(n - u + 1)`` against it.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from geoforest_cli.study.claims.contrasts import GridPoint, pooled
from geoforest_cli.study.claims.estimates import Estimate
from geoforest_cli.study.claims.model import Quantifier, Region

__all__ = ["ALPHA", "Decision", "Rule", "State", "Verdict", "decide", "sentence_state"]

State = Literal["supported", "refuted", "tie", "undecided"]
Verdict = Literal["supported", "refuted", "tie", "undecided", "not judged"]
ALPHA = 0.025
Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Rule:
    """Region and the quantifier of a claim, and what its repetitions are.

    Attributes
    ----------
    region : Region
    quantifier : {"all", "most", "mean"} or float
    tie : float
        Within so much of an open bound, either way, the two sides are called equal.
    exact : bool
        The values have no error.
    trials : int
        Of a count, in each repetition.
    """

    region: Region
    quantifier: Quantifier = "all"
    tie: float = 0.0
    exact: bool = False
    trials: int = 1


@dataclass(frozen=True)
class Decision:
    """State, and the contrast that decides it.

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


def _least(quantifier: Quantifier | int, n: int) -> int:
    """Return how many of n must hold.

    Examples
    --------
    >>> [_least(q, 12) for q in ("all", "most", 0.9, "mean", 3)]
    [12, 7, 11, 12, 3]
    """
    if quantifier == "most":
        return n // 2 + 1
    if isinstance(quantifier, float):
        return max(1, math.ceil(quantifier * n - 1e-9))
    return min(quantifier, n) if isinstance(quantifier, int) else n


def _over_points(p: Floats, least: int) -> float:
    """Return the p value for at least so many of the points, from that of each.

    Examples
    --------
    >>> round(_over_points(np.array([0.01, 0.002, 0.5]), 2), 3)
    0.02
    """
    return min(1.0, float(np.sort(p)[least - 1]) * (len(p) - least + 1))


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
    >>> from geoforest_cli.study.claims.contrasts import Contrast
    >>> point = GridPoint({}, [Contrast({}, [(1.0, {0: 0.2, 1: 0.3, 2: 0.25})])])
    >>> decision = decide([point], Rule(Region(low=0.0, open=True)))
    >>> decision.state, decision.estimate.n
    ('supported', 3)
    """
    if rule.quantifier == "mean":
        points = pooled(points)
    if not strict:
        points = [replace(p, contrasts=[c for c in p.contrasts if c.terms]) for p in points]
    points = [point for point in points if point.contrasts]
    if not any(contrast.terms for point in points for contrast in point.contrasts):
        return None
    return _decision([_TestedPoint.of(point, rule, strict=strict) for point in points], rule)


@dataclass(frozen=True)
class _TestedPoint:
    """Point with the p values of its contrasts, one column each.

    Rows of `p`: the contrast is inside the region; outside it and its margin; inside or equal;
    equal. `slack` is its distance inside the region, -inf without a number.
    """

    point: GridPoint
    estimates: list[Estimate | None]
    unknown: NDArray[np.bool_]
    p: Floats
    slack: list[float]

    @classmethod
    def of(cls, point: GridPoint, rule: Rule, *, strict: bool) -> _TestedPoint:
        estimates = [
            c.estimate(exact=rule.exact, overlap=point.overlap, trials=rule.trials)
            if c.terms
            else None
            for c in point.contrasts
        ]
        unknown = [not c.terms or (strict and c.missing > 0) for c in point.contrasts]
        p = [
            (1.0,) * 4 if estimate is None or missing else _p_values(estimate, rule)
            for estimate, missing in zip(estimates, unknown, strict=True)
        ]
        low, high, _ = rule.region
        slack = [min(e.mean - low, high - e.mean) if e else -math.inf for e in estimates]
        return cls(point, estimates, np.array(unknown), np.array(p, dtype=float).T, slack)

    @property
    def support(self) -> float:
        """P value for all contrasts being inside."""
        return float(self.p[0].max())

    @property
    def refute(self) -> float:
        """P value for one of them being outside."""
        return min(1.0, float(self.p[1].min()) * len(self.estimates))

    @property
    def ahead(self) -> NDArray[np.bool_]:
        """Contrasts that are inside, and not equal."""
        return np.asarray((self.p[0] <= ALPHA) & ~self.equal)

    @property
    def equal(self) -> NDArray[np.bool_]:
        """Contrasts whose two sides are equal within the margin."""
        return np.asarray(self.p[3] <= ALPHA)

    @property
    def is_tie(self) -> bool:
        """Tie: some contrasts are equal, all others ahead."""
        return bool((self.ahead | self.equal).all() and not self.ahead.all())


def _p_values(estimate: Estimate, rule: Rule) -> tuple[float, float, float, float]:
    """P values of an estimate, in the order of `_TestedPoint.p`."""
    (low, high, is_open), tie = rule.region, rule.tie
    above, below, closed = estimate.p_above, estimate.p_below, not is_open
    inside = max(above(low, closed=closed), below(high, closed=closed))
    beyond = min(below(low - tie, closed=False), above(high + tie, closed=False))
    outside = min(1.0, beyond * max(1, math.isfinite(low) + math.isfinite(high)))
    if closed:
        return inside, outside, inside, 1.0
    no_worse = max(above(low - tie), below(high + tie))
    bound = low if math.isfinite(low) else high
    equal = max(above(bound - tie), below(bound + tie))
    return inside, outside, no_worse, equal


def _decision(points: list[_TestedPoint], rule: Rule) -> Decision:
    least = _least(rule.quantifier, len(points))
    support = _over_points(np.array([point.support for point in points]), least)
    refute = _over_points(np.array([point.refute for point in points]), len(points) - least + 1)
    ahead = sum(bool(point.ahead.all()) for point in points)
    # what is unknown may be ahead
    possible = sum(bool((point.ahead | point.unknown).all()) for point in points)
    ties = sum(point.is_tie for point in points)
    no_worse = np.array([point.p[2].max() for point in points])
    is_open = rule.region.open
    state: State = "undecided"
    if is_open and possible < least <= ahead + ties and _over_points(no_worse, least) <= ALPHA:
        state = "tie"
    elif support <= ALPHA and (not is_open or ahead >= least):
        state = "supported"
    elif refute <= ALPHA:
        state = "refuted"
    tested, j = _deciding(points, state, least)
    label = {**tested.point.at, **tested.point.contrasts[j].label}
    return Decision(state, tested.estimates[j], label, support, refute)


def _deciding(points: list[_TestedPoint], state: State, least: int) -> tuple[_TestedPoint, int]:
    """Point and the contrast at which the state is decided, the worst of those that count."""
    if state == "tie":
        point = next(point for point in points if point.is_tie)
        return point, int(np.argmin(point.ahead))
    if state == "refuted":
        point = sorted(points, key=lambda point: (point.refute, min(point.slack)))[-least]
        keys = list(zip(point.p[1], point.slack, strict=True))
    else:
        point = sorted(points, key=lambda point: (point.support, -min(point.slack)))[least - 1]
        keys = list(zip(-point.p[0], point.slack, strict=True))
    return point, keys.index(min(keys))


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
    least = _least(holds, len(states))
    if states.count("supported") >= least:
        return "supported"
    if states.count("refuted") > len(states) - least:
        return "refuted"
    if states.count("supported") + states.count("tie") >= least:
        return "tie"
    return "not judged" if "not judged" in states else "undecided"
