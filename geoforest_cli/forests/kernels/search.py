"""Finding the cut of a node: every candidate is projected, ordered and scanned."""

import numpy as np

from geoforest_cli._jit import inner_kernel
from geoforest_cli.forests.kernels.bound import MOST_COUNTED, extent, lowest
from geoforest_cli.forests.kernels.fast_bic import middle, one_gaussian, variance_of
from geoforest_cli.forests.kernels.gini import gini, gini_by_value
from geoforest_cli.forests.kernels.order import sort_by_rank, sort_projection
from geoforest_cli.forests.kernels.pairwise import search_pairs
from geoforest_cli.forests.kernels.project import (
    project,
    project_copied,
    project_together,
    project_whole,
)
from geoforest_cli.forests.kernels.rules import DELTA_BIC, FAST_BIC, MEAN_BIC, MIXED, PATCH
from geoforest_cli.forests.kernels.scan import scan_clusters
from geoforest_cli.forests.kernels.variance import variance
from geoforest_cli.forests.kernels.workspace import values_that_fit

_CONSTANT, _RANKED, _SORTED = 0, 1, 2
_ROUNDING = 2.0**-48
_SAME = 1e-9  # of a range: values as near are one
# known ranks sort a node that has one row in so many or more: by order alone, and with values
_RANKS, _VALUES = 64, 8
_FEW = 40  # rows: no bound of their cuts is worth its time


@inner_kernel
def find_cut(
    columns, classes, response, pairs, pair_work, rows, start, stop, n, counts, n_candidates,
    cand, criterion, min_leaf, best, rules, tables, work, node,
):  # fmt: skip
    """Return the first of the best candidates below `best`, its cut, score, evidence, and the use.

    The evidence is what `good` is compared with, the smallest of all these candidates: the score,
    or delta-BIC where mean-BIC ranks them. Of candidates whose score cannot matter it may be
    infinite. The use is the number of candidates judged: the mixed sampler's are judged one after
    the other, until one is good.

    What the trees are grown for is whichever of `classes`, `response` and `pairs` is given, or
    clusters; numba compiles nothing for those that are None.
    """
    if pairs is not None:
        chosen, cut, best = search_pairs(
            columns, pairs, pair_work, rows, start, stop, n, n_candidates, cand, min_leaf, work
        )
        return chosen, cut, best, best, n_candidates
    if classes is not None and rules.whole == 1:
        chosen, cut, best = _search_whole(
            columns, classes, counts, rows, start, stop, n, n_candidates, cand, min_leaf, best, work
        )
        return chosen, cut, best, best, n_candidates
    if classes is not None:
        chosen, cut, best = _search_labels(
            columns, classes, response, rows, start, stop, n, counts, n_candidates, cand, min_leaf,
            best, tables, work,
        )  # fmt: skip
        return chosen, cut, best, best, n_candidates
    if response is not None:
        chosen, cut, best = _search_labels(
            columns, classes, response, rows, start, stop, n, counts, n_candidates, cand, min_leaf,
            best, tables, work,
        )  # fmt: skip
        return chosen, cut, best, best, n_candidates
    return _search_clusters(
        columns, rows, start, stop, n, counts, n_candidates, cand, criterion, min_leaf, best, rules,
        tables, work, node,
    )  # fmt: skip


@inner_kernel
def _is_rounding(z, m, features, weights, low, high, largest):
    """Whether columns cancel but for the rounding of their sum."""
    least, most = z[0], z[0]
    for i in range(m):
        least, most = min(least, z[i]), max(most, z[i])
    size = 0.0
    for k in range(low, high):
        size += abs(weights[k]) * largest[features[k]]
    return most - least <= _ROUNDING * size


@inner_kernel
def _order_candidate(
    projected, columns, ranks, distinct, dense, rows, start, stop, features, weights, low, high,
    by_rank_alone, z, order, spare_z, spare_order, bucket, bucket_first, bits, scratch, largest,
):  # fmt: skip
    """Fill order with the node's rows by their projections, and z with these if they matter.

    projected: z has them already, in the order of the rows. by_rank_alone: it does not matter how
    far apart values are, and ranks that equal values share may stand for those of one column.
    """
    m = stop - start
    feature, weight = features[low], weights[low]
    single = high - low == 1 and ranks.shape[0] > 0
    by_rank_alone = by_rank_alone and single and weight > 0
    # a small node reads few values of a column but most of its ranks: sorting is cheaper
    if single and m * (_RANKS if by_rank_alone else _VALUES) > columns.shape[1]:
        sort_by_rank(ranks, feature, rows, start, stop, bits, spare_order, order)
        if by_rank_alone:
            if distinct[feature]:
                return _RANKED
            for i in range(m):
                z[i] = dense[feature, order[i]]
        else:
            if weight < 0:
                for i in range(m // 2):
                    order[i], order[m - 1 - i] = order[m - 1 - i], order[i]
            for i in range(m):
                z[i] = weight * columns[feature, order[i]]
        return _SORTED if z[m - 1] > z[0] else _CONSTANT
    if by_rank_alone:
        for i in range(m):
            z[i] = dense[feature, rows[start + i]]
    elif not projected:
        project(columns, rows, start, stop, features, weights, low, high, z, scratch)
    if high - low > 1 and _is_rounding(z, m, features, weights, low, high, largest):
        return _CONSTANT
    for i in range(m):
        order[i] = rows[start + i]
    if sort_projection(z, order, spare_z, spare_order, bucket, bucket_first, m):
        return _SORTED
    return _CONSTANT


@inner_kernel
def _rounding(z, m, features, weights, low, high, roundings, patches):
    """Variance within a step of a sorted projection: that of its column in the widest steps.

    Where all are recorded in steps and their sums in wider ones, as those of a column and its
    copy or complement, the step is the smallest difference between sums. To add up the variances
    instead would hide that columns of zeros and ones agree. A patch is a sum of pixels even where
    it is one entry of a summed-area table.
    """
    found, stepped = 0.0, patches or high - low > 1
    for k in range(low, high):
        found = max(found, weights[k] * weights[k] * roundings[features[k]])
        stepped = stepped and roundings[features[k]] > 0.0
    if stepped:
        nothing, step = _SAME * (z[m - 1] - z[0]), np.inf
        for i in range(1, m):
            if z[i] - z[i - 1] > nothing:
                step = min(step, z[i] - z[i - 1])
        found = max(found, step * step / 12.0)
    return found


@inner_kernel
def _scores_from(criterion, lowest, n, width, features, low, high, roundings, logs):
    """Return what a candidate's evidence and score are at least, by the bound of all its cuts."""
    lowest += 2.0 * n * logs[n] + one_gaussian(n, 1.0, logs) - 2.0 * logs[n]
    if criterion == FAST_BIC:
        return lowest, lowest
    lowest -= one_gaussian(n, width, logs)
    if criterion == DELTA_BIC:
        return lowest, lowest
    for k in range(low, high):
        if roundings[features[k]] > 0.0:
            width = 1.0
    return lowest, lowest + 0.5 * one_gaussian(n, width, logs)


@inner_kernel
def _judge(
    c, projected, columns, rows, start, stop, n, counts, cand, criterion, min_leaf, best, rules,
    tables, work,
):  # fmt: skip
    """Return candidate c's (score, evidence, cut); work.z has its projection already if so told."""
    features, weights, z, w = cand.features, cand.weights, work.z, work.w
    order, scratch = work.order, work.scratch
    m = stop - start
    low, high = cand.first[c], cand.first[c + 1]
    ordered = _order_candidate(
        projected, columns, tables.ranks, tables.distinct, tables.dense, rows, start, stop,
        features, weights, low, high, False, z, order, work.spare_z, work.spare_order, work.bucket,
        work.bucket_first, work.bits, scratch, tables.largest,
    )  # fmt: skip
    if ordered == _CONSTANT:
        return np.inf, np.inf, np.nan
    for i in range(m):
        w[i] = counts[order[i]]
    rounding = _rounding(
        z, m, features, weights, low, high, tables.roundings, rules.sampler == PATCH
    )
    mean = criterion == MEAN_BIC
    score, cut = scan_clusters(
        criterion, z, w, m, n, scratch, work.sums, work.squares, min_leaf, rules.floor, rounding,
        tables.logs, tables.mantissas, np.inf if mean else best,
    )  # fmt: skip
    evidence = score
    if mean and score < np.inf:
        # a narrow column of steps is nearly constant: it counts as wide as it was at first
        spread = 1.0 if rounding > 0.0 else variance_of(w, scratch, m, n)
        score += 0.5 * one_gaussian(n, spread, tables.logs)
    return score, evidence, cut


@inner_kernel
def _search_labels(
    columns, classes, response, rows, start, stop, n, counts, n_candidates, cand, min_leaf, best,
    tables, work,
):  # fmt: skip
    """Return the first of the best candidates by Gini or variance, its cut and score."""
    # taken out of their tuples once: numba counts references at every access
    first, features, weights = cand.first, cand.features, cand.weights
    z, w, label, order, scratch = work.z, work.w, work.label, work.order, work.scratch
    spare_z, spare_order, bucket = work.spare_z, work.spare_order, work.bucket
    bucket_first, bits, sums = work.bucket_first, work.bits, work.sums
    left, right, totals = work.left, work.right, work.totals
    ranks, distinct, dense = tables.ranks, tables.distinct, tables.dense
    largest = tables.largest
    m = stop - start
    chosen, threshold = -1, np.nan
    # Gini does not ask how far apart values are
    by_rank_alone = classes is not None
    for c in range(n_candidates):
        low, high = first[c], first[c + 1]
        ordered = _order_candidate(
            False, columns, ranks, distinct, dense, rows, start, stop, features, weights, low, high,
            by_rank_alone, z, order, spare_z, spare_order, bucket, bucket_first, bits, scratch,
            largest,
        )  # fmt: skip
        if ordered == _CONSTANT:
            continue
        for i in range(m):
            w[i] = counts[order[i]]
        if classes is not None:
            for i in range(m):
                label[i] = classes[order[i]]
            ties = ordered == _SORTED
            score, place = gini(z, w, label, m, n, totals, left, right, min_leaf, ties)
            cut = np.nan
            if score < best:
                single = high - low == 1 and weights[low] > 0
                before, after = order[place], order[place + 1]
                if single:
                    weight, column = weights[low], columns[features[low]]
                    cut = middle(weight * column[before], weight * column[after])
                else:
                    cut = middle(z[place], z[place + 1])
        elif response is not None:
            for i in range(m):
                sums[i] = response[order[i]]
            score, cut = variance(z, w, sums, m, n, min_leaf)
        if score < best:
            best, chosen, threshold = score, c, cut
    if np.isnan(threshold):
        chosen = -1
    return chosen, threshold, best


@inner_kernel
def _take(together, c, z, m):
    """Copy candidate c's projection: what orders it overwrites it."""
    for i in range(m):
        z[i] = together[c, i]


@inner_kernel
def _search_clusters(
    columns, rows, start, stop, n, counts, n_candidates, cand, criterion, min_leaf, best, rules,
    tables, work, node,
):  # fmt: skip
    # taken out of their tuples once: numba counts references at every access
    first, features, weights = cand.first, cand.features, cand.weights
    z, scratch, row_w, at_least = work.z, work.scratch, work.row_w, work.at_least
    copied, copied_for = work.copied, work.copied_for
    bins, counted, added, squared, step = (
        work.bins, work.counted, work.added, work.squared, work.bucket,
    )  # fmt: skip
    logs, mantissas, roundings = tables.logs, tables.mantissas, tables.roundings
    together = work.together
    known = together.shape[0] > 0
    one_by_one, good = rules.sampler == MIXED, rules.good
    m = stop - start
    bounded = criterion == FAST_BIC or criterion == DELTA_BIC or criterion == MEAN_BIC
    bounded = bounded and m >= _FEW and n < MOST_COUNTED
    if known:
        project_together(
            columns, rows, start, stop, features, weights, first, n_candidates, work.block, together
        )
    copies = bounded and columns.shape[0] * m <= copied.shape[0]
    if bounded:
        for i in range(m):
            row_w[i] = counts[rows[start + i]]
    chosen, threshold, evidence = -1, np.nan, np.inf
    n_used, waiting = n_candidates, 0
    for c in range(n_candidates):
        if known:
            _take(together, c, z, m)
        if bounded:
            low, high = first[c], first[c + 1]
            at_least[c] = np.inf
            if copies and not known:
                project_copied(
                    columns, rows, start, stop, features, weights, low, high, z, copied,
                    copied_for, node,
                )  # fmt: skip
            elif not known:
                project(columns, rows, start, stop, features, weights, low, high, z, scratch)
            smallest, largest, centre, width = extent(z, row_w, m, n)
            if width > 0.0:
                bound = lowest(
                    z, row_w, m, n, smallest, largest, centre, width, min_leaf, rules.floor, logs,
                    mantissas, bins, counted, added, squared, step,
                )  # fmt: skip
                sure, rank = _scores_from(
                    criterion, bound, n, width, features, low, high, roundings, logs
                )
                # what cannot end the search waits: the most promising is judged first
                if sure >= good or not one_by_one:
                    at_least[c] = rank
                    waiting += 1
                    continue
        score, found, cut = _judge(
            c, known or bounded, columns, rows, start, stop, n, counts, cand, criterion, min_leaf,
            best, rules, tables, work,
        )  # fmt: skip
        evidence = min(evidence, found)
        if score < best:
            best, chosen, threshold = score, c, cut
        if one_by_one and evidence < good:
            n_used = c + 1
            break
    while waiting > 0:
        waiting -= 1
        c = np.argmin(at_least[:n_used])
        # of equal scores the first candidate's counts
        if not at_least[c] <= best:
            break
        at_least[c] = np.inf
        if known:
            _take(together, c, z, m)
        score, found, cut = _judge(
            c, known, columns, rows, start, stop, n, counts, cand, criterion, min_leaf,
            np.nextafter(best, np.inf), rules, tables, work,
        )  # fmt: skip
        evidence = min(evidence, found)
        if score < best or (score == best and c < chosen):
            best, chosen, threshold = score, c, cut
    if np.isnan(threshold):
        chosen = -1
    return chosen, threshold, best, evidence, n_used


@inner_kernel
def _search_whole(
    columns, classes, counts, rows, start, stop, n, n_candidates, cand, min_leaf, best, work
):
    """`_search_labels` for whole numbers: values are counted where their range allows it."""
    first, features, weights = cand.first, cand.features, cand.weights
    w, label, values, by_value = work.w, work.label, work.whole, work.by_value
    left, right, totals = work.left, work.right, work.totals
    z, order = work.z, work.order
    m = stop - start
    for i in range(m):
        row = rows[start + i]
        w[i] = counts[row]
        label[i] = classes[row]
    chosen, threshold = -1, np.nan
    room = values_that_fit(m, totals.shape[0])
    for c in range(n_candidates):
        low, high = first[c], first[c + 1]
        least, most = project_whole(
            columns, rows, start, stop, features, weights, low, high, values
        )
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
            sort_projection(
                z, order, work.spare_z, work.spare_order, work.bucket, work.bucket_first, m
            )
            for i in range(m):
                work.sorted_w[i] = w[order[i]]
                work.sorted_label[i] = label[order[i]]
            score, place = gini(
                z, work.sorted_w, work.sorted_label, m, n, totals, left, right, min_leaf, True
            )
            cut = middle(z[place], z[place + 1]) if score < best else np.nan
        if score < best:
            best, chosen, threshold = score, c, cut
    return chosen, threshold, best
