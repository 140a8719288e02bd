"""From what was measured at every point to one of the states of a claim."""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from geoforest_cli.study.claims import decision
from geoforest_cli.study.claims.decision import ALPHA, Quantifier

__all__ = [
    "NO_DECISION",
    "Contrast",
    "Decision",
    "GridPoint",
    "Region",
    "Rule",
    "State",
    "Verdict",
    "averaged",
    "decide",
    "pooled",
]

State = Literal["supported", "refuted", "tie", "undecided"]
Verdict = Literal["supported", "refuted", "tie", "undecided", "not judged"]


@dataclass(frozen=True)
class Region:
    """The values a claim allows.

    Attributes
    ----------
    low, high : float
        Bounds, infinite where there is none.
    open : bool
        Whether the bounds themselves are excluded ("greater than"): there the two sides tie.

    Examples
    --------
    >>> Region(low=0.0, open=True).holds(0.0), Region(high=1.0).holds(1.0)
    (False, True)
    """

    low: float = -math.inf
    high: float = math.inf
    open: bool = False

    def holds(self, value: float) -> bool:
        """Whether a value is allowed."""
        if self.open:
            return self.low < value < self.high
        return self.low <= value <= self.high

    @property
    def bounds(self) -> int:
        """How many bounds there are."""
        return math.isfinite(self.low) + math.isfinite(self.high)


@dataclass
class Contrast:
    """One statistic of a claim at one point: against one rival, or between two values of an axis.

    Attributes
    ----------
    label : dict
        What distinguishes it from the others of its point, such as ``than``.
    values : dict
        Repetition -> statistic.
    missing : int
        Failed or missing cells that should have contributed.
    """

    label: dict[str, Any]
    values: dict[int, float] = field(default_factory=dict)
    missing: int = 0


@dataclass
class GridPoint:
    """A point at which a claim is judged: it holds there if all its contrasts do.

    Attributes
    ----------
    at : dict
        Grid values.
    contrasts : list of Contrast
    overlap : float
        What the repetitions have in common, see `decision.standard_error`.
    """

    at: dict[str, Any]
    contrasts: list[Contrast]
    overlap: float = 0.0

    @property
    def missing(self) -> int:
        """Failed or missing cells."""
        return sum(contrast.missing for contrast in self.contrasts)


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
    """

    region: Region
    quantifier: Quantifier = "all"
    tie: float = 0.0
    exact: bool = False
    prediction: bool = False


@dataclass(frozen=True)
class Numbers:
    """Everything about the contrasts of a claim, as arrays of points x contrasts.

    A contrast that a point does not have is NaN in both p values.
    """

    mean: NDArray[np.float64]
    error: NDArray[np.float64]
    predicted: NDArray[np.float64]
    freedom: NDArray[np.float64]
    inside: NDArray[np.float64]
    outside: NDArray[np.float64]
    no_worse: NDArray[np.float64]
    equal: NDArray[np.float64]


@dataclass(frozen=True)
class Decision:
    """A state, and the numbers that decide it.

    Attributes
    ----------
    state : str
    p_support, p_refute : float or None
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


def pooled(points: Sequence[GridPoint]) -> list[GridPoint]:
    """Return one point whose contrasts are the means over the points, repetition by repetition."""
    by_label: dict[tuple[tuple[str, Any], ...], list[Contrast]] = {}
    for point in points:
        for contrast in point.contrasts:
            by_label.setdefault(tuple(contrast.label.items()), []).append(contrast)
    if not by_label:
        return []
    contrasts = [
        Contrast(dict(label), _mean(several), sum(c.missing for c in several))
        for label, several in by_label.items()
    ]
    return [GridPoint({}, contrasts, max(point.overlap for point in points))]


def averaged(points: Sequence[GridPoint], columns: Collection[str]) -> list[GridPoint]:
    """Return one point for each combination of the other grid values.

    Parameters
    ----------
    points : sequence of GridPoint
    columns : collection of str
        What is averaged over; without any the points stay as they are.

    Examples
    --------
    >>> points = [
    ...     GridPoint({"data": data, "n": n}, [Contrast({}, {0: value})])
    ...     for data, n, value in [("bars", 10, 1.0), ("bars", 20, 3.0), ("circle", 10, 5.0)]
    ... ]
    >>> [(point.at, point.contrasts[0].values) for point in averaged(points, ["n"])]
    [({'data': 'bars'}, {0: 2.0}), ({'data': 'circle'}, {0: 5.0})]
    """
    if not columns:
        return list(points)
    groups: dict[tuple[tuple[str, object], ...], list[GridPoint]] = {}
    for point in points:
        kept = tuple((name, value) for name, value in point.at.items() if name not in columns)
        groups.setdefault(kept, []).append(point)
    return [
        replace(mean, at=dict(kept)) for kept, group in groups.items() for mean in pooled(group)
    ]


def _mean(contrasts: list[Contrast]) -> dict[int, float]:
    measured = [c for c in contrasts if c.values]
    if not measured:
        return {}
    common = set.intersection(*(set(c.values) for c in measured))
    return {r: math.fsum(c.values[r] for c in measured) / len(measured) for r in sorted(common)}


def _with_values(point: GridPoint) -> GridPoint:
    return GridPoint(point.at, [c for c in point.contrasts if c.values], point.overlap)


def _numbers(points: Sequence[GridPoint], rule: Rule, *, strict: bool) -> Numbers:
    shape = len(points), max(len(point.contrasts) for point in points)
    mean, error, predicted, freedom = (np.full(shape, np.nan) for _ in range(4))
    there, unknown = np.zeros(shape, dtype=bool), np.zeros(shape, dtype=bool)
    for i, point in enumerate(points):
        for j, contrast in enumerate(point.contrasts):
            values = list(contrast.values.values())
            n = len(values)
            there[i, j] = True
            unknown[i, j] = n == 0 or (n == 1 and not rule.exact) or (strict and contrast.missing)
            if n:
                mean[i, j] = values[0] if min(values) == max(values) else math.fsum(values) / n
            if n > 1 or rule.exact:
                more = float(rule.prediction)
                spread = 0.0 if rule.exact else 1.0
                freedom[i, j] = max(1, n - 1)
                if n > 1:
                    error[i, j] = spread * decision.standard_error(values, point.overlap)
                    predicted[i, j] = spread * decision.standard_error(values, point.overlap + more)
                else:
                    error[i, j] = predicted[i, j] = 0.0
    return _tested(mean, error, predicted, freedom, there, unknown, rule)


def _tested(
    mean: NDArray[np.float64],
    error: NDArray[np.float64],
    predicted: NDArray[np.float64],
    freedom: NDArray[np.float64],
    there: NDArray[np.bool_],
    unknown: NDArray[np.bool_],
    rule: Rule,
) -> Numbers:
    region, tie = rule.region, rule.tie

    def known(p: NDArray[np.float64]) -> NDArray[np.float64]:
        return np.where(there, np.where(unknown, 1.0, p), np.nan)

    low, high = region.low, region.high
    inside = decision.p_inside(mean, error, freedom, low, high, closed=not region.open)
    outside = decision.p_outside(mean, predicted, freedom, low, high)
    no_worse = decision.p_inside(mean, error, freedom, low - tie, high + tie)
    bound = low if math.isfinite(low) else high
    equal = np.ones_like(mean)
    if region.open:
        equal = decision.p_inside(mean, error, freedom, bound - tie, bound + tie)
    return Numbers(
        mean,
        error,
        predicted,
        freedom,
        known(inside),
        known(outside),
        known(no_worse),
        known(equal),
    )


class _Decider:
    """The points of one claim with their p values, and which of them decides."""

    def __init__(self, points: list[GridPoint], rule: Rule, numbers: Numbers) -> None:
        self.points, self.rule, self.numbers = points, rule, numbers
        self.n = len(points)
        self.least = decision.wanted(rule.quantifier, self.n)
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
        if self.support <= ALPHA:
            return "supported"
        return "refuted" if self.refute <= ALPHA else "undecided"

    def _ties(self) -> bool:
        if not self.rule.region.open:
            return False
        no_worse, _ = decision.over_comparisons(self.numbers.no_worse, self.numbers.outside)
        at_least, _ = decision.over_points(no_worse, self.outside, self.least)
        ahead, level = self._ahead(), self._level()
        either = np.sum(np.all(ahead | level, axis=1))
        return bool(
            at_least <= ALPHA
            and np.sum(np.all(ahead, axis=1)) < self.least
            and either >= self.least
        )

    def _level(self) -> NDArray[np.bool_]:
        equal = self.numbers.equal
        return np.asarray(np.isnan(equal) | (equal <= ALPHA))

    def _ahead(self) -> NDArray[np.bool_]:
        inside, equal = self.numbers.inside, self.numbers.equal
        return np.asarray(np.isnan(inside) | ((inside <= ALPHA) & (equal > ALPHA)))

    def decision(self) -> Decision:
        state = self.state()
        i, j, tests = self._which(state)
        numbers = self.numbers
        beyond = state == "refuted" or (state == "undecided" and self.rule.prediction)
        error = (numbers.predicted if beyond else numbers.error)[i, j]
        mean = float(numbers.mean[i, j])
        low, high = _interval(mean, float(error), float(numbers.freedom[i, j]), tests)
        point = self.points[i]
        return Decision(
            state,
            self.support,
            self.refute,
            None if math.isnan(mean) else mean,
            low,
            high,
            len(point.contrasts[j].values),
            1 - 2 * ALPHA / tests,
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
            worst = worst[self.outside[worst] * self.least > ALPHA]
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
                if self.numbers.inside[a, b] * self.tests_for > ALPHA
            ]
        else:
            worst = np.argsort(self.outside, kind="stable")[: self.n - self.least + 1]
            needed = [self._against(int(a)) for a in worst if self.outside[a] * self.least > ALPHA]
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
        point, gap = self.points[i], self._gap(i, j)
        values = list(point.contrasts[j].values.values())
        if len(values) < 2:
            return None
        overlap = point.overlap + float(self.rule.prediction and beyond)
        return decision.repetitions_needed(
            -gap if beyond else gap, float(np.std(values, ddof=1)), tests=tests, overlap=overlap
        )


def _first(keys: NDArray[np.float64], slack: NDArray[np.float64]) -> int:
    """The contrast with the smallest key; among equal ones the one least inside."""
    return int(np.lexsort((slack, np.where(np.isnan(keys), np.inf, keys)))[0])


def _interval(
    mean: float, error: float, freedom: float, tests: int
) -> tuple[float | None, float | None]:
    if math.isnan(mean) or math.isnan(error):
        return None, None
    from scipy import special

    half = float(special.stdtrit(freedom, 1 - ALPHA / tests)) * error if error > 0 else 0.0
    return mean - half, mean + half
