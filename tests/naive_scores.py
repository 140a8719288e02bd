"""Slow, obvious code for the split criteria: they read like the papers' pseudocode."""

import math

import numpy as np


def cuts(values, min_leaf=1):
    x = np.sort(np.asarray(values, dtype=float))
    for i in range(1, len(x)):
        if x[i - 1] < x[i] and min_leaf <= i <= len(x) - min_leaf:
            yield x[:i], x[i:], 0.5 * (x[i - 1] + x[i])


def best(scored):
    """First of the smallest scores."""
    result = (math.inf, math.nan)
    for score, threshold in scored:
        if score < result[0]:
            result = (score, threshold)
    return result


def two_means(values, min_leaf=1):
    def sse(x):
        return float(np.sum((x - np.mean(x)) ** 2))

    return best((sse(a) + sse(b), t) for a, b, t in cuts(values, min_leaf))


def fast_bic(values, floor=0.0, min_leaf=1, rounding=0.0):
    """-2 log-likelihood of two hard-assigned Gaussians plus the penalty, by definition.

    Where the floor binds, the plug-in term n v / v is kept at n (sheet, 4.6).
    """
    x = np.asarray(values, dtype=float)
    n = len(x)
    v0 = float(np.var(x))
    if v0 <= 0:
        return math.inf, math.nan

    def minus_two_l(a, b, va, vb):
        prior = -2 * (len(a) * math.log(len(a) / n) + len(b) * math.log(len(b) / n))
        width = len(a) * math.log(2 * math.pi * va) + len(b) * math.log(2 * math.pi * vb)
        return prior + width + n

    def score(a, b):
        va, vb = np.var(a) + rounding, np.var(b) + rounding
        if floor == 0 and min(va, vb) <= rounded(n) * v0:
            return math.inf
        pooled = (len(a) * va + len(b) * vb) / n
        least = floor * v0
        va, vb, pooled = max(va, least), max(vb, least), max(pooled, least)
        different = minus_two_l(a, b, va, vb) + 5 * math.log(n)
        same = minus_two_l(a, b, pooled, pooled) + 4 * math.log(n)
        return min(different, same)

    return best((score(a, b), t) for a, b, t in cuts(values, min_leaf))


def rounded(n):
    """Share of a node's variance below which a side's is rounding."""
    return min(max(1e-12, 4e-14 * n), 1e-9)


def fast_bic_cut_by_cut(values, limits, logs, relative):
    """The kernel's sums in its order, and exact scores at every cut."""
    z, w, n = values.z.tolist(), values.w.tolist(), values.n
    mean = sum(a * b for a, b in zip(w, z, strict=True)) / n
    c = [x - mean for x in z]
    rest = sum(a * b for a, b in zip(w, c, strict=True)) / n
    c = [x - rest for x in c]
    total = sum(a * b * b for a, b in zip(w, c, strict=True))
    v0 = total / n
    if not v0 > 0:
        return math.inf, math.nan
    constant = 2.0 * n * logs[n] + n * math.log(2.0 * math.pi) + n
    if relative:
        constant -= n * math.log(2.0 * math.pi * v0) + n + 2.0 * logs[n]
    charge = 5.0 * logs[n]
    gap = charge - 4.0 * logs[n]
    best, cut, least = limits.best - constant, math.nan, limits.floor * v0
    n1, s, q = 0, 0.0, 0.0
    for i in range(len(z) - 1):
        n1, s, q = n1 + w[i], s + w[i] * c[i], q + w[i] * c[i] * c[i]
        n2 = n - n1
        if z[i] == z[i + 1] or min(n1, n2) < limits.min_leaf:
            continue
        e1, e2 = max(q - s * s / n1, 0.0), max(total - q - s * s / n2, 0.0)
        e1, e2 = (0.0 if z[0] == z[i] else e1), (0.0 if z[i + 1] == z[-1] else e2)
        v1, v2 = e1 / n1 + limits.rounding, e2 / n2 + limits.rounding
        if limits.floor == 0 and min(v1, v2) <= rounded(n) * v0:
            continue
        v1, v2 = max(v1, least), max(v2, least)
        prior = charge - 2.0 * (n1 * logs[n1] + n2 * logs[n2])
        score = prior + n1 * math.log(v1) + n2 * math.log(v2)
        # a common variance is asked for only where two are nearly good enough
        if score < best + gap:
            common = max((e1 + e2) / n + limits.rounding, least)
            score = min(score, prior - gap + n * math.log(common))
            if score < best:
                middle = 0.5 * z[i] + 0.5 * z[i + 1]
                best, cut = score, middle if middle > z[i] else z[i + 1]
    return (math.inf, cut) if math.isnan(cut) else (best + constant, cut)


def delta_bic(values, floor=0.0, min_leaf=1, rounding=0.0):
    x = np.asarray(values, dtype=float)
    score, threshold = fast_bic(x, floor, min_leaf, rounding)
    return (score if math.isinf(score) else score - one_gaussian(x)), threshold


def one_gaussian(values):
    """BIC of a single Gaussian: its mean and variance are two parameters."""
    n = len(values)
    return n * math.log(2 * math.pi * np.var(values)) + n + 2 * math.log(n)


def mean_bic(values, floor=0.0):
    """Mean of Fast-BIC and delta-BIC."""
    fast, threshold = fast_bic(values, floor)
    delta, _ = delta_bic(values, floor)
    return (fast + delta) / 2, threshold


def fast_bic_legacy(values):
    """The authors' loop, its standing counter included."""
    x = np.sort(np.asarray(values, dtype=float))
    zeros = int(np.sum(x == 0))
    x = x[x != 0]
    k = len(x)
    if k == 0:
        return math.inf, math.nan
    smallest, threshold = math.inf, math.nan
    if zeros:
        smallest = float(np.sum((x - np.mean(x)) ** 2))
        threshold = x[0] / 2
    index = 1
    left_sum, right_sum = 0.0, float(np.sum(x))
    for value in x[:-1]:
        n1, n2 = zeros + index, k - index
        left_sum += value
        right_sum -= value
        left_mean, right_mean = left_sum / n1, right_sum / n2
        e1 = float(np.sum((x[:index] - left_mean) ** 2)) + zeros * left_mean**2
        e2 = float(np.sum((x[index:] - right_mean) ** 2))
        if e1 == 0 or e2 == 0:
            continue
        n = n1 + n2
        total = -n1 * math.log(n1 / n) - n2 * math.log(n2 / n)
        total += n1 / 2 * math.log(2 * 3.14 * e1 / n1) + n1 / 2
        total += n2 / 2 * math.log(2 * 3.14 * e2 / n2) + n2 / 2
        score = 2 * total + 5 * math.log(n)
        if score < smallest:
            smallest, threshold = score, (x[index - 1] + x[index]) / 2
        index += 1
    return smallest, threshold


def mixture_log_likelihood(values, p1, m1, v1, m2, v2):
    def density(x, m, v):
        return math.exp(-((x - m) ** 2) / (2 * v)) / math.sqrt(2 * math.pi * v)

    return sum(math.log(p1 * density(x, m1, v1) + (1 - p1) * density(x, m2, v2)) for x in values)


def gini(values, labels, min_leaf=1):
    order = np.argsort(values, kind="stable")
    x, y = np.asarray(values, dtype=float)[order], np.asarray(labels)[order]
    if len(set(y)) == 1:
        return math.inf, math.nan

    def impurity(part):
        shares = np.array([np.mean(part == c) for c in np.unique(y)])
        return len(part) * float(np.sum(shares * (1 - shares)))

    return best(
        (impurity(y[:i]) + impurity(y[i:]), 0.5 * (x[i - 1] + x[i]))
        for i in range(1, len(x))
        if x[i - 1] < x[i] and min_leaf <= i <= len(x) - min_leaf
    )
