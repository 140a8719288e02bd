"""A lower bound of Fast-BIC over all cuts of an unsorted projection, from a histogram.

Between the borders of a bin the sums of squares of both sides are bounded by those at its borders,
which only grow with what is added; the bound as a function of the cut's place is then concave, so
that its least value is at a border. Within a bin the values count as one, their mean, and far
values as nearer ones: both make the sums of squares smaller, never larger.
"""

import math
from typing import NamedTuple

import numpy as np

from geoforest_cli.core.jit import inner_kernel
from geoforest_cli.estimators.forests.kernels.fast_bic import ROUGH, rough_log
from geoforest_cli.estimators.forests.kernels.workspace import MOST_BINS

MOST_COUNTED = 1 << 22  # bag rows: more would overflow a bin
_STEPS = 10  # bits of a value's place within its bin
_COUNT = 40  # bits of a bin's sum of places, below those of its count
_TOGETHER = 4  # bins that are looked at together first
_FAR = 3.5  # standard deviations
_NARROW = 1 << 20  # a variance in squared steps: if less, rounding to steps could matter
_SLACK = ROUGH + 1.1e-3  # of rough logarithms and of rounding to steps, per bag row
_CANCELLED = 1e-4


class Extent(NamedTuple):
    """Least and largest value, mean and variance of a projection."""

    low: float
    high: float
    mean: float
    variance: float


class _Scale(NamedTuple):
    """Size of a projection and of its histogram, and limits in squared steps."""

    n: int
    n_bins: int
    min_leaf: int
    floored: float
    narrow: float
    log_floored: float


@inner_kernel
def extent(z, w, m, n):
    """Return the extent of unsorted values, in one pass.

    The variance is nan where the values are not finite, do not differ, or are so far from the first
    one that their squares cancel.
    """
    origin = z[0]
    low0, low1, low2, low3 = origin, origin, origin, origin
    high0, high1, high2, high3 = origin, origin, origin, origin
    s0, s1, s2, s3 = 0.0, 0.0, 0.0, 0.0
    q0, q1, q2, q3 = 0.0, 0.0, 0.0, 0.0
    whole = m - m % 4
    for i in range(0, whole, 4):
        a, b, c, d = z[i], z[i + 1], z[i + 2], z[i + 3]
        low0, low1, low2, low3 = min(low0, a), min(low1, b), min(low2, c), min(low3, d)
        high0, high1, high2, high3 = max(high0, a), max(high1, b), max(high2, c), max(high3, d)
        a, b, c, d = a - origin, b - origin, c - origin, d - origin
        e, f, g, h = w[i] * a, w[i + 1] * b, w[i + 2] * c, w[i + 3] * d
        s0, s1, s2, s3 = s0 + e, s1 + f, s2 + g, s3 + h
        q0, q1, q2, q3 = q0 + e * a, q1 + f * b, q2 + g * c, q3 + h * d
    for i in range(whole, m):
        low0, high0 = min(low0, z[i]), max(high0, z[i])
        a = z[i] - origin
        s0 += w[i] * a
        q0 += w[i] * a * a
    low, high = min(low0, low1, low2, low3), max(high0, high1, high2, high3)
    square = ((q0 + q1) + (q2 + q3)) / n
    mean = ((s0 + s1) + (s2 + s3)) / n
    variance = square - mean * mean
    if not (high > low and np.isfinite(square) and variance > _CANCELLED * square):
        variance = np.nan
    return Extent(low, high, origin + mean, variance)


@inner_kernel
def _fill(z, w, m, low, scale, n_bins, histogram):
    """Add each value's count, and its place in steps, to its bin."""
    bins, step = histogram.bins, histogram.step
    last = n_bins * (1 << _STEPS) - 1.0
    for i in range(m):
        step[i] = np.int32(min(max((z[i] - low) * scale, 0.0), last))
    for b in range(n_bins):
        bins[b] = 0
    for i in range(m):
        code = np.uint64(step[i])
        bins[code >> np.uint64(_STEPS)] += np.int64(w[i]) * (np.int64(step[i]) + (1 << _COUNT))


@inner_kernel
def _add_up(n_bins, histogram):
    """Fill counted, added and squared with sums over the bins before each border.

    squared is of the values where all of a bin are its mean.
    """
    bins, counted = histogram.bins, histogram.counted
    added, squared = histogram.added, histogram.squared
    for b in range(n_bins):
        count, places = bins[b] >> _COUNT, np.float64(bins[b] & ((1 << _COUNT) - 1))
        counted[b + 1], added[b + 1] = count, places
        squared[b + 1] = places * places / max(count, 1)
    counted[0], added[0], squared[0] = 0, 0.0, 0.0
    for b in range(n_bins):
        counted[b + 1] += counted[b]
        added[b + 1] += added[b]
        squared[b + 1] += squared[b]


@inner_kernel
def _least_between(i, j, scale, histogram, logarithms):
    """Bound the score of all cuts within the bins i..j, in steps; infinite if there are none."""
    n, n_bins, min_leaf, narrow = scale.n, scale.n_bins, scale.min_leaf, scale.narrow
    counted, added, squared = histogram.counted, histogram.added, histogram.squared
    logs, mantissas = logarithms.exact, logarithms.rough
    n1, n2 = counted[i], n - counted[j]
    first, last = max(n1, min_leaf), min(n - n2, n - min_leaf)
    if first > last:
        return np.inf
    e1, e2, near1, near2 = 0.0, 0.0, 0.0, 0.0
    if n1 > 0:
        mean1 = added[i] / n1
        e1 = squared[i] - added[i] * mean1
        near1 = (i * (1 << _STEPS) - mean1) ** 2 * n1
    if n2 > 0:
        rest = added[n_bins] - added[j]
        mean2 = rest / n2
        e2 = squared[n_bins] - squared[j] - rest * mean2
        near2 = (mean2 - (j * (1 << _STEPS) - 1)) ** 2 * n2
    clear1, clear2 = e1 >= narrow * last, e2 >= narrow * (n - first)
    pooled = np.inf
    if not (clear1 and clear2):
        pooled = n * rough_log(max((e1 + e2) / n, scale.floored), mantissas)
    least = np.inf
    for cut in (first, last):
        # what a cut between adds to a side is at least as far off as the border
        m1, m2 = cut, n - cut
        a, c = m1 * logs[m1], m2 * logs[m2]
        score = 0.0
        if clear1:
            score += m1 * rough_log(e1 + near1 * (m1 - n1) / m1, mantissas) - a
        else:
            score += m1 * scale.log_floored
        if clear2:
            score += m2 * rough_log(e2 + near2 * (m2 - n2) / m2, mantissas) - c
        else:
            score += m2 * scale.log_floored
        least = min(least, min(score, pooled) - 2.0 * (a + c))
    return least


@inner_kernel
def lowest(values, extent, limits, logs, histogram):
    """Return what no cut of unsorted values can score below.

    The score is Fast-BIC without what does not depend on the cut:
    5 ln n - 2 (n1 ln n1 + n2 ln n2) + n1 ln v1 + n2 ln v2, or the same of the pooled variance,
    where it is smaller. Where nothing is known of it, it is -inf.

    Parameters
    ----------
    values : Sorted
        Of which z, w, m and n are read, in any order.
    extent : Extent
    limits : Limits
    logs : Logs
    histogram : Histogram
        Scratch.
    """
    m, n = values.m, values.n
    deviation = math.sqrt(extent.variance)
    low = max(extent.low, extent.mean - _FAR * deviation)
    high = min(extent.high, extent.mean + _FAR * deviation)
    # values that differ in their last digit may leave nothing between
    if not high > low:
        return -np.inf
    n_bins = 32 if m < 200 else 64 if m < 2048 else MOST_BINS
    steps = (n_bins * (1 << _STEPS)) / (high - low)
    if not np.isfinite(steps):
        return -np.inf
    _fill(values.z, values.w, m, low, steps, n_bins, histogram)
    _add_up(n_bins, histogram)
    floored = max(limits.floor, 1e-12) * extent.variance * steps * steps * (1.0 - 1e-6)
    log_floored = rough_log(floored, logs.rough)
    narrow = max(floored, _NARROW)
    scale = _Scale(n, n_bins, limits.min_leaf, floored, narrow, log_floored)
    least = np.inf
    # several bins are looked at together, those in the middle first, and one by one only where
    # one of them might be the lowest
    for k in range(0, n_bins, _TOGETHER):
        half = n_bins // 2
        i = half + k if k < half else k - half
        if _least_between(i, i + _TOGETHER, scale, histogram, logs) < least:
            for j in range(i, i + _TOGETHER):
                least = min(least, _least_between(j, j + 1, scale, histogram, logs))
    # the pooled variance is charged ln n less
    return least + 4.0 * logs.exact[n] - n * (2.0 * math.log(steps) + _SLACK + 1e-6)
