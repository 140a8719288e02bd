"""Mclust-BIC: a two-component Gaussian mixture fitted to one projection by EM."""

import math

import numpy as np

from geoforest_cli._jit import inner_kernel
from geoforest_cli.forests.kernels.fast_bic import centre, two_means_cut

_MAX_ITERATIONS = 60
_TOLERANCE = 1e-5
_LOG_TWO_PI = math.log(2.0 * math.pi)


@inner_kernel
def _moments(z, w, low, high):
    n, s, q = 0.0, 0.0, 0.0
    for i in range(low, high):
        n += w[i]
        s += w[i] * z[i]
        q += w[i] * z[i] * z[i]
    return n, s, q


@inner_kernel
def expectation_maximisation(z, w, m, n, split, least, equal):
    """Fit the mixture, starting from the hard assignment z[:split], z[split:].

    Parameters
    ----------
    z : sorted and centred values
    least : float
        Lower bound of the variances.
    equal : bool
        Model E (common variance) or V.

    Returns
    -------
    log_likelihood, weight1, mean1, variance1, mean2, variance2
    """
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
def _smaller_class_maximum(z, c, m, p1, m1, v1, m2, v2):
    last1, last2 = -1, -1
    bias = math.log(p1) - math.log(1.0 - p1) - 0.5 * math.log(v1) + 0.5 * math.log(v2)
    for i in range(m):
        odds = bias - 0.5 * (c[i] - m1) ** 2 / v1 + 0.5 * (c[i] - m2) ** 2 / v2
        if odds >= 0.0:
            last1 = i
        else:
            last2 = i
    if last1 < 0 or last2 < 0:
        return np.nan
    return z[min(last1, last2)]


@inner_kernel
def mclust_bic(z, w, m, n, c, min_leaf, floor, logs, as_run):
    """Cut where the weighted densities cross; score min over E, V of -2 ln L + k ln n.

    With `as_run`, what the authors' program does: mclust's BIC is better when larger, the
    tree takes the smallest, and only of model E; the threshold is the smaller of the two
    class maxima.
    """
    mean, total = centre(z, w, m, n, c)
    _, cut = two_means_cut(z, w, m, n, c, total, min_leaf)
    if cut < 0:
        return np.inf, np.nan
    least = max(floor, 1e-12) * total / n
    l_e, p1, m1, v1, m2, v2 = expectation_maximisation(c, w, m, n, cut + 1, least, True)
    l_v, pv, m1v, v1v, m2v, v2v = expectation_maximisation(c, w, m, n, cut + 1, least, False)
    bic_e = -2.0 * l_e + 4.0 * logs[n]
    bic_v = -2.0 * l_v + 5.0 * logs[n]
    if bic_v < bic_e:
        p1, m1, v1, m2, v2 = pv, m1v, v1v, m2v, v2v
    if as_run:
        return -bic_e, _smaller_class_maximum(z, c, m, p1, m1, v1, m2, v2)
    threshold = mean + crossing(p1, m1, v1, m2, v2)
    n1 = 0
    for i in range(m):
        if z[i] >= threshold:
            break
        n1 += w[i]
    if n1 < max(min_leaf, 1) or n - n1 < max(min_leaf, 1):
        return np.inf, np.nan
    return min(bic_e, bic_v), threshold
