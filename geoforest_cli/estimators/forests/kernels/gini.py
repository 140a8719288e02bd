"""Gini impurity: the supervised criterion of CART, SPORF and MORF."""

from typing import NamedTuple

import numpy as np

from geoforest_cli.core.jit import inner_kernel, kernel
from geoforest_cli.estimators.forests.kernels.criterion import find_cut, is_divisible, new_scratch
from geoforest_cli.estimators.forests.kernels.order import sort_projection
from geoforest_cli.estimators.forests.kernels.project import project_whole
from geoforest_cli.estimators.forests.kernels.rules import (
    Floats,
    Integers,
    Projection,
    Sorted,
    Tables,
)
from geoforest_cli.estimators.forests.kernels.search import (
    CONSTANT,
    SORTED,
    all_equal,
    order_candidate,
)
from geoforest_cli.estimators.forests.kernels.two_means import middle

# whole values are counted rather than sorted while their range, times the classes, is at most this
VALUES_PER_ROW, LEAST_VALUES, MOST_CELLS = 2, 64, 1 << 20


class Gini(NamedTuple):
    """Data of Gini: the classes 0..K-1 of the rows."""

    columns: Floats
    tables: Tables
    labels: Integers


class ClassScratch(NamedTuple):
    """A node's class totals, those of both sides of a cut, and classes in the order of the rows.

    by_value counts the classes at every whole value; it is zero between uses.
    """

    totals: Floats
    left: Floats
    right: Floats
    label: Integers
    whole: Integers
    by_value: Integers
    sorted_w: Integers
    sorted_label: Integers


@inner_kernel
def values_that_fit(n_points, n_classes):
    """Return how many whole values a node of n_points rows counts rather than sorts."""
    return min(VALUES_PER_ROW * n_points + LEAST_VALUES, MOST_CELLS // n_classes)


@new_scratch.register(Gini)
@kernel
def new_class_scratch(data, rules):
    """Allocate the scratch arrays of Gini."""
    n_points, n_classes = data.labels.shape[0], data.labels.max() + 1
    counted = n_points if rules.whole == 1 else 0
    cells = values_that_fit(n_points, n_classes) * n_classes if rules.whole == 1 else 0
    return ClassScratch(
        np.zeros(n_classes, np.float64),
        np.zeros(n_classes, np.float64),
        np.zeros(n_classes, np.float64),
        np.zeros(n_points, np.int32),
        np.empty(counted, np.int32),
        np.zeros(cells, np.int32),
        np.empty(counted, np.int32),
        np.empty(counted, np.int32),
    )


@is_divisible.register(Gini)
@inner_kernel
def _has_classes(data, node, search):
    totals, rows = search.scratch.totals, node.rows
    totals[:] = 0.0
    for i in range(node.start, node.stop):
        totals[data.labels[rows[i]]] += node.counts[rows[i]]
    return not all_equal(data.labels, node)


@inner_kernel
def _begin(classes):
    """Put everything on the right; return its sum of squared class totals."""
    totals, left, right = classes.totals, classes.left, classes.right
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
def gini(values, label, classes, min_leaf, ties):
    """Cut with the smallest n1 G1 + n2 G2, G = 1 - sum of squared class shares.

    Parameters
    ----------
    values : Sorted
    label : int32 array
        Classes of the sorted entries.
    classes : ClassScratch
        With the totals of the node.
    min_leaf : int
    ties : bool
        Without ties, the values are not looked at.

    Returns
    -------
    score, place
        The cut is behind entry `place`; (inf, -1) if the node is pure or no cut separates it.
    """
    z, w, n, left, right = values.z, values.w, values.n, classes.left, classes.right
    squares_left, squares_right = 0.0, _begin(classes)
    best, cut, n1 = np.inf, -1, 0
    if squares_right == np.float64(n) * n:
        return best, cut
    for i in range(values.m - 1):
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
def gini_by_value(values, low, span, classes, min_leaf, best):
    """`gini` for the whole values low..low + span in classes.whole: they are counted, not sorted.

    Parameters
    ----------
    values : Sorted
        Of which w, m and n are read, in the order of classes.whole and classes.label.
    classes : ClassScratch
        by_value has at least (span + 1) * classes entries.
    best : float
        Only a smaller score is of interest.

    Returns
    -------
    score, threshold
        (inf, nan) if no cut is better than `best`.
    """
    n_classes, by_value = classes.totals.shape[0], classes.by_value
    left, right, n = classes.left, classes.right, values.n
    for i in range(values.m):
        by_value[(classes.whole[i] - low) * n_classes + classes.label[i]] += values.w[i]
    squares_left, squares_right = 0.0, _begin(classes)
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


@find_cut.register(Gini)
@inner_kernel
def search_classes(data, node, search):
    """Return the first of the best candidates, its cut and score."""
    if search.rules.whole == 1:
        winner, cut, best = _search_whole(data, node, search)
    else:
        winner, cut, best = _search_sorted(data, node, search)
    return winner, cut, best, best, search.n_candidates


@inner_kernel
def _search_sorted(data, node, search):
    candidates, work, classes = search.candidates, search.work, search.scratch
    features, weights = candidates.features, candidates.weights
    order, label = work.order, classes.label
    m = node.stop - node.start
    winner, threshold, best = -1, np.nan, search.best
    for c in range(search.n_candidates):
        low, high = candidates.first[c], candidates.first[c + 1]
        # Gini does not ask how far apart values are
        ordered = order_candidate(
            data, node, Projection(features, weights, low, high), work, False, True
        )
        if ordered == CONSTANT:
            continue
        for i in range(m):
            work.w[i] = node.counts[order[i]]
            label[i] = data.labels[order[i]]
        values = Sorted(work.z, order, work.w, m, node.n, work.scratch, work.sums, work.squares)
        score, at = gini(values, label, classes, search.min_leaf, ordered == SORTED)
        if score < best:
            best, winner = score, c
            if high - low == 1 and weights[low] > 0:
                weight, column = weights[low], data.columns[features[low]]
                threshold = middle(weight * column[order[at]], weight * column[order[at + 1]])
            else:
                threshold = middle(work.z[at], work.z[at + 1])
    return -1 if np.isnan(threshold) else winner, threshold, best


@inner_kernel
def _search_whole(data, node, search):
    """`_search_sorted` for whole numbers: values are counted where their range allows it."""
    candidates, work, classes = search.candidates, search.work, search.scratch
    whole, w, label = classes.whole, work.w, classes.label
    m = node.stop - node.start
    for i in range(m):
        row = node.rows[node.start + i]
        w[i] = node.counts[row]
        label[i] = data.labels[row]
    winner, threshold, best = -1, np.nan, search.best
    z, order, rest = work.z, work.order, work.scratch
    rows = Sorted(z, order, w, m, node.n, rest, work.sums, work.squares)
    ordered = Sorted(z, order, classes.sorted_w, m, node.n, rest, work.sums, work.squares)
    most_counted = values_that_fit(m, classes.totals.shape[0])
    for c in range(search.n_candidates):
        low, high = candidates.first[c], candidates.first[c + 1]
        projection = Projection(candidates.features, candidates.weights, low, high)
        least, most = project_whole(data.columns, node, projection, whole)
        if least == most:
            continue
        if most - least < most_counted:
            score, cut = gini_by_value(rows, least, most - least, classes, search.min_leaf, best)
        else:
            for i in range(m):
                z[i] = whole[i]
                order[i] = i
            sort_projection(work, m)
            for i in range(m):
                classes.sorted_w[i] = w[order[i]]
                classes.sorted_label[i] = label[order[i]]
            score, position = gini(ordered, classes.sorted_label, classes, search.min_leaf, True)
            cut = middle(z[position], z[position + 1]) if score < best else np.nan
        if score < best:
            best, winner, threshold = score, c, cut
    return winner, threshold, best
