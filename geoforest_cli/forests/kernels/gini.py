"""Gini impurity: the supervised criterion of CART, SPORF and MORF."""

import numpy as np

from geoforest_cli._jit import kernel
from geoforest_cli.forests.kernels.fast_bic import middle


@kernel
def gini(z, w, label, m, n, left, right, min_leaf):
    """Cut with the smallest n1 G1 + n2 G2, G = 1 - sum of squared class shares.

    Parameters
    ----------
    label : int32 array, classes of the sorted entries
    left, right : float64 arrays of length n_classes, overwritten

    Returns
    -------
    score, threshold
        (inf, nan) if the node is pure or no cut separates it.
    """
    left[:] = 0.0
    right[:] = 0.0
    for i in range(m):
        right[label[i]] += w[i]
    squares_left = 0.0
    squares_right = 0.0
    for k in range(right.shape[0]):
        squares_right += right[k] * right[k]
    if squares_right == np.float64(n) * n:
        return np.inf, np.nan
    best, cut, n1 = np.inf, -1, 0
    for i in range(m - 1):
        k, weight = label[i], w[i]
        squares_left += weight * (2.0 * left[k] + weight)
        squares_right += weight * (weight - 2.0 * right[k])
        left[k] += weight
        right[k] -= weight
        n1 += weight
        n2 = n - n1
        if z[i] == z[i + 1] or n1 < min_leaf or n2 < min_leaf:
            continue
        score = n - squares_left / n1 - squares_right / n2
        if score < best:
            best, cut = score, i
    if cut < 0:
        return np.inf, np.nan
    return best, middle(z[cut], z[cut + 1])


@kernel
def class_totals(rows, start, stop, counts, labels, totals):
    """Fill totals with the bag counts of each class over rows[start:stop]."""
    totals[:] = 0.0
    for i in range(start, stop):
        totals[labels[rows[i]]] += counts[rows[i]]


@kernel
def gini_by_rank(
    ranks, feature, rows, start, stop, counts, labels, n, totals, left, right, bits, by_rank,
    min_leaf,
):  # fmt: skip
    """Return the smallest score of `gini` for a column without ties, from its ranks alone.

    Gini does not ask how far apart values are. The rows are read in the order of their ranks
    as in `sort_by_rank`, and counted as they come.
    """
    low, high = len(bits), 0
    for i in range(start, stop):
        rank = np.int64(ranks[feature, rows[i]])
        by_rank[rank] = rows[i]
        word = rank >> 6
        bits[word] |= np.uint64(1) << np.uint64(rank & 63)
        low = min(low, word)
        high = max(high, word)
    squares_left, squares_right = 0.0, 0.0
    for k in range(totals.shape[0]):
        left[k] = 0.0
        right[k] = totals[k]
        squares_right += totals[k] * totals[k]
    best, n1 = np.inf, 0
    for word in range(low, high + 1):
        rest = bits[word]
        bits[word] = 0
        while rest != 0:
            lowest = rest & (~rest + np.uint64(1))
            rest ^= lowest
            bit = (np.float64(lowest).view(np.int64) >> 52) - 1023
            row = by_rank[(word << 6) + bit]
            k, weight = labels[row], counts[row]
            squares_left += weight * (2.0 * left[k] + weight)
            squares_right += weight * (weight - 2.0 * right[k])
            left[k] += weight
            right[k] -= weight
            n1 += weight
            n2 = n - n1
            if n1 < min_leaf or n2 < min_leaf:
                continue
            score = n - squares_left / n1 - squares_right / n2
            best = min(best, score)
    return best


@kernel
def gini_by_value(values, low, span, w, label, m, n, totals, left, right, by_value, min_leaf, best):
    """`gini` for whole values low..low + span: they are counted, not sorted.

    Parameters
    ----------
    values : int32 array
        Unsorted.
    w, label : int32 arrays
        Bag counts and classes in the same order.
    by_value : int32 array of length at least (span + 1) * classes, zero before and after
    best : float
        Only a smaller score is of interest.

    Returns
    -------
    score, threshold
        (inf, nan) if no cut is better than `best`.
    """
    n_classes = totals.shape[0]
    for i in range(m):
        by_value[(values[i] - low) * n_classes + label[i]] += w[i]
    squares_left, squares_right = 0.0, 0.0
    for k in range(n_classes):
        left[k] = 0.0
        right[k] = totals[k]
        squares_right += totals[k] * totals[k]
    n1, last, cut_low, cut_high = 0, -1, -1, -1
    for v in range(span + 1):
        base = v * n_classes
        here = 0
        for k in range(n_classes):
            here += by_value[base + k]
        if here == 0:
            continue
        if n1 >= min_leaf and n - n1 >= min_leaf and last >= 0:
            score = n - squares_left / n1 - squares_right / (n - n1)
            if score < best:
                best, cut_low, cut_high = score, last, v
        for k in range(n_classes):
            weight = by_value[base + k]
            if weight > 0:
                by_value[base + k] = 0
                squares_left += weight * (2.0 * left[k] + weight)
                squares_right += weight * (weight - 2.0 * right[k])
                left[k] += weight
                right[k] -= weight
        n1 += here
        last = v
    if cut_low < 0:
        return np.inf, np.nan
    return best, middle(np.float64(low + cut_low), np.float64(low + cut_high))
