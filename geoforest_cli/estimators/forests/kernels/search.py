"""Finding the cut of a node: candidates are bounded, projected, ordered and scanned."""

import numpy as np

from geoforest_cli.core.jit import inlined_kernel, inner_kernel
from geoforest_cli.estimators.forests.kernels.bound import MOST_COUNTED, extent, lowest
from geoforest_cli.estimators.forests.kernels.criterion import (
    find_cut,
    is_bounded,
    least_scores,
    scan,
)
from geoforest_cli.estimators.forests.kernels.order import sort_by_rank, sort_projection
from geoforest_cli.estimators.forests.kernels.project import project, project_together
from geoforest_cli.estimators.forests.kernels.rules import Limits, Projection, Sorted

CONSTANT, RANKED, SORTED = 0, 1, 2
_ROUNDING = 2.0**-48
_SAME = 1e-9  # of a range: values as near are one
# known ranks sort a node that has one row in so many or more: by order alone, and with values
_RANKS, _VALUES = 64, 8
_MIN_BOUNDED_ROWS = 40  # rows: no bound of their cuts is worth its time


@inner_kernel
def all_equal(values, node):
    """Return whether all rows of a node have one value."""
    rows, start = node.rows, node.start
    for i in range(start + 1, node.stop):
        if values[rows[i]] != values[rows[start]]:
            return False
    return True


@inlined_kernel
def _is_rounding(z, m, projection, largest):
    """Return whether columns cancel but for the rounding of their sum."""
    least, most = z[0], z[0]
    for i in range(m):
        least, most = min(least, z[i]), max(most, z[i])
    size = 0.0
    for k in range(projection.low, projection.high):
        size += abs(projection.weights[k]) * largest[projection.features[k]]
    return most - least <= _ROUNDING * size


@inlined_kernel
def order_candidate(data, node, projection, work, projected, by_rank_alone):
    """Fill work.order with the node's rows by their projections, and work.z with these.

    projected: work.z has them already, in the order of the rows. by_rank_alone: it does not matter
    how far apart values are, and ranks that equal values share may stand for those of one column;
    RANKED is returned where there are no equal ones, and then work.z has nothing.
    """
    tables, rows, z, order = data.tables, node.rows, work.z, work.order
    m, low = node.stop - node.start, projection.low
    feature, weight = projection.features[low], projection.weights[low]
    is_axis = projection.high - low == 1
    single = is_axis and tables.ranks.shape[0] > 0
    by_rank_alone = by_rank_alone and single and weight > 0
    # a small node reads few values of a column but most of its ranks: sorting is cheaper
    if single and m * (_RANKS if by_rank_alone else _VALUES) > data.columns.shape[1]:
        sort_by_rank(tables.ranks, feature, node, work)
        if by_rank_alone:
            if tables.distinct[feature]:
                return RANKED
            for i in range(m):
                z[i] = tables.dense[feature, order[i]]
        else:
            if weight < 0:
                for i in range(m // 2):
                    order[i], order[m - 1 - i] = order[m - 1 - i], order[i]
            for i in range(m):
                z[i] = weight * data.columns[feature, order[i]]
        return SORTED if z[m - 1] > z[0] else CONSTANT
    if by_rank_alone:
        for i in range(m):
            z[i] = tables.dense[feature, rows[node.start + i]]
    elif not projected:
        project(data.columns, node, projection, z, work.scratch)
    if not is_axis and _is_rounding(z, m, projection, tables.largest):
        return CONSTANT
    for i in range(m):
        order[i] = rows[node.start + i]
    return SORTED if sort_projection(work, m) else CONSTANT


@inlined_kernel
def _rounding(z, m, projection, roundings, sums):
    """Variance within a step of a sorted projection: that of its column in the widest steps.

    Where all are recorded in steps and their sums in wider ones, as those of a column and its
    copy or complement, the step is the smallest difference between sums. To add up the variances
    instead would hide that columns of zeros and ones agree. A patch is a sum of pixels even where
    it is one entry of a summed-area table.
    """
    low, high, features = projection.low, projection.high, projection.features
    largest, stepped = 0.0, sums or high - low > 1
    for k in range(low, high):
        weight, rounding = projection.weights[k], roundings[features[k]]
        largest = max(largest, weight * weight * rounding)
        stepped = stepped and rounding > 0.0
    if stepped:
        nothing, step = _SAME * (z[m - 1] - z[0]), np.inf
        for i in range(1, m):
            if z[i] - z[i - 1] > nothing:
                step = min(step, z[i] - z[i - 1])
        largest = max(largest, step * step / 12.0)
    return largest


@inlined_kernel
def _judge(data, node, search, c, projected, best):
    """Return candidate c's (score, stop score, cut); work.z has its projection if projected."""
    work, candidates, rules = search.work, search.candidates, search.rules
    m, low, high = node.stop - node.start, candidates.first[c], candidates.first[c + 1]
    projection = Projection(candidates.features, candidates.weights, low, high)
    if order_candidate(data, node, projection, work, projected, False) == CONSTANT:
        return np.inf, np.inf, np.nan
    for i in range(m):
        work.w[i] = node.counts[work.order[i]]
    rounding = _rounding(work.z, m, projection, data.tables.roundings, rules.sums == 1)
    values = Sorted(work.z, work.order, work.w, m, node.n, work.scratch, work.sums, work.squares)
    return scan(data, values, Limits(search.min_leaf, rules.floor, rounding, best))


@inlined_kernel
def _project_first(data, node, search, c):
    """Fill work.z with candidate c's projection, in the order of the rows."""
    candidates, work, scratch = search.candidates, search.work, search.scratch
    if scratch.together.shape[0] > 0:
        # a copy: what orders it overwrites it
        for i in range(node.stop - node.start):
            work.z[i] = scratch.together[c, i]
        return
    low, high = candidates.first[c], candidates.first[c + 1]
    projection = Projection(candidates.features, candidates.weights, low, high)
    project(data.columns, node, projection, work.z, work.scratch)


@inlined_kernel
def _least(data, node, search, c):
    """Return what (stop score, score) of candidate c are at least; nan where nothing is known."""
    work, scratch, candidates = search.work, search.scratch, search.candidates
    m, low, high = node.stop - node.start, candidates.first[c], candidates.first[c + 1]
    seen = extent(work.z, scratch.row_w, m, node.n)
    if not seen.variance > 0.0:
        return np.nan, np.nan
    values = Sorted(
        work.z, work.order, scratch.row_w, m, node.n, work.scratch, work.sums, work.squares
    )
    limits = Limits(search.min_leaf, search.rules.floor, 0.0, np.inf)
    bound = lowest(values, seen, limits, data.tables.logs, scratch.histogram)
    projection = Projection(candidates.features, candidates.weights, low, high)
    return least_scores(data, bound, node.n, seen.variance, projection)


@find_cut.register(object)
@inner_kernel
def search_projections(data, node, search):
    """Find the cut of a criterion that scans sorted projections."""
    rules, scratch, best = search.rules, search.scratch, search.best
    m, one_by_one = node.stop - node.start, rules.one_by_one == 1
    projected = scratch.together.shape[0] > 0
    bounded = is_bounded(data) and m >= _MIN_BOUNDED_ROWS and node.n < MOST_COUNTED
    if projected:
        project_together(data.columns, node, search.candidates, search.n_candidates,
                         scratch.block, scratch.together)  # fmt: skip
    if bounded:
        for i in range(m):
            scratch.row_w[i] = node.counts[node.rows[node.start + i]]
    winner, threshold, stop_score = -1, np.nan, np.inf
    n_used, waiting = search.n_candidates, 0
    for c in range(search.n_candidates):
        if projected or bounded:
            _project_first(data, node, search, c)
        if bounded:
            scratch.at_least[c] = np.inf
            stop_at_least, at_least = _least(data, node, search, c)
            # what cannot end the search waits: the most promising is judged first
            if stop_at_least >= rules.stop_score or not (one_by_one or np.isnan(at_least)):
                scratch.at_least[c] = at_least
                waiting += 1
                continue
        score, stop, cut = _judge(data, node, search, c, projected or bounded, best)
        stop_score = min(stop_score, stop)
        if score < best:
            best, winner, threshold = score, c, cut
        if one_by_one and stop_score < rules.stop_score:
            n_used = c + 1
            break
    while waiting > 0:
        waiting -= 1
        c = np.argmin(scratch.at_least[:n_used])
        # of equal scores the first candidate's counts
        if not scratch.at_least[c] <= best:
            break
        scratch.at_least[c] = np.inf
        if projected:
            _project_first(data, node, search, c)
        score, stop, cut = _judge(data, node, search, c, projected, np.nextafter(best, np.inf))
        stop_score = min(stop_score, stop)
        if score < best or (score == best and c < winner):
            best, winner, threshold = score, c, cut
    return -1 if np.isnan(threshold) else winner, threshold, best, stop_score, n_used
