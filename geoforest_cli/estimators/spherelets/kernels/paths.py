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
