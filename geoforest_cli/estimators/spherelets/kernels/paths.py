"""Dijkstra's algorithm from many sources, with a heap of four children to a node."""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from geoforest_cli.core.jit import inner_kernel, kernel

_CHILDREN, _ONE = np.uint64(4), np.uint64(1)

Floats = npt.NDArray[np.float64]
Rows = npt.NDArray[np.int64]


class PathGraph(NamedTuple):
    """A sparse graph: node i has the neighbours neighbors[first[i]:first[i + 1]].

    Attributes
    ----------
    first : (n + 1,) int64
    neighbors : int32
    weights : float64
        Lengths of these edges, not negative.
    """

    first: Rows
    neighbors: npt.NDArray[np.int32]
    weights: Floats


class _Search(NamedTuple):
    """The heap of a search, and what is known of nodes.

    Attributes
    ----------
    keys, nodes : (n,) float64, uint32
        The heap: lengths, and the nodes at these.
    places : (n,) uint32
        Where in the heap a node is.
    length : (n,) float64
        Of the shortest path to a node up to now.
    reached : (n,) uint32
        Nodes with a length, in the order in which they were reached.
    counts : (2,) uint64
        Nodes in the heap, nodes that were reached.
    """

    keys: Floats
    nodes: npt.NDArray[np.uint32]
    places: npt.NDArray[np.uint32]
    length: Floats
    reached: npt.NDArray[np.uint32]
    counts: npt.NDArray[np.uint64]


@inner_kernel
def _rise(keys, nodes, places, hole, key, node):
    """Put a node into the heap at `hole`, or above where its key is smaller."""
    while hole > 0:
        parent = (hole - _ONE) // _CHILDREN
        if not key < keys[parent]:
            break
        keys[hole], nodes[hole] = keys[parent], nodes[parent]
        places[nodes[hole]] = hole
        hole = parent
    keys[hole], nodes[hole], places[node] = key, node, hole


@inner_kernel
def _sink(keys, nodes, places, size, key, node):
    """Put a node into the heap of this size at its top, or below where its key is larger."""
    hole = np.uint64(0)
    while True:
        child = _CHILDREN * hole + _ONE
        if child >= size:
            break
        for other in range(child + _ONE, min(child + _CHILDREN, size)):
            if keys[other] < keys[child]:
                child = other
        if not keys[child] < key:
            break
        keys[hole], nodes[hole] = keys[child], nodes[child]
        places[nodes[hole]] = hole
        hole = child
    keys[hole], nodes[hole], places[node] = key, node, hole


@kernel
def shortest(first, neighbors, weights, sources, lengths):
    """Fill lengths (m, n) with those of the shortest paths from each source; inf where none is.

    Parameters
    ----------
    first : (n + 1,) int, neighbors : int, weights : float64
        Node i has the neighbours neighbors[first[i]:first[i + 1]], at distances that are not
        negative.
    sources : (m,) int64
    lengths : (m, n) float64
    """
    n = first.shape[0] - 1
    keys = np.empty(n, np.float64)
    nodes = np.empty(n, np.uint32)
    places = np.empty(n, np.uint32)
    for s in range(sources.shape[0]):
        length = lengths[s]
        length[:] = np.inf
        length[sources[s]] = 0.0
        keys[0], nodes[0], size = 0.0, sources[s], np.uint64(1)
        while size > 0:
            here, so_far = nodes[0], keys[0]
            size -= _ONE
            if size > 0:
                _sink(keys, nodes, places, size, keys[size], nodes[size])
            for e in range(first[here], first[here + 1]):
                there, through = np.uint64(neighbors[e]), so_far + weights[e]
                # one that was taken from the heap is no farther than any other
                if through < length[there]:
                    if length[there] == np.inf:
                        hole = size
                        size += _ONE
                    else:
                        hole = np.uint64(places[there])
                    length[there] = through
                    _rise(keys, nodes, places, hole, through, there)


@kernel
def _new_search(n):
    """Return an empty search of n nodes."""
    return _Search(
        np.empty(n, np.float64), np.empty(n, np.uint32), np.empty(n, np.uint32),
        np.full(n, np.inf), np.empty(n, np.uint32), np.zeros(2, np.uint64),
    )  # fmt: skip


@inner_kernel
def _forget(search):
    """Empty a search for the next source."""
    for i in range(search.counts[1]):
        search.length[search.reached[i]] = np.inf
    search.counts[:] = 0


@inner_kernel
def _reach(search, node, so_long):
    """Put a node into the heap if this path to it is the shortest up to now; tell whether it is."""
    length, counts = search.length, search.counts
    shorter = so_long < length[node]
    if shorter:
        if length[node] == np.inf:
            search.reached[counts[1]] = node
            counts[1] += _ONE
            hole = counts[0]
            counts[0] += _ONE
        else:
            hole = np.uint64(search.places[node])
        length[node] = so_long
        _rise(search.keys, search.nodes, search.places, hole, so_long, node)
    return shorter


@inner_kernel
def _start(search, sources, s):
    """Put the nodes into the heap that a source has edges to."""
    for e in range(sources.first[s], sources.first[s + 1]):
        _reach(search, np.uint64(sources.nodes[e]), sources.lengths[e])


@inner_kernel
def _drop_nearest(search):
    """Take the nearest node from the heap."""
    search.counts[0] -= _ONE
    size = search.counts[0]
    if size > 0:
        keys, nodes = search.keys, search.nodes
        _sink(keys, nodes, search.places, size, keys[size], nodes[size])


@inner_kernel
def _settle(graph, search):
    """Take the nearest node from the heap and look at its neighbours."""
    here, so_far = search.nodes[0], search.keys[0]
    _drop_nearest(search)
    for e in range(graph.first[here], graph.first[here + 1]):
        _reach(search, np.uint64(graph.neighbors[e]), so_far + graph.weights[e])


@kernel
def lengths_to(graph, sources, targets, farthest, most, lengths):
    """Fill lengths (m, K) with those of the shortest paths from each source to its targets.

    Parameters
    ----------
    graph : Graph
        Of n nodes.
    sources : named tuple of (m + 1,) int64, int64 and float64
        `first`, `nodes` and `lengths`: source s has edges to nodes[first[s]:first[s + 1]]. It is no
        node itself, or has one edge, of length 0, to the node it is.
    targets : (m, K) int64
    farthest : (m,) float64
        Paths that are longer are not followed: inf.
    most : int
        Nor are more than this many nodes looked at for one source.
    lengths : (m, K) float64
    """
    n = graph.first.shape[0] - 1
    search, wanted = _new_search(n), np.zeros(n, np.bool_)
    for s in range(targets.shape[0]):
        for t in targets[s]:
            wanted[t] = True
        left, looked = targets.shape[1], 0
        _start(search, sources, s)
        lengths[s] = np.inf
        while search.counts[0] > 0 and search.keys[0] <= farthest[s] and left > 0 and looked < most:
            left -= wanted[search.nodes[0]]
            wanted[search.nodes[0]] = False
            looked += 1
            _settle(graph, search)
        for i in range(targets.shape[1]):
            # what is still wanted has not been settled: its length may not be the shortest
            if not wanted[targets[s, i]]:
                lengths[s, i] = search.length[targets[s, i]]
            wanted[targets[s, i]] = False
        _forget(search)


@kernel
def within(graph, sources, targets, bounds, is_within):
    """Tell in found (m, K) to which targets a path leads that is at most as long as its bound.

    No more is looked at than that takes: any path that is short enough will do.

    Parameters
    ----------
    graph : Graph
    sources : named tuple
        As for `lengths_to`.
    targets : (m, K) int64
    bounds : (m, K) float64
    is_within : (m, K) bool
    """
    n = graph.first.shape[0] - 1
    search, bound = _new_search(n), np.full(n, -1.0)
    length = search.length
    for s in range(targets.shape[0]):
        farthest = 0.0
        for i in range(targets.shape[1]):
            bound[targets[s, i]] = bounds[s, i]
            farthest = max(farthest, bounds[s, i])
        left = targets.shape[1]
        _start(search, sources, s)
        while search.counts[0] > 0 and left > 0 and search.keys[0] <= farthest:
            here, so_far = search.nodes[0], search.keys[0]
            if length[here] <= bound[here]:  # a start node
                bound[here] = -1.0
                left -= 1
            _drop_nearest(search)
            for e in range(graph.first[here], graph.first[here + 1]):
                there, so_long = np.uint64(graph.neighbors[e]), so_far + graph.weights[e]
                is_near = so_long <= farthest and _reach(search, there, so_long)
                if is_near and so_long <= bound[there]:
                    bound[there] = -1.0
                    left -= 1
        for i in range(targets.shape[1]):
            is_within[s, i] = length[targets[s, i]] <= bounds[s, i]
            bound[targets[s, i]] = -1.0
        _forget(search)


@kernel
def nearest(graph, sources, lengths, nodes):
    """Fill lengths and found (m, k) with the nodes that are nearest to each source by paths.

    Parameters
    ----------
    graph : Graph
    sources : named tuple
        As for `lengths_to`.
    lengths : (m, k) float64
        Ascending; inf where a source reaches fewer nodes.
    nodes : (m, k) int64
        Equally distant ones in their order; -1 where there is none.
    """
    n, k = graph.first.shape[0] - 1, nodes.shape[1]
    search = _new_search(n)
    listed, far = np.empty(n, np.int64), np.empty(n, np.float64)
    for s in range(nodes.shape[0]):
        _start(search, sources, s)
        taken = 0
        # those as far as the last one are looked at too: of these the first are listed
        while search.counts[0] > 0 and (taken < k or search.keys[0] == far[k - 1]):
            node, so_far = search.nodes[0], search.keys[0]
            slot = taken
            while slot > 0 and far[slot - 1] == so_far and listed[slot - 1] > node:
                listed[slot] = listed[slot - 1]
                slot -= 1
            listed[slot], far[taken] = node, so_far
            taken += 1
            _settle(graph, search)
        for i in range(k):
            nodes[s, i] = listed[i] if i < taken else -1
            lengths[s, i] = far[i] if i < taken else np.inf
        _forget(search)
