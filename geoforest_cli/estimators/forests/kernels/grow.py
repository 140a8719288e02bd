"""The one tree grower: any sampler, any criterion, flat arrays out."""

import math

import numpy as np

from geoforest_cli.core.jit import inner_kernel, kernel
from geoforest_cli.estimators.forests.kernels.criterion import find_cut, is_divisible, new_scratch
from geoforest_cli.estimators.forests.kernels.pairwise import credit
from geoforest_cli.estimators.forests.kernels.rng import bootstrap_counts, random_below
from geoforest_cli.estimators.forests.kernels.rules import Projection, Search, TreeNode
from geoforest_cli.estimators.forests.kernels.samplers import Draws, draw, take_back
from geoforest_cli.estimators.forests.kernels.sides import add_right_sides, send_to_larger
from geoforest_cli.estimators.forests.kernels.trees import divide, flatten, push, record, split_bag
from geoforest_cli.estimators.forests.kernels.workspace import forget, keep, new_buffers

_FIRST_SIZE = 256  # of the arrays of non-zeros


@inner_kernel
def _bring_forward(state, node, last):
    """Shuffle a random part of a node's rows to its start up to last; return its bag count."""
    rows, total = node.rows, 0
    for i in range(node.start, last):
        j = i + random_below(state, node.stop - i)
        rows[i], rows[j] = rows[j], rows[i]
        total += node.counts[rows[i]]
    return total


@inner_kernel
def _search_node(data, node, rules, buffers, state, most):
    """Draw candidates until one is good enough, or `most`; the best one becomes the winner.

    Returns the number of its non-zeros, 0 if there is none, its cut and score, and how many
    candidates the children may draw.
    """
    size, cut, best = 0, np.nan, np.inf
    candidates, work, scratch = buffers.candidates, buffers.work, buffers.scratch
    if not is_divisible(data, node, Search(candidates, 0, rules, 0, best, work, scratch)):
        return size, cut, best, most
    if rules.max_search > 0 and node.stop - node.start > rules.max_search:
        last = node.start + rules.max_search
        n = _bring_forward(state, node, last)
        node = TreeNode(node.rows, node.start, last, n, node.counts)
    min_leaf = max(rules.min_leaf, np.int64(math.ceil(rules.least_share * node.n)))
    drawn, seen, unseen = 0, 0, 0
    columns, others = candidates.permutation, candidates.shortlist
    until = min(rules.per_turn, most) if len(others) > 1 else most
    while True:
        p = data.columns.shape[0] - rules.missing.shape[0]
        draws = Draws(state, p, seen, until - drawn, columns)
        n_drawn = draw(rules, draws, candidates)
        n_judged = n_drawn
        if rules.missing.shape[0] > 0:
            n_judged = add_right_sides(data.columns, node, rules.missing, candidates, n_drawn)
        search = Search(candidates, n_judged, rules, min_leaf, best, work, scratch)
        winner, threshold, score, stop_score, n_used = find_cut(data, node, search)
        if winner >= 0:
            size, cut, best = keep(candidates, winner, buffers.winner), threshold, score
        n_used = min(n_used, n_drawn)
        drawn += n_used
        seen = take_back(draws, n_used, n_drawn, candidates)
        if stop_score < rules.stop_score:
            return size, cut, best, rules.most_projections
        if drawn >= most or n_drawn == 0:
            fewer = np.int64(most * rules.child_search_fraction)
            return size, cut, best, max(min(most, 1), fewer)
        if drawn >= until:
            columns, others, seen, unseen = others, columns, unseen, seen
            until = min(until + rules.per_turn, most)


@kernel
def grow_trees(data, importance, seeds, rules, cumulative):
    """Grow one tree for each seed: each on a bag of its own, and all points dropped down it.

    Trees that are grown together share their buffers: to get new ones from the system takes a
    twentieth of the time of a large tree.

    Parameters
    ----------
    data : named tuple of a criterion, see `criteria`
    importance : (T, p) float64, or (T, 0)
        The gains of the chosen projections are added to their features.
    seeds : (T,) uint64
        A tree depends on its own alone.
    rules : Rules
    cumulative : float64 array
        Cumulative sample weights for the bootstrap, or nothing.

    Returns
    -------
    list of T tuples:
    children : (nodes, 2) int32, -1 in leaves
    threshold : (nodes,) float64
    first : (nodes + 1,) int64, non-zeros of node i are first[i]:first[i+1]
    features : int32, weights : float32
    leaf_of : (N,) int32, the leaf's node number
    counts : (N,) int32, bag counts
    """
    shortlist = data.tables.shortlist
    buffers = new_buffers(data.columns, rules, shortlist, new_scratch(data, rules))
    trees = []
    for t in range(seeds.shape[0]):
        forget(buffers, shortlist)
        trees.append(_grow(data, importance[t], seeds[t], rules, cumulative, buffers))
    return trees


@kernel
def _draw_bag(state, n_points, rules, cumulative, row):
    """Return the bag counts of all rows, and those at all places."""
    counts = np.ones(n_points, np.int32)
    if rules.bootstrap == 1:
        bootstrap_counts(state, n_points, cumulative, counts)
    if row.shape[0] == 0:
        return counts, counts
    placed = np.empty(n_points, np.int32)
    for position in range(n_points):
        placed[position] = counts[row[position]]
    return counts, placed


@inner_kernel
def _put_back(values, row, spare):
    """Bring what stands at each place to its row."""
    for position in range(row.shape[0]):
        spare[row[position]] = values[position]
    for i in range(row.shape[0]):
        values[i] = spare[i]


@kernel
def _grow(data, importance, seed, rules, cumulative, buffers):
    columns, nodes, winner, work = data.columns, buffers.nodes, buffers.winner, buffers.work
    n_points = columns.shape[1]
    state = np.empty(1, np.uint64)
    state[0] = seed
    bag, counts = _draw_bag(state, n_points, rules, cumulative, data.tables.row)
    inside, outside = np.empty(n_points, np.int32), np.empty(n_points, np.int32)
    m_in, m_out = split_bag(counts, inside, outside)
    non_zeros = (np.empty(_FIRST_SIZE, np.int32), np.empty(_FIRST_SIZE, np.float32), np.int64(0))
    leaf_of = np.zeros(n_points, np.int32)
    stack, n_nodes = nodes.stack, 1
    top = push(nodes, 0, (0, 0, m_in, 0, m_out, 0, rules.most_projections))
    while top > 0:
        top -= 1
        number, start, stop = stack[top, 0], stack[top, 1], stack[top, 2]
        out_start, out_stop, depth = stack[top, 3], stack[top, 4], stack[top, 5]
        most, n = stack[top, 6], 0
        for i in range(start, stop):
            n += counts[inside[i]]
        size, border, cut, score = 0, start, np.nan, np.inf
        node = TreeNode(inside, start, stop, n, counts)
        if n >= rules.min_parent and stop - start > 1 and depth < rules.max_depth:
            size, cut, score, most = _search_node(data, node, rules, buffers, state, most)
        projection = Projection(winner.features, winner.weights, 0, size)
        if size > 0:
            border = divide(columns, node, projection, cut, work)
        if border == start or border == stop:
            leaf_of[inside[start:stop]] = number
            leaf_of[outside[out_start:out_stop]] = number
            continue
        if rules.missing.shape[0] > 0:
            send_to_larger(columns, node, rules.missing, winner, size, border)
        rest = TreeNode(outside, out_start, out_stop, 0, counts)
        out_border = divide(columns, rest, projection, cut, work)
        non_zeros = record(nodes, number, (cut, n_nodes, size), winner, non_zeros)
        if importance.shape[0] > 0:
            credit(importance, winner, size, -score, rules.full_credit)
        # the right child is pushed first, so that the left one is visited next
        right = (n_nodes + 1, border, stop, out_border, out_stop, depth + 1, most)
        left = (n_nodes, start, border, out_start, out_border, depth + 1, most)
        top = push(nodes, push(nodes, top, right), left)
        n_nodes += 2
    _put_back(leaf_of, data.tables.row, work.spare_rows)
    return (
        nodes.children[:n_nodes].copy(), nodes.threshold[:n_nodes].copy(),
        *flatten(nodes, n_nodes, non_zeros), leaf_of, bag,
    )  # fmt: skip
