"""Dijkstra's algorithm from many sources, with a heap of four children to a node."""

import numpy as np

from geoforest_cli.core.jit import inner_kernel, kernel

_CHILDREN, _ONE = np.uint64(4), np.uint64(1)


@inner_kernel
def _rise(keys, nodes, places, place, key, node):
    """Put a node into the heap at `place`, or above where its key is smaller."""
    while place > 0:
        parent = (place - _ONE) // _CHILDREN
        if not key < keys[parent]:
            break
        keys[place], nodes[place] = keys[parent], nodes[parent]
        places[nodes[place]] = place
        place = parent
    keys[place], nodes[place], places[node] = key, node, place


@inner_kernel
def _sink(keys, nodes, places, size, key, node):
    """Put a node into the heap of this size at its top, or below where its key is larger."""
    place = np.uint64(0)
    while True:
        child = _CHILDREN * place + _ONE
        if child >= size:
            break
        for other in range(child + _ONE, min(child + _CHILDREN, size)):
            if keys[other] < keys[child]:
                child = other
        if not keys[child] < key:
            break
        keys[place], nodes[place] = keys[child], nodes[child]
        places[nodes[place]] = place
        place = child
    keys[place], nodes[place], places[node] = key, node, place


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
                there, found = np.uint64(neighbors[e]), so_far + weights[e]
                # one that was taken from the heap is no farther than any other
                if found < length[there]:
                    if length[there] == np.inf:
                        place = size
                        size += _ONE
                    else:
                        place = np.uint64(places[there])
                    length[there] = found
                    _rise(keys, nodes, places, place, found, there)


@inner_kernel
def _start(first_start, starts, start_lengths, s, keys, nodes, places, length, reached):
    """Put the start nodes of a source into an empty heap; return its size and the nodes reached."""
    size, n_reached = np.uint64(0), 0
    for e in range(first_start[s], first_start[s + 1]):
        node, found = np.uint64(starts[e]), start_lengths[e]
        if found < length[node]:
            place = size
            if length[node] == np.inf:
                reached[n_reached] = node
                n_reached += 1
                size += _ONE
            else:
                place = np.uint64(places[node])
            length[node] = found
            _rise(keys, nodes, places, place, found, node)
    return size, n_reached


@inner_kernel
def _settle(
    first, neighbors, weights, keys, nodes, places, length, reached, size, n_reached
):  # fmt: skip
    """Take the nearest node from the heap and look at its neighbours; return as `_start` does."""
    here, so_far = nodes[0], keys[0]
    size -= _ONE
    if size > 0:
        _sink(keys, nodes, places, size, keys[size], nodes[size])
    for e in range(first[here], first[here + 1]):
        there, found = np.uint64(neighbors[e]), so_far + weights[e]
        if found < length[there]:
            if length[there] == np.inf:
                reached[n_reached] = there
                n_reached += 1
                place = size
                size += _ONE
            else:
                place = np.uint64(places[there])
            length[there] = found
            _rise(keys, nodes, places, place, found, there)
    return size, n_reached


@kernel
def lengths_to(
    first, neighbors, weights, first_start, starts, start_lengths, targets, farthest, most, lengths
):  # fmt: skip
    """Fill lengths (m, K) with those of the shortest paths from each source to its targets.

    A source is not a node: it has edges to start nodes, or one of length 0 to the node it is.

    Parameters
    ----------
    first, neighbors, weights
        The graph, as for `shortest`.
    first_start : (m + 1,) int64, starts : int64, start_lengths : float64
        Source s has edges to starts[first_start[s]:first_start[s + 1]].
    targets : (m, K) int64
    farthest : (m,) float64
        Paths that are longer are not followed: inf.
    most : int
        Nor are more than this many nodes looked at for one source.
    lengths : (m, K) float64
    """
    n = first.shape[0] - 1
    keys, length = np.empty(n, np.float64), np.full(n, np.inf)
    nodes, places = np.empty(n, np.uint32), np.empty(n, np.uint32)
    reached, wanted = np.empty(n, np.uint32), np.zeros(n, np.bool_)
    for s in range(targets.shape[0]):
        for t in targets[s]:
            wanted[t] = True
        left, looked = targets.shape[1], 0
        size, n_reached = _start(
            first_start, starts, start_lengths, s, keys, nodes, places, length, reached
        )
        lengths[s] = np.inf
        while size > 0 and left > 0 and looked < most and keys[0] <= farthest[s]:
            left -= wanted[nodes[0]]
            wanted[nodes[0]] = False
            looked += 1
            size, n_reached = _settle(
                first, neighbors, weights, keys, nodes, places, length, reached, size, n_reached
            )
        for i in range(targets.shape[1]):
            # what is still wanted has not been settled: its length may not be the shortest
            if not wanted[targets[s, i]]:
                lengths[s, i] = length[targets[s, i]]
            wanted[targets[s, i]] = False
        for i in range(n_reached):
            length[reached[i]] = np.inf


@kernel
def within(
    first, neighbors, weights, first_start, starts, start_lengths, targets, bounds, found
):  # fmt: skip
    """Tell in found (m, K) to which targets a path leads that is at most as long as its bound.

    No more is looked at than that takes: any path that is short enough will do.

    Parameters
    ----------
    first, neighbors, weights, first_start, starts, start_lengths
        As for `lengths_to`.
    targets : (m, K) int64
    bounds : (m, K) float64
    found : (m, K) bool
    """
    n = first.shape[0] - 1
    keys, length = np.empty(n, np.float64), np.full(n, np.inf)
    nodes, places = np.empty(n, np.uint32), np.empty(n, np.uint32)
    reached, bound = np.empty(n, np.uint32), np.full(n, -1.0)
    for s in range(targets.shape[0]):
        farthest = 0.0
        for i in range(targets.shape[1]):
            bound[targets[s, i]] = bounds[s, i]
            farthest = max(farthest, bounds[s, i])
        left = targets.shape[1]
        size, n_reached = _start(
            first_start, starts, start_lengths, s, keys, nodes, places, length, reached
        )
        while size > 0 and left > 0 and keys[0] <= farthest:
            here, so_far = nodes[0], keys[0]
            if length[here] <= bound[here]:  # a start node
                bound[here] = -1.0
                left -= 1
            size -= _ONE
            if size > 0:
                _sink(keys, nodes, places, size, keys[size], nodes[size])
            for e in range(first[here], first[here + 1]):
                there, so_long = np.uint64(neighbors[e]), so_far + weights[e]
                if so_long < length[there] and so_long <= farthest:
                    if length[there] == np.inf:
                        reached[n_reached] = there
                        n_reached += 1
                        place = size
                        size += _ONE
                    else:
                        place = np.uint64(places[there])
                    length[there] = so_long
                    _rise(keys, nodes, places, place, so_long, there)
                    if so_long <= bound[there]:
                        bound[there] = -1.0
                        left -= 1
        for i in range(targets.shape[1]):
            found[s, i] = length[targets[s, i]] <= bounds[s, i]
            bound[targets[s, i]] = -1.0
        for i in range(n_reached):
            length[reached[i]] = np.inf


@kernel
def nearest(
    first, neighbors, weights, first_start, starts, start_lengths, lengths, found
):  # fmt: skip
    """Fill lengths and found (m, k) with the nodes that are nearest to each source by paths.

    Parameters
    ----------
    first, neighbors, weights, first_start, starts, start_lengths
        As for `lengths_to`.
    lengths : (m, k) float64
        Ascending; inf where a source reaches fewer nodes.
    found : (m, k) int64
        Equally distant ones in their order; -1 where there is none.
    """
    n = first.shape[0] - 1
    k = found.shape[1]
    keys, length = np.empty(n, np.float64), np.full(n, np.inf)
    nodes, places = np.empty(n, np.uint32), np.empty(n, np.uint32)
    reached = np.empty(n, np.uint32)
    near, far = np.empty(n, np.int64), np.empty(n, np.float64)
    for s in range(found.shape[0]):
        size, n_reached = _start(
            first_start, starts, start_lengths, s, keys, nodes, places, length, reached
        )
        taken = 0
        # those as far as the last one are looked at too: of these the first are listed
        while size > 0 and (taken < k or keys[0] == far[k - 1]):
            place = taken
            while place > 0 and far[place - 1] == keys[0] and near[place - 1] > nodes[0]:
                near[place] = near[place - 1]
                place -= 1
            near[place], far[taken] = nodes[0], keys[0]
            taken += 1
            size, n_reached = _settle(
                first, neighbors, weights, keys, nodes, places, length, reached, size, n_reached
            )
        for i in range(k):
            found[s, i] = near[i] if i < taken else -1
            lengths[s, i] = far[i] if i < taken else np.inf
        for i in range(n_reached):
            length[reached[i]] = np.inf
