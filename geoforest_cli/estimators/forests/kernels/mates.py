"""Lists of the nearest rows, made of pairs that share a leaf.

Squared lengths are sums over groups of four columns, in their order: the same number for a pair
wherever it is met, so that a pair is listed once. Columns are filled up with zeros to fours.
"""

import numpy as np

from geoforest_cli.core.jit import inner_kernel, kernel, vector_kernel

_SINGLE_ZERO = np.float32(0)


@vector_kernel
def _fill_lengths(block, i, lengths):
    """Fill the squared lengths from column i of block (p, m) to the m - i - 1 columns behind it."""
    m = lengths.shape[0]
    for j in range(m):
        lengths[j] = 0.0
    for c in range(0, block.shape[0], 4):
        # from 0 on: places that might be negative, and so count from the end, are not vectorised
        a, b, d, e = block[c, i:], block[c + 1, i:], block[c + 2, i:], block[c + 3, i:]
        ai, bi, di, ei = a[0], b[0], d[0], e[0]
        for j in range(m):
            t, u, v, w = a[j + 1] - ai, b[j + 1] - bi, d[j + 1] - di, e[j + 1] - ei
            lengths[j] += (t * t + u * u) + (v * v + w * w)


@inner_kernel
def _length(x, y, limit):
    """Return the squared length between two rows, or more than the limit as soon as it is more."""
    total = _SINGLE_ZERO
    for c in range(0, x.shape[0], 4):
        t, u, v, w = x[c] - y[c], x[c + 1] - y[c + 1], x[c + 2] - y[c + 2], x[c + 3] - y[c + 3]
        total += (t * t + u * u) + (v * v + w * w)
        if total >= limit:
            break
    return total


@inner_kernel
def _insert(lengths, rows, length, row):
    """Put a row into an ascending list whose last length is larger, unless it is there."""
    q = lengths.shape[0] - 1
    while q > 0 and lengths[q - 1] > length:
        q -= 1
    before = q - 1
    while before >= 0 and lengths[before] == length:
        if rows[before] == row:
            return
        before -= 1
    for at in range(lengths.shape[0] - 1, q, -1):
        lengths[at], rows[at] = lengths[at - 1], rows[at - 1]
    lengths[q], rows[q] = length, row


@kernel
def rank_leaves(points, rows, bounds, lengths, lists):
    """Offer every pair of rows that share a leaf to the lists of both.

    Parameters
    ----------
    points : (N, p) float32
    rows : (N,) int32
        Of a tree, leaf by leaf.
    bounds : (m, 2) int64
        Where leaves begin and end.
    lengths, lists : (N, k) float32, int32
        Squared lengths, ascending, and rows; infinity where there is none yet.
    """
    p, k = points.shape[1], lengths.shape[1]
    widest = 0
    for leaf in range(bounds.shape[0]):
        widest = max(widest, bounds[leaf, 1] - bounds[leaf, 0])
    whole = np.empty((p, widest), np.float32)
    length, limits = np.empty(widest, np.float32), np.empty(widest, np.float32)
    for leaf in range(bounds.shape[0]):
        begin, m = bounds[leaf, 0], bounds[leaf, 1] - bounds[leaf, 0]
        block = whole[:, :m]
        for j in range(m):
            row = rows[begin + j]
            limits[j] = lengths[row, k - 1]
            for c in range(p):
                block[c, j] = points[row, c]
        for i in range(m - 1):
            _fill_lengths(block, i, length[: m - i - 1])
            row = rows[begin + i]
            limit = limits[i]
            for j in range(i + 1, m):
                squared = length[j - i - 1]
                if squared < limit:
                    _insert(lengths[row], lists[row], squared, rows[begin + j])
                    limit = lengths[row, k - 1]
                if squared < limits[j]:
                    other = rows[begin + j]
                    _insert(lengths[other], lists[other], squared, row)
                    limits[j] = lengths[other, k - 1]


@kernel
def rank_leaf_of_new(points, new, rows, bounds, lengths, lists):
    """Offer new rows the rows of the leaf that each has reached.

    Parameters
    ----------
    points, new : (N, p), (n, p) float32
    rows : (N,) int32
        Of a tree, leaf by leaf.
    bounds : (n, 2) int64
        Where the leaf of each new row begins and ends.
    lengths, lists : (n, k) float32, int32
        Of the new rows.
    """
    for i in range(new.shape[0]):
        limit = lengths[i, -1]
        for member in range(bounds[i, 0], bounds[i, 1]):
            length = _length(new[i], points[rows[member]], limit)
            if length < limit:
                _insert(lengths[i], lists[i], length, rows[member])
                limit = lengths[i, -1]


@kernel
def rank_neighbors_of_neighbors(points, graph, looked_at, asking, first_number, lengths, lists):
    """Offer rows the first `looked_at` neighbours of as many of their neighbours.

    Parameters
    ----------
    points : (N, p) float32
    graph : (N, k) int32
        Neighbours of the points; -1 for none.
    looked_at : int
    asking : (n, p) float32
        Rows that look for neighbours.
    first_number : int
        Of the first of them among the points, the others following; -1 for new rows.
    lengths, lists : (n, k) float32, int32
        Of these rows.
    """
    seen = np.full(points.shape[0], -1, np.int32)
    first = np.empty(looked_at, np.int32)
    for i in range(asking.shape[0]):
        if first_number >= 0:
            seen[first_number + i] = i
        for q in range(lists.shape[1]):
            if lists[i, q] >= 0:
                seen[lists[i, q]] = i
        first[:] = lists[i, :looked_at]
        limit = lengths[i, -1]
        for q in range(looked_at):
            for r in range(looked_at if first[q] >= 0 else 0):
                row = graph[first[q], r]
                if row < 0 or seen[row] == i:
                    continue
                seen[row] = i
                length = _length(asking[i], points[row], limit)
                if length < limit:
                    _insert(lengths[i], lists[i], length, row)
                    limit = lengths[i, -1]


@kernel
def measure(points, asking, lists, squares):
    """Write the squared lengths from rows asking (n, p) to the points (N, p) of lists (n, k)."""
    for i in range(lists.shape[0]):
        for q in range(lists.shape[1]):
            total = 0.0
            for c in range(points.shape[1]):
                gap = np.float64(points[lists[i, q], c]) - np.float64(asking[i, c])
                total += gap * gap
            squares[i, q] = total
