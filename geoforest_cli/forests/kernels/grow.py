"""The one tree grower: any sampler, any criterion, flat arrays out."""

import numpy as np

from geoforest_cli._jit import kernel
from geoforest_cli.forests.kernels.choose import (
    GINI,
    TWO_MEANS,
    VARIANCE,
    choose,
    choose_whole,
)
from geoforest_cli.forests.kernels.rng import bootstrap_counts, random_below
from geoforest_cli.forests.kernels.trees import divide, draw, flatten, push, record, split_bag
from geoforest_cli.forests.kernels.workspace import new_candidates, new_nodes, new_workspace


@kernel
def _bring_forward(state, rows, start, stop, last, counts):
    """Shuffle a random part of rows[start:stop] to rows[start:last]; return its bag count."""
    total = 0
    for i in range(start, last):
        j = i + random_below(state, stop - i)
        rows[i], rows[j] = rows[j], rows[i]
        total += counts[rows[i]]
    return total


@kernel
def _pure(labels, rows, start, stop):
    """Whether all rows have one label, or one response."""
    for i in range(start + 1, stop):
        if labels[rows[i]] != labels[rows[start]]:
            return False
    return True


@kernel
def grow_tree(
    columns, labels, n_classes, response, seed, criterion, sampler, sizes, rule, shape, cumulative,
    tables, table_size,
):  # fmt: skip
    """Grow one tree on a bag and drop all points down it.

    Parameters
    ----------
    columns : (p, N) float array, one row per feature (contiguous)
    labels : int32 array of length N (zeros where the criterion needs none)
    response : float64 array of length N for the variance, else empty
    seed : uint64
        Seed of this tree alone.
    criterion, sampler : int
    sizes : int64 array: d, n_nonzeros, min_parent, max_depth, bootstrap (0 or 1), whether all
        projections are whole numbers (0 or 1), rows of a node to search (0: all),
        whether nodes at max_depth are cut by two-means (1) or leaves (0)
    rule : float64 array: min_leaf, variance floor, mean of the Poisson sampler
    shape : int64 array
        What the patch sampler needs, see `samplers.patch`.
    cumulative : float64 array
        Cumulative sample weights for the bootstrap, or nothing.
    tables : Tables
    table_size : int
        Size of the oblique sampler's set.

    Returns
    -------
    children : (nodes, 2) int32, -1 in leaves
    threshold : (nodes,) float64
    first : (nodes + 1,) int64, non-zeros of node i are first[i]:first[i+1]
    features : int32, weights : float32
    leaf_of : (N,) int32, the leaf's node number
    counts : (N,) int32, bag counts
    """
    p, n_points = columns.shape
    d, n_nonzeros, min_parent, max_depth = sizes[0], sizes[1], sizes[2], sizes[3]
    min_leaf, floor, mean = np.int64(rule[0]), rule[1], rule[2]
    whole = criterion == GINI and sizes[5] == 1
    state = np.empty(1, np.uint64)
    state[0] = seed
    counts = np.ones(n_points, np.int32)
    if sizes[4] == 1:
        bootstrap_counts(state, n_points, cumulative, counts)
    inside = np.empty(n_points, np.int32)
    outside = np.empty(n_points, np.int32)
    m_in, m_out = split_bag(counts, inside, outside)
    work = new_workspace(n_points, n_classes)
    cand = new_candidates(p, d, n_nonzeros, sampler, table_size)
    nodes = new_nodes(2 * m_in + 1)
    features = np.empty(4 * m_in + n_nonzeros + d, np.int32)
    weights = np.empty(features.shape[0], np.float32)
    leaf_of = np.zeros(n_points, np.int32)
    stack = np.empty((2 * m_in + 1, 6), np.int64)
    top = push(stack, 0, 0, 0, m_in, 0, m_out, 0)
    n_nodes, used, visit = 1, np.int64(0), 0
    while top > 0:
        top -= 1
        node, start, stop = stack[top, 0], stack[top, 1], stack[top, 2]
        out_start, out_stop, depth = stack[top, 3], stack[top, 4], stack[top, 5]
        n = 0
        for i in range(start, stop):
            n += counts[inside[i]]
        chosen, border = -1, start
        deep = depth >= max_depth
        divisible = n >= min_parent and stop - start > 1 and (not deep or sizes[7] == 1)
        if divisible and criterion == GINI:
            divisible = not _pure(labels, inside, start, stop)
        elif divisible and criterion == VARIANCE:
            divisible = not _pure(response, inside, start, stop)
        if divisible:
            visit += 1
            n_candidates = draw(sampler, state, p, d, n_nonzeros, visit, shape, mean, cand)
            last, searched = stop, n
            if sizes[6] > 0 and stop - start > sizes[6]:
                last = start + sizes[6]
                searched = _bring_forward(state, inside, start, stop, last, counts)
            if whole:
                chosen, cut = choose_whole(
                    columns, labels, counts, inside, start, last, searched, n_candidates, cand,
                    work, min_leaf,
                )  # fmt: skip
            else:
                chosen, cut = choose(
                    columns, labels, response, counts, inside, start, last, searched,
                    n_candidates, cand, work, TWO_MEANS if deep else criterion, min_leaf, floor,
                    tables,
                )  # fmt: skip
        if chosen >= 0:
            border = divide(columns, inside, start, stop, cand, chosen, cut, work)
        if border == start or border == stop:
            leaf_of[inside[start:stop]] = node
            leaf_of[outside[out_start:out_stop]] = node
            continue
        out_border = divide(columns, outside, out_start, out_stop, cand, chosen, cut, work)
        features, weights, used = record(
            nodes, node, cut, n_nodes, cand, chosen, features, weights, used
        )
        # the right child is pushed first, so that the left one is visited next
        top = push(stack, top, n_nodes + 1, border, stop, out_border, out_stop, depth + 1)
        top = push(stack, top, n_nodes, start, border, out_start, out_border, depth + 1)
        n_nodes += 2
    first, flat_features, flat_weights = flatten(nodes, n_nodes, features, weights, used)
    return (
        nodes.children[:n_nodes].copy(), nodes.threshold[:n_nodes].copy(),
        first, flat_features, flat_weights, leaf_of, counts,
    )  # fmt: skip
