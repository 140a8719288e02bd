"""The mean of one contrast over its repetitions, with the tests that suit its kind."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from geoforest_cli.problems.metrics.kinds import REAL, MetricKind
from geoforest_cli.study.claims import bounded, decision
from geoforest_cli.study.claims.decision import ALPHA

__all__ = ["Estimate", "away_from_ends", "estimate"]

Limits = tuple[float | None, float | None]
AWAY_FROM_ENDS = 3.0  # standard deviations within which an average may touch no end of its range
# few values know their spread badly: within a tenth of the range it is the quantile of t instead
FEW_VALUES, NEAR_ENDS = 0.995, 0.1
MOST_REPETITIONS = 640  # beyond, a bounded mean is not followed


@dataclass(frozen=True)
class Estimate(ABC):
    """A mean, and how sure it is."""

    values: tuple[float, ...]

    @property
    def mean(self) -> float:
        """The estimate."""
        values = self.values
        return values[0] if min(values) == max(values) else math.fsum(values) / len(values)

    @abstractmethod
    def p_inside(self, low: float, high: float, *, closed: bool = True) -> float:
        """Return the p value for a mean within bounds."""

    @abstractmethod
    def p_outside(self, low: float, high: float) -> float:
        """Return the p value for a mean, or for a single draw, beyond the bounds."""

    @abstractmethod
    def interval(self, alpha: float, *, beyond: bool = False) -> Limits:
        """Return the limits of the mean (or of a draw), each with an error of alpha."""

    def needed(self, bound: float, tests: int, *, beyond: bool = False) -> int | None:
        """Return how many repetitions would tell the mean from a bound with power .8."""
        del bound, tests, beyond
        return None


class _Exact(Estimate):
    """A deterministic method on fixed data: the estimate has no error."""

    def p_inside(self, low: float, high: float, *, closed: bool = True) -> float:
        at = self.mean
        return float(not (low <= at <= high if closed else low < at < high))

    def p_outside(self, low: float, high: float) -> float:
        return float(low <= self.mean <= high)

    def interval(self, alpha: float, *, beyond: bool = False) -> Limits:
        del alpha, beyond
        return self.mean, self.mean


@dataclass(frozen=True)
class _Student(Estimate):
    """Student's t. Equal values have no spread to go by and show nothing."""

    overlap: float = 0.0
    low: float = -math.inf  # between which a mean is, whatever t says
    high: float = math.inf

    @property
    def _error(self) -> float:
        return float(decision.standard_error(self.values, self.overlap))

    @property
    def _freedom(self) -> int:
        return len(self.values) - 1

    def p_inside(self, low: float, high: float, *, closed: bool = True) -> float:
        error = self._error
        if error == 0:
            return 1.0
        p = decision.p_inside(self.mean, error, self._freedom, low, high, closed=closed)
        return float(p)

    def p_outside(self, low: float, high: float) -> float:
        error = self._error
        if error == 0:
            return 1.0
        return float(decision.p_outside(self.mean, error, self._freedom, low, high))

    def interval(self, alpha: float, *, beyond: bool = False) -> Limits:
        from scipy import special

        del beyond
        error = self._error
        if error == 0:
            return None, None
        half = float(special.stdtrit(self._freedom, 1 - alpha)) * error
        return max(self.mean - half, self.low), min(self.mean + half, self.high)

    def needed(self, bound: float, tests: int, *, beyond: bool = False) -> int | None:
        del beyond
        distance, deviation = abs(self.mean - bound), float(np.std(self.values, ddof=1))
        return decision.repetitions_needed(distance, deviation, tests=tests, overlap=self.overlap)


@dataclass(frozen=True)
class _LogStudent(_Student):
    """Student's t of the logarithms: the mean is the geometric one."""

    @property
    def mean(self) -> float:
        return math.exp(self._logs.mean)

    @property
    def _logs(self) -> _Student:
        return _Student(tuple(map(math.log, self.values)), self.overlap)

    def p_inside(self, low: float, high: float, *, closed: bool = True) -> float:
        return self._logs.p_inside(_log(low), _log(high), closed=closed)

    def p_outside(self, low: float, high: float) -> float:
        return self._logs.p_outside(_log(low), _log(high))

    def interval(self, alpha: float, *, beyond: bool = False) -> Limits:
        low, high = self._logs.interval(alpha, beyond=beyond)
        return (None, None) if low is None or high is None else (math.exp(low), math.exp(high))

    def needed(self, bound: float, tests: int, *, beyond: bool = False) -> int | None:
        return self._logs.needed(_log(bound), tests, beyond=beyond)


@dataclass(frozen=True)
class _Draw(Estimate):
    """A mean against a single draw: inside is said of the mean, beyond of another draw."""

    of_mean: Estimate
    of_draw: _Student

    def p_inside(self, low: float, high: float, *, closed: bool = True) -> float:
        return self.of_mean.p_inside(low, high, closed=closed)

    def p_outside(self, low: float, high: float) -> float:
        return self.of_draw.p_outside(low, high)

    def interval(self, alpha: float, *, beyond: bool = False) -> Limits:
        return (self.of_draw if beyond else self.of_mean).interval(alpha)

    def needed(self, bound: float, tests: int, *, beyond: bool = False) -> int | None:
        return (self.of_draw if beyond else self.of_mean).needed(bound, tests)


@dataclass(frozen=True)
class _Bounded(Estimate):
    """Any distribution within a range: `bounded.mean_above`, and exact for shares of 0 and 1."""

    low: float
    high: float

    def p_inside(self, low: float, high: float, *, closed: bool = True) -> float:
        sides = []
        # no mean is beyond the ends of the range
        if low > self.low or (low == self.low and not closed):
            sides.append(bounded.mean_above(self.values, low, self.low))
        if high < self.high or (high == self.high and not closed):
            sides.append(bounded.mean_below(self.values, high, self.high))
        return max(sides, default=0.0)

    def p_outside(self, low: float, high: float) -> float:
        below = bounded.mean_below(self.values, low, self.high)
        above = bounded.mean_above(self.values, high, self.low)
        sides = math.isfinite(low) + math.isfinite(high)
        return min(1.0, min(below, above) * max(1, sides))

    def interval(self, alpha: float, *, beyond: bool = False) -> Limits:
        del beyond
        low = bounded.mean_limit(self.values, self.low, alpha)
        return low, bounded.mean_limit(self.values, self.high, alpha)

    def needed(self, bound: float, tests: int, *, beyond: bool = False) -> int | None:
        del beyond
        n, deviation = len(self.values), float(np.std(self.values))
        above = self.mean > bound
        for times in range(1, MOST_REPETITIONS // n + 1):
            # power .8: in one of five samples the mean comes out so much nearer to the bound
            shift = 0.84 * deviation / math.sqrt(times * n)
            values = np.tile(self.values, times) + (-shift if above else shift)
            values = np.clip(values, self.low, self.high)
            if above:
                p = bounded.mean_above(values, bound, self.low)
            else:
                p = bounded.mean_below(values, bound, self.high)
            if p <= ALPHA / tests:
                return times * n
        return None


def estimate(
    values: Sequence[float],
    kind: MetricKind = REAL,
    *,
    exact: bool = False,
    overlap: float = 0.0,
    draw: bool = False,
) -> Estimate:
    """Return the estimate of a mean, as the kind of the values asks for.

    Parameters
    ----------
    values : sequence of float
        One for each repetition.
    kind : MetricKind
    exact : bool
        The values have no error: a deterministic method on fixed data.
    overlap : float
        What repetitions have in common, see `decision.standard_error`. Where they have anything,
        only Student's t with its corrected error is left.
    draw : bool
        The other side is a single draw: how far one can lie beyond the bounds is told by Student's
        t alone, with the error of a mean and of a draw. That the mean is inside is told as always.

    Examples
    --------
    >>> from geoforest_cli.problems.metrics.kinds import bounded, positive
    >>> share = estimate([1.0] * 5, bounded())
    >>> round(share.interval(0.025)[0], 3), round(share.p_inside(0.9, 1.0), 3)
    (0.478, 0.59)
    >>> ratio = estimate([0.1, 1.0, 10.0], positive)
    >>> round(ratio.mean, 6)
    1.0
    """
    found = tuple(float(value) for value in values)
    if exact:
        return _Exact(found)
    low, high = min(kind.low, *found), max(kind.high, *found)
    if draw:
        # the variance of a draw about a mean of n: (1 + 1/n) s^2
        mean = estimate(found, kind, overlap=overlap)
        return _Draw(found, mean, _Student(found, overlap + 1.0, low, high))
    if kind.name == "positive" and min(found) > 0:
        return _LogStudent(found, overlap)
    ranged = math.isfinite(kind.low) and math.isfinite(kind.high)
    if ranged and not overlap and not (kind.name == "average" and away_from_ends(found, kind)):
        return _Bounded(found, low, high)
    return _Student(found, overlap, low, high)


def away_from_ends(values: ArrayLike, kind: MetricKind) -> NDArray[np.bool_]:
    """Whether averages have a spread and lie so far inside their range that t can be trusted.

    Parameters
    ----------
    values : array_like, shape (..., n)
        Samples along the last axis.
    kind : MetricKind
        Its range.

    Examples
    --------
    >>> from geoforest_cli.problems.metrics.kinds import average
    >>> away_from_ends([[0.6, 0.7, 0.65], [0.98, 1.0, 0.99], [0.6, 0.6, 0.6]], average()).tolist()
    [True, False, False]
    """
    from scipy import special

    x = np.asarray(values, dtype=float)
    if x.shape[-1] < 2:
        return np.zeros(x.shape[:-1], dtype=bool)
    mean, deviation = x.mean(axis=-1), x.std(axis=-1, ddof=1)
    by_t = np.minimum(
        float(special.stdtrit(x.shape[-1] - 1, FEW_VALUES)) * deviation,
        NEAR_ENDS * (kind.high - kind.low),
    )
    reach = np.maximum(AWAY_FROM_ENDS * deviation, by_t)
    inside = (kind.low <= mean - reach) & (mean + reach <= kind.high)
    return np.asarray((x.min(axis=-1) < x.max(axis=-1)) & inside)


def _log(bound: float) -> float:
    return math.log(bound) if bound > 0 else -math.inf
