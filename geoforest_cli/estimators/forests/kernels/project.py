"""First step of finding a cut: the values of one candidate over a node's rows."""

import numpy as np

from geoforest_cli.core.jit import inner_kernel
from geoforest_cli.estimators.forests.kernels.workspace import ROWS_TOGETHER


@inner_kernel
def project(columns, node, projection, z, whole):
    """z[i] = sum of weights * columns over the rows of a node, in the order drawn.

    `whole` is scratch of length N: many non-zeros over many rows are added up for all N
    rows, which are contiguous; each row's sum is the same either way.
    """
    rows, start, stop = node.rows, node.start, node.stop
    features, weights, low, high = (
        projection.features, projection.weights, projection.low, projection.high,
    )  # fmt: skip
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


@inner_kernel
def project_together(columns, node, candidates, n_candidates, block, together):
    """Fill together[c] with the projection by candidate c, for all candidates of a node.

    A few rows at a time: all their values are copied to `block`, which stays in the cache, whereas
    the columns of a large table are fetched from memory for every candidate. Each row's sum is
    that of `project`.

    Parameters
    ----------
    block : float64 array of length p * ROWS_TOGETHER, scratch
    together : (n_candidates, m) float64, m rounded up to whole blocks
    """
    rows, start, stop = node.rows, node.start, node.stop
    first, features, weights = candidates.first, candidates.features, candidates.weights
    for begin in range(start, stop, ROWS_TOGETHER):
        here = min(ROWS_TOGETHER, stop - begin)
        for feature in range(columns.shape[0]):
            column, base = columns[feature], feature * ROWS_TOGETHER
            for i in range(here):
                block[base + i] = column[rows[begin + i]]
        for c in range(n_candidates):
            z = together[c, begin - start : begin - start + ROWS_TOGETHER]
            low = first[c]
            weight, base = np.float64(weights[low]), features[low] * ROWS_TOGETHER
            for i in range(ROWS_TOGETHER):
                z[i] = weight * block[base + i]
            for k in range(low + 1, first[c + 1]):
                weight, base = np.float64(weights[k]), features[k] * ROWS_TOGETHER
                values = block[base : base + ROWS_TOGETHER]
                for i in range(ROWS_TOGETHER):
                    z[i] += weight * values[i]


@inner_kernel
def project_whole(columns, node, projection, values):
    """Fill values with a projection of whole numbers; return its smallest and largest value."""
    rows, start, m = node.rows, node.start, node.stop - node.start
    features, weights, low = projection.features, projection.weights, projection.low
    feature = features[low]
    weight = np.int32(weights[low])
    for i in range(m):
        values[i] = weight * np.int32(columns[feature, rows[start + i]])
    for k in range(low + 1, projection.high):
        feature = features[k]
        weight = np.int32(weights[k])
        for i in range(m):
            values[i] += weight * np.int32(columns[feature, rows[start + i]])
    least, most = values[0], values[0]
    for i in range(1, m):
        least = min(least, values[i])
        most = max(most, values[i])
    return least, most
