"""Slow code for the guarded graph: all pairs, by SciPy."""

import numpy as np
from scipy.sparse.csgraph import floyd_warshall, minimum_spanning_tree
from scipy.spatial.distance import cdist


def path_lengths(edges):
    """Return the lengths of all shortest paths of a dense table of edges, 0 where there is none."""
    return floyd_warshall(edges, directed=False)


def base(points, joined=10):
    """Return the edges of the nearest neighbours and of the spanning tree, as a dense table."""
    chords = cdist(points, points)
    n = len(points)
    edges = np.zeros((n, n))
    for i in range(n):
        others = np.delete(np.arange(n), i)
        neighbors = others[np.argsort(chords[i, others], kind="stable")][:joined]
        edges[i, neighbors] = edges[neighbors, i] = chords[i, neighbors]
    tree = minimum_spanning_tree(chords).toarray()
    return np.maximum(edges, np.maximum(tree, tree.T)), chords


def guard(points, width):
    """Return median detour, growth and limit of the guard."""
    edges, chords = base(points)
    lengths = path_lengths(edges)
    n = len(points)
    bands, start, stop = [], 10, 20.0
    while start < width:
        bands.append((start, min(round(stop), width)))
        start, stop = round(stop), 1.5 * stop
    ratios = [[] for _ in bands]
    for i in range(n):
        others = np.delete(np.arange(n), i)
        order = others[np.argsort(chords[i, others], kind="stable")]
        for band, (first, last) in zip(ratios, bands, strict=True):
            band += [lengths[i, j] / chords[i, j] for j in order[first:last] if not edges[i, j]]
    ratios = [band for band in ratios if band]
    if not ratios:
        return 1.0, 0.0, 1.3
    detour = np.median(ratios[0])
    limit = min(max(1.3 + 6 * (detour - 1), 1.3), 3.0)
    short = [[r for r in band if r <= limit] for band in ratios]
    quartiles = [np.quantile(band, [0.5, 0.75]) for band in short if band]
    growth = 0.0
    if len(quartiles) > 1:
        median, upper = (np.array(quartiles[1:]) / quartiles[0]).max(axis=0)
        growth = min(max((median - 1.06) / 0.06, (upper - 1.1) / 0.1, 0.0), 1.0)
    return detour, growth, limit * (1.1 / limit) ** growth


def guarded_lengths(points, width):
    """Return the guarded geodesics of all pairs (n, n)."""
    edges, chords = base(points)
    lengths = path_lengths(edges)
    limit = guard(points, width)[2]
    joined = edges.copy()
    for i in range(len(points)):
        others = np.delete(np.arange(len(points)), i)
        for j in others[np.argsort(chords[i, others], kind="stable")][:width]:
            if lengths[i, j] <= limit * chords[i, j]:
                joined[i, j] = joined[j, i] = chords[i, j]
    return path_lengths(joined)
