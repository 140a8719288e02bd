"""Tests of the mean of a bounded quantity, for any distribution within the bounds.

Gaffke's bound (Gaffke 2005; Learned-Miller and Thomas 2020). With the sample ``x_1 .. x_n``, all at
least ``a``, and uniform spacings ``D_0 .. D_n`` (the lengths into which n uniform points cut an
interval of length 1), the p value of "the mean is at most m" is ``P(D_0 a + sum_i D_i x_i <= m)``:
the sample with one more value at the worst end, weighted as little as it can be known. For shares
of 0 and 1 it is the exact binomial p value (Clopper and Pearson 1934); for n equal values ``c`` it
is ``((m - a) / (c - a))^n``, the chance that a share of values at the worst end stays unseen. That
it never exceeds its level is proven for shares and conjectured for other distributions; no
counterexample is known, and `tests/study/claims/test_bounded.py` simulates what is judged here.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray

__all__ = ["mean_above", "mean_below", "mean_limit", "means_above"]

Floats = NDArray[np.float64]


def mean_above(values: ArrayLike, bound: float, low: float) -> float:
    """Return the p value for a mean above a bound.

    Parameters
    ----------
    values : array_like, shape (n,)
        Independent, none below `low`.
    bound : float
        m.
    low : float
        a, the least value that is possible; -inf where none is known, which proves nothing.

    Examples
    --------
    Five successes of five, against a share of one half, and three of five:

    >>> mean_above([1, 1, 1, 1, 1], 0.5, 0.0), mean_above([1, 1, 1, 0, 0], 0.5, 0.0)
    (0.03125, 0.5)
    """
    if bound == -math.inf:
        return 0.0
    if low == -math.inf or bound == math.inf:
        return 1.0
    return float(means_above(values, bound, low))


def means_above(values: ArrayLike, bound: float, low: ArrayLike) -> Floats:
    """Return the p value of `mean_above` for each of many samples.

    Parameters
    ----------
    values : array_like, shape (..., n)
        Samples along the last axis.
    bound : float
        Finite.
    low : float or array_like, shape (...)
        Finite; one for all samples, or one for each.

    Examples
    --------
    >>> means_above([[1, 1, 1, 1, 1], [1, 1, 1, 0, 0]], 0.5, 0.0).tolist()
    [0.03125, 0.5]
    """
    x = np.asarray(values, dtype=float)
    worst = np.broadcast_to(np.asarray(low, dtype=float)[..., None], (*x.shape[:-1], 1))
    return _distribution(np.sort(np.concatenate([x, worst], axis=-1)), bound)


def mean_below(values: ArrayLike, bound: float, high: float) -> float:
    """Return the p value for a mean below a bound; no value can be above `high`.

    Examples
    --------
    >>> mean_below([0, 0, 0, 0, 0], 0.5, 1.0)
    0.03125
    """
    return mean_above(-np.asarray(values, dtype=float), -bound, -high)


def mean_limit(values: ArrayLike, end: float, alpha: float) -> float:
    """Return the confidence limit of the mean towards one end of the range.

    Parameters
    ----------
    values : array_like, shape (n,)
    end : float
        The end of the range: the limit lies between it and the mean of the values.
    alpha : float
        The limit is beyond the mean in so much of all samples, at most.

    Examples
    --------
    >>> round(mean_limit([1] * 5, 0.0, 0.025), 3), round(mean_limit([0] * 10, 1.0, 0.025), 3)
    (0.478, 0.308)
    """
    from scipy import optimize

    if math.isinf(end):
        return end
    x = np.asarray(values, dtype=float)
    sign = 1.0 if end <= x.min() else -1.0
    knots = np.sort(np.append(sign * x, sign * end))
    if knots[0] == knots[-1]:
        return end
    return sign * float(
        optimize.brentq(
            lambda m: float(_distribution(knots, m)) - alpha, knots[0], knots[-1], xtol=1e-12
        )
    )


def _distribution(knots: Floats, at: float) -> Floats:
    """P(sum of uniform spacings times knots <= at), knots ascending along the last axis.

    The density is the B-spline of the knots (Curry and Schoenberg 1966). Its integral obeys the
    same recursion: weighted means of what is found for the knots without the last and without the
    first, so that nothing cancels.
    """
    # found[i] is for the knots i .. i + size; for one knot it is a step
    found = (knots <= at).astype(float)
    for size in range(1, knots.shape[-1]):
        left, right = knots[..., :-size], knots[..., size:]
        width = right - left
        within = np.clip(at, left, right) - left
        share = np.divide(within, width, out=np.ones_like(width), where=width > 0)
        found = share * found[..., :-1] + (1 - share) * found[..., 1:]
    return np.asarray(found[..., 0])
