"""Judging the candidates of one node: projecting, sorting or counting, the best cut."""

import numpy as np

from geoforest_cli._jit import kernel
from geoforest_cli.forests.kernels.fast_bic import fast_bic, two_means
from geoforest_cli.forests.kernels.gini import class_totals, gini, gini_by_rank, gini_by_value
from geoforest_cli.forests.kernels.legacy_bic import fast_bic_legacy
from geoforest_cli.forests.kernels.mixture_bic import mclust_bic
from geoforest_cli.forests.kernels.sorting import sort_by_rank, sort_projection
from geoforest_cli.forests.kernels.variance import variance
from geoforest_cli.forests.kernels.workspace import LEAST_VALUES, VALUES_PER_ROW

TWO_MEANS = 0
FAST_BIC = 1
DELTA_BIC = 2
FAST_BIC_LEGACY = 3
MCLUST_BIC = 4
MCLUST_BIC_LEGACY = 5
GINI = 6
VARIANCE = 7


@kernel
def best_cut(
    criterion, z, w, label, m, n, scratch, sums, squares, left, right,
    min_leaf, floor, logs, mantissas, best,
):  # fmt: skip
    """Judge the sorted projection z[:m]; return (score, threshold).

    A criterion may return (inf, nan) for a projection whose best score is not below `best`.
    `sums` is scratch, or the sorted response where the criterion is its variance.
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
    if criterion == VARIANCE:
        return variance(z, w, sums, m, n, min_leaf)
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
def choose(
    columns, labels, response, counts, rows, start, stop, n, n_candidates, cand, work,
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
        elif criterion == VARIANCE:
            for i in range(m):
                sums[i] = response[order[i]]
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
def choose_whole(columns, labels, counts, rows, start, stop, n, n_candidates, cand, work, min_leaf):
    """`choose` for Gini on whole numbers: values are counted where their range allows it."""
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
