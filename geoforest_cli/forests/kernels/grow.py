"""The one tree grower: any sampler, any criterion, flat arrays out."""

import math

import numpy as np

from geoforest_cli._jit import inner_kernel, kernel
from geoforest_cli.forests.kernels.gini import class_totals
from geoforest_cli.forests.kernels.pairwise import credit, enter_node, new_pair_work
from geoforest_cli.forests.kernels.rng import bootstrap_counts, random_below
from geoforest_cli.forests.kernels.rules import MIXED, OBLIQUE
from geoforest_cli.forests.kernels.samplers import draw, take_back
from geoforest_cli.forests.kernels.search import find_cut
from geoforest_cli.forests.kernels.trees import divide, flatten, push, record, split_bag
from geoforest_cli.forests.kernels.workspace import (
    forget,
    keep,
    new_candidates,
    new_nodes,
    new_winner,
    new_workspace,
)

_ROOM = 256  # non-zeros at first


@inner_kernel
def _bring_forward(state, rows, start, stop, last, counts):
    """Shuffle a random part of rows[start:stop] to rows[start:last]; return its bag count."""
    total = 0
    for i in range(start, last):
        j = i + random_below(state, stop - i)
        rows[i], rows[j] = rows[j], rows[i]
        total += counts[rows[i]]
    return total


@inner_kernel
def _pure(values, rows, start, stop):
    """Whether all rows have one label, or one response."""
    for i in range(start + 1, stop):
        if values[rows[i]] != values[rows[start]]:
            return False
    return True


@inner_kernel
def _divisible(classes, response, pairs, pair_work, rows, start, stop, counts, work):
    """Whether a cut of these rows could gain anything; prepares its search."""
    if classes is not None:
        class_totals(rows, start, stop, counts, classes, work.totals)
        return not _pure(classes, rows, start, stop)
    if response is not None:
        return not _pure(response, rows, start, stop)
    if pairs is not None:
        return enter_node(pairs, pair_work, rows, start, stop, counts, work.w)
    return True


@kernel
def grow_trees(
    columns, classes, n_classes, response, pairs, importance, seeds, rules, cumulative, tables
):
    """Grow one tree for each seed: each on a bag of its own, and all points dropped down it.

    Trees that are grown together share their buffers: to get new ones from the system takes a
    twentieth of the time of a large tree.

    Parameters
    ----------
    columns : (p, N) float64 array, one row per feature (contiguous)
    classes : int32 array of length N, or None
    n_classes : int
    response : float64 array of length N for the variance, or None
    pairs : Pairs or None
        Distances, for trees that cut by them.
    importance : (T, p) float64
        The gains of the chosen projections are added to their features (with pairs).
    seeds : (T,) uint64
        A tree depends on its own alone.
    rules : Rules
    cumulative : float64 array
        Cumulative sample weights for the bootstrap, or nothing.
    tables : Tables

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
    p, n_points = columns.shape
    unsupervised = classes is None and response is None and pairs is None
    cand = new_candidates(
        p, rules.n_projections, rules.n_nonzeros, rules.sampler, rules.table_size, tables.shortlist
    )
    work = new_workspace(
        n_points,
        n_classes,
        rules.whole,
        p if unsupervised else 0,
        cand.first.shape[0],
        rules.n_nonzeros if rules.sampler == OBLIQUE else 0,
    )
    winner = new_winner(cand)
    nodes = new_nodes(2 * n_points + 1)
    return [
        _grow(
            columns, classes, response, pairs, importance[t], seeds[t], rules, cumulative, tables,
            cand, work, winner, nodes,
        )
        for t in range(seeds.shape[0])
    ]  # fmt: skip


@kernel
def _grow(
    columns, classes, response, pairs, importance, seed, rules, cumulative, tables, cand, work,
    winner, nodes,
):  # fmt: skip
    p, n_points = columns.shape
    state = np.empty(1, np.uint64)
    state[0] = seed
    counts = np.ones(n_points, np.int32)
    if rules.bootstrap == 1:
        bootstrap_counts(state, n_points, cumulative, counts)
    inside = np.empty(n_points, np.int32)
    outside = np.empty(n_points, np.int32)
    m_in, m_out = split_bag(counts, inside, outside)
    pair_work = None if pairs is None else new_pair_work(m_in, pairs.mask.shape[0] > 0)
    forget(cand, work, tables)
    features = np.empty(_ROOM, np.int32)
    weights = np.empty(_ROOM, np.float32)
    leaf_of = np.zeros(n_points, np.int32)
    top = push(nodes, 0, 0, 0, m_in, 0, m_out, 0, rules.most_projections)
    stack, n_nodes, used, visit = nodes.stack, 1, np.int64(0), 0
    while top > 0:
        top -= 1
        node, start, stop = stack[top, 0], stack[top, 1], stack[top, 2]
        out_start, out_stop, depth = stack[top, 3], stack[top, 4], stack[top, 5]
        most, n = stack[top, 6], 0
        for i in range(start, stop):
            n += counts[inside[i]]
        size, border, cut, best = 0, start, np.nan, np.inf
        large = n >= rules.min_parent and stop - start > 1 and depth < rules.max_depth
        if large and _divisible(
            classes, response, pairs, pair_work, inside, start, stop, counts, work
        ):
            last, searched = stop, n
            if rules.max_search > 0 and stop - start > rules.max_search:
                last = start + rules.max_search
                searched = _bring_forward(state, inside, start, stop, last, counts)
            least = max(rules.min_leaf, np.int64(math.ceil(rules.least_share * searched)))
            drawn, seen = 0, 0
            among, others, unseen = cand.permutation, cand.shortlist, 0
            until = min(rules.turn, most) if len(others) > 1 else most
            while True:
                visit += 1
                n_candidates = draw(rules, state, p, visit, seen, until - drawn, among, cand)
                chosen, found, score, evidence, n_used = find_cut(
                    columns, classes, response, pairs, pair_work, inside, start, last, searched,
                    counts, n_candidates, cand, rules.criterion, least,
                    best, rules, tables, work, node,
                )  # fmt: skip
                if chosen >= 0:
                    size, cut, best = keep(cand, chosen, winner), found, score
                drawn += n_used
                # only a sampler of single columns must not draw them again
                if rules.sampler == MIXED:
                    seen = take_back(
                        state, n_used, n_candidates, seen, among, cand.states, cand.swaps
                    )
                elif cand.first[n_candidates] == n_candidates:
                    seen += n_candidates
                if evidence < rules.good:
                    most = rules.most_projections
                    break
                if drawn >= most or n_candidates == 0:
                    most = max(min(most, 1), np.int64(most * rules.patience))
                    break
                if drawn >= until:
                    among, others, seen, unseen = others, among, unseen, seen
                    until = min(until + rules.turn, most)
        if size > 0:
            border = divide(columns, inside, start, stop, winner, size, cut, work)
        if border == start or border == stop:
            leaf_of[inside[start:stop]] = node
            leaf_of[outside[out_start:out_stop]] = node
            continue
        out_border = divide(columns, outside, out_start, out_stop, winner, size, cut, work)
        features, weights, used = record(
            nodes, node, cut, n_nodes, winner, size, features, weights, used
        )
        if pairs is not None:
            credit(importance, winner, size, -best, rules.full_credit)
        # the right child is pushed first, so that the left one is visited next
        top = push(nodes, top, n_nodes + 1, border, stop, out_border, out_stop, depth + 1, most)
        top = push(nodes, top, n_nodes, start, border, out_start, out_border, depth + 1, most)
        n_nodes += 2
    first, flat_features, flat_weights = flatten(nodes, n_nodes, features, weights, used)
    return (
        nodes.children[:n_nodes].copy(), nodes.threshold[:n_nodes].copy(),
        first, flat_features, flat_weights, leaf_of, counts,
    )  # fmt: skip
