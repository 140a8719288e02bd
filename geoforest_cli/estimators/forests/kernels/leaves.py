"""Counting how often points share a leaf, and dropping points down a forest."""

import numpy as np

from geoforest_cli.core.jit import inner_kernel, kernel

_WORTH = 64  # nodes of a tree for each row that is dropped


@inner_kernel
def _pair_nodes(base, n_nodes, trees, n_columns, places, numbers):
    """Write the nodes of a tree side by side; False if one projects on more than two columns.

    places[node] holds two columns and the left child, numbers[node] two weights and the threshold.
    Where there is no second column it is the last one, which is zero.
    """
    children, threshold, first, features, weights = trees
    for node in range(n_nodes):
        low, high = first[base + node], first[base + node + 1]
        if high - low > 2:
            return False
        for k in range(2):
            inside = low + k < high
            places[node, k] = features[low + k] if inside else n_columns - 1
            numbers[node, k] = weights[low + k] if inside else 0.0
        places[node, 2] = children[base + node, 0]
        numbers[node, 2] = threshold[base + node]
    return True


@inner_kernel
def _drop_by_pairs(points, places, numbers, at, under_way, left):
    """Bring at[i] from the root to a leaf; as `_drop_by_terms`, for nodes side by side."""
    while left > 0:
        kept = np.uint64(0)
        for position in range(np.uint64(left)):
            i = np.uint32(under_way[position])
            node = np.uint32(at[i])
            z = numbers[node, 0] * points[i, np.uint32(places[node, 0])]
            z += numbers[node, 1] * points[i, np.uint32(places[node, 1])]
            child = np.uint32(places[node, 2] + (0 if z < numbers[node, 2] else 1))
            at[i] = child
            under_way[kept] = i
            kept += np.uint64(places[child, 2] >= 0)
        left = np.int64(kept)


@inner_kernel
def _drop_by_terms(points, base, trees, at, under_way, left):
    """Bring at[i] from the root to a leaf, whatever the nodes project on."""
    children, threshold, first, features, weights = trees
    while left > 0:
        kept = 0
        for position in range(left):
            i = under_way[position]
            node = base + at[i]
            low, high = first[node], first[node + 1]
            z = np.float64(weights[low] * points[i, features[low]])
            for k in range(low + 1, high):
                z += weights[k] * points[i, features[k]]
            child = children[node, 0] + (0 if z < threshold[node] else 1)
            at[i] = child
            under_way[kept] = i
            kept += 1 if children[base + child, 0] >= 0 else 0
        left = kept


@kernel
def drop(points, first_node, trees, leaves):
    """leaves[t, i] = node number, within tree t, of the leaf that row i of points reaches.

    All rows go down one level at a time: rows do not wait for each other's comparisons, as the
    levels of one row must. A right child comes right after its left sibling.

    Parameters
    ----------
    points : (n, p + 1) float64
        The last column is zero.
    first_node : (T + 1,) int64
    trees : (children, threshold, first, features, weights)
        As in `Forest`.
    leaves : (T, n) int32
    """
    n_points, n_trees = points.shape[0], first_node.shape[0] - 1
    under_way = np.empty(n_points, np.int32)
    most = np.max(np.diff(first_node)) if n_trees > 0 else 0
    places, numbers = np.empty((most, 4), np.int32), np.empty((most, 4), np.float64)
    for t in range(n_trees):
        base, at = first_node[t], leaves[t]
        left = n_points if trees[0][base, 0] >= 0 else 0
        for i in range(n_points):
            at[i] = 0
            under_way[i] = i
        n_nodes = first_node[t + 1] - base
        # few rows do not repay the time of writing all nodes again
        if n_nodes <= _WORTH * n_points and _pair_nodes(
            base, n_nodes, trees, points.shape[1], places, numbers
        ):
            _drop_by_pairs(points, places, numbers, at, under_way, left)
        else:
            _drop_by_terms(points, base, trees, at, under_way, left)


@kernel
def _eligible_by_leaf(leaf_of, eligible):
    """Return start and members: leaf a of tree t has members[t, start[t, a]:start[t, a + 1]]."""
    n_trees, n_points = leaf_of.shape
    n_nodes = 0
    for t in range(n_trees):
        for i in range(n_points):
            n_nodes = max(n_nodes, leaf_of[t, i] + 1)
    start = np.zeros((n_trees, n_nodes + 2), np.int32)
    members = np.empty((n_trees, n_points), np.int32)
    masked = eligible.shape[0] > 0
    for t in range(n_trees):
        # leaf a's members are counted two places on, and entered by moving the place before
        for i in range(n_points):
            if not masked or eligible[t, i]:
                start[t, leaf_of[t, i] + 2] += 1
        for a in range(n_nodes):
            start[t, a + 2] += start[t, a + 1]
        for j in range(n_points):
            if not masked or eligible[t, j]:
                leaf = leaf_of[t, j] + 1
                members[t, start[t, leaf]] = j
                start[t, leaf] += 1
    return start, members


@kernel
def _count_with(leaves, start, members, row):
    """Add, over trees, 1 to row[j] for each member j of the leaves of one point; -1 is none."""
    for t in range(leaves.shape[0]):
        a = leaves[t]
        if a >= 0:
            for position in range(start[t, a], start[t, a + 1]):
                row[np.uint32(members[t, position])] += 1


@kernel
def count_together(leaf_of, eligible, together):
    """Add, over trees, 1 to together[i, j] where i and j are eligible and share a leaf.

    One point after the other, so that the counts that change stay in a processor's cache.

    Parameters
    ----------
    leaf_of : (T, N) int32
    eligible : (T, N) bool, or (0, 0) for all points
    together : (N, N) int32
    """
    n_trees, n_points = leaf_of.shape
    start, members = _eligible_by_leaf(leaf_of, eligible)
    leaves = np.empty(n_trees, np.int32)
    for i in range(n_points):
        for t in range(n_trees):
            leaves[t] = leaf_of[t, i]
            if eligible.shape[0] > 0 and not eligible[t, i]:
                leaves[t] = -1
        _count_with(leaves, start, members, together[i])


@kernel
def share_together(leaf_of, similarity):
    """Set similarity[i, j] to the share of trees in which i and j share a leaf.

    Parameters
    ----------
    leaf_of : (T, N) int32
    similarity : (N, N) float64
    """
    n_trees, n_points = leaf_of.shape
    start, members = _eligible_by_leaf(leaf_of, np.zeros((0, 0), np.bool_))
    row = np.zeros(n_points, np.int32)
    leaves = np.empty(n_trees, np.int32)
    for i in range(n_points):
        for t in range(n_trees):
            leaves[t] = leaf_of[t, i]
        row[:] = 0
        _count_with(leaves, start, members, row)
        for j in range(n_points):
            similarity[i, j] = row[j] / n_trees


@kernel
def leaf_means(first_node, leaf_of, in_bag, targets, means):
    """means[node] = mean of the bag rows' targets in that leaf; zero before, inner nodes stay so.

    Parameters
    ----------
    leaf_of, in_bag : (T, N)
    targets : (N, K) float64
    means : (nodes, K) float64
    """
    counts = np.zeros(means.shape[0])
    for t in range(leaf_of.shape[0]):
        for i in range(leaf_of.shape[1]):
            weight = in_bag[t, i]
            if weight > 0:
                node = first_node[t] + leaf_of[t, i]
                counts[node] += weight
                for k in range(targets.shape[1]):
                    means[node, k] += weight * targets[i, k]
    for node in range(means.shape[0]):
        if counts[node] > 0.0:
            for k in range(means.shape[1]):
                means[node, k] /= counts[node]


@kernel
def decreases(first_node, children, leaf_of, in_bag, targets, gains):
    """found[node] = |s_L|^2 / n_L + |s_R|^2 / n_R - |s|^2 / n, s the sums of n bag rows' targets.

    That is n times the summed variances of the targets, minus the same of both children. Zero
    before; leaves stay so.

    Parameters
    ----------
    leaf_of, in_bag : (T, N)
    targets : (N, K) float64
    gains : (nodes,) float64
    """
    n_targets = targets.shape[1]
    for t in range(leaf_of.shape[0]):
        base = first_node[t]
        n_nodes = first_node[t + 1] - base
        counts, sums = np.zeros(n_nodes), np.zeros((n_nodes, n_targets))
        for i in range(leaf_of.shape[1]):
            weight = in_bag[t, i]
            if weight > 0:
                node = leaf_of[t, i]
                counts[node] += weight
                for k in range(n_targets):
                    sums[node, k] += weight * targets[i, k]
        # children come after their parents
        for node in range(n_nodes - 1, -1, -1):
            left, right = children[base + node, 0], children[base + node, 1]
            if left < 0:
                continue
            counts[node] = counts[left] + counts[right]
            gain = 0.0
            for k in range(n_targets):
                first, other = sums[left, k], sums[right, k]
                sums[node, k] = first + other
                gain += first * first / counts[left] + other * other / counts[right]
                gain -= sums[node, k] * sums[node, k] / counts[node]
            gains[base + node] = max(gain, 0.0)
