"""Rows that leaves of trees and bins of columns have in common."""

import numpy as np

from geoforest_cli.core.jit import kernel


@kernel
def overlap(first, second, table, rows, columns):
    """Return sum_ab n_ab^2 / (n_a n_b) - 1 for two partitions; rows with -1 in one do not count.

    This is chi-square by its number of rows, and the trace of the product of the projections on
    both partitions. The buffers are as long as there are parts.
    """
    table[:, :] = 0.0
    for i in range(len(first)):
        if first[i] >= 0 and second[i] >= 0:
            table[first[i], second[i]] += 1.0
    columns[:] = 0.0
    for a in range(table.shape[0]):
        rows[a] = 0.0
        for b in range(table.shape[1]):
            rows[a] += table[a, b]
            columns[b] += table[a, b]
    total = 0.0
    for a in range(table.shape[0]):
        if rows[a] > 0.0:
            inner = 0.0
            for b in range(table.shape[1]):
                if table[a, b] > 0.0:
                    inner += table[a, b] * table[a, b] / columns[b]
            total += inner / rows[a]
    return total - 1.0


@kernel
def overlaps(codes, leaves, weights, n_leaves, used, most, sums):
    """Write for each column the weighted sum of its overlaps with the trees that it may use.

    Parameters
    ----------
    codes : (p, n) int8
    leaves : (T, n) int32
    weights : (T,) float64
    n_leaves : (T,) int64
    used : (p, T) bool
    most : int
        Bins of a column.
    sums : (p,) float64
    """
    columns = np.empty(most)
    rows, table = np.empty(n_leaves.max()), np.empty((n_leaves.max(), most))
    for j in range(len(codes)):
        total = 0.0
        for t in range(len(leaves)):
            if used[j, t]:
                k = n_leaves[t]
                total += weights[t] * overlap(leaves[t], codes[j], table[:k], rows[:k], columns)
        sums[j] = total


@kernel
def gram(leaves, n_leaves, seen, used, traces, diagonals):
    """Fill tr P_t P_s and sum_i (P_t)_ii (P_s)_ii of all pairs of trees on the known rows.

    P_t is the projection on the leaves of a tree less that on the constants.
    """
    size = n_leaves.max()
    columns, table = np.empty(size), np.empty((size, size))
    rows = np.empty(size)
    kept = np.flatnonzero(seen)
    n = len(kept)
    here = np.empty((len(leaves), n), np.int32)
    diagonal = np.zeros((len(leaves), n))
    for t in range(len(leaves)):
        if used[t]:
            here[t] = leaves[t][kept]
            columns[:] = 0.0
            for i in range(n):
                columns[here[t, i]] += 1.0
            for i in range(n):
                diagonal[t, i] = 1.0 / columns[here[t, i]] - 1.0 / n
    for t in range(len(leaves)):
        for s in range(t, len(leaves)):
            if used[t] and used[s]:
                k, m = n_leaves[t], n_leaves[s]
                traces[t, s] = overlap(here[t], here[s], table[:k, :m], rows[:k], columns[:m])
                diagonals[t, s] = np.sum(diagonal[t] * diagonal[s])
                traces[s, t], diagonals[s, t] = traces[t, s], diagonals[t, s]
