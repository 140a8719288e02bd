"""Cuts by the mean pairwise distance within nodes (SMERF)."""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from geoforest_cli.core.jit import inner_kernel, kernel
from geoforest_cli.estimators.forests.kernels.criterion import find_cut, is_divisible, new_scratch
from geoforest_cli.estimators.forests.kernels.order import sort_projection
from geoforest_cli.estimators.forests.kernels.project import project
from geoforest_cli.estimators.forests.kernels.rules import Floats, Projection, Sorted, Tables
from geoforest_cli.estimators.forests.kernels.two_means import middle

_LEAST_GAIN = 1e-12


class Pairs(NamedTuple):
    """Given distances: Z (N, N) symmetric; mask (N, N) is 1 where known, (0, 0) if all are."""

    Z: Floats
    mask: Floats


class Pairwise(NamedTuple):
    """Data of the mean pairwise distance."""

    columns: Floats
    tables: Tables
    pairs: Pairs


class PairScratch(NamedTuple):
    """The distances of a node: block[i, j] = mask_ij z_ij, seen[i, j] = mask_ij.

    sums and seen_sums are their row sums, weighted by the bag; carried and carried_seen those over
    the left side of a cut. sizes has three entries, see `_copy_node`.
    """

    block: Floats
    seen: Floats
    sums: Floats
    seen_sums: Floats
    carried: Floats
    carried_seen: Floats
    inside: npt.NDArray[np.bool_]
    sizes: Floats


class Totals(NamedTuple):
    """Of a node: the weighted sum of its distances and of the weights of those seen.

    masked: some are not known. Sides have min_leaf bag rows at least.
    """

    total: float
    seen: float
    masked: bool
    min_leaf: int


@new_scratch.register(Pairwise)
@kernel
def _new_pair_scratch(data, rules):
    m = data.columns.shape[1]
    k = m if data.pairs.mask.shape[0] > 0 else 1
    return PairScratch(
        np.empty((m, m)), np.empty((k, k)), np.empty(m), np.empty(m), np.empty(m), np.empty(m),
        np.empty(m, np.bool_), np.empty(3),
    )  # fmt: skip


@is_divisible.register(Pairwise)
@inner_kernel
def _copy_node(data, node, search):
    """Copy a node's distances, and fill sizes: their sum, the sum of their sizes, the weights.

    Returns whether any is known.
    """
    (Z, mask), scratch, w = data.pairs, search.scratch, search.work.w
    rows, start, m = node.rows, node.start, node.stop - node.start
    masked = mask.shape[0] > 0
    for i in range(m):
        w[i] = node.counts[rows[start + i]]
    total, size, count = 0.0, 0.0, 0.0
    for i in range(m):
        a = rows[start + i]
        row, weight_row = 0.0, 0.0
        for j in range(m):
            b = rows[start + j]
            seen = mask[a, b] if masked else 1.0
            if masked:
                scratch.seen[i, j] = seen
            scratch.block[i, j] = seen * Z[a, b]
            row += w[j] * scratch.block[i, j]
            size += w[i] * w[j] * abs(scratch.block[i, j])
            weight_row += w[j] * seen
        scratch.sums[i] = row
        scratch.seen_sums[i] = weight_row
        total += w[i] * row
        count += w[i] * weight_row
    scratch.sizes[0], scratch.sizes[1], scratch.sizes[2] = total, size, count
    return count > 0.0


@inner_kernel
def best_pair_cut(values, scratch, totals, best, margin):
    """Best cut of one sorted projection by n I - n_L I_L - n_R I_R; return (gain, threshold).

    A gain must exceed the best one by `margin`: equal gains differ in their last digits, and the
    first of them shall win whatever constant is added to all distances.

    One point after the other moves to the left side; `carried[j]` is the weighted sum of its
    members' distances to j, so that a cut costs one pass over a row of the block.
    """
    z, order, w, m, n = values.z, values.order, values.w, values.m, values.n
    carried, carried_seen = scratch.carried, scratch.carried_seen
    masked, min_leaf = totals.masked, totals.min_leaf
    for j in range(m):
        carried[j] = 0.0
        carried_seen[j] = 0.0
    left, right = 0.0, totals.total
    left_seen, right_seen = 0.0, totals.seen
    whole = n * totals.total / totals.seen
    n1 = 0
    threshold = np.nan
    for i in range(m - 1):
        k = order[i]
        weight = np.float64(w[k])
        within = weight * weight * scratch.block[k, k]
        inside = carried[k]
        left += 2.0 * weight * inside + within
        right += -2.0 * weight * (scratch.sums[k] - inside) + within
        if masked:
            own_seen = weight * weight * scratch.seen[k, k]
            inside_seen = carried_seen[k]
            left_seen += 2.0 * weight * inside_seen + own_seen
            right_seen += -2.0 * weight * (scratch.seen_sums[k] - inside_seen) + own_seen
        row = scratch.block[k]
        for j in range(m):
            carried[j] += weight * row[j]
        if masked:
            row_seen = scratch.seen[k]
            for j in range(m):
                carried_seen[j] += weight * row_seen[j]
        n1 += w[k]
        n2 = n - n1
        if not z[i + 1] > z[i] or n1 < min_leaf or n2 < min_leaf:
            continue
        if masked:
            if left_seen <= 0.5 or right_seen <= 0.5:
                continue
            gain = whole - n1 * left / left_seen - n2 * right / right_seen
        else:
            gain = whole - left / n1 - right / n2
        if gain > best + margin:
            best = gain
            threshold = middle(z[i], z[i + 1])
    return best, threshold


@inner_kernel
def lower_side(z, m, members):
    """List the points with the smaller of two values; -1 if there are more values, 0 if one.

    Returns their number and a threshold between the values.
    """
    low, high = z[0], z[0]
    for i in range(1, m):
        low, high = min(low, z[i]), max(high, z[i])
    if low == high:
        return 0, low
    size = 0
    for i in range(m):
        if z[i] == low:
            members[size] = i
            size += 1
        elif z[i] != high:
            return -1, low
    return size, middle(low, high)


@inner_kernel
def two_valued_gain(values, size, scratch, totals):
    """Gain of the cut between the two values of a projection; 0 where it is not allowed.

    The first `size` entries of values.order are the rows of one of them. The sums over the pairs
    of the smaller side give those of the other by subtraction: no sort, and little work where few
    points have an attribute.
    """
    members, w, m, n = values.order, values.w, values.m, values.n
    inside, block, masked = scratch.inside, scratch.block, totals.masked
    for i in range(m):
        inside[i] = False
    for i in range(size):
        inside[members[i]] = True
    if 2 * size > m:
        size = 0
        for i in range(m):
            if not inside[i]:
                members[size] = i
                size += 1
    within, own_seen, row, row_seen, n1 = 0.0, 0.0, 0.0, 0.0, 0
    for i in range(size):
        a = members[i]
        weight = np.float64(w[a])
        n1 += w[a]
        row += weight * scratch.sums[a]
        inner = 0.0
        for j in range(size):
            inner += w[members[j]] * block[a, members[j]]
        within += weight * inner
        if masked:
            row_seen += weight * scratch.seen_sums[a]
            inner = 0.0
            for j in range(size):
                inner += w[members[j]] * scratch.seen[a, members[j]]
            own_seen += weight * inner
    n2 = n - n1
    if n1 < totals.min_leaf or n2 < totals.min_leaf:
        return 0.0
    other = totals.total - 2.0 * row + within
    whole = n * totals.total / totals.seen
    if not masked:
        return whole - within / n1 - other / n2
    other_seen = totals.seen - 2.0 * row_seen + own_seen
    if own_seen <= 0.5 or other_seen <= 0.5:
        return 0.0
    return whole - n1 * within / own_seen - n2 * other / other_seen


@find_cut.register(Pairwise)
@inner_kernel
def search_pairs(data, node, search):
    """Return the candidate with the largest gain, its cut and minus the gain."""
    work, scratch, candidates = search.work, search.scratch, search.candidates
    z, order, m = work.z, work.order, node.stop - node.start
    total, size_of_all, count = scratch.sizes[0], scratch.sizes[1], scratch.sizes[2]
    totals = Totals(total, count, data.pairs.mask.shape[0] > 0, search.min_leaf)
    values = Sorted(z, order, work.w, m, node.n, work.scratch, work.sums, work.squares)
    # of the sizes, not of the sum: distances of both signs add up to nothing
    margin = _LEAST_GAIN * size_of_all / max(count, 1.0) * node.n
    winner, best, cut = -1, 0.0, np.nan
    for c in range(search.n_candidates):
        low, high = candidates.first[c], candidates.first[c + 1]
        projection = Projection(candidates.features, candidates.weights, low, high)
        project(data.columns, node, projection, z, work.scratch)
        size, threshold = lower_side(z, m, order)
        if size == 0:
            continue
        if size > 0:
            gain = two_valued_gain(values, size, scratch, totals)
        else:
            for i in range(m):
                order[i] = i
            if not sort_projection(work, m):
                continue
            gain, threshold = best_pair_cut(values, scratch, totals, best, margin)
        if gain > best + margin:
            winner, best, cut = c, gain, threshold
    return winner, cut, -best, -best, search.n_candidates


@inner_kernel
def credit(importance, winner, size, gain, full):
    """Add the gain of a cut to its features, in full to each or in equal parts."""
    for k in range(size):
        importance[winner.features[k]] += gain if full == 1 else gain / size


@kernel
def leaf_pair_means(Z, mask, leaf, counts, n_leaves, fallback, means):
    """means[a, b] = weighted mean of z over bag rows in leaf a and leaf b."""
    masked = mask.shape[0] > 0
    means[:, :] = 0.0
    members = np.flatnonzero(counts)
    if not masked:
        share = np.zeros(n_leaves)
        for i in members:
            share[leaf[i]] += counts[i]
        for a in range(n_leaves):
            share[a] = 1.0 / share[a]
        for i in members:
            a = leaf[i]
            weight = counts[i] * share[a]
            for j in members:
                means[a, leaf[j]] += weight * counts[j] * share[leaf[j]] * Z[i, j]
        return
    seen = np.zeros((n_leaves, n_leaves))
    for i in members:
        a = leaf[i]
        for j in members:
            weight = np.float64(counts[i]) * counts[j] * mask[i, j]
            means[a, leaf[j]] += weight * Z[i, j]
            seen[a, leaf[j]] += weight
    for a in range(n_leaves):
        for b in range(n_leaves):
            means[a, b] = means[a, b] / seen[a, b] if seen[a, b] > 0.0 else fallback
