"""Looking up which points share most leaves with a point, without the matrix of all pairs.

Points have second numbers, their places, by which points of one leaf lie near each other: what is
counted for one query then stays in a processor's cache, and the next query finds it there.
"""

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from geoforest_cli.core.jit import inner_kernel, kernel
from geoforest_cli.estimators.forests.kernels.rng import mix

_ONE = np.uint64(1)


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
    place : (N,) int32
        The place of each point.
    """

    first_start: npt.NDArray[np.int64]
    start: npt.NDArray[np.int64]
    members: npt.NDArray[np.int32]
    row: npt.NDArray[np.int32]
    place: npt.NDArray[np.int32]


class Scratch(NamedTuple):
    """What a thread needs: zeros (N,), and any (N + 1,) int32.

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
    begin, n_nodes, some = start[0], start.shape[0] - 1, times.shape[0] > 0
    for a in range(1, n_nodes + 1):
        start[a] = 0
    for i in range(leaf_of.shape[0]):
        start[leaf_of[i] + 1] += times[i] if some else 1
    for a in range(n_nodes):
        start[a + 1] += start[a]
    for place in range(row.shape[0]):
        i = row[place]
        a = leaf_of[i]
        for _ in range(times[i] if some else 1):
            members[start[a]] = place
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


@inner_kernel
def _count(leaves, places, scratch):
    """Count in scratch.shared the trees that share a leaf with a query; return how many points.

    scratch.touched lists their places. No branch depends on whether a point is new: it would be
    guessed wrong half the time. Unsigned numbers are not looked at for being negative.
    """
    first_start, start, members = places.first_start, places.start, places.members
    shared, touched = scratch.shared, scratch.touched
    n_touched = np.uint64(0)
    for t in range(leaves.shape[0]):
        if leaves[t] < 0:
            continue
        b = np.uint64(first_start[t] + leaves[t])
        for x in range(np.uint64(start[b]), np.uint64(start[b + _ONE])):
            place = np.uint64(members[x])
            before = shared[place]
            touched[n_touched] = place
            n_touched += np.uint64(before == 0)
            shared[place] = before + 1
    return np.int64(n_touched)


@inner_kernel
def _weigh(leaves, places, scratch):
    """Add up in scratch.shared the shares of a query's leaves that points have, as `_count` counts.

    Each of a leaf's m members adds 1 / m.
    """
    first_start, start, members = places.first_start, places.start, places.members
    shared, touched = scratch.shared, scratch.touched
    n_touched = np.uint64(0)
    for t in range(leaves.shape[0]):
        if leaves[t] < 0:
            continue
        b = np.uint64(first_start[t] + leaves[t])
        share = 1.0 / max(1, start[b + _ONE] - start[b])
        for x in range(np.uint64(start[b]), np.uint64(start[b + _ONE])):
            place = np.uint64(members[x])
            before = shared[place]
            touched[n_touched] = place
            n_touched += np.uint64(before == 0.0)
            shared[place] = before + share
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
        place = np.uint64(touched[x])
        count = np.int64(shared[place])
        shared[place] = 0
        if count < least:
            continue
        j = row[place]
        rank = np.uint64(n_trees - count) << np.uint64(44)
        key = rank | (mix(salt, np.uint64(j)) >> np.uint64(20))
        size = _keep_smallest(keys, items, size, k, key, j)
        if size == k:
            least = n_trees - np.int64(keys[0] >> np.uint64(44))
    _sort_heap(keys, items, size)
    return size


@kernel
def _fill_up(indices, size, own, salt, places, scratch, n_touched):
    """Fill indices[size:] with random points that share no leaf.

    Few of many are drawn until a new one comes up; many of few are those with the smallest keys.
    """
    place, taken, touched = places.place, scratch.shared, scratch.touched
    n_points, k, first = place.shape[0], indices.shape[0], size
    for x in range(n_touched):
        taken[touched[x]] = 1
    if own >= 0 and taken[place[own]] == 0:
        taken[place[own]] = 1
        touched[n_touched] = place[own]
        n_touched += 1
    if 2 * (k - size) <= n_points - n_touched:
        turn = np.uint64(n_points)
        while size < k:
            turn += _ONE
            j = np.int64(mix(salt, turn) % np.uint64(n_points))
            if taken[place[j]] == 0:
                taken[place[j]] = 1
                indices[size] = j
                size += 1
        for x in range(first, k):
            taken[place[indices[x]]] = 0
    else:
        keys = np.empty(k - size, np.uint64)
        for j in range(n_points):
            if taken[place[j]] == 0:
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
        own = row_ids[q]
        salt = mix(seed, own)
        if own < 0:
            # the same point has the same neighbours, whichever others are asked for
            for t in range(n_trees):
                salt = mix(salt, leaves[q, t])
        n_touched = _count(leaves[q], places, scratch)
        if own >= 0:
            scratch.shared[places.place[own]] = 0
        size = _select(n_touched, n_trees, salt, places, scratch, keys, indices[q])
        for x in range(size):
            shares[q, x] = n_trees - np.int64(keys[x] >> np.uint64(44))
        if size < k:
            shares[q, size:] = 0
            _fill_up(indices[q], size, own, salt, places, scratch, n_touched)


@inner_kernel
def _n_set(bits):
    """Return how many bits of a word are set."""
    one, two, four = np.uint64(1), np.uint64(2), np.uint64(4)
    bits = bits - ((bits >> one) & np.uint64(0x5555555555555555))
    pairs = np.uint64(0x3333333333333333)
    bits = (bits & pairs) + ((bits >> two) & pairs)
    bits = (bits + (bits >> four)) & np.uint64(0x0F0F0F0F0F0F0F0F)
    return (bits * np.uint64(0x0101010101010101)) >> np.uint64(56)


@inner_kernel
def _list(n_touched, bits, places, scratch, found, counts, at):
    """List the touched points, ascending, from place `at` on; return where it ends.

    bits: zeros, one for each point: reading them in order sorts without comparing. They and the
    counts are zero again after it.
    """
    row, place, shared, touched = places.row, places.place, scratch.shared, scratch.touched
    for x in range(n_touched):
        j = np.uint64(row[np.uint64(touched[x])])
        bits[j >> np.uint64(6)] |= _ONE << (j & np.uint64(63))
    for word in range(bits.shape[0]):
        rest = bits[word]
        bits[word] = 0
        while rest != 0:
            below = rest & (~rest + _ONE)
            rest ^= below
            j = (np.uint64(word) << np.uint64(6)) + _n_set(below - _ONE)
            here = np.uint64(place[j])
            found[at], counts[at] = j, shared[here]
            shared[here] = 0
            at += _ONE
    return at


@kernel
def shared_leaves(leaves, places, scratch, found, counts, first):
    """List the points that share a leaf with each query, ascending, and in how many trees.

    Parameters
    ----------
    leaves : (Q, T) int32
        -1 where a tree does not count the query.
    places : Places
    scratch : Scratch
    found : int32, counts : of the type of scratch.shared
        Query q has found[first[q] : first[q + 1]], rows, and counts; there is room for all.
    first : (Q + 1,) int64
    """
    bits = np.zeros((places.row.shape[0] + 63) >> 6, np.uint64)
    at = np.uint64(0)
    first[0] = 0
    for q in range(leaves.shape[0]):
        n_touched = _count(leaves[q], places, scratch)
        at = _list(n_touched, bits, places, scratch, found, counts, at)
        first[q + 1] = at


@kernel
def weighed_leaves(leaves, places, scratch, found, shares, first):
    """List the points as `shared_leaves` does, and their shares of the query's leaves, added up."""
    bits = np.zeros((places.row.shape[0] + 63) >> 6, np.uint64)
    at = np.uint64(0)
    first[0] = 0
    for q in range(leaves.shape[0]):
        n_touched = _weigh(leaves[q], places, scratch)
        at = _list(n_touched, bits, places, scratch, found, shares, at)
        first[q + 1] = at


@kernel
def fill_quotients(listed, queries, trees, first, indices, shares):
    """Write rows of a matrix of sums over trees, divided by numbers of trees.

    Parameters
    ----------
    listed : (found, sums, begin)
        What `shared_leaves` or `weighed_leaves` has listed of the queries.
    queries : (Q,) int64
        Their rows.
    trees : (of_query, of_point)
        The sum of i and j is divided by of_query[i] * of_point[j].
    first : (n + 1,) int64
        Row i of the matrix is written to first[i] : first[i + 1]; a row that has a place there but
        nothing listed has NaN on the diagonal.
    indices : int32, shares : float64
    """
    found, sums, begin = listed
    of_query, of_point = trees
    for q in range(queries.shape[0]):
        i = queries[q]
        at = np.uint64(first[i])
        if begin[q] == begin[q + 1] and first[i] < first[i + 1]:
            indices[at], shares[at] = i, np.nan
        for x in range(np.uint64(begin[q]), np.uint64(begin[q + 1])):
            j = found[x]
            indices[at], shares[at] = j, sums[x] / (of_query[i] * of_point[j])
            at += _ONE


@kernel
def fill_shares(listed, queries, eligible, shares_of, first, indices, shares):
    """Write rows of a matrix of shares; a point's share with itself is 1.

    Parameters
    ----------
    listed : (found, counts, begin)
        What `shared_leaves` has listed of the queries.
    queries : (Q,) int64
        Their rows.
    eligible : (N, words) uint64
        A bit for each tree that counts the point; (N, 0) where all count all.
    shares_of : (T + 1,) float64
        What a count is divided by the number of trees.
    first : (N + 1,) int64
        Row i of the matrix is written to first[i] : first[i + 1].
    indices : int32, shares : float64
    """
    found, counts, begin = listed
    for q in range(queries.shape[0]):
        i = queries[q]
        at = np.uint64(first[i])
        if begin[q] == begin[q + 1]:
            indices[at], shares[at] = i, 1.0
        for x in range(np.uint64(begin[q]), np.uint64(begin[q + 1])):
            j = found[x]
            share = shares_of[counts[x]]
            if eligible.shape[1] > 0:
                both = np.uint64(0)
                for word in range(eligible.shape[1]):
                    both += _n_set(eligible[i, word] & eligible[j, word])
                share = counts[x] / np.int64(both)
            indices[at], shares[at] = j, 1.0 if j == i else share
            at += _ONE
