"""Mclust-BIC: a two-component Gaussian mixture fitted to one projection by EM."""

import math

import numpy as np

from geoforest_cli.core.jit import inner_kernel
from geoforest_cli.estimators.forests.kernels.criterion import scan
from geoforest_cli.estimators.forests.kernels.rules import Points
from geoforest_cli.estimators.forests.kernels.two_means import centre, two_means_cut

_MAX_ITERATIONS = 60
_TOLERANCE = 1e-5
_LOG_TWO_PI = math.log(2.0 * math.pi)


class MclustBic(Points):
    """Data of Mclust-BIC."""


class MclustBicLegacy(Points):
    """Data of what the authors' program does with mclust."""


@inner_kernel
def _moments(z, w, low, high):
    n, s, q = 0.0, 0.0, 0.0
    for i in range(low, high):
        n += w[i]
        s += w[i] * z[i]
        q += w[i] * z[i] * z[i]
    return n, s, q


@inner_kernel
def expectation_maximisation(values, split, least, equal):
    """Fit the mixture, starting from the hard assignment to the first `split` values or the others.

    Parameters
    ----------
    values : Sorted
        Centred.
    least : float
        Lower bound of the variances.
    equal : bool
        Model E (common variance) or V.

    Returns
    -------
    log_likelihood, weight1, mean1, variance1, mean2, variance2
    """
    z, w, m, n = values.centred, values.w, values.m, values.n
    n1, s1, q1 = _moments(z, w, 0, split)
    n2, s2, q2 = _moments(z, w, split, m)
    previous = -np.inf
    likelihood = previous
    p1, m1, v1, m2, v2 = 0.5, 0.0, 1.0, 0.0, 1.0
    for _ in range(_MAX_ITERATIONS):
        tiny = 1e-300
        m1, m2 = s1 / max(n1, tiny), s2 / max(n2, tiny)
        e1, e2 = max(q1 - s1 * m1, 0.0), max(q2 - s2 * m2, 0.0)
        if equal:
            v1 = max((e1 + e2) / n, least)
            v2 = v1
        else:
            v1, v2 = max(e1 / max(n1, tiny), least), max(e2 / max(n2, tiny), least)
        p1 = min(max(n1 / n, 1e-12), 1.0 - 1e-12)
        a = math.log(p1) - 0.5 * (_LOG_TWO_PI + math.log(v1))
        b = math.log(1.0 - p1) - 0.5 * (_LOG_TWO_PI + math.log(v2))
        n1, s1, q1, n2, s2, q2 = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
        likelihood = 0.0
        for i in range(m):
            x = z[i]
            la = a - 0.5 * (x - m1) * (x - m1) / v1
            lb = b - 0.5 * (x - m2) * (x - m2) / v2
            top = max(la, lb)
            ea, eb = math.exp(la - top), math.exp(lb - top)
            likelihood += w[i] * (top + math.log(ea + eb))
            r1 = w[i] * ea / (ea + eb)
            r2 = w[i] - r1
            n1 += r1
            s1 += r1 * x
            q1 += r1 * x * x
            n2 += r2
            s2 += r2 * x
            q2 += r2 * x * x
        if likelihood - previous <= _TOLERANCE * (1.0 + abs(likelihood)):
            break
        previous = likelihood
    return likelihood, p1, m1, v1, m2, v2


@inner_kernel
def crossing(p1, m1, v1, m2, v2):
    """Point between the means where the weighted densities are equal, else the middle."""
    a = 0.5 / v2 - 0.5 / v1
    b = m1 / v1 - m2 / v2
    c = 0.5 * m2 * m2 / v2 - 0.5 * m1 * m1 / v1
    c += math.log(p1) - math.log(1.0 - p1) - 0.5 * math.log(v1) + 0.5 * math.log(v2)
    low, high = min(m1, m2), max(m1, m2)
    if a == 0.0:
        if b != 0.0 and low <= -c / b <= high:
            return -c / b
        return 0.5 * (m1 + m2)
    discriminant = b * b - 4.0 * a * c
    if discriminant >= 0.0:
        root = math.sqrt(discriminant)
        # the stable pair of roots: never subtract nearly equal numbers
        half = -0.5 * (b + (root if b >= 0.0 else -root))
        first = half / a
        if low <= first <= high:
            return first
        if half != 0.0 and low <= c / half <= high:
            return c / half
    return 0.5 * (m1 + m2)


@inner_kernel
def _smaller_class_maximum(values, p1, m1, v1, m2, v2):
    """Return the smaller of the largest values of both classes; nan if one is empty."""
    z, c = values.z, values.centred
    last1, last2 = -1, -1
    bias = math.log(p1) - math.log(1.0 - p1) - 0.5 * math.log(v1) + 0.5 * math.log(v2)
    for i in range(values.m):
        odds = bias - 0.5 * (c[i] - m1) ** 2 / v1 + 0.5 * (c[i] - m2) ** 2 / v2
        if odds >= 0.0:
            last1 = i
        else:
            last2 = i
    if last1 < 0 or last2 < 0:
        return np.nan
    return z[min(last1, last2)]


@inner_kernel
def _fit(data, values, limits):
    """Return the mean, the cut of two-means or -1, BICs of E and V, and the better mixture."""
    mean, total = centre(values)
    _, cut = two_means_cut(values, total, limits.min_leaf)
    least, logs = max(limits.floor, 1e-12) * total / values.n, data.tables.logs.exact
    if cut < 0:
        return mean, cut, (np.inf, np.inf), (0.5, 0.0, 1.0, 0.0, 1.0)
    equal = expectation_maximisation(values, cut + 1, least, True)
    free = expectation_maximisation(values, cut + 1, least, False)
    bic_e = -2.0 * equal[0] + 4.0 * logs[values.n]
    bic_v = -2.0 * free[0] + 5.0 * logs[values.n]
    return mean, cut, (bic_e, bic_v), free[1:] if bic_v < bic_e else equal[1:]


@scan.register(MclustBic)
@inner_kernel
def mclust_bic(data, values, limits):
    """Cut where the weighted densities cross; score min over E, V of -2 ln L + k ln n."""
    mean, cut, bics, mixture = _fit(data, values, limits)
    if cut < 0:
        return np.inf, np.inf, np.nan
    threshold = mean + crossing(*mixture)
    n1, min_leaf = 0, max(limits.min_leaf, 1)
    for i in range(values.m):
        if values.z[i] >= threshold:
            break
        n1 += values.w[i]
    if n1 < min_leaf or values.n - n1 < min_leaf:
        return np.inf, np.inf, np.nan
    score = min(bics[0], bics[1])
    return score, score, threshold


@scan.register(MclustBicLegacy)
@inner_kernel
def mclust_bic_legacy(data, values, limits):
    """Cut by what the authors' program does.

    mclust's BIC is better when larger, the tree takes the smallest, and only of model E; the
    threshold is the smaller of the two class maxima.
    """
    _, cut, bics, mixture = _fit(data, values, limits)
    if cut < 0:
        return np.inf, np.inf, np.nan
    return -bics[0], -bics[0], _smaller_class_maximum(values, *mixture)
