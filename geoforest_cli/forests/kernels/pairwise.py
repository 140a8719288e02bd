"""Trees that cut by the mean pairwise distance within nodes (SMERF)."""

import numpy as np

from geoforest_cli._jit import kernel
from geoforest_cli.forests.kernels.choose import project
from geoforest_cli.forests.kernels.fast_bic import middle
from geoforest_cli.forests.kernels.rng import bootstrap_counts
from geoforest_cli.forests.kernels.sorting import sort_projection
from geoforest_cli.forests.kernels.trees import divide, draw, flatten, push, record, split_bag
from geoforest_cli.forests.kernels.workspace import new_candidates, new_nodes, new_workspace

_LEAST_GAIN = 1e-12


@kernel
def node_block(Z, mask, rows, start, m, w, block, seen, sums, seen_sums):
    """Copy a node's distances; return their weighted sum and the sum of weights.

    block[i, j] = mask_ij z_ij, seen[i, j] = mask_ij; the row sums are weighted by the bag.
    """
    masked = mask.shape[0] > 0
    total, count = 0.0, 0.0
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
            weight_row += w[j] * known
        sums[i] = row
        seen_sums[i] = weight_row
        total += w[i] * row
        count += w[i] * weight_row
    return total, count


@kernel
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


@kernel
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


@kernel
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
def grow_pairwise_tree(columns, Z, mask, seed, sampler, sizes, table_size, importance, full_credit):
    """Grow one tree on a bag; parameters and returns as `grow.grow_tree`.

    Parameters
    ----------
    Z : (N, N) float64
        Symmetric distances.
    mask : (N, N) float64 or (0, 0)
        1 where a distance is known.
    sizes : int64 array: d, n_nonzeros, min_parent, max_depth, bootstrap, min_leaf
    importance : (p,) float64
        The gains of the chosen projections are added to their features.
    full_credit : bool
        Each feature of a projection is credited in full, else in equal parts.
    """
    p, n_points = columns.shape
    d, n_nonzeros, min_parent = sizes[0], sizes[1], sizes[2]
    max_depth, min_leaf = sizes[3], sizes[5]
    masked = mask.shape[0] > 0
    state = np.empty(1, np.uint64)
    state[0] = seed
    counts = np.ones(n_points, np.int32)
    if sizes[4] == 1:
        bootstrap_counts(state, n_points, np.empty(0), counts)
    inside, outside = np.empty(n_points, np.int32), np.empty(n_points, np.int32)
    m_in, m_out = split_bag(counts, inside, outside)
    cand = new_candidates(p, d, n_nonzeros, sampler, table_size)
    nodes = new_nodes(2 * m_in + 1)
    features = np.empty(n_nonzeros * 4 + 64, np.int32)
    weights = np.empty(features.shape[0], np.float32)
    leaf_of = np.zeros(n_points, np.int32)
    work = new_workspace(n_points, 1)
    block = np.empty((m_in, m_in))
    seen = np.empty((m_in, m_in)) if masked else np.empty((1, 1))
    sums, seen_sums = np.empty(m_in), np.empty(m_in)
    carried, carried_seen = np.empty(m_in), np.empty(m_in)
    inside_side = np.empty(m_in, np.bool_)
    stack = np.empty((2 * m_in + 1, 6), np.int64)
    top = push(stack, 0, 0, 0, m_in, 0, m_out, 0)
    n_nodes, used, visit = 1, np.int64(0), 0
    while top > 0:
        top -= 1
        node, start, stop = stack[top, 0], stack[top, 1], stack[top, 2]
        out_start, out_stop, depth = stack[top, 3], stack[top, 4], stack[top, 5]
        m, n = stop - start, 0
        for i in range(m):
            work.w[i] = counts[inside[start + i]]
            n += work.w[i]
        chosen, best, cut = -1, 0.0, np.nan
        if n >= min_parent and depth < max_depth and m > 1:
            total, count = node_block(
                Z, mask, inside, start, m, work.w, block, seen, sums, seen_sums
            )
            margin = _LEAST_GAIN * abs(total) / max(count, 1.0) * n
            visit += 1
            if count > 0.0:
                n_candidates = draw(sampler, state, p, d, n_nonzeros, visit, sizes[:0], 0.0, cand)
                for c in range(n_candidates):
                    project(
                        columns, inside, start, stop, cand.features, cand.weights,
                        cand.first[c], cand.first[c + 1], work.z, work.scratch,
                    )  # fmt: skip
                    size, found = lower_side(work.z, m, work.order)
                    if size == 0:
                        continue
                    if size > 0:
                        gain = two_valued_gain(
                            work.order, size, work.w, n, m, block, seen, sums, seen_sums, total,
                            count, masked, min_leaf, inside_side,
                        )  # fmt: skip
                        if gain > best + margin:
                            chosen, best, cut = c, gain, found
                        continue
                    for i in range(m):
                        work.order[i] = i
                    if not sort_projection(
                        work.z, work.order, work.spare_z, work.spare_order, work.bucket,
                        work.bucket_first, m,
                    ):  # fmt: skip
                        continue
                    gain, found = best_pair_cut(
                        work.z, work.order, work.w, n, m, block, seen, sums, seen_sums, total,
                        count, masked, min_leaf, carried, carried_seen, best, margin,
                    )  # fmt: skip
                    if gain > best + margin:
                        chosen, best, cut = c, gain, found
        if chosen < 0:
            leaf_of[inside[start:stop]] = node
            leaf_of[outside[out_start:out_stop]] = node
            continue
        border = divide(columns, inside, start, stop, cand, chosen, cut, work)
        out_border = divide(columns, outside, out_start, out_stop, cand, chosen, cut, work)
        features, weights, used = record(
            nodes, node, cut, n_nodes, cand, chosen, features, weights, used
        )
        low, high = cand.first[chosen], cand.first[chosen + 1]
        for k in range(low, high):
            importance[cand.features[k]] += best if full_credit else best / (high - low)
        top = push(stack, top, n_nodes + 1, border, stop, out_border, out_stop, depth + 1)
        top = push(stack, top, n_nodes, start, border, out_start, out_border, depth + 1)
        n_nodes += 2
    first, flat_features, flat_weights = flatten(nodes, n_nodes, features, weights, used)
    return (
        nodes.children[:n_nodes].copy(), nodes.threshold[:n_nodes].copy(),
        first, flat_features, flat_weights, leaf_of, counts,
    )  # fmt: skip


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
