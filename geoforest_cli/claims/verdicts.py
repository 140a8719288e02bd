"""From an interval and the region a claim allows to a verdict."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from geoforest_cli.claims.intervals import Interval

__all__ = ["Judge", "Quantifier", "Region", "Verdict", "combine"]

Verdict = Literal["reproduced", "not reproduced", "inconclusive"]
Quantifier = Literal["all", "most", "mean"] | float
Judge = Literal["interval", "mean"]


@dataclass(frozen=True)
class Region:
    """The values a claim allows.

    Attributes
    ----------
    low, high : float
        Bounds, infinite where there is none.
    open : bool
        Whether the bounds themselves are excluded ("greater than").
    """

    low: float = -math.inf
    high: float = math.inf
    open: bool = False

    def holds(self, low: float, high: float) -> bool:
        """Whether all of ``[low, high]`` is allowed."""
        if self.open:
            return self.low < low and high < self.high
        return self.low <= low and high <= self.high

    def excludes(self, low: float, high: float) -> bool:
        """Whether none of ``[low, high]`` is allowed."""
        if self.open:
            return high <= self.low or low >= self.high
        return high < self.low or low > self.high

    def slack(self, found: Interval) -> float:
        """How far the interval is inside; negative outside, minus infinity where unknown."""
        if found.estimate is None:
            return -math.inf
        low = found.estimate if found.low is None else found.low
        high = found.estimate if found.high is None else found.high
        return min(low - self.low, self.high - high)

    def verdict(self, found: Interval, judge: Judge = "interval") -> Verdict:
        """Judge one point.

        Parameters
        ----------
        found : Interval
            What was measured.
        judge : {"interval", "mean"}
            Whether the claim is borne out when the whole interval is allowed, or already when
            the estimate is. It is refuted only when the whole interval is excluded.

        Examples
        --------
        >>> Region(low=0.0, open=True).verdict(Interval(0.2, 0.1, 0.3, 5))
        'reproduced'
        >>> Region(-0.05, 0.05).verdict(Interval(0.04, 0.01, 0.07, 5))
        'inconclusive'
        >>> Region(-0.05, 0.05).verdict(Interval(0.04, 0.01, 0.07, 5), judge="mean")
        'reproduced'
        """
        if found.estimate is None or found.low is None or found.high is None:
            return "inconclusive"
        if self.holds(found.low, found.high):
            return "reproduced"
        if self.excludes(found.low, found.high):
            return "not reproduced"
        if judge == "mean" and self.holds(found.estimate, found.estimate):
            return "reproduced"
        return "inconclusive"


def combine(verdicts: Sequence[Verdict], quantifier: Quantifier = "all") -> Verdict:
    """The verdict over several points.

    Parameters
    ----------
    verdicts : sequence of str
        One per point.
    quantifier : {"all", "most", "mean"}
        "all" (and "mean", which has one pooled point): reproduced at every point; not reproduced
        as soon as one point is clearly the other way. "most": reproduced at more than half of
        the points; not reproduced when at least half are clearly the other way. A number: at
        that share of the points or more.

    Examples
    --------
    >>> combine(["reproduced", "not reproduced", "reproduced"])
    'not reproduced'
    >>> combine(["reproduced", "not reproduced", "reproduced"], "most")
    'reproduced'
    >>> combine(["reproduced", "not reproduced", "reproduced"], 0.6)
    'reproduced'
    """
    if not verdicts:
        return "inconclusive"
    n, held, refuted = len(verdicts), verdicts.count("reproduced"), verdicts.count("not reproduced")
    if quantifier == "most":
        enough, lost = 2 * held > n, 2 * refuted >= n
    elif isinstance(quantifier, float):
        enough, lost = held >= quantifier * n, n - refuted < quantifier * n
    else:
        enough, lost = held == n, refuted > 0
    if enough:
        return "reproduced"
    return "not reproduced" if lost else "inconclusive"
