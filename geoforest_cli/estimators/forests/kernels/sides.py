"""Missing values in trees with a response: on the side of a cut that scores better.

A table of p columns with missing values has 2p: in the first p they are below all other values, in
their copies above. Nothing else differs between a column and its copy.
"""

from geoforest_cli.core.jit import inner_kernel


@inner_kernel
def _misses(columns, node, missing, features, low, high):
    """Return whether a row of the node lacks a value of one of the features[low:high]."""
    p = missing.shape[0]
    for k in range(low, high):
        j = features[k] % p
        if missing[j]:
            for i in range(node.start, node.stop):
                row = node.rows[i]
                if columns[j, row] != columns[p + j, row]:
                    return True
    return False


@inner_kernel
def _send(features, weights, low, high, p, right):
    """Let what is missing make a projection small, or large (right)."""
    for k in range(low, high):
        features[k] = features[k] % p + (p if (weights[k] > 0) == right else 0)


@inner_kernel
def add_right_sides(columns, node, missing, candidates, n):
    """Double the candidates of which the node lacks values: missing ones left, or right.

    Returns the new number of candidates; those that send missing values right are the last ones.
    """
    first, features, weights = candidates.first, candidates.features, candidates.weights
    p, total = missing.shape[0], n
    for c in range(n):
        low, high = first[c], first[c + 1]
        if not _misses(columns, node, missing, features, low, high):
            continue
        begin = first[total]
        end = begin + high - low
        for k in range(high - low):
            features[begin + k] = features[low + k]
            weights[begin + k] = weights[low + k]
        _send(features, weights, low, high, p, False)
        _send(features, weights, begin, end, p, True)
        total += 1
        first[total] = end
    return total


@inner_kernel
def send_to_larger(columns, node, missing, winner, size, border):
    """Send missing values to the side of more bag rows, where the node lacks none; equal: right."""
    if _misses(columns, node, missing, winner.features, 0, size):
        return
    left = 0
    for i in range(node.start, border):
        left += node.counts[node.rows[i]]
    _send(winner.features, winner.weights, 0, size, missing.shape[0], 2 * left <= node.n)
