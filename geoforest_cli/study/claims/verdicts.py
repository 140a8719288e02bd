"""From what was measured at every point to one of the states of a claim."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from geoforest_cli.study.claims import decision
from geoforest_cli.study.claims.decision import ALPHA, Quantifier
from geoforest_cli.study.claims.estimates import Estimate, estimate
from geoforest_cli.study.claims.points import Contrast, GridPoint, Region, pooled

__all__ = ["NO_DECISION", "Decision", "Rule", "State", "Verdict", "decide"]

State = Literal["supported", "refuted", "tie", "undecided"]
Verdict = Literal["supported", "refuted", "tie", "undecided", "not judged"]


@dataclass(frozen=True)
class Rule:
    """How a claim is decided.

    Attributes
    ----------
    region : Region
    quantifier : {"all", "most", "mean"} or float
    tie : float
        Within so much of an open bound the two sides are called equal.
    exact : bool
        The estimates have no error: deterministic methods on fixed data.
    prediction : bool
        The other side is a single draw with an error of its own: refutation needs the prediction
        interval of a draw, not the interval of the mean, beyond the bounds.
    looks : int
        How often the claim may be judged: each time at an equal share of the level.
    """

    region: Region
    quantifier: Quantifier = "all"
    tie: float = 0.0
    exact: bool = False
    prediction: bool = False
    looks: int = 1

    @property
    def alpha(self) -> float:
        """The error of one look, on each side."""
        return ALPHA / self.looks


@dataclass(frozen=True)
class Numbers:
    """Everything about the contrasts of a claim, as arrays of points x contrasts.

    A contrast that a point does not have is NaN in the p values.
    """

    mean: NDArray[np.float64]
    inside: NDArray[np.float64]
    outside: NDArray[np.float64]
    no_worse: NDArray[np.float64]
    equal: NDArray[np.float64]
    estimates: dict[tuple[int, int], Estimate]


@dataclass(frozen=True)
class Decision:
    """A state, and the numbers that decide it.

    Attributes
    ----------
    state : str
    p_support, p_refute : float or None
        Times the number of looks, so that .025 is the level for all of them.
    estimate, low, high : float or None
        Of the contrast that decides; the interval at the level that decides: inside what is
        allowed where the claim is supported, beyond it where it is refuted, neither where it is
        undecided.
    n : int
        Repetitions of that contrast.
    level : float
        Coverage of that interval.
    deciding : dict
        Where: the point and the contrast.
    repetitions : int or None
        Where undecided: how many would decide with power .8 if mean and spread stay as they are;
        None where no number up to 100,000 would.
    """

    state: State
    p_support: float | None
    p_refute: float | None
    estimate: float | None
    low: float | None
    high: float | None
    n: int
    level: float
    deciding: dict[str, Any]
    repetitions: int | None = None


NO_DECISION = Decision("undecided", None, None, None, None, None, 0, 1 - 2 * ALPHA, {})


def decide(points: Sequence[GridPoint], rule: Rule, *, strict: bool = False) -> Decision | None:
    """Decide a claim.

    Parameters
    ----------
    points : sequence of GridPoint
    rule : Rule
    strict : bool
        Count contrasts with failed or missing cells as unknown, instead of going by the values
        that they have.

    Returns
    -------
    Decision or None
        None where there is nothing to go by.

    Examples
    --------
    >>> from geoforest_cli.study.claims.points import Contrast, GridPoint, Region
    >>> point = GridPoint({}, [Contrast({}, {0: 0.2, 1: 0.3, 2: 0.25})])
    >>> found = decide([point], Rule(Region(low=0.0, open=True)))
    >>> found.state, found.n
    ('supported', 3)
    """
    chosen = pooled(points) if rule.quantifier == "mean" else list(points)
    if not strict:
        chosen = [_with_values(point) for point in chosen]
    chosen = [point for point in chosen if point.contrasts]
    if not any(contrast.values for point in chosen for contrast in point.contrasts):
        return None
    return _Decider(chosen, rule, _numbers(chosen, rule, strict=strict)).decision()


def _with_values(point: GridPoint) -> GridPoint:
    return GridPoint(point.at, [c for c in point.contrasts if c.values], point.overlap)


def _numbers(points: Sequence[GridPoint], rule: Rule, *, strict: bool) -> Numbers:
    shape = len(points), max(len(point.contrasts) for point in points)
    mean, inside, outside, no_worse, equal = (np.full(shape, np.nan) for _ in range(5))
    estimates: dict[tuple[int, int], Estimate] = {}
    low, high, tie = rule.region.low, rule.region.high, rule.tie
    bound = low if math.isfinite(low) else high
    for i, point in enumerate(points):
        for j, contrast in enumerate(point.contrasts):
            # unknown: whatever is claimed of it is not shown
            inside[i, j] = outside[i, j] = no_worse[i, j] = equal[i, j] = 1.0
            n = len(contrast.values)
            if not n:
                continue
            found = _estimate(contrast, point.overlap, rule)
            mean[i, j], estimates[i, j] = found.mean, found
            if (n == 1 and not rule.exact) or (strict and contrast.missing):
                continue
            inside[i, j] = found.p_inside(low, high, closed=not rule.region.open)
            outside[i, j] = found.p_outside(low, high)
            if rule.region.open:
                no_worse[i, j] = found.p_inside(low - tie, high + tie)
                equal[i, j] = found.p_inside(bound - tie, bound + tie)
    return Numbers(mean, inside, outside, no_worse, equal, estimates)


def _estimate(contrast: Contrast, overlap: float, rule: Rule) -> Estimate:
    return estimate(
        list(contrast.values.values()),
        contrast.kind,
        exact=rule.exact,
        overlap=overlap,
        draw=rule.prediction,
    )


class _Decider:
    """The points of one claim with their p values, and which of them decides."""

    def __init__(self, points: list[GridPoint], rule: Rule, numbers: Numbers) -> None:
        self.points, self.rule, self.numbers = points, rule, numbers
        self.n = len(points)
        self.least = decision.wanted(rule.quantifier, self.n)
        self.alpha = rule.alpha
        self.inside, self.outside = decision.over_comparisons(numbers.inside, numbers.outside)
        support, refute = decision.over_points(self.inside, self.outside, self.least)
        self.support, self.refute = float(support), float(refute)
        # what the level of one comparison is divided by, for and against
        self.tests_for = self.n - self.least + 1
        self.tests_against = [
            self.least * max(1, rule.region.bounds) * len(point.contrasts) for point in points
        ]

    def state(self) -> State:
        if self._ties():
            return "tie"
        if self.support <= self.alpha:
            return "supported"
        return "refuted" if self.refute <= self.alpha else "undecided"

    def _ties(self) -> bool:
        if not self.rule.region.open:
            return False
        no_worse, _ = decision.over_comparisons(self.numbers.no_worse, self.numbers.outside)
        at_least, _ = decision.over_points(no_worse, self.outside, self.least)
        ahead, level = self._ahead(), self._level()
        either = np.sum(np.all(ahead | level, axis=1))
        return bool(
            at_least <= self.alpha
            and np.sum(np.all(ahead, axis=1)) < self.least
            and either >= self.least
        )

    def _level(self) -> NDArray[np.bool_]:
        equal = self.numbers.equal
        return np.asarray(np.isnan(equal) | (equal <= self.alpha))

    def _ahead(self) -> NDArray[np.bool_]:
        inside, equal = self.numbers.inside, self.numbers.equal
        ahead = (inside <= self.alpha) & (equal > self.alpha)
        return np.asarray(np.isnan(inside) | ahead)

    def decision(self) -> Decision:
        state = self.state()
        i, j, tests = self._which(state)
        numbers = self.numbers
        beyond = state == "refuted" or (state == "undecided" and self.rule.prediction)
        found, point = numbers.estimates.get((i, j)), self.points[i]
        low = high = None
        if found is not None and (len(found.values) > 1 or self.rule.exact):
            low, high = found.interval(self.alpha / tests, beyond=beyond)
        return Decision(
            state,
            min(1.0, self.support * self.rule.looks),
            min(1.0, self.refute * self.rule.looks),
            found.mean if found else None,
            low,
            high,
            len(point.contrasts[j].values),
            1 - 2 * self.alpha / tests,
            {**point.at, **point.contrasts[j].label},
            self._repetitions(i, j) if state == "undecided" else None,
        )

    def _which(self, state: State) -> tuple[int, int, int]:
        """The deciding point and contrast, and what the level of its interval is divided by."""
        slack = self._slack()
        # from the clearest on, either way
        order = np.lexsort((-np.nanmin(slack, axis=1), self.inside))
        if state == "refuted":
            i = int(np.lexsort((np.nanmin(slack, axis=1), self.outside))[self.n - self.least])
            return i, _first(self.numbers.outside[i], slack[i]), self.tests_against[i]
        if state == "tie":
            ahead = self._ahead()
            level = ~np.all(ahead, axis=1) & np.all(ahead | self._level(), axis=1)
            i = int(np.flatnonzero(level)[0])
            return i, int(np.flatnonzero(~ahead[i])[0]), 1
        worst = order[self.least - 1 :]
        if state == "undecided":
            # one of them is not refuted by itself, or the claim would be
            worst = worst[self.outside[worst] * self.least > self.alpha]
        i = int(worst[0])
        j = _first(-self.numbers.inside[i], slack[i])
        if state == "supported":
            return i, j, self.tests_for
        return i, j, max(self.tests_for, self.tests_against[i])

    def _slack(self) -> NDArray[np.float64]:
        """How far each mean is inside; unknown ones are the furthest outside."""
        region, mean = self.rule.region, self.numbers.mean
        slack = np.minimum(mean - region.low, region.high - mean)
        known = np.where(np.isnan(slack), -np.inf, slack)
        return np.where(np.isnan(self.numbers.inside), np.nan, known)

    def _repetitions(self, i: int, j: int) -> int | None:
        """The number of repetitions for the side that the deciding contrast is on."""
        if self._gap(i, j) > 0:
            best = np.argsort(self.inside, kind="stable")[: self.least]
            needed = [
                self._needed(int(a), b, self.tests_for)
                for a in best
                for b in range(len(self.points[a].contrasts))
                if self.numbers.inside[a, b] * self.tests_for > self.alpha
            ]
        else:
            worst = np.argsort(self.outside, kind="stable")[: self.n - self.least + 1]
            open_ = worst[self.outside[worst] * self.least > self.alpha]
            needed = [self._against(int(a)) for a in open_]
        known = [one for one in needed if one is not None]
        return max(known) if known and len(known) == len(needed) else None

    def _gap(self, i: int, j: int) -> float:
        mean, region = float(self.numbers.mean[i, j]), self.rule.region
        return min(mean - region.low, region.high - mean)

    def _against(self, i: int) -> int | None:
        several = range(len(self.points[i].contrasts))
        found = [self._needed(i, j, self.tests_against[i], beyond=True) for j in several]
        return min((one for one in found if one is not None), default=None)

    def _needed(self, i: int, j: int, tests: int, *, beyond: bool = False) -> int | None:
        found, gap, region = self.numbers.estimates.get((i, j)), self._gap(i, j), self.rule.region
        if found is None or len(found.values) < 2 or (gap >= 0 if beyond else gap <= 0):
            return None
        nearest = region.low if found.mean - region.low <= region.high - found.mean else region.high
        return found.needed(nearest, tests * self.rule.looks, beyond=beyond)


def _first(keys: NDArray[np.float64], slack: NDArray[np.float64]) -> int:
    """The contrast with the smallest key; among equal ones the one least inside."""
    return int(np.lexsort((slack, np.where(np.isnan(keys), np.inf, keys)))[0])
