"""The one tree grower: any sampler, any criterion, flat arrays out."""

import numpy as np

from geoforest_cli._jit import kernel
from geoforest_cli.forests.kernels.fast_bic import fast_bic, two_means
from geoforest_cli.forests.kernels.gini import class_totals, gini, gini_by_rank, gini_by_value
from geoforest_cli.forests.kernels.legacy_bic import fast_bic_legacy
from geoforest_cli.forests.kernels.mixture_bic import mclust_bic
from geoforest_cli.forests.kernels.rng import bootstrap_counts
from geoforest_cli.forests.kernels.samplers import (
    AXIS,
    OBLIQUE,
    POISSON,
    axis,
    oblique,
    patch,
    poisson,
)
from geoforest_cli.forests.kernels.sorting import sort_by_rank, sort_projection
from geoforest_cli.forests.kernels.workspace import (
    LEAST_VALUES,
    VALUES_PER_ROW,
    enlarged,
    new_candidates,
    new_nodes,
    new_workspace,
)

TWO_MEANS = 0
FAST_BIC = 1
DELTA_BIC = 2
FAST_BIC_LEGACY = 3
MCLUST_BIC = 4
MCLUST_BIC_LEGACY = 5
GINI = 6


@kernel
def best_cut(
    criterion, z, w, label, m, n, scratch, sums, squares, left, right,
    min_leaf, floor, logs, mantissas, best,
):  # fmt: skip
    """Judge the sorted projection z[:m]; return (score, threshold).

    A criterion may return (inf, nan) for a projection whose best score is not below `best`.
    """
    if criterion == TWO_MEANS:
        return two_means(z, w, m, n, scratch, min_leaf)
    if criterion == FAST_BIC or criterion == DELTA_BIC:
        relative = criterion == DELTA_BIC
        return fast_bic(z, w, m, n, scratch, min_leaf, floor, logs, mantissas, relative, best)
    if criterion == FAST_BIC_LEGACY:
        return fast_bic_legacy(z, w, m, scratch, sums, squares)
    if criterion == GINI:
        return gini(z, w, label, m, n, left, right, min_leaf)
    as_run = criterion == MCLUST_BIC_LEGACY
    return mclust_bic(z, w, m, n, scratch, min_leaf, floor, logs, as_run)


@kernel
def project(columns, rows, start, stop, features, weights, low, high, z, whole):
    """z[i] = sum of weights * columns over the rows start..stop, in the order drawn.

    `whole` is scratch of length N: many non-zeros over many rows are added up for all N
    rows, which are contiguous; each row's sum is the same either way.
    """
    m, n_points = stop - start, columns.shape[1]
    if high - low > 3 and m * 4 > n_points:
        weight = weights[low]
        column = columns[features[low]]
        for i in range(n_points):
            whole[i] = weight * column[i]
        for k in range(low + 1, high):
            weight = weights[k]
            column = columns[features[k]]
            for i in range(n_points):
                whole[i] += weight * column[i]
        for i in range(start, stop):
            z[i - start] = whole[rows[i]]
        return
    feature = features[low]
    weight = weights[low]
    for i in range(start, stop):
        z[i - start] = weight * columns[feature, rows[i]]
    for k in range(low + 1, high):
        feature = features[k]
        weight = weights[k]
        for i in range(start, stop):
            z[i - start] += weight * columns[feature, rows[i]]


@kernel
def _partition(rows, start, stop, z, threshold, spare):
    """Stable partition of rows[start:stop] by z < threshold; return the border."""
    border = start
    kept = 0
    for i in range(start, stop):
        if z[i - start] < threshold:
            rows[border] = rows[i]
            border += 1
        else:
            spare[kept] = rows[i]
            kept += 1
    for i in range(kept):
        rows[border + i] = spare[i]
    return border


@kernel
def _split_bag(counts, inside, outside):
    """List the rows that the bag holds and those it does not."""
    m_in, m_out = 0, 0
    for i in range(counts.shape[0]):
        if counts[i] > 0:
            inside[m_in] = i
            m_in += 1
        else:
            outside[m_out] = i
            m_out += 1
    return m_in, m_out


@kernel
def _draw(sampler, state, p, d, n_nonzeros, visit, shape, mean, cand):
    if sampler == AXIS:
        return axis(state, d, cand.permutation, cand.first, cand.features, cand.weights)
    if sampler == POISSON:
        return poisson(state, p, d, mean, cand.first, cand.features, cand.weights)
    if sampler != OBLIQUE:
        return patch(state, d, shape, cand.first, cand.features, cand.weights)
    return oblique(
        state, p, d, n_nonzeros, visit, cand.table, cand.stamps, cand.cells,
        cand.first, cand.features, cand.weights,
    )  # fmt: skip


@kernel
def _sort_candidate(
    columns, ranks, rows, start, stop, features, weights, low, high, z, order,
    spare_z, spare_order, bucket, bucket_first, bits, scratch,
):  # fmt: skip
    """Fill z and order with the sorted projection and its rows; False if it is constant."""
    m = stop - start
    feature = features[low]
    # a small node reads few values of a column but most of its ranks: sorting is cheaper
    if high - low == 1 and ranks.shape[0] > 0 and m * 8 > columns.shape[1]:
        sort_by_rank(ranks, feature, rows, start, stop, bits, spare_order, order)
        weight = weights[low]
        if weight < 0:
            for i in range(m // 2):
                order[i], order[m - 1 - i] = order[m - 1 - i], order[i]
        for i in range(m):
            z[i] = weight * columns[feature, order[i]]
        return z[m - 1] > z[0]
    project(columns, rows, start, stop, features, weights, low, high, z, scratch)
    for i in range(m):
        order[i] = rows[start + i]
    return sort_projection(z, order, spare_z, spare_order, bucket, bucket_first, m)


@kernel
def _choose(
    columns, labels, counts, rows, start, stop, n, n_candidates, cand, work,
    criterion, min_leaf, floor, tables,
):  # fmt: skip
    """Return the candidate with the smallest score (the first of equals) and its cut.

    Gini does not ask how far apart values are: a column without ties is judged by its ranks
    alone, and only the winner's values are looked up, for the threshold.
    """
    # taken out of their tuples once: numba counts references at every access
    first, features, weights = cand.first, cand.features, cand.weights
    z, w, label, order, scratch = work.z, work.w, work.label, work.order, work.scratch
    spare_z, spare_order, bucket = work.spare_z, work.spare_order, work.bucket
    bucket_first, bits, sums, squares = work.bucket_first, work.bits, work.sums, work.squares
    left, right = work.left, work.right
    ranks, distinct, logs, mantissas = tables.ranks, tables.distinct, tables.logs, tables.mantissas
    totals = work.totals
    m = stop - start
    best, chosen, threshold = np.inf, -1, np.nan
    by_rank = criterion == GINI and ranks.shape[0] > 0
    if by_rank:
        class_totals(rows, start, stop, counts, labels, totals)
    for c in range(n_candidates + 1):
        final = c == n_candidates
        if final and (chosen < 0 or not np.isnan(threshold)):
            break
        low = first[chosen] if final else first[c]
        high = first[chosen + 1] if final else first[c + 1]
        feature = features[low]
        if by_rank and not final and high - low == 1 and weights[low] > 0 and distinct[feature]:
            score = gini_by_rank(
                ranks, feature, rows, start, stop, counts, labels, n, totals, left, right,
                bits, spare_order, min_leaf,
            )  # fmt: skip
            if score < best:
                best, chosen, threshold = score, c, np.nan
            continue
        if not _sort_candidate(
            columns, ranks, rows, start, stop, features, weights, low, high, z, order,
            spare_z, spare_order, bucket, bucket_first, bits, scratch,
        ):  # fmt: skip
            continue
        for i in range(m):
            w[i] = counts[order[i]]
        if criterion == GINI:
            for i in range(m):
                label[i] = labels[order[i]]
        score, cut = best_cut(
            criterion, z, w, label, m, n, scratch, sums, squares, left, right,
            min_leaf, floor, logs, mantissas, np.inf if final else best,
        )  # fmt: skip
        if final:
            threshold = cut
        elif score < best:
            best, chosen, threshold = score, c, cut
    if np.isnan(threshold):
        chosen = -1
    return chosen, threshold


@kernel
def _project_whole(columns, rows, start, m, features, weights, low, high, values):
    """Fill values with a projection of whole numbers; return its smallest and largest value."""
    feature = features[low]
    weight = np.int32(weights[low])
    for i in range(m):
        values[i] = weight * np.int32(columns[feature, rows[start + i]])
    for k in range(low + 1, high):
        feature = features[k]
        weight = np.int32(weights[k])
        for i in range(m):
            values[i] += weight * np.int32(columns[feature, rows[start + i]])
    least, most = values[0], values[0]
    for i in range(1, m):
        least = min(least, values[i])
        most = max(most, values[i])
    return least, most


@kernel
def _choose_whole(
    columns, labels, counts, rows, start, stop, n, n_candidates, cand, work, min_leaf, tables
):
    """`_choose` for Gini on whole numbers: values are counted where their range allows it."""
    first, features, weights = cand.first, cand.features, cand.weights
    w, label, values, by_value = work.w, work.label, work.whole, work.by_value
    left, right, totals = work.left, work.right, work.totals
    z, order, bucket = work.z, work.order, work.bucket
    m = stop - start
    totals[:] = 0.0
    for i in range(m):
        row = rows[start + i]
        w[i] = counts[row]
        label[i] = labels[row]
        totals[label[i]] += w[i]
    best, chosen, threshold = np.inf, -1, np.nan
    room = VALUES_PER_ROW * m + LEAST_VALUES
    for c in range(n_candidates):
        low, high = first[c], first[c + 1]
        least, most = _project_whole(columns, rows, start, m, features, weights, low, high, values)
        if least == most:
            continue
        if most - least < room:
            score, cut = gini_by_value(
                values, least, most - least, w, label, m, n, totals, left, right, by_value,
                min_leaf, best,
            )  # fmt: skip
        else:
            for i in range(m):
                z[i] = values[i]
                order[i] = i
            sort_projection(z, order, work.spare_z, work.spare_order, bucket, work.bucket_first, m)
            for i in range(m):
                work.sorted_w[i] = w[order[i]]
                work.sorted_label[i] = label[order[i]]
            score, cut = gini(z, work.sorted_w, work.sorted_label, m, n, left, right, min_leaf)
        if score < best:
            best, chosen, threshold = score, c, cut
    return chosen, threshold


@kernel
def _pure(labels, rows, start, stop):
    """Whether all rows have one label."""
    for i in range(start + 1, stop):
        if labels[rows[i]] != labels[rows[start]]:
            return False
    return True


@kernel
def _flatten(nodes, n_nodes, features, weights, used):
    """Put the non-zeros in the order of the nodes."""
    first = np.zeros(n_nodes + 1, np.int64)
    flat_features = np.empty(used, np.int32)
    flat_weights = np.empty(used, np.float32)
    place = 0
    for node in range(n_nodes):
        first[node] = place
        for k in range(nodes.begin[node], nodes.begin[node] + nodes.length[node]):
            flat_features[place] = features[k]
            flat_weights[place] = weights[k]
            place += 1
    first[n_nodes] = place
    return first, flat_features, flat_weights


@kernel
def _push(stack, top, node, start, stop, out_start, out_stop, depth):
    stack[top, 0], stack[top, 1], stack[top, 2] = node, start, stop
    stack[top, 3], stack[top, 4], stack[top, 5] = out_start, out_stop, depth
    return top + 1


@kernel
def grow_tree(
    columns, labels, n_classes, seed, criterion, sampler, sizes, rule, shape, cumulative, tables,
    table_size,
):  # fmt: skip
    """Grow one tree on a bag and drop all points down it.

    Parameters
    ----------
    columns : (p, N) float array, one row per feature (contiguous)
    labels : int32 array of length N (zeros where the criterion needs none)
    seed : uint64
        Seed of this tree alone.
    criterion, sampler : int
    sizes : int64 array: d, n_nonzeros, min_parent, max_depth, bootstrap (0 or 1), whether all
        projections are whole numbers (0 or 1)
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
    m_in, m_out = _split_bag(counts, inside, outside)
    work = new_workspace(n_points, n_classes)
    cand = new_candidates(p, d, n_nonzeros, sampler, table_size)
    nodes = new_nodes(2 * m_in + 1)
    features = np.empty(4 * m_in + n_nonzeros + d, np.int32)
    weights = np.empty(features.shape[0], np.float32)
    leaf_of = np.zeros(n_points, np.int32)
    stack = np.empty((2 * m_in + 1, 6), np.int64)
    top = _push(stack, 0, 0, 0, m_in, 0, m_out, 0)
    n_nodes, used, visit = 1, np.int64(0), 0
    while top > 0:
        top -= 1
        node, start, stop = stack[top, 0], stack[top, 1], stack[top, 2]
        out_start, out_stop, depth = stack[top, 3], stack[top, 4], stack[top, 5]
        n = 0
        for i in range(start, stop):
            n += counts[inside[i]]
        chosen, border = -1, start
        divisible = n >= min_parent and depth < max_depth and stop - start > 1
        if divisible and criterion == GINI:
            divisible = not _pure(labels, inside, start, stop)
        if divisible:
            visit += 1
            n_candidates = _draw(sampler, state, p, d, n_nonzeros, visit, shape, mean, cand)
            if whole:
                chosen, cut = _choose_whole(
                    columns, labels, counts, inside, start, stop, n, n_candidates, cand, work,
                    min_leaf, tables,
                )  # fmt: skip
            else:
                chosen, cut = _choose(
                    columns, labels, counts, inside, start, stop, n, n_candidates, cand, work,
                    criterion, min_leaf, floor, tables,
                )  # fmt: skip
        if chosen >= 0:
            low, high = cand.first[chosen], cand.first[chosen + 1]
            project(
                columns, inside, start, stop, cand.features, cand.weights, low, high,
                work.z, work.scratch,
            )  # fmt: skip
            border = _partition(inside, start, stop, work.z, cut, work.spare_rows)
        if border == start or border == stop:
            leaf_of[inside[start:stop]] = node
            leaf_of[outside[out_start:out_stop]] = node
            continue
        project(
            columns, outside, out_start, out_stop, cand.features, cand.weights, low, high,
            work.z, work.scratch,
        )  # fmt: skip
        out_border = _partition(outside, out_start, out_stop, work.z, cut, work.spare_rows)
        if used + high - low > features.shape[0]:
            features = enlarged(features, 2 * (used + high - low))
            weights = enlarged(weights, features.shape[0])
        nodes.begin[node], nodes.length[node] = used, high - low
        features[used : used + high - low] = cand.features[low:high]
        weights[used : used + high - low] = cand.weights[low:high]
        used += high - low
        nodes.threshold[node] = cut
        nodes.children[node, 0], nodes.children[node, 1] = n_nodes, n_nodes + 1
        # the right child is pushed first, so that the left one is visited next
        top = _push(stack, top, n_nodes + 1, border, stop, out_border, out_stop, depth + 1)
        top = _push(stack, top, n_nodes, start, border, out_start, out_border, depth + 1)
        n_nodes += 2
    first, flat_features, flat_weights = _flatten(nodes, n_nodes, features, weights, used)
    return (
        nodes.children[:n_nodes].copy(), nodes.threshold[:n_nodes].copy(),
        first, flat_features, flat_weights, leaf_of, counts,
    )  # fmt: skip
