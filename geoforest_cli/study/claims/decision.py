"""The decision rule on arrays: from means and their errors to a state.

One claim is an array of points, each with one or several comparisons (rivals, pairs); any leading
axes are further claims of the same shape, so that thousands of simulated ones are decided at once.
The claims of a config are decided by the same functions.
"""

from __future__ import annotations

import math
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

__all__ = [
    "ALPHA",
    "Quantifier",
    "over_comparisons",
    "over_points",
    "p_inside",
    "p_outside",
    "repetitions_needed",
    "standard_error",
    "wanted",
]

ALPHA = 0.025  # on each side: a single comparison agrees with the two-sided 95 % interval
MOST_REPETITIONS = 100_000
POWER = 0.8

Floats = NDArray[np.float64]
Quantifier = Literal["all", "most", "mean"] | float


def wanted(quantifier: Quantifier, points: int) -> int:
    """How many of the points must hold.

    Examples
    --------
    >>> [wanted(q, 12) for q in ("all", "most", 0.9, "mean")]
    [12, 7, 11, 12]
    """
    if quantifier == "most":
        return points // 2 + 1
    if isinstance(quantifier, float):
        return max(1, math.ceil(quantifier * points - 1e-9))
    return points


def standard_error(values: ArrayLike, overlap: ArrayLike = 0.0) -> Floats:
    """Return the standard error of the mean over repetitions.

    Parameters
    ----------
    values : array_like, shape (..., n)
        Repetitions along the last axis.
    overlap : float
        What repetitions have in common: 0 for independent ones; for splits of one table the rows
        tested over those trained on (Nadeau and Bengio 2003), so that the variance of the mean is
        ``(1/n + overlap) s^2``.

    Examples
    --------
    >>> float(standard_error([1.0, 2.0, 3.0]).round(4)), float(standard_error([1.0, 1.0]))
    (0.5774, 0.0)
    >>> float(standard_error([1.0, 2.0, 3.0], overlap=1.0).round(4))
    1.1547
    """
    x = np.asarray(values, dtype=float)
    equal = x.max(axis=-1) == x.min(axis=-1)
    # equal values whose mean is rounded have no spread
    deviation = np.where(equal, 0.0, x.std(axis=-1, ddof=1))
    return np.asarray(deviation * np.sqrt(1 / x.shape[-1] + np.asarray(overlap)))


def _floats(values: ArrayLike) -> Floats:
    return np.asarray(values, dtype=float)


def _beyond(gap: Floats, error: Floats, freedom: ArrayLike, *, at_zero: float) -> Floats:
    """One-sided p of a gap that should be positive; `at_zero` where it is 0 without error."""
    from scipy import special

    with np.errstate(divide="ignore", invalid="ignore"):
        p = special.stdtr(freedom, -gap / error)
    exact = np.where(gap > 0, 0.0, np.where(gap < 0, 1.0, at_zero))
    return np.asarray(np.where(error > 0, p, exact))


def p_inside(
    mean: ArrayLike,
    error: ArrayLike,
    freedom: ArrayLike,
    low: ArrayLike,
    high: ArrayLike,
    *,
    closed: bool = True,
) -> Floats:
    """Return the p value for a mean inside the bounds: the larger of two one-sided t tests.

    Parameters
    ----------
    mean, error : array_like
        Estimates and their standard errors; without error (0) the estimate alone decides.
    freedom : array_like
        Degrees of freedom.
    low, high : array_like
        Bounds, infinite where there is none.
    closed : bool
        Whether an estimate without error that lies on a bound is inside.

    Examples
    --------
    >>> float(p_inside(1.0, 0.5, 4, 0.0, np.inf).round(4))
    0.0581
    """
    m, e = _floats(mean), _floats(error)
    edge = 0.0 if closed else 1.0
    above = _beyond(m - _floats(low), e, freedom, at_zero=edge)
    below = _beyond(_floats(high) - m, e, freedom, at_zero=edge)
    return np.maximum(above, below)


def p_outside(
    mean: ArrayLike, error: ArrayLike, freedom: ArrayLike, low: ArrayLike, high: ArrayLike
) -> Floats:
    """Return the p value for a mean outside the bounds: the smaller of two, times two.

    Times one where there is only one bound.

    Examples
    --------
    >>> float(p_outside(-1.0, 0.5, 4, 0.0, np.inf).round(4))
    0.0581
    """
    m, e = _floats(mean), _floats(error)
    below = _beyond(_floats(low) - m, e, freedom, at_zero=1.0)
    above = _beyond(m - _floats(high), e, freedom, at_zero=1.0)
    bounds = np.isfinite(low).astype(int) + np.isfinite(high)
    return np.asarray(np.minimum(1.0, np.minimum(below, above) * np.maximum(1, bounds)))


def over_comparisons(inside: Floats, outside: Floats) -> tuple[Floats, Floats]:
    """Combine the last axis: a point holds if all its comparisons do.

    Support is an intersection-union test (the largest p, no correction), refutation Bonferroni's
    (the smallest p times their number). A comparison that a point does not have is NaN.

    Examples
    --------
    >>> p = over_comparisons(np.array([0.01, 0.02]), np.array([0.99, 0.3]))
    >>> [float(one) for one in p]
    [0.02, 0.6]
    """
    there = np.sum(~np.isnan(outside), axis=-1)
    holds = np.max(np.where(np.isnan(inside), -np.inf, inside), axis=-1)
    fails = np.min(np.where(np.isnan(outside), np.inf, outside), axis=-1)
    return holds, np.minimum(1.0, fails * there)


def over_points(inside: Floats, outside: Floats, least: int) -> tuple[Floats, Floats]:
    """Combine the last axis: at least so many points hold, or fewer do.

    Partial conjunctions (Benjamini and Heller 2008), valid whatever the points have in common:
    with p sorted ascending, support is ``(n - u + 1) p_(u)`` of the points' support, refutation
    ``u p_(n - u + 1)`` of their refutation. For all points (u = n) these are the largest p, and
    Bonferroni's.

    Parameters
    ----------
    inside, outside : ndarray
        p values of the points.
    least : int
        u, from 1 to n.

    Examples
    --------
    >>> p = over_points(np.array([0.01, 0.002, 0.5]), np.array([0.99, 0.998, 0.5]), 2)
    >>> [float(one.round(3)) for one in p]
    [0.02, 1.0]
    """
    n = inside.shape[-1]
    holds = np.sort(inside, axis=-1)[..., least - 1] * (n - least + 1)
    fails = np.sort(outside, axis=-1)[..., n - least] * least
    return np.minimum(1.0, holds), np.minimum(1.0, fails)


def repetitions_needed(
    distance: float, deviation: float, *, tests: int = 1, overlap: float = 0.0
) -> int | None:
    """Return how many repetitions decide one comparison with power .8.

    Parameters
    ----------
    distance : float
        Of the true mean from the bound.
    deviation : float
        Of a repetition.
    tests : int
        What the level is divided by.
    overlap : float
        See `standard_error`.

    Returns
    -------
    int or None
        None where no number up to 100,000 does.

    Examples
    --------
    >>> repetitions_needed(1.0, 1.0)
    10
    >>> repetitions_needed(1.0, 1.0, overlap=1.0)
    """
    if distance <= 0 or deviation <= 0:
        return None
    if _power(MOST_REPETITIONS, distance / deviation, tests, overlap) < POWER:
        return None
    low, high = 1, 2
    while _power(high, distance / deviation, tests, overlap) < POWER:
        low, high = high, 2 * high
    while high - low > 1:
        middle = (low + high) // 2
        if _power(middle, distance / deviation, tests, overlap) < POWER:
            low = middle
        else:
            high = middle
    return high


def _power(n: int, effect: float, tests: int, overlap: float) -> float:
    from scipy import special, stats

    shift = effect / math.sqrt(1 / n + overlap)
    critical: Any = special.stdtrit(n - 1, 1 - ALPHA / tests)
    if n > 50 or shift > 30:
        return float(special.ndtr(shift - critical))
    return float(stats.nct.sf(critical, n - 1, shift))
