"""Cuts by the mean pairwise distance within nodes (SMERF)."""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from geoforest_cli._jit import inner_kernel, kernel
from geoforest_cli.forests.kernels.fast_bic import middle
from geoforest_cli.forests.kernels.order import sort_projection
from geoforest_cli.forests.kernels.project import project

Floats = npt.NDArray[np.float64]

_LEAST_GAIN = 1e-12


class Pairs(NamedTuple):
    """Given distances: Z (N, N) symmetric; mask (N, N) is 1 where known, (0, 0) if all are."""

    Z: Floats
    mask: Floats


class PairWork(NamedTuple):
    """Scratch arrays of one tree; `totals`: a node's distances, their sizes, number."""

    block: Floats
    seen: Floats
    sums: Floats
    seen_sums: Floats
    carried: Floats
    carried_seen: Floats
    inside: npt.NDArray[np.bool_]
    totals: Floats


@inner_kernel
def node_block(Z, mask, rows, start, m, w, block, seen, sums, seen_sums):
    """Copy a node's distances; return the weighted sums of them, their sizes and the weights.

    block[i, j] = mask_ij z_ij, seen[i, j] = mask_ij; the row sums are weighted by the bag.
    """
    masked = mask.shape[0] > 0
    total, size, count = 0.0, 0.0, 0.0
    for i in range(m):
        a = rows[start + i]
        row, weight_row = 0.0, 0.0
        for j in range(m):
            b = rows[start + j]
            known = mask[a, b] if masked else 1.0
            if masked:
                seen[i, j] = known
            block[i, j] = known * Z[a, b]
            row += w[j] * block[i, j]
            size += w[i] * w[j] * abs(block[i, j])
            weight_row += w[j] * known
        sums[i] = row
        seen_sums[i] = weight_row
        total += w[i] * row
        count += w[i] * weight_row
    return total, size, count


@inner_kernel
def best_pair_cut(
    z, order, w, n, m, block, seen, sums, seen_sums, total, count, masked, min_leaf,
    carried, carried_seen, best, margin,
):  # fmt: skip
    """Best cut of one sorted projection by n I - n_L I_L - n_R I_R; return (gain, threshold).

    A gain must exceed the best one by `margin`: equal gains differ in their last digits, and the
    first of them shall win whatever constant is added to all distances.

    One point after the other moves to the left side; `carried[j]` is the weighted sum of its
    members' distances to j, so that a cut costs one pass over a row of the block.
    """
    for j in range(m):
        carried[j] = 0.0
        carried_seen[j] = 0.0
    left, right = 0.0, total
    left_seen, right_seen = 0.0, count
    whole = n * total / count
    n1 = 0
    threshold = np.nan
    for i in range(m - 1):
        k = order[i]
        weight = np.float64(w[k])
        own = weight * weight * block[k, k]
        inside = carried[k]
        left += 2.0 * weight * inside + own
        right += -2.0 * weight * (sums[k] - inside) + own
        if masked:
            own_seen = weight * weight * seen[k, k]
            inside_seen = carried_seen[k]
            left_seen += 2.0 * weight * inside_seen + own_seen
            right_seen += -2.0 * weight * (seen_sums[k] - inside_seen) + own_seen
        row = block[k]
        for j in range(m):
            carried[j] += weight * row[j]
        if masked:
            row_seen = seen[k]
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
def two_valued_gain(
    members, size, w, n, m, block, seen, sums, seen_sums, total, count, masked, min_leaf, inside
):  # fmt: skip
    """Gain of the cut between the two values of a projection; 0 where it is not allowed.

    The sums over the pairs of the smaller side give those of the other by subtraction: no sort,
    and little work where few points have an attribute.
    """
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
    own, own_seen, row, row_seen, n1 = 0.0, 0.0, 0.0, 0.0, 0
    for i in range(size):
        a = members[i]
        weight = np.float64(w[a])
        n1 += w[a]
        row += weight * sums[a]
        inner = 0.0
        for j in range(size):
            inner += w[members[j]] * block[a, members[j]]
        own += weight * inner
        if masked:
            row_seen += weight * seen_sums[a]
            inner = 0.0
            for j in range(size):
                inner += w[members[j]] * seen[a, members[j]]
            own_seen += weight * inner
    n2 = n - n1
    if n1 < min_leaf or n2 < min_leaf:
        return 0.0
    other = total - 2.0 * row + own
    if not masked:
        return n * total / count - own / n1 - other / n2
    other_seen = count - 2.0 * row_seen + own_seen
    if own_seen <= 0.5 or other_seen <= 0.5:
        return 0.0
    return n * total / count - n1 * own / own_seen - n2 * other / other_seen


@kernel
def new_pair_work(m, masked):
    """Allocate what a tree with m distinct bag rows needs for its distances."""
    k = m if masked else 1
    return PairWork(
        np.empty((m, m)), np.empty((k, k)), np.empty(m), np.empty(m), np.empty(m), np.empty(m),
        np.empty(m, np.bool_), np.empty(3),
    )  # fmt: skip


@inner_kernel
def enter_node(pairs, pair_work, rows, start, stop, counts, w):
    """Copy a node's distances; return whether any is known."""
    m = stop - start
    for i in range(m):
        w[i] = counts[rows[start + i]]
    total, size, count = node_block(
        pairs.Z, pairs.mask, rows, start, m, w, pair_work.block, pair_work.seen, pair_work.sums,
        pair_work.seen_sums,
    )  # fmt: skip
    pair_work.totals[0], pair_work.totals[1], pair_work.totals[2] = total, size, count
    return count > 0.0


@inner_kernel
def search_pairs(
    columns, pairs, pair_work, rows, start, stop, n, n_candidates, cand, min_leaf, work
):
    """Return the candidate with the largest gain, its cut and minus the gain."""
    block, seen, sums = pair_work.block, pair_work.seen, pair_work.sums
    seen_sums, inside = pair_work.seen_sums, pair_work.inside
    carried, carried_seen = pair_work.carried, pair_work.carried_seen
    first, features, weights = cand.first, cand.features, cand.weights
    z, order, w = work.z, work.order, work.w
    m = stop - start
    masked = pairs.mask.shape[0] > 0
    total, size_of_all, count = pair_work.totals[0], pair_work.totals[1], pair_work.totals[2]
    # of the sizes, not of the sum: distances of both signs add up to nothing
    margin = _LEAST_GAIN * size_of_all / max(count, 1.0) * n
    chosen, best, cut = -1, 0.0, np.nan
    for c in range(n_candidates):
        project(
            columns, rows, start, stop, features, weights, first[c], first[c + 1], z, work.scratch
        )
        size, found = lower_side(z, m, order)
        if size == 0:
            continue
        if size > 0:
            gain = two_valued_gain(
                order, size, w, n, m, block, seen, sums, seen_sums, total, count, masked,
                min_leaf, inside,
            )  # fmt: skip
        else:
            for i in range(m):
                order[i] = i
            if not sort_projection(
                z, order, work.spare_z, work.spare_order, work.bucket, work.bucket_first, m
            ):
                continue
            gain, found = best_pair_cut(
                z, order, w, n, m, block, seen, sums, seen_sums, total, count, masked, min_leaf,
                carried, carried_seen, best, margin,
            )  # fmt: skip
        if gain > best + margin:
            chosen, best, cut = c, gain, found
    return chosen, cut, -best


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
