"""Two-means: the best cut of a sorted projection, and what other criteria share with it.

Shared notation (Geodesic Forests, section 3 and Appendix D): z sorted, w the bag counts
of the m entries, n = sum of w; cut i puts n1 = n(i) of them left; e1, e2 are the sums of
squares about the two means, v1, v2, vc the variances of the sides and the pooled one.
A smaller score is better everywhere.
"""

import numpy as np

from geoforest_cli.core.jit import inlined_kernel, inner_kernel
from geoforest_cli.estimators.forests.kernels.criterion import scan
from geoforest_cli.estimators.forests.kernels.rules import Points


class TwoMeans(Points):
    """Data of two-means."""


@inner_kernel
def middle(low, high):
    """Return the threshold between two neighbours: low < threshold <= high."""
    threshold = 0.5 * low + 0.5 * high
    return threshold if threshold > low else high


@inner_kernel
def centre(values):
    """Fill values.centred with z minus its weighted mean; return (mean, sum of squares)."""
    z, w, c, m, n = values.z, values.w, values.centred, values.m, values.n
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
def two_means_cut(values, total, min_leaf):
    """Return (score, index of the last value on the left) or (inf, -1); values are centred."""
    z, w, c, n = values.z, values.w, values.centred, values.n
    best, cut = np.inf, -1
    n1, s = 0, 0.0
    for i in range(values.m - 1):
        n1 += w[i]
        s += w[i] * c[i]
        n2 = n - n1
        if z[i] == z[i + 1] or n1 < min_leaf or n2 < min_leaf:
            continue
        score = total - s * s * n / (np.float64(n1) * n2)
        if score < best:
            best, cut = score, i
    return best, cut


@scan.register(TwoMeans)
@inlined_kernel
def two_means(data, values, limits):
    """Cut with the smallest within-cluster sum of squares (equation 1)."""
    _, total = centre(values)
    best, cut = two_means_cut(values, total, limits.min_leaf)
    if cut < 0:
        return np.inf, np.inf, np.nan
    return best, best, middle(values.z[cut], values.z[cut + 1])
