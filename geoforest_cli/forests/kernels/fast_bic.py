"""Two-means, Fast-BIC and delta-BIC: the best cut of one sorted projection.

Shared notation (Geodesic Forests, section 3 and Appendix D): z sorted, w the bag counts
of the m entries, n = sum of w; cut i puts n1 = n(i) of them left; e1, e2 are the sums of
squares about the two means, v1, v2, vc the variances of the sides and the pooled one.
A smaller score is better everywhere.
"""

import math

import numpy as np
import numpy.typing as npt

from geoforest_cli._jit import inner_kernel

_TWO_PI = 2.0 * math.pi
_LN_2 = math.log(2.0)
_NO_CUT = (np.inf, np.nan)
ROUGH = 2.5e-4


def mantissa_logs() -> npt.NDArray[np.float64]:
    """Return ln of the middles of 2048 equal slices of [1, 2)."""
    return np.array([math.log(1.0 + (i + 0.5) / 2048) for i in range(2048)])


@inner_kernel
def middle(low, high):
    """Return the threshold between two neighbours: low < threshold <= high."""
    threshold = 0.5 * low + 0.5 * high
    return threshold if threshold > low else high


@inner_kernel
def centre(z, w, m, n, c):
    """Fill c with z minus its weighted mean; return (mean, sum of squares)."""
    mean = 0.0
    for i in range(m):
        mean += w[i] * z[i]
    mean /= n
    rest = 0.0
    for i in range(m):
        c[i] = z[i] - mean
        rest += w[i] * c[i]
    # far from the origin the first mean is rounded: the cuts rely on a sum of zero
    rest /= n
    total = 0.0
    for i in range(m):
        c[i] -= rest
        total += w[i] * c[i] * c[i]
    return mean + rest, total


@inner_kernel
def two_means_cut(z, w, m, n, c, total, min_leaf):
    """Return (score, index of the last value on the left) or (inf, -1); c is centred z."""
    best, cut = np.inf, -1
    n1, s = 0, 0.0
    for i in range(m - 1):
        n1 += w[i]
        s += w[i] * c[i]
        n2 = n - n1
        if z[i] == z[i + 1] or n1 < min_leaf or n2 < min_leaf:
            continue
        score = total - s * s * n / (np.float64(n1) * n2)
        if score < best:
            best, cut = score, i
    return best, cut


@inner_kernel
def two_means(z, w, m, n, c, min_leaf):
    """Cut with the smallest within-cluster sum of squares (equation 1)."""
    _, total = centre(z, w, m, n, c)
    best, cut = two_means_cut(z, w, m, n, c, total, min_leaf)
    if cut < 0:
        return _NO_CUT
    return best, middle(z[cut], z[cut + 1])


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
def variance_of(w, c, m, n):
    """Return the variance, from what `fast_bic` leaves in c: centred z."""
    total = 0.0
    for i in range(m):
        total += w[i] * c[i] * c[i]
    return total / n


@inner_kernel
def fast_bic(z, w, m, n, c, min_leaf, floor, logs, mantissas, relative, best, rounding=0.0):
    """Cut with the smallest BIC of two hard-assigned Gaussians (sheet: corrected form).

    Nearly all cuts are far from the best one: a rough logarithm rules them out, and only
    the others get exact ones. The result is that of exact logarithms everywhere.

    Parameters
    ----------
    floor : float
        Variances are clamped below at floor times the node's; with 0, cuts with a
        side of zero variance are skipped instead.
    logs : float64 array, logs[i] = ln i
    mantissas : float64 array
        Table of `rough_log`.
    relative : bool
        Subtract the BIC of one Gaussian (delta-BIC).
    best : float
        Only cuts that score below this are of interest.
    rounding : float
        h^2 / 12 where values are recorded in steps h, the variance within a step (Sheppard 1898),
        else 0. The sides get it on top of their own: two values are two Gaussians of no width
        otherwise, better than any one Gaussian. The node does not: then steps that are used
        evenly, two or many, are never better as two clusters than as one.
    """
    _, total = centre(z, w, m, n, c)
    v0 = total / n
    if not v0 > 0.0:
        return _NO_CUT
    constant = 2.0 * n * logs[n] + n * math.log(_TWO_PI) + n
    if relative:
        constant -= one_gaussian(n, v0, logs)
    best -= constant
    least = floor * v0
    nothing = 1e-12 * v0
    charge_5 = 5.0 * logs[n]
    charge_4 = 4.0 * logs[n]
    # "same" can win only where "diff" is within the difference of the penalties
    gap = charge_5 - charge_4
    slack = n * ROUGH + gap
    cut = -1
    n1, s, q = 0, 0.0, 0.0
    for i in range(m - 1):
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
        return _NO_CUT
    return best + constant, middle(z[cut], z[cut + 1])
