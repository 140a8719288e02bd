"""Parts of growing a tree: bags, partitions, the stack, flat arrays."""

import numpy as np

from geoforest_cli.core.jit import inner_kernel, kernel
from geoforest_cli.estimators.forests.kernels.project import project
from geoforest_cli.estimators.forests.kernels.workspace import enlarged

_ONE = np.uint64(1)


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
def divide(columns, node, projection, cut, work):
    """Partition the node's rows by a projection, in a stable order; return the border.

    Projections of one or two columns are not stored: a row goes to its side as it is read.
    Unsigned numbers are not looked at for being negative.
    """
    rows, z, spare = node.rows, work.z, work.spare_rows
    begin, end = np.uint64(node.start), np.uint64(node.stop)
    low, size = projection.low, projection.high - projection.low
    border, kept = begin, np.uint64(0)
    # each row is written to both sides, and one of them moves on: no branch is guessed wrong
    if size == 1 or size == 2:
        column, weight = columns[projection.features[low]], projection.weights[low]
    if size == 1:
        for i in range(begin, end):
            row = np.uint32(rows[i])
            left = np.uint64(weight * column[row] < cut)
            rows[border] = row
            spare[kept] = row
            border += left
            kept += _ONE - left
    elif size == 2:
        other, its_weight = columns[projection.features[low + 1]], projection.weights[low + 1]
        for i in range(begin, end):
            row = np.uint32(rows[i])
            left = np.uint64(weight * column[row] + its_weight * other[row] < cut)
            rows[border] = row
            spare[kept] = row
            border += left
            kept += _ONE - left
    else:
        project(columns, node, projection, z, work.scratch)
        for i in range(begin, end):
            row = rows[i]
            left = np.uint64(z[i - begin] < cut)
            rows[border] = row
            spare[kept] = row
            border += left
            kept += _ONE - left
    for i in range(kept):
        rows[border + i] = spare[i]
    return np.int64(border)


@inner_kernel
def push(nodes, top, task):
    """Make a leaf, to be visited with its rows in and out of the bag; return the stack's new top.

    task: the node's number, start and stop of its bag rows and of its other rows, its depth and
    how many candidates it draws at most.
    """
    number = task[0]
    nodes.children[number, 0], nodes.children[number, 1] = -1, -1
    nodes.threshold[number], nodes.begin[number], nodes.length[number] = 0.0, 0, 0
    for k in range(7):
        nodes.stack[top, k] = task[k]
    return top + 1


@kernel
def record(nodes, number, split, winner, non_zeros):
    """Make node `number` a split; return all non-zeros so far.

    split: the cut, the number of the left child, and the number of the winner's non-zeros, which
    are added to non_zeros: (features, weights, used).
    """
    cut, child, size = split
    features, weights, used = non_zeros
    if used + size > features.shape[0]:
        features = enlarged(features, 2 * (used + size))
        weights = enlarged(weights, features.shape[0])
    nodes.begin[number], nodes.length[number] = used, size
    features[used : used + size] = winner.features[:size]
    weights[used : used + size] = winner.weights[:size]
    nodes.threshold[number] = cut
    nodes.children[number, 0], nodes.children[number, 1] = child, child + 1
    return features, weights, used + size


@kernel
def flatten(nodes, n_nodes, non_zeros):
    """Put the non-zeros in the order of the nodes."""
    features, weights, used = non_zeros
    first = np.zeros(n_nodes + 1, np.int64)
    flat_features = np.empty(used, np.int32)
    flat_weights = np.empty(used, np.float32)
    end = 0
    for node in range(n_nodes):
        first[node] = end
        for k in range(nodes.begin[node], nodes.begin[node] + nodes.length[node]):
            flat_features[end] = features[k]
            flat_weights[end] = weights[k]
            end += 1
    first[n_nodes] = end
    return first, flat_features, flat_weights
