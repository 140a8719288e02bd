"""Trees on columns of 256 values: cuts by counts of values, without sorting.

The notation is that of `two_means`; lengths are in bins, and a row lies anywhere in its bin.
"""

import math
from typing import NamedTuple

import numpy as np

from geoforest_cli.core.jit import inner_kernel, kernel, vector_kernel
from geoforest_cli.estimators.forests.kernels.fast_bic import quick_log
from geoforest_cli.estimators.forests.kernels.rng import next_bits, random_below

CENTRE = 128  # the bin of a column's mean
BINS_PER_DEVIATION = 32
COLUMN, OTHER, SIGN, CUT, CHILD, BEGIN, END = range(7)  # of a node
_MOST_VALUES = 511  # of a sum or difference of two columns
_MOST_BINS = 128  # of a candidate: more say nothing of 300 rows
_WITHIN = 1.0 / 12.0  # variance within a bin
_STACKED = 512  # nodes


class BinnedRules(NamedTuple):
    """Settings of trees on binned columns; a node draws up to `candidates` candidates."""

    min_parent: int
    max_search: int
    candidates: int
    min_share: float
    variance_floor: float


@vector_kernel
def _score_cuts(sums, n_bins, n, fewest, floor):
    """Return the least n1 ln (v1 / n1^2) + n2 ln (v2 / n2^2), its bin, and the variance of all.

    Parameters
    ----------
    sums : (4, b) float64
        Scratch; the first line holds the rows of each bin.
    """
    rows, lines, squares, scores = sums[0], sums[1], sums[2], sums[3]
    n1, s, q = 0.0, 0.0, 0.0
    for i in range(n_bins):
        count = rows[i]
        n1 += count
        s += count * i
        q += count * i * i
        rows[i], lines[i], squares[i] = n1, s, q
    v0 = (q - s * s / n) / n + _WITHIN
    least = floor * v0
    for i in range(n_bins - 1):
        n1 = rows[i]
        n2 = n - n1
        share1, share2 = 1.0 / max(n1, 1.0), 1.0 / max(n2, 1.0)
        rest = s - lines[i]
        v1 = max((squares[i] - lines[i] * lines[i] * share1) * share1 + _WITHIN, least)
        v2 = max((q - squares[i] - rest * rest * share2) * share2 + _WITHIN, least)
        score = n1 * quick_log(v1 * share1 * share1) + n2 * quick_log(v2 * share2 * share2)
        scores[i] = score if n1 >= fewest and n2 >= fewest else np.inf
    best, cut = np.inf, -1
    for i in range(n_bins - 1):
        if scores[i] < best:
            best, cut = scores[i], i
    return best, cut, v0


@inner_kernel
def _count(first, second, sign, n, values, sums):
    """Count the rows by bin of first + sign second; return the least value, the shift, the bins."""
    low, high = 2 * _MOST_VALUES, -2 * _MOST_VALUES
    for i in range(n):
        value = first[i] + sign * second[i]
        values[i] = value
        low, high = min(low, value), max(high, value)
    shift = 0
    while (high - low) >> shift >= _MOST_BINS:
        shift += 1
    n_bins = ((high - low) >> shift) + 1
    rows = sums[0]
    rows[:n_bins] = 0.0
    for i in range(n):
        rows[np.uint64(values[i] - low) >> np.uint64(shift)] += 1.0
    return low, shift, n_bins


@inner_kernel
def _draw_rows(state, rows, n, drawn):
    """Draw a row of each of as many equal slices as `drawn` holds, or take all; return how many."""
    searched = min(n, drawn.shape[0])
    for i in range(searched):
        low = i * n // searched
        drawn[i] = rows[low + random_below(state, (i + 1) * n // searched - low)]
    return searched


@inner_kernel
def _draw_candidate(state, p):
    """Return two columns and a sign: a single column, or the sum or difference of two."""
    bits = next_bits(state)
    first = random_below(state, p)
    if p == 1 or bits & np.uint64(1):
        return first, first, 0
    second = random_below(state, p - 1)
    second += 1 if second >= first else 0
    return first, second, 1 if bits & np.uint64(2) else -1


@inner_kernel
def _search(state, block, columns, filled, sums, rules, candidates, n):
    """Return the best cut of n rows: columns, sign and cut; and whether it makes two clusters.

    Parameters
    ----------
    block : (n, p) uint8
        The rows.
    columns : (p + 1, n) int16
        Scratch: the columns that candidates have asked for, and the candidate.
    filled : (p,) bool
        Scratch.
    """
    p = block.shape[1]
    filled[:] = False
    fewest = max(1.0, math.ceil(rules.min_share * n))
    best, column, other, weight, cut = np.inf, -1, -1, 0, 0
    log_n = math.log(n)
    for _ in range(candidates):
        first, second, sign = _draw_candidate(state, p)
        for c in (first, second):
            if not filled[c]:
                filled[c] = True
                for i in range(n):
                    columns[c, i] = block[i, c]
        low, shift, n_bins = _count(columns[first], columns[second], sign, n, columns[p], sums)
        if n_bins < 2:
            continue
        score, last_bin, variance = _score_cuts(
            sums, n_bins, float(n), fewest, rules.variance_floor
        )
        if last_bin < 0:
            continue
        delta = score + (2.0 * n + 3.0) * log_n - n * math.log(variance)
        score = delta + 0.5 * n * math.log(variance * float(1 << (2 * shift)))
        if score < best:
            best, column, other, weight = score, first, second, sign
            cut = low + ((last_bin + 1) << shift)
        if delta < 0.0:
            return column, other, weight, cut, True
    return column, other, weight, cut, False


@inner_kernel
def _part(codes, rows, right, column, other, sign, cut):
    """Bring rows below the cut to the front, each side in its order; return how many they are."""
    left, n_right = 0, 0
    for i in range(rows.shape[0]):
        row = rows[i]
        below = np.int64(codes[row, column]) + sign * np.int64(codes[row, other]) < cut
        rows[left] = row
        right[n_right] = row
        left += below
        n_right += not below
    for i in range(n_right):
        rows[left + i] = right[i]
    return left


@kernel
def grow_binned(codes, seed, rules):
    """Grow a tree on all rows.

    Parameters
    ----------
    codes : (N, p) uint8
        Bins of each column, equally wide in standard deviations.
    seed : int
    rules : BinnedRules

    Returns
    -------
    rows : (N,) int32
        Leaf by leaf.
    nodes : (m, 7) int32
        A node's columns, sign, cut, the first of its two children (-1 for a leaf), and where its
        rows begin and end.
    """
    n, p = codes.shape
    state = np.empty(1, np.uint64)
    state[0] = seed
    rows, right = np.arange(n).astype(np.int32), np.empty(n, np.int32)
    drawn, filled = np.empty(rules.max_search, np.int32), np.empty(p, np.bool_)
    block = np.empty((rules.max_search, p), np.uint8)
    columns = np.empty((p + 1, rules.max_search), np.int16)
    sums = np.empty((4, _MOST_BINS), np.float64)
    nodes, n_nodes = np.empty((64, 7), np.int32), 1
    nodes[0, BEGIN], nodes[0, END] = 0, n
    waiting, patience, n_waiting = np.zeros(_STACKED, np.int64), np.zeros(_STACKED, np.int64), 1
    patience[0] = rules.candidates
    while n_waiting > 0:
        n_waiting -= 1
        node, candidates = waiting[n_waiting], patience[n_waiting]
        begin, end = nodes[node, BEGIN], nodes[node, END]
        nodes[node, CHILD] = -1
        if end - begin < rules.min_parent or n_waiting + 2 > _STACKED:
            continue
        searched = _draw_rows(state, rows[begin:], end - begin, drawn)
        for i in range(searched):
            block[i] = codes[drawn[i]]
        column, other, sign, cut, clusters = _search(
            state, block[:searched], columns, filled, sums, rules, candidates, searched
        )
        if column < 0:
            continue
        left = _part(codes, rows[begin:end], right, column, other, sign, cut)
        if left == 0 or left == end - begin:
            continue
        if n_nodes + 2 > nodes.shape[0]:
            larger = np.empty((2 * n_nodes, 7), np.int32)
            larger[:n_nodes] = nodes[:n_nodes]
            nodes = larger
        nodes[node, COLUMN], nodes[node, OTHER] = column, other
        nodes[node, SIGN], nodes[node, CUT], nodes[node, CHILD] = sign, cut, n_nodes
        for side in range(2):
            nodes[n_nodes, BEGIN] = begin if side == 0 else begin + left
            nodes[n_nodes, END] = begin + left if side == 0 else end
            waiting[n_waiting] = n_nodes
            patience[n_waiting] = rules.candidates if clusters else max(1, candidates // 2)
            n_nodes += 1
            n_waiting += 1
    return rows, nodes[:n_nodes].copy()


@kernel
def drop_binned(codes, nodes, leaves):
    """Write the number of the leaf node that each row of codes (n, p) reaches into leaves (n,)."""
    for i in range(codes.shape[0]):
        node = 0
        while nodes[node, CHILD] >= 0:
            value = np.int64(codes[i, nodes[node, COLUMN]])
            value += nodes[node, SIGN] * np.int64(codes[i, nodes[node, OTHER]])
            node = nodes[node, CHILD] + (0 if value < nodes[node, CUT] else 1)
        leaves[i] = node
