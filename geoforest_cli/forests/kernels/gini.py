"""Gini impurity: the supervised criterion of CART, SPORF and MORF."""

import numpy as np

from geoforest_cli._jit import inner_kernel
from geoforest_cli.forests.kernels.fast_bic import middle


@inner_kernel
def class_totals(rows, start, stop, counts, labels, totals):
    """Fill totals with the bag counts of each class over rows[start:stop]."""
    totals[:] = 0.0
    for i in range(start, stop):
        totals[labels[rows[i]]] += counts[rows[i]]


@inner_kernel
def _begin(totals, left, right):
    """Put everything on the right; return its sum of squared class totals."""
    squares = 0.0
    for k in range(totals.shape[0]):
        left[k] = 0.0
        right[k] = totals[k]
        squares += totals[k] * totals[k]
    return squares


@inner_kernel
def _move(left, right, k, weight, squares_left, squares_right):
    """Move a weight of class k to the left; return the new sums of squares."""
    squares_left += weight * (2.0 * left[k] + weight)
    squares_right += weight * (weight - 2.0 * right[k])
    left[k] += weight
    right[k] -= weight
    return squares_left, squares_right


@inner_kernel
def gini(z, w, label, m, n, totals, left, right, min_leaf, ties):
    """Cut with the smallest n1 G1 + n2 G2, G = 1 - sum of squared class shares.

    Parameters
    ----------
    w, label : int32 arrays, bag counts and classes of the sorted entries
    totals : float64 array of length n_classes
        Bag counts of the classes in the node.
    left, right : float64 arrays of length n_classes, overwritten
    ties : bool
        Without ties, z is not looked at.

    Returns
    -------
    score, place
        The cut is behind entry `place`; (inf, -1) if the node is pure or no cut separates it.
    """
    squares_left, squares_right = 0.0, _begin(totals, left, right)
    best, cut, n1 = np.inf, -1, 0
    if squares_right == np.float64(n) * n:
        return best, cut
    for i in range(m - 1):
        weight = w[i]
        squares_left, squares_right = _move(
            left, right, label[i], weight, squares_left, squares_right
        )
        n1 += weight
        n2 = n - n1
        if (ties and z[i] == z[i + 1]) or n1 < min_leaf or n2 < min_leaf:
            continue
        score = n - squares_left / n1 - squares_right / n2
        if score < best:
            best, cut = score, i
    return best, cut


@inner_kernel
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
    squares_left, squares_right = 0.0, _begin(totals, left, right)
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
                squares_left, squares_right = _move(
                    left, right, k, weight, squares_left, squares_right
                )
        n1 += here
        last = v
    if cut_low < 0:
        return np.inf, np.nan
    return best, middle(np.float64(low + cut_low), np.float64(low + cut_high))
