"""Fast-BIC, delta-BIC and mean-BIC: the best cut of a sorted projection as two Gaussians.

The notation is that of `two_means`.
"""

import math

import numpy as np
import numpy.typing as npt

from geoforest_cli.core.jit import inlined_kernel, inner_kernel
from geoforest_cli.estimators.forests.kernels.criterion import is_bounded, least_scores, scan
from geoforest_cli.estimators.forests.kernels.rules import Limits, Points
from geoforest_cli.estimators.forests.kernels.two_means import centre, middle

_TWO_PI = 2.0 * math.pi
_LN_2 = math.log(2.0)
ROUGH = 2.5e-4


class FastBic(Points):
    """Data of Fast-BIC."""


class DeltaBic(Points):
    """Data of delta-BIC: Fast-BIC without the BIC of one Gaussian."""


class MeanBic(Points):
    """Data of mean-BIC: the mean of both ranks candidates, delta-BIC the cuts of one."""


def mantissa_logs() -> npt.NDArray[np.float64]:
    """Return ln of the middles of 2048 equal slices of [1, 2)."""
    return np.array([math.log(1.0 + (i + 0.5) / 2048) for i in range(2048)])


@inner_kernel
def rough_log(x, table):
    """Natural logarithm by exponent and a table of mantissas; error below ROUGH."""
    bits = np.float64(x).view(np.int64)
    exponent = (bits >> 52) - 1023
    return exponent * _LN_2 + table[(bits >> 41) & 2047]


@inner_kernel
def one_gaussian(n, variance, logs):
    """Return the BIC of one Gaussian."""
    return n * math.log(_TWO_PI * variance) + n + 2.0 * logs[n]


@inner_kernel
def variance_of(values):
    """Return the variance, from what `fast_bic` leaves behind: centred values."""
    w, c = values.w, values.centred
    total = 0.0
    for i in range(values.m):
        total += w[i] * c[i] * c[i]
    return total / values.n


@inner_kernel
def fast_bic(values, limits, logarithms, relative):
    """Cut with the smallest BIC of two hard-assigned Gaussians (sheet: corrected form).

    Nearly all cuts are far from the best one: a rough logarithm rules them out, and only
    the others get exact ones. The result is that of exact logarithms everywhere.

    Parameters
    ----------
    values : Sorted
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
    score, threshold
        (inf, nan) if no cut scores below limits.best.
    """
    z, w, c, n = values.z, values.w, values.centred, values.n
    min_leaf, floor, rounding = limits.min_leaf, limits.floor, limits.rounding
    logs, mantissas = logarithms.exact, logarithms.rough
    _, total = centre(values)
    v0 = total / n
    if not v0 > 0.0:
        return np.inf, np.nan
    constant = 2.0 * n * logs[n] + n * math.log(_TWO_PI) + n
    if relative:
        constant -= one_gaussian(n, v0, logs)
    best = limits.best - constant
    least = floor * v0
    nothing = 1e-12 * v0
    charge_5 = 5.0 * logs[n]
    charge_4 = 4.0 * logs[n]
    # "same" can win only where "diff" is within the difference of the penalties
    gap = charge_5 - charge_4
    slack = n * ROUGH + gap
    cut = -1
    n1, s, q = 0, 0.0, 0.0
    for i in range(values.m - 1):
        wc = w[i] * c[i]
        n1 += w[i]
        s += wc
        q += wc * c[i]
        n2 = n - n1
        if z[i] == z[i + 1] or n1 < min_leaf or n2 < min_leaf:
            continue
        e1 = max(q - s * s / n1, 0.0)
        e2 = max(total - q - s * s / n2, 0.0)
        v1 = e1 / n1 + rounding
        v2 = e2 / n2 + rounding
        if floor == 0.0 and (v1 <= nothing or v2 <= nothing):
            continue
        v1 = max(v1, least)
        v2 = max(v2, least)
        prior = charge_5 - 2.0 * (n1 * logs[n1] + n2 * logs[n2])
        rough = prior + n1 * rough_log(v1, mantissas) + n2 * rough_log(v2, mantissas)
        if rough >= best + slack:
            continue
        score = prior + n1 * math.log(v1) + n2 * math.log(v2)
        if score < best + gap:
            vc = max((e1 + e2) / n + rounding, least)
            score = min(score, prior - gap + n * math.log(vc))
            if score < best:
                best, cut = score, i
    if cut < 0:
        return np.inf, np.nan
    return best + constant, middle(z[cut], z[cut + 1])


@scan.register(FastBic)
@inlined_kernel
def _scan_fast(data, values, limits):
    score, cut = fast_bic(values, limits, data.tables.logs, False)
    return score, score, cut


@scan.register(DeltaBic)
@inlined_kernel
def _scan_delta(data, values, limits):
    score, cut = fast_bic(values, limits, data.tables.logs, True)
    return score, score, cut


@scan.register(MeanBic)
@inlined_kernel
def _scan_mean(data, values, limits):
    logs = data.tables.logs
    limits = Limits(limits.min_leaf, limits.floor, limits.rounding, np.inf)
    delta, cut = fast_bic(values, limits, logs, True)
    score = delta
    if delta < np.inf:
        # a narrow column of steps is nearly constant: it counts as wide as it was at first
        spread = 1.0 if limits.rounding > 0.0 else variance_of(values)
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
