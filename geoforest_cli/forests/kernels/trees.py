"""What growing a tree consists of: bags, partitions, the stack, flat arrays."""

import numpy as np

from geoforest_cli._jit import inner_kernel, kernel
from geoforest_cli.forests.kernels.project import project
from geoforest_cli.forests.kernels.workspace import enlarged


@inner_kernel
def split_bag(counts, inside, outside):
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


@inner_kernel
def partition(rows, start, stop, z, threshold, spare):
    """Stable partition of rows[start:stop] by z < threshold; return the border."""
    border, kept = start, 0
    # each row is written to both sides, and one of them moves on: no branch is guessed wrong
    for i in range(start, stop):
        row, left = rows[i], np.int64(z[i - start] < threshold)
        rows[border] = row
        spare[kept] = row
        border += left
        kept += 1 - left
    for i in range(kept):
        rows[border + i] = spare[i]
    return border


@inner_kernel
def divide(columns, rows, start, stop, winner, size, cut, work):
    """Partition rows[start:stop] by the winner's projection; return the border."""
    project(
        columns, rows, start, stop, winner.features, winner.weights, 0, size, work.z, work.scratch
    )
    return partition(rows, start, stop, work.z, cut, work.spare_rows)


@inner_kernel
def push(nodes, top, node, start, stop, out_start, out_stop, depth, most):
    """Make a leaf, to be visited with its rows in and out of the bag; return the stack's new top.

    It draws at most `most` candidates.
    """
    nodes.children[node, 0], nodes.children[node, 1] = -1, -1
    nodes.threshold[node], nodes.begin[node], nodes.length[node] = 0.0, 0, 0
    stack = nodes.stack
    stack[top, 0], stack[top, 1], stack[top, 2] = node, start, stop
    stack[top, 3], stack[top, 4], stack[top, 5] = out_start, out_stop, depth
    stack[top, 6] = most
    return top + 1


@kernel
def record(nodes, node, cut, child, winner, size, features, weights, used):
    """Make `node` a split with children `child` and `child + 1`; return the non-zeros so far."""
    if used + size > features.shape[0]:
        features = enlarged(features, 2 * (used + size))
        weights = enlarged(weights, features.shape[0])
    nodes.begin[node], nodes.length[node] = used, size
    features[used : used + size] = winner.features[:size]
    weights[used : used + size] = winner.weights[:size]
    nodes.threshold[node] = cut
    nodes.children[node, 0], nodes.children[node, 1] = child, child + 1
    return features, weights, used + size


@kernel
def flatten(nodes, n_nodes, features, weights, used):
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
