"""Fast-BIC, delta-BIC and mean-BIC: the best cut of a sorted projection as two Gaussians.

The notation is that of `two_means`.
"""

import functools
import math

import numpy as np
import numpy.typing as npt

from geoforest_cli.core.jit import inlined_kernel, inner_kernel, vector_kernel
from geoforest_cli.estimators.forests.kernels.criterion import is_bounded, least_scores, scan
from geoforest_cli.estimators.forests.kernels.rules import Limits, Points
from geoforest_cli.estimators.forests.kernels.two_means import centre, middle

_TWO_PI = 2.0 * math.pi
_LN_2 = math.log(2.0)
ROUGH = 2.5e-4
# ln(1 + y) on [0, 1] to 1.5e-6: interpolated at Chebyshev's points
_LOG_TERMS = (
    1.472065011609569e-06, 0.9998476974962246, -0.4973732161578651, 0.3157473167576862,
    -0.19035433673260713, 0.08269123711105968, -0.017414077524150837,
)  # fmt: skip
QUICK_ERROR = 4e-6  # of a quick logarithm, and of what rounding does to its argument
_ROUNDED = 4e-14  # of a node's variance, per row: a side's variance below is mostly rounding
_CANCELLED = 1e-9  # of a node's variance: below, a side's is not judged quickly
_MANTISSA, _ONE = (1 << 52) - 1, 1023 << 52


class FastBic(Points):
    """Data of Fast-BIC."""


class DeltaBic(Points):
    """Data of delta-BIC: Fast-BIC without the BIC of one Gaussian."""


class MeanBic(Points):
    """Data of mean-BIC: the mean of both ranks candidates, delta-BIC the cuts of one."""


@functools.cache
def mantissa_logs() -> npt.NDArray[np.float64]:
    """Return ln of the middles of 2048 equal slices of [1, 2)."""
    return np.array([math.log(1.0 + (i + 0.5) / 2048) for i in range(2048)])


@inner_kernel
def rough_log(x, table):
    """Natural logarithm by exponent and a table of mantissas; error below ROUGH."""
    bits = np.float64(x).view(np.int64)
    exponent = (bits >> 52) - 1023
    return exponent * _LN_2 + table[(bits >> 41) & 2047]


@vector_kernel
def quick_log(x):
    """Natural logarithm of a positive normal number by arithmetic alone, up to QUICK_ERROR."""
    a0, a1, a2, a3, a4, a5, a6 = _LOG_TERMS
    bits = np.float64(x).view(np.int64)
    y = np.int64((bits & _MANTISSA) | _ONE).view(np.float64) - 1.0
    rest = a0 + y * (a1 + y * (a2 + y * (a3 + y * (a4 + y * (a5 + y * a6)))))
    return ((bits >> 52) - 1023) * _LN_2 + rest


@inner_kernel
def one_gaussian(n, variance, logs):
    """Return the BIC of one Gaussian."""
    return n * math.log(_TWO_PI * variance) + n + 2.0 * logs[n]


@inner_kernel
def _add_up(values, min_leaf):
    """Fill sums and squares, and in the place of centred values the bag counts, up to each cut.

    Returns the first cut of at least min_leaf bag rows on each side, and the one behind the last.
    """
    w, c, n = values.w, values.centred, values.n
    first, last, n1, s, q = 0, 0, 0, 0.0, 0.0
    for i in range(values.m - 1):
        wc = w[i] * c[i]
        n1 += w[i]
        s += wc
        q += wc * c[i]
        values.sums[i], values.squares[i] = s, q
        c[i] = n1
        first += np.int64(n1 < min_leaf)
        last += np.int64(n - n1 >= min_leaf)
    return first, last


@vector_kernel
def _quick_scores(values, first, last, total, rounding, least, v0):
    """Replace the bag counts of each cut by its quick score: n1 ln (v1 / n1^2) + n2 ln (v2 / n2^2).

    It is infinite between equal values, and -inf where a variance is mostly rounding. Returns how
    many cuts have a side whose variance is clamped.
    """
    here = slice(first, last)
    # from 0 on: places that might be negative, and so count from the end, are not vectorised
    z, above, below = values.z[here], values.z[first + 1 :], values.centred[here]
    sums, squares = values.sums[here], values.squares[here]
    n, nothing, clamped = np.float64(values.n), _CANCELLED * v0, 0
    for i in range(last - first):
        n1, s, q = below[i], sums[i], squares[i]
        n2 = n - n1
        share1, share2 = 1.0 / n1, 1.0 / n2
        e1, e2 = q - s * s * share1, total - q - s * s * share2
        v1 = max(e1, 0.0) * share1 + rounding
        v2 = max(e2, 0.0) * share2 + rounding
        clamped += np.int64(v1 < least) + np.int64(v2 < least)
        v1, v2 = max(v1, least), max(v2, least)
        score = n1 * quick_log(v1 * share1 * share1) + n2 * quick_log(v2 * share2 * share2)
        score = score if v1 > nothing else -np.inf
        score = score if v2 > nothing else -np.inf
        below[i] = score if z[i] < above[i] else np.inf
    return clamped


@inner_kernel
def _least_quick(scores, first, last):
    """Return the least quick score but for those of -inf, four at a time."""
    a, b, c, d = np.inf, np.inf, np.inf, np.inf
    last = max(first, last)  # where no cut is allowed the remainder would reach before the array
    whole = last - (last - first) % 4
    for i in range(first, whole, 4):
        e, f, g, h = scores[i], scores[i + 1], scores[i + 2], scores[i + 3]
        a, b = e if -np.inf < e < a else a, f if -np.inf < f < b else b
        c, d = g if -np.inf < g < c else c, h if -np.inf < h < d else d
    for i in range(whole, last):
        a = scores[i] if -np.inf < scores[i] < a else a
    return min(a, b, c, d)


@inner_kernel
def fast_bic(values, limits, logarithms, relative):
    """Cut with the smallest BIC of two hard-assigned Gaussians (sheet: corrected form).

    Nearly all cuts are far from the best one: quick scores rule them out, several cuts at a time,
    and only the others get exact ones. The result is that of exact scores everywhere.

    Parameters
    ----------
    values : Sorted
        The scratch arrays must be different ones.
    limits : Limits
        With a step h, rounding is h^2 / 12, the variance within a step (Sheppard 1898). The sides
        get it on top of their own: two values are two Gaussians of no width otherwise, better than
        any one Gaussian. The node does not: then steps that are used evenly, two or many, are never
        better as two clusters than as one.
    logarithms : Logs
    relative : bool
        Subtract the BIC of one Gaussian (delta-BIC).

    Returns
    -------
    score, threshold, variance
        The variance is that of all values; (inf, nan) before it if no cut scores below limits.best.
    """
    z, w, n = values.z, values.w, values.n
    floor, rounding, logs = limits.floor, limits.rounding, logarithms.exact
    _, total = centre(values)
    v0 = total / n
    if not v0 > 0.0:
        return np.inf, np.nan, v0
    constant = 2.0 * n * logs[n] + n * math.log(_TWO_PI) + n
    if relative:
        constant -= one_gaussian(n, v0, logs)
    best = limits.best - constant
    least, nothing = floor * v0, min(max(1e-12, _ROUNDED * n), _CANCELLED) * v0
    charge_5, charge_4 = 5.0 * logs[n], 4.0 * logs[n]
    gap = charge_5 - charge_4
    # "same" can win only where "diff" is within the difference of the penalties
    slack = n * QUICK_ERROR + gap
    first, last = _add_up(values, limits.min_leaf)
    sums, squares, quick = values.sums, values.squares, values.centred
    n1 = np.int64(quick[first - 1]) if 0 < first < last else 0
    clamped = _quick_scores(values, first, last, total, rounding, least, v0)
    # where a variance is clamped "same" may be far below "diff", and the order of cuts matters
    enough = np.inf
    if clamped == 0:
        enough = charge_5 + _least_quick(quick, first, last) + n * QUICK_ERROR + slack
    cut = -1
    for i in range(first, last):
        n1 += w[i]
        rough = charge_5 + quick[i]
        if rough >= best + slack or rough > enough:
            continue
        n2, s, q = n - n1, sums[i], squares[i]
        # a side of one value has no variance: what the differences leave is rounding
        e1 = 0.0 if z[i] == z[0] else max(q - s * s / n1, 0.0)
        e2 = 0.0 if z[i + 1] == z[values.m - 1] else max(total - q - s * s / n2, 0.0)
        v1 = e1 / n1 + rounding
        v2 = e2 / n2 + rounding
        if floor == 0.0 and (v1 <= nothing or v2 <= nothing):
            continue
        v1 = max(v1, least)
        v2 = max(v2, least)
        prior = charge_5 - 2.0 * (n1 * logs[n1] + n2 * logs[n2])
        score = prior + n1 * math.log(v1) + n2 * math.log(v2)
        if score < best + gap:
            vc = max((e1 + e2) / n + rounding, least)
            score = min(score, prior - gap + n * math.log(vc))
            if score < best:
                best, cut = score, i
    if cut < 0:
        return np.inf, np.nan, v0
    return best + constant, middle(z[cut], z[cut + 1]), v0


@scan.register(FastBic)
@inlined_kernel
def _scan_fast(data, values, limits):
    score, cut, _ = fast_bic(values, limits, data.tables.logs, False)
    return score, score, cut


@scan.register(DeltaBic)
@inlined_kernel
def _scan_delta(data, values, limits):
    score, cut, _ = fast_bic(values, limits, data.tables.logs, True)
    return score, score, cut


@scan.register(MeanBic)
@inlined_kernel
def _scan_mean(data, values, limits):
    logs = data.tables.logs
    limits = Limits(limits.min_leaf, limits.floor, limits.rounding, np.inf)
    delta, cut, variance = fast_bic(values, limits, logs, True)
    score = delta
    if delta < np.inf:
        # a narrow column of steps is nearly constant: it counts as wide as it was at first
        spread = 1.0 if limits.rounding > 0.0 else variance
        score += 0.5 * one_gaussian(values.n, spread, logs.exact)
    return score, delta, cut


@is_bounded.register(FastBic)
@is_bounded.register(DeltaBic)
@is_bounded.register(MeanBic)
@inlined_kernel
def _is_bounded(data):
    return True


@inlined_kernel
def _least_fast(lowest, n, logs):
    """Return what Fast-BIC is at least; `lowest` lacks what does not depend on the cut."""
    return lowest + (2.0 * n * logs[n] + one_gaussian(n, 1.0, logs) - 2.0 * logs[n])


@least_scores.register(FastBic)
@inlined_kernel
def _least_of_fast(data, lowest, n, variance, projection):
    fast = _least_fast(lowest, n, data.tables.logs.exact)
    return fast, fast


@least_scores.register(DeltaBic)
@inlined_kernel
def _least_of_delta(data, lowest, n, variance, projection):
    logs = data.tables.logs.exact
    delta = _least_fast(lowest, n, logs) - one_gaussian(n, variance, logs)
    return delta, delta


@least_scores.register(MeanBic)
@inlined_kernel
def _least_of_mean(data, lowest, n, variance, projection):
    logs = data.tables.logs.exact
    delta = _least_fast(lowest, n, logs) - one_gaussian(n, variance, logs)
    for k in range(projection.low, projection.high):
        if data.tables.roundings[projection.features[k]] > 0.0:
            variance = 1.0
    return delta, delta + 0.5 * one_gaussian(n, variance, logs)
