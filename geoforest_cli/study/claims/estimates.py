"""Estimates of a contrast and their tests: paired and Welch's t, t of logarithms, binomial, exact.

A contrast is a weighted sum of series, each with one value for each repetition. Series with the
same repetitions share their draws and are added up repetition by repetition (paired t); others are
independent (Welch 1947). Counts of successes are tested by the exact binomial on all trials
(Clopper and Pearson 1934).
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
import scipy

__all__ = ["Binomial", "Estimate", "Student", "Test", "binomial", "student"]

Test = Literal[
    "paired t", "Welch's t", "t", "t of logarithms", "binomial", "exact", "no variation"
]  # fmt: skip
_ROUNDING = 1e-14  # of a value, by a handful of operations
Term = tuple[float, Mapping[int, float]]


@dataclass(frozen=True)
class Student:
    """Student's t of a mean.

    Attributes
    ----------
    centre : float
        Of the values, or of their logarithms.
    error : float
        Standard error; 0 where the values do not vary, NaN for a single repetition.
    freedom : float
    n : int
    test : str
    rounding : float
        By how much rounding may have moved a value without error.
    log : bool
        The values are logarithms of what is estimated.
    """

    centre: float
    error: float
    freedom: float
    n: int
    test: Test
    rounding: float = 0.0
    log: bool = False

    @property
    def mean(self) -> float:
        """Estimate."""
        return math.exp(self.centre) if self.log else self.centre

    def _on_scale(self, bound: float) -> float:
        if not self.log:
            return bound
        return math.log(bound) if bound > 0 else -math.inf

    def _p(self, gap: float, *, closed: bool) -> float:
        if math.isnan(self.error):
            return 1.0
        if self.error == 0:
            return float(not (gap >= -self.rounding if closed else gap > self.rounding))
        return float(scipy.special.stdtr(self.freedom, -gap / self.error))

    def p_below(self, bound: float, *, closed: bool = True) -> float:
        """Return the p value of the evidence that the mean is below a bound (or on it)."""
        return self._p(self._on_scale(bound) - self.centre, closed=closed)

    def p_above(self, bound: float, *, closed: bool = True) -> float:
        """Return the p value of the evidence that the mean is above a bound (or on it)."""
        return self._p(self.centre - self._on_scale(bound), closed=closed)

    def interval(self) -> tuple[float, float] | None:
        """Return the 95 % limits of the mean; None where its error is 0 or unknown."""
        if not self.error > 0:
            return None
        half = float(scipy.special.stdtrit(self.freedom, 0.975)) * self.error
        low, high = self.centre - half, self.centre + half
        return (math.exp(low), math.exp(high)) if self.log else (low, high)


@dataclass(frozen=True)
class Binomial:
    """Share of successes among independent trials.

    Attributes
    ----------
    successes, n : int
    """

    successes: int
    n: int
    test: Test = "binomial"

    @property
    def mean(self) -> float:
        """Estimate."""
        return self.successes / self.n

    def p_below(self, bound: float, *, closed: bool = True) -> float:
        """Return the p value of the evidence that the share is below a bound (or on it)."""
        if bound >= 1:
            return float(bound == 1 and not closed and self.successes == self.n)
        return float(scipy.stats.binom.cdf(self.successes, self.n, max(bound, 0.0)))

    def p_above(self, bound: float, *, closed: bool = True) -> float:
        """Return the p value of the evidence that the share is above a bound (or on it)."""
        if bound <= 0:
            return float(bound == 0 and not closed and self.successes == 0)
        return float(scipy.stats.binom.sf(self.successes - 1, self.n, min(bound, 1.0)))

    def interval(self) -> tuple[float, float]:
        """Return the 95 % limits of Clopper and Pearson."""
        limits = scipy.stats.binomtest(self.successes, self.n).proportion_ci(method="exact")
        return float(limits.low), float(limits.high)


Estimate = Student | Binomial


def student(
    terms: Sequence[Term], *, exact: bool = False, log: bool = False, overlap: float = 0.0
) -> Student:
    """Return the estimate of a weighted sum of series.

    Parameters
    ----------
    terms : sequence of (float, mapping)
        Weights, and repetition -> value; none is empty.
    exact : bool
        The values have no error: a deterministic method on fixed data.
    log : bool
        The values are logarithms of what is estimated.
    overlap : float
        What repetitions have in common: 0 for independent ones; for splits of one table as draws
        from all tables the rows tested over those trained on (Nadeau and Bengio 2003), so that the
        variance of a mean is ``(1/n + overlap) s^2``.

    Examples
    --------
    >>> ours, theirs = {0: 0.9, 1: 0.8, 2: 0.7}, {0: 0.6, 1: 0.4, 2: 0.5}
    >>> lead = student([(1.0, ours), (-1.0, theirs)])
    >>> lead.test, round(lead.mean, 3), [round(x, 3) for x in lead.interval()]
    ('paired t', 0.3, [0.052, 0.548])
    >>> student([(1.0, ours), (-1.0, {0: 0.6, 1: 0.4})]).test
    "Welch's t"
    """
    groups: dict[frozenset[int], list[Term]] = {}
    for weight, values in terms:
        groups.setdefault(frozenset(values), []).append((weight, values))
    means, errors, size = [], {}, 0.0
    for repetitions, group in groups.items():
        sums = [math.fsum(w * values[r] for w, values in group) for r in sorted(repetitions)]
        # equal values whose mean is rounded have no spread
        equal = min(sums) == max(sums)
        means.append(sums[0] if equal else math.fsum(sums) / len(sums))
        error = math.nan if len(sums) < 2 and not exact else 0.0
        if not (equal or exact):
            error = float(np.var(sums, ddof=1)) * (1 / len(sums) + overlap)
        errors[repetitions] = error
        size = max(size, *(abs(w * v) for w, values in group for v in values.values()))
    squared = math.fsum(errors.values())
    freedom = math.inf
    if squared > 0:
        freedom = squared**2 / sum(e**2 / (len(r) - 1) for r, e in errors.items() if e > 0)
    test: Test = "t" if len(terms) == 1 else "paired t" if len(groups) == 1 else "Welch's t"
    test = "exact" if exact else "no variation" if squared == 0 else test
    test = "t of logarithms" if log and squared != 0 else test
    mean, error, n = math.fsum(means), math.sqrt(squared), min(map(len, groups))
    return Student(mean, error, freedom, n, test, _ROUNDING * size, log)


def binomial(series: Sequence[Mapping[int, float]], trials: int) -> Binomial:
    """Return the estimate of a share of successes over all trials of some series.

    Parameters
    ----------
    series : sequence of mapping
        Repetition -> share of successes.
    trials : int
        In each repetition.

    Examples
    --------
    >>> share = binomial([{0: 1.0, 1: 1.0, 2: 0.0}], 1)
    >>> share.successes, share.n, round(share.p_above(0.5), 3)
    (2, 3, 0.5)
    """
    shares = [value for values in series for value in values.values()]
    return Binomial(round(math.fsum(shares) * trials), len(shares) * trials)
