"""Counting how often points share a leaf, and dropping points down a forest."""

import numpy as np

from geoforest_cli.core.jit import kernel
from geoforest_cli.estimators.forests.kernels.rng import mix


@kernel
def drop(points, first_node, children, threshold, first, features, weights, leaves):
    """leaves[i, t] = node number, within tree t, of the leaf that row i of points reaches.

    All rows go down one level at a time: rows do not wait for each other's comparisons, as the
    levels of one row must. A right child comes right after its left sibling.
    """
    n_points, n_trees = points.shape[0], first_node.shape[0] - 1
    at, under_way = np.empty(n_points, np.int32), np.empty(n_points, np.int32)
    for t in range(n_trees):
        base = first_node[t]
        left = n_points if children[base, 0] >= 0 else 0
        for i in range(n_points):
            at[i] = 0
            under_way[i] = i
        while left > 0:
            kept = 0
            for place in range(left):
                i = under_way[place]
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
        for i in range(n_points):
            leaves[i, t] = at[i]


@kernel
def group_by_leaf(leaf_of, n_nodes, start, members):
    """Sort the points by leaf, by counting: leaf a holds members[start[a]:start[a+1]]."""
    for a in range(n_nodes + 1):
        start[a] = 0
    for i in range(leaf_of.shape[0]):
        start[leaf_of[i] + 1] += 1
    for a in range(n_nodes):
        start[a + 1] += start[a]
    for i in range(leaf_of.shape[0]):
        a = leaf_of[i]
        members[start[a]] = i
        start[a] += 1
    for a in range(n_nodes, 0, -1):
        start[a] = start[a - 1]
    start[0] = 0


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
    some = eligible.shape[0] > 0
    for t in range(n_trees):
        # leaf a's members are counted two places on, and entered by moving the place before
        for i in range(n_points):
            if not some or eligible[t, i]:
                start[t, leaf_of[t, i] + 2] += 1
        for a in range(n_nodes):
            start[t, a + 2] += start[t, a + 1]
        for j in range(n_points):
            if not some or eligible[t, j]:
                place = leaf_of[t, j] + 1
                members[t, start[t, place]] = j
                start[t, place] += 1
    return start, members


@kernel
def _count_with(leaves, start, members, row):
    """Add, over trees, 1 to row[j] for each member j of the leaves of one point; -1 is none."""
    for t in range(leaves.shape[0]):
        a = leaves[t]
        if a >= 0:
            for place in range(start[t, a], start[t, a + 1]):
                row[np.uint32(members[t, place])] += 1


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
def _sift_down(keys, items, size):
    """Restore the max-heap of (key, item) after its root was replaced."""
    i = 0
    while True:
        child = 2 * i + 1
        if child >= size:
            return
        if child + 1 < size and keys[child + 1] > keys[child]:
            child += 1
        if keys[child] <= keys[i]:
            return
        keys[i], keys[child] = keys[child], keys[i]
        items[i], items[child] = items[child], items[i]
        i = child


@kernel
def _sift_up(keys, items, i):
    while i > 0:
        parent = (i - 1) // 2
        if keys[parent] >= keys[i]:
            return
        keys[i], keys[parent] = keys[parent], keys[i]
        items[i], items[parent] = items[parent], items[i]
        i = parent


@kernel
def _keep_smallest(keys, items, size, k, key, item):
    if size < k:
        keys[size], items[size] = key, item
        _sift_up(keys, items, size)
        return size + 1
    if key < keys[0]:
        keys[0], items[0] = key, item
        _sift_down(keys, items, size)
    return size


@kernel
def _sort_heap(keys, items, size):
    for last in range(size - 1, 0, -1):
        keys[0], keys[last] = keys[last], keys[0]
        items[0], items[last] = items[last], items[0]
        _sift_down(keys, items, last)


@kernel
def _fill_up(indices, shares, size, own, salt, seen, touched, n_touched):
    """Fill indices[size:] with random points that share no leaf; return the points touched.

    Few of many are drawn until a new one comes up; many of few are those with the smallest keys.
    """
    n_points, k = seen.shape[0], indices.shape[0]
    shares[size:] = 0
    if own >= 0 and seen[own] == 0:
        seen[own] = 1
        touched[n_touched] = own
        n_touched += 1
    if 2 * (k - size) <= n_points - n_touched:
        turn = np.uint64(n_points)
        while size < k:
            turn += np.uint64(1)
            j = np.int64(mix(salt, turn) % np.uint64(n_points))
            if seen[j] == 0:
                seen[j] = 1
                touched[n_touched] = j
                n_touched += 1
                indices[size] = j
                size += 1
        return n_touched
    keys, first = np.empty(k - size, np.uint64), size
    kept = 0
    for j in range(n_points):
        if seen[j] == 0:
            kept = _keep_smallest(
                keys, indices[first:], kept, k - first, mix(salt, np.uint64(j)), j
            )
    _sort_heap(keys, indices[first:], kept)
    return n_touched


@kernel
def nearest(leaves, row_ids, start, members, first_start, seed, shares, indices):
    """Find the k points that share most leaves with each query; ties in a seeded order.

    Parameters
    ----------
    leaves : (Q, T) int32
        Leaf numbers of the queries.
    row_ids : (Q,) int64
        The query's own row among the members, left out of its neighbours; -1 if none.
    start, members, first_start :
        For tree t and leaf a, members[t, start[first_start[t] + a] : ... + 1].
    shares : (Q, k) int32, indices : (Q, k) int64
        Filled with the numbers of shared leaves and the neighbours' rows.
    """
    (n_trees, n_points), k = members.shape, indices.shape[1]
    seen = np.zeros(n_points, np.int32)
    touched = np.empty(n_points, np.int64)
    keys = np.empty(k, np.uint64)
    for q in range(leaves.shape[0]):
        n_touched = 0
        for t in range(n_trees):
            a = first_start[t] + leaves[q, t]
            for x in range(start[a], start[a + 1]):
                j = members[t, x]
                if seen[j] == 0:
                    touched[n_touched] = j
                    n_touched += 1
                seen[j] += 1
        size = 0
        salt = mix(seed, row_ids[q])
        if row_ids[q] < 0:
            # the same point has the same neighbours, whichever others are asked for
            for t in range(n_trees):
                salt = mix(salt, leaves[q, t])
        for x in range(n_touched):
            j = touched[x]
            if j == row_ids[q]:
                continue
            rank = np.uint64(n_trees - seen[j]) << np.uint64(44)
            key = rank | (mix(salt, np.uint64(j)) >> np.uint64(20))
            size = _keep_smallest(keys, indices[q], size, k, key, j)
        _sort_heap(keys, indices[q], size)
        for x in range(size):
            shares[q, x] = seen[indices[q, x]]
        if size < k:
            n_touched = _fill_up(indices[q], shares[q], size, row_ids[q], salt, seen, touched,
                                 n_touched)  # fmt: skip
        for x in range(n_touched):
            seen[touched[x]] = 0


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
def decreases(first_node, children, leaf_of, in_bag, targets, found):
    """found[node] = |s_L|^2 / n_L + |s_R|^2 / n_R - |s|^2 / n, s the sums of n bag rows' targets.

    That is n times the summed variances of the targets, minus the same of both children. Zero
    before; leaves stay so.

    Parameters
    ----------
    leaf_of, in_bag : (T, N)
    targets : (N, K) float64
    found : (nodes,) float64
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
                one, other = sums[left, k], sums[right, k]
                sums[node, k] = one + other
                gain += one * one / counts[left] + other * other / counts[right]
                gain -= sums[node, k] * sums[node, k] / counts[node]
            found[base + node] = max(gain, 0.0)
