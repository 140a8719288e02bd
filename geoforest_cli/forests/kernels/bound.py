"""A lower bound of Fast-BIC over all cuts of an unsorted projection, from a histogram.

Between the borders of a bin the sums of squares of both sides are bounded by those at its borders,
which only grow with what is added; the bound as a function of the cut's place is then concave, so
that its least value is at a border. Within a bin the values count as one, their mean, and far
values as nearer ones: both make the sums of squares smaller, never larger.
"""

import math

import numpy as np

from geoforest_cli._jit import inner_kernel
from geoforest_cli.forests.kernels.fast_bic import ROUGH, rough_log

MOST_BINS = 128
MOST_COUNTED = 1 << 22  # bag rows: more would overflow a bin
_STEPS = 10  # bits of a value's place within its bin
_COUNT = 40  # bits of a bin's sum of places, below those of its count
_TOGETHER = 4  # bins that are looked at together first
_FAR = 3.5  # standard deviations
_NARROW = 1 << 20  # a variance in squared steps: if less, rounding to steps could matter
_SLACK = ROUGH + 1.1e-3  # of rough logarithms and of rounding to steps, per bag row
_CANCELLED = 1e-4


@inner_kernel
def extent(z, w, m, n):
    """Return (least, largest, mean, variance) of unsorted values, in one pass.

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
    return low, high, origin + mean, variance


@inner_kernel
def _fill(z, w, m, low, scale, bins, n_bins, step):
    """Add each value's count, and its place in steps, to its bin; step is scratch."""
    last = n_bins * (1 << _STEPS) - 1.0
    for i in range(m):
        step[i] = np.int32(min(max((z[i] - low) * scale, 0.0), last))
    for b in range(n_bins):
        bins[b] = 0
    for i in range(m):
        place = np.uint64(step[i])
        bins[place >> np.uint64(_STEPS)] += np.int64(w[i]) * (np.int64(step[i]) + (1 << _COUNT))


@inner_kernel
def _add_up(bins, n_bins, counted, added, squared):
    """Fill counted, added and squared with sums over the bins before each border.

    squared is of the values where all of a bin are its mean.
    """
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
def _least_between(
    i, j, n, n_bins, min_leaf, floored, narrow, log_floored, logs, mantissas, counted, added,
    squared,
):  # fmt: skip
    """Bound the score of all cuts within the bins i..j, in steps; infinite if there are none."""
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
        pooled = n * rough_log(max((e1 + e2) / n, floored), mantissas)
    least = np.inf
    for cut in (first, last):
        # what a cut between adds to a side is at least as far off as the border
        m1, m2 = cut, n - cut
        a, c = m1 * logs[m1], m2 * logs[m2]
        score = 0.0
        if clear1:
            score += m1 * rough_log(e1 + near1 * (m1 - n1) / m1, mantissas) - a
        else:
            score += m1 * log_floored
        if clear2:
            score += m2 * rough_log(e2 + near2 * (m2 - n2) / m2, mantissas) - c
        else:
            score += m2 * log_floored
        least = min(least, min(score, pooled) - 2.0 * (a + c))
    return least


@inner_kernel
def lowest(
    z, w, m, n, low, high, mean, variance, min_leaf, floor, logs, mantissas,
    bins, counted, added, squared, step,
):  # fmt: skip
    """Return what no cut of the values z, with bag counts w, can score below.

    The score is Fast-BIC without what does not depend on the cut:
    5 ln n - 2 (n1 ln n1 + n2 ln n2) + n1 ln v1 + n2 ln v2, or the same of the pooled variance,
    where it is smaller. Where nothing can be told it is -inf.

    Parameters
    ----------
    low, high, mean, variance : float
        What `extent` returns.
    bins : (MOST_BINS,) int64; counted, added, squared : (MOST_BINS + 1,) float64; step : int32
        Scratch.
    """
    deviation = math.sqrt(variance)
    low = max(low, mean - _FAR * deviation)
    high = min(high, mean + _FAR * deviation)
    n_bins = 32 if m < 200 else 64 if m < 2048 else MOST_BINS
    scale = (n_bins * (1 << _STEPS)) / (high - low)
    if not np.isfinite(scale):
        return -np.inf
    _fill(z, w, m, low, scale, bins, n_bins, step)
    _add_up(bins, n_bins, counted, added, squared)
    # in squared steps from here on
    floored = max(floor, 1e-12) * variance * scale * scale * (1.0 - 1e-6)
    log_floored = rough_log(floored, mantissas)
    narrow = max(floored, _NARROW)
    found = np.inf
    # several bins are looked at together, those in the middle first, and one by one only where
    # one of them might be the lowest
    for k in range(0, n_bins, _TOGETHER):
        half = n_bins // 2
        i = half + k if k < half else k - half
        together = _least_between(
            i, i + _TOGETHER, n, n_bins, min_leaf, floored, narrow, log_floored, logs, mantissas,
            counted, added, squared,
        )  # fmt: skip
        if together < found:
            for j in range(i, i + _TOGETHER):
                alone = _least_between(
                    j, j + 1, n, n_bins, min_leaf, floored, narrow, log_floored, logs, mantissas,
                    counted, added, squared,
                )  # fmt: skip
                found = min(found, alone)
    # the pooled variance is charged ln n less
    return found + 4.0 * logs[n] - n * (2.0 * math.log(scale) + _SLACK + 1e-6)
