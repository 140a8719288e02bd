"""Listing all points that share a leaf with a point: the rows of a sparse matrix."""

import numpy as np

from geoforest_cli.core.jit import inner_kernel, kernel
from geoforest_cli.estimators.forests.kernels.lookup import count, weigh
from geoforest_cli.estimators.screening.kernels.bits import count_bits

_ONE = np.uint64(1)


@inner_kernel
def _list(n_touched, bits, places, scratch, indices, counts, at):
    """List the touched points, ascending, from place `at` on; return where it ends.

    bits: zeros, one for each point: reading them in order sorts without comparing. They and the
    counts are zero again after it.
    """
    row, position, shared, touched = places.row, places.position, scratch.shared, scratch.touched
    for x in range(n_touched):
        j = np.uint64(row[np.uint64(touched[x])])
        bits[j >> np.uint64(6)] |= _ONE << (j & np.uint64(63))
    for word in range(bits.shape[0]):
        rest = bits[word]
        bits[word] = 0
        while rest != 0:
            below = rest & (~rest + _ONE)
            rest ^= below
            j = (np.uint64(word) << np.uint64(6)) + count_bits(below - _ONE)
            here = np.uint64(position[j])
            indices[at], counts[at] = j, shared[here]
            shared[here] = 0
            at += _ONE
    return at


@kernel
def shared_leaves(leaves, places, scratch, indices, counts, first):
    """List the points that share a leaf with each query, ascending, and in how many trees.

    Parameters
    ----------
    leaves : (Q, T) int32
        -1 where a tree does not count the query.
    places : Places
    scratch : Scratch
    indices : int32, counts : of the type of scratch.shared
        Query q has found[first[q] : first[q + 1]], rows, and counts; there is room for all.
    first : (Q + 1,) int64
    """
    bits = np.zeros((places.row.shape[0] + 63) >> 6, np.uint64)
    at = np.uint64(0)
    first[0] = 0
    for q in range(leaves.shape[0]):
        n_touched = count(leaves[q], places, scratch)
        at = _list(n_touched, bits, places, scratch, indices, counts, at)
        first[q + 1] = at


@kernel
def weighed_leaves(leaves, places, scratch, indices, shares, first):
    """List the points as `shared_leaves` does, and their shares of the query's leaves, added up."""
    bits = np.zeros((places.row.shape[0] + 63) >> 6, np.uint64)
    at = np.uint64(0)
    first[0] = 0
    for q in range(leaves.shape[0]):
        n_touched = weigh(leaves[q], places, scratch)
        at = _list(n_touched, bits, places, scratch, indices, shares, at)
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
    neighbors, sums, begin = listed
    of_query, of_point = trees
    for q in range(queries.shape[0]):
        i = queries[q]
        at = np.uint64(first[i])
        if begin[q] == begin[q + 1] and first[i] < first[i + 1]:
            indices[at], shares[at] = i, np.nan
        for x in range(np.uint64(begin[q]), np.uint64(begin[q + 1])):
            j = neighbors[x]
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
    neighbors, counts, begin = listed
    for q in range(queries.shape[0]):
        i = queries[q]
        at = np.uint64(first[i])
        if begin[q] == begin[q + 1]:
            indices[at], shares[at] = i, 1.0
        for x in range(np.uint64(begin[q]), np.uint64(begin[q + 1])):
            j = neighbors[x]
            share = shares_of[counts[x]]
            if eligible.shape[1] > 0:
                both = np.uint64(0)
                for word in range(eligible.shape[1]):
                    both += count_bits(eligible[i, word] & eligible[j, word])
                share = counts[x] / np.int64(both)
            indices[at], shares[at] = j, 1.0 if j == i else share
            at += _ONE
