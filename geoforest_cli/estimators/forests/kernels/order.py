"""Second step of finding a cut: sorting a projection, linear on ordinary data, never quadratic.

Values are dealt into as many equal-width buckets as there are values and finished by
insertion; where that would be slow (heavy tails), a merge sort takes over. Both are
stable, so the order of tied values is that of the rows.
"""

import numpy as np

from geoforest_cli.core.jit import inner_kernel

_SHORT_RUN = 20
_CROWDED = 40


@inner_kernel
def _insertion(values, order, start, stop):
    for i in range(start + 1, stop):
        value = values[i]
        index = order[i]
        j = i - 1
        while j >= start and values[j] > value:
            values[j + 1] = values[j]
            order[j + 1] = order[j]
            j -= 1
        values[j + 1] = value
        order[j + 1] = index


@inner_kernel
def _merge(work, m):
    values, order, spare_values, spare_order = work.z, work.order, work.spare_z, work.spare_order
    run = _SHORT_RUN
    for start in range(0, m, run):
        _insertion(values, order, start, min(start + run, m))
    while run < m:
        for start in range(0, m, 2 * run):
            middle = min(start + run, m)
            stop = min(start + 2 * run, m)
            i, j = start, middle
            for k in range(start, stop):
                if i < middle and (j >= stop or values[i] <= values[j]):
                    spare_values[k] = values[i]
                    spare_order[k] = order[i]
                    i += 1
                else:
                    spare_values[k] = values[j]
                    spare_order[k] = order[j]
                    j += 1
        for k in range(m):
            values[k] = spare_values[k]
            order[k] = spare_order[k]
        run *= 2


@inner_kernel
def sort_projection(work, m):
    """Sort work.z[:m] in place and carry work.order[:m], the rows, along.

    Returns
    -------
    bool
        False if all values are equal or one is not finite: no cut is possible.
    """
    values, order, spare_values, spare_order = work.z, work.order, work.spare_z, work.spare_order
    bucket, first = work.bucket, work.bucket_first
    low = values[0]
    high = values[0]
    nothing = 0.0
    for i in range(m):
        value = values[i]
        low = min(low, value)
        high = max(high, value)
        nothing += 0.0 * value
    span = high - low
    # an infinity or NaN among the values has made `nothing` NaN
    if not span > 0.0 or not np.isfinite(span) or nothing != 0.0:
        return False
    if m <= _SHORT_RUN:
        _insertion(values, order, 0, m)
        return True
    scale = (m - 1) / span
    if not np.isfinite(scale):
        _merge(work, m)
        return True
    for i in range(m + 1):
        first[i] = 0
    for i in range(m):
        b = np.int32((values[i] - low) * scale)
        bucket[i] = b
        first[b + 1] += 1
    crowded = 0
    for i in range(m):
        crowded = max(crowded, first[i + 1])
        first[i + 1] += first[i]
    if crowded > _CROWDED:
        _merge(work, m)
        return True
    for i in range(m):
        position = first[bucket[i]]
        first[bucket[i]] = position + 1
        spare_values[position] = values[i]
        spare_order[position] = order[i]
    for i in range(m):
        values[i] = spare_values[i]
        order[i] = spare_order[i]
    _insertion(values, order, 0, m)
    return True


@inner_kernel
def sort_by_rank(ranks, feature, node, work):
    """Set work.order to the rows of a node sorted by a column whose ranks (p, N) are known.

    Every row sets its rank's bit; reading the bits in order sorts without comparing.
    """
    rows, bits, by_rank, order = node.rows, work.bits, work.spare_order, work.order
    low, high = len(bits), 0
    for i in range(node.start, node.stop):
        rank = np.int64(ranks[feature, rows[i]])
        by_rank[rank] = rows[i]
        word = rank >> 6
        bits[word] |= np.uint64(1) << np.uint64(rank & 63)
        low = min(low, word)
        high = max(high, word)
    k = 0
    for word in range(low, high + 1):
        rest = bits[word]
        bits[word] = 0
        while rest != 0:
            lowest = rest & (~rest + np.uint64(1))
            rest ^= lowest
            # a power of two is exact in floating point: its exponent is the bit's number
            bit = (np.float64(lowest).view(np.int64) >> 52) - 1023
            order[k] = by_rank[(word << 6) + bit]
            k += 1
