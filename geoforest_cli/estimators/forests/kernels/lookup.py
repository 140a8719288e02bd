"""Looking up which points share most leaves with a point, without the matrix of all pairs.

Points have second numbers, their places, by which points of one leaf lie near each other: what is
counted for one query then stays in a processor's cache, and the next query finds it there.
"""

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from geoforest_cli.core.jit import inlined_kernel, inner_kernel, kernel, prefetch
from geoforest_cli.estimators.forests.kernels.rng import mix

_ONE = np.uint64(1)
_LINE = np.uint64(16)  # members in a cache line
_LEAVES_AHEAD = 2  # whose members are fetched while those of a leaf are counted
_BOUNDS_AHEAD = 8  # whose places in the list of members are


class Places(NamedTuple):
    """The points of every leaf.

    Attributes
    ----------
    first_start : (T,) int64
        Leaf a of tree t is number b = first_start[t] + a.
    start : (nodes + T,) int64
        It holds members[start[b] : start[b + 1]], ascending; an inner node holds none.
    members : (M,) int32
        Places; a point that counts several times is there as often.
    row : (N,) int32
        The point at each place.
    position : (N,) int32
        The place of each point.
    """

    first_start: npt.NDArray[np.int64]
    start: npt.NDArray[np.int64]
    members: npt.NDArray[np.int32]
    row: npt.NDArray[np.int32]
    position: npt.NDArray[np.int32]


class Scratch(NamedTuple):
    """Scratch of a thread: zeros (N,), and any (N + 1,) int32.

    The zeros are of an unsigned type that holds T where trees are counted, floats where their
    shares are added up.
    """

    shared: npt.NDArray[Any]
    touched: npt.NDArray[np.int32]


@kernel
def group_by_leaf(leaf_of, times, row, start, members):
    """Sort the places of one tree's points by leaf, by counting.

    Parameters
    ----------
    leaf_of : (N,) integers
        Node numbers of the points.
    times : (N,) int32, or (0,) for once each
        How often each point counts.
    row : (N,) int32
        The point at each place.
    start : (nodes + 1,) int64
        start[0] is where the tree begins in `members`; the rest is filled.
    members : (M,) int32
    """
    begin, n_nodes, weighted = start[0], start.shape[0] - 1, times.shape[0] > 0
    for a in range(1, n_nodes + 1):
        start[a] = 0
    for i in range(leaf_of.shape[0]):
        start[leaf_of[i] + 1] += times[i] if weighted else 1
    for a in range(n_nodes):
        start[a + 1] += start[a]
    for position in range(row.shape[0]):
        i = row[position]
        a = leaf_of[i]
        for _ in range(times[i] if weighted else 1):
            members[start[a]] = position
            start[a] += 1
    for a in range(n_nodes, 0, -1):
        start[a] = start[a - 1]
    start[0] = begin


@inner_kernel
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


@inner_kernel
def _sift_up(keys, items, i):
    while i > 0:
        parent = (i - 1) // 2
        if keys[parent] >= keys[i]:
            return
        keys[i], keys[parent] = keys[parent], keys[i]
        items[i], items[parent] = items[parent], items[i]
        i = parent


@inner_kernel
def _keep_smallest(keys, items, size, k, key, item):
    if size < k:
        keys[size], items[size] = key, item
        _sift_up(keys, items, size)
        return size + 1
    if key < keys[0]:
        keys[0], items[0] = key, item
        _sift_down(keys, items, size)
    return size


@inner_kernel
def _sort_heap(keys, items, size):
    for last in range(size - 1, 0, -1):
        keys[0], keys[last] = keys[last], keys[0]
        items[0], items[last] = items[last], items[0]
        _sift_down(keys, items, last)


@inlined_kernel
def _fetch_ahead(leaves, t, places):
    """Have the members of a query's next leaves fetched: they lie anywhere in memory."""
    first_start, start = places.first_start, places.start
    if t + _BOUNDS_AHEAD < leaves.shape[0]:
        prefetch(start, first_start[t + _BOUNDS_AHEAD] + leaves[t + _BOUNDS_AHEAD])
    if t + _LEAVES_AHEAD < leaves.shape[0] and leaves[t + _LEAVES_AHEAD] >= 0:
        b = np.uint64(first_start[t + _LEAVES_AHEAD] + leaves[t + _LEAVES_AHEAD])
        x, end = np.uint64(start[b]), np.uint64(start[b + _ONE])
        while x < end:
            prefetch(places.members, x)
            x += _LINE


@inner_kernel
def count(leaves, places, scratch):
    """Count in scratch.shared the trees that share a leaf with a query; return how many points.

    scratch.touched lists their places. No branch depends on whether a point is new: it would be
    guessed wrong half the time. Unsigned numbers are not looked at for being negative.
    """
    first_start, start, members = places.first_start, places.start, places.members
    shared, touched = scratch.shared, scratch.touched
    n_touched = np.uint64(0)
    for t in range(leaves.shape[0]):
        _fetch_ahead(leaves, t, places)
        if leaves[t] < 0:
            continue
        b = np.uint64(first_start[t] + leaves[t])
        for x in range(np.uint64(start[b]), np.uint64(start[b + _ONE])):
            position = np.uint64(members[x])
            before = shared[position]
            touched[n_touched] = position
            n_touched += np.uint64(before == 0)
            shared[position] = before + 1
    return np.int64(n_touched)


@inner_kernel
def weigh(leaves, places, scratch):
    """Add up in scratch.shared the shares of a query's leaves that points have, as `count` counts.

    Each of a leaf's m members adds 1 / m.
    """
    first_start, start, members = places.first_start, places.start, places.members
    shared, touched = scratch.shared, scratch.touched
    n_touched = np.uint64(0)
    for t in range(leaves.shape[0]):
        _fetch_ahead(leaves, t, places)
        if leaves[t] < 0:
            continue
        b = np.uint64(first_start[t] + leaves[t])
        share = 1.0 / max(1, start[b + _ONE] - start[b])
        for x in range(np.uint64(start[b]), np.uint64(start[b + _ONE])):
            position = np.uint64(members[x])
            before = shared[position]
            touched[n_touched] = position
            n_touched += np.uint64(before == 0.0)
            shared[position] = before + share
    return np.int64(n_touched)


@inner_kernel
def _select(n_touched, n_trees, salt, places, scratch, keys, items):
    """Keep the points with the smallest keys in items, sorted; return how many.

    A key is the number of trees that do not share, then a random number: ties are in random order.
    The counts are zero again after it.
    """
    shared, touched, row = scratch.shared, scratch.touched, places.row
    size, k, least = 0, keys.shape[0], 1
    for x in range(n_touched):
        position = np.uint64(touched[x])
        count = np.int64(shared[position])
        shared[position] = 0
        if count < least:
            continue
        j = row[position]
        rank = np.uint64(n_trees - count) << np.uint64(44)
        key = rank | (mix(salt, np.uint64(j)) >> np.uint64(20))
        size = _keep_smallest(keys, items, size, k, key, j)
        if size == k:
            least = n_trees - np.int64(keys[0] >> np.uint64(44))
    _sort_heap(keys, items, size)
    return size


@kernel
def _fill_up(indices, size, point, salt, places, scratch, n_touched):
    """Fill indices[size:] with random points that share no leaf.

    Few of many are drawn until a new one comes up; many of few are those with the smallest keys.
    """
    position, taken, touched = places.position, scratch.shared, scratch.touched
    n_points, k, first = position.shape[0], indices.shape[0], size
    for x in range(n_touched):
        taken[touched[x]] = 1
    if point >= 0 and taken[position[point]] == 0:
        taken[position[point]] = 1
        touched[n_touched] = position[point]
        n_touched += 1
    if 2 * (k - size) <= n_points - n_touched:
        draw = np.uint64(n_points)
        while size < k:
            draw += _ONE
            j = np.int64(mix(salt, draw) % np.uint64(n_points))
            if taken[position[j]] == 0:
                taken[position[j]] = 1
                indices[size] = j
                size += 1
        for x in range(first, k):
            taken[position[indices[x]]] = 0
    else:
        keys = np.empty(k - size, np.uint64)
        for j in range(n_points):
            if taken[position[j]] == 0:
                key = mix(salt, np.uint64(j))
                size = first + _keep_smallest(
                    keys, indices[first:], size - first, k - first, key, j
                )
        _sort_heap(keys, indices[first:], k - first)
    for x in range(n_touched):
        taken[touched[x]] = 0


@kernel
def nearest(leaves, row_ids, places, scratch, seed, shares, indices):
    """Find the k points that share most leaves with each query; ties in a seeded order.

    Parameters
    ----------
    leaves : (Q, T) int32
        Leaf numbers of the queries.
    row_ids : (Q,) int64
        The query's own row, left out of its neighbours; -1 if none.
    places : Places
    scratch : Scratch
    seed : uint64
    shares : (Q, k) int32, indices : (Q, k) int64
        Filled with the numbers of shared leaves and the neighbours' rows.
    """
    n_trees, k = leaves.shape[1], indices.shape[1]
    keys = np.empty(k, np.uint64)
    for q in range(leaves.shape[0]):
        point = row_ids[q]
        salt = mix(seed, point)
        if point < 0:
            # the same point has the same neighbours, whichever others are asked for
            for t in range(n_trees):
                salt = mix(salt, leaves[q, t])
        n_touched = count(leaves[q], places, scratch)
        if point >= 0:
            scratch.shared[places.position[point]] = 0
        size = _select(n_touched, n_trees, salt, places, scratch, keys, indices[q])
        for x in range(size):
            shares[q, x] = n_trees - np.int64(keys[x] >> np.uint64(44))
        if size < k:
            shares[q, size:] = 0
            _fill_up(indices[q], size, point, salt, places, scratch, n_touched)
