"""A graph of neighbours whose paths follow bent data, and are straight where the data are flat."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple, Self

import numpy as np
import numpy.typing as npt
from scipy.sparse import coo_array, csr_array
from scipy.sparse.csgraph import connected_components, minimum_spanning_tree

from geoforest_cli.core.threads import mapped
from geoforest_cli.estimators.base.search import NearestRows
from geoforest_cli.estimators.spherelets.graph import neighborhood_graph
from geoforest_cli.estimators.spherelets.kernels import paths

__all__ = ["Guard", "GuardedGraph", "Starts"]

Floats = npt.NDArray[np.float64]
Rows = npt.NDArray[np.int64]

_JOINED = 10  # nearest neighbours that are always edges
_BAND = 1.5  # ranks (10, 20], then 1.5 times as wide each
_LEAST, _MOST = 1.3, 3.0  # of the guard
_SLOPE = 6.0
_LEVEL, _RISE = np.array([1.06, 1.10]), np.array([0.06, 0.10])  # of the median, upper quartile
_BENT = 1.1  # the limit where detours grow
_LONG = 1.3  # detours beyond which flat data of the same spread are asked for theirs
_FLAT = 1.03  # times: with detours longer than theirs, nothing is bent
_MEASURED = 2000  # points whose detours are measured
_LOOKED_AT = 3000  # nodes that one such search looks at
_BLOCK = 1024  # sources of one call of a kernel


class Guard(NamedTuple):
    """How far detours may go before a pair is no longer joined directly.

    Attributes
    ----------
    detour : float
        m, the median of path length over distance for the nearest pairs that are no edges.
    growth : float
        u, from 0 to 1: whether detours grow with the rank, as they do along bent data.
    limit : float
        Pairs whose path is at most this many times as long as their distance become edges.
    flat : bool
        Detours are long because there are many dimensions: they are longer than those of normal
        rows with the same covariance, which bent data, of fewer dimensions, never reach.
    """

    detour: float
    growth: float
    limit: float
    flat: bool = False


class _Joined(NamedTuple):
    """Points with their nearest (n, K) in order, and the edges that they always have."""

    search: NearestRows
    near: Rows
    chords: Floats
    edges: csr_array


class Starts(NamedTuple):
    """The edges from sources outside of a graph to its nodes, as in a sparse matrix."""

    first: Rows
    nodes: Rows
    lengths: Floats

    @classmethod
    def at(cls, nodes: Rows) -> Self:
        """Start at nodes themselves."""
        return cls(np.arange(len(nodes) + 1), nodes, np.zeros(len(nodes)))

    @classmethod
    def of(cls, nodes: Rows, lengths: Floats, chosen: npt.NDArray[np.bool_]) -> Self:
        """Start with the chosen ones of lists (m, K) of nodes."""
        first = np.concatenate([[0], np.cumsum(chosen.sum(axis=1))])
        return cls(first, nodes[chosen], lengths[chosen])

    def rows(self, part: slice) -> Starts:
        """Return those of some of the sources."""
        first = self.first[part.start : part.stop + 1]
        edges = slice(first[0], first[-1])
        return Starts(first - first[0], self.nodes[edges], self.lengths[edges])


@dataclass(frozen=True)
class GuardedGraph:
    """Distinct points joined to their neighbours, and to more of them where the data are flat.

    Attributes
    ----------
    points : (n, p) float64
    width : int
        K, neighbours of a point that may become its edges.
    base, edges : (n, n) csr_array
        Lengths of the edges without and with those that the guard adds.
    guard : Guard
    """

    points: Floats
    width: int
    search: NearestRows
    base: csr_array
    edges: csr_array
    guard: Guard
    n_jobs: int | None

    @classmethod
    def fit(
        cls, points: Floats, width: int, rng: np.random.Generator, n_jobs: int | None = None
    ) -> Self:
        """Build the graph of distinct points (n, p).

        Parameters
        ----------
        points : (n, p) array
        width : int
            K; at most n - 1 are used.
        rng : numpy.random.Generator
            Draws the points whose detours are measured, where there are more than 2,000, and flat
            data to compare them with.
        n_jobs : int, optional
            Threads.
        """
        n = len(points)
        width = min(width, n - 1)
        search = NearestRows(n_neighbors=max(width, 1), n_jobs=n_jobs).fit(points)
        if width < 1:
            lone = csr_array((n, n))
            return cls(points, width, search, lone, lone, Guard(1.0, 0.0, _LEAST), n_jobs)
        joined = _joined(points, search)
        guard = _measured(joined, rng, n_jobs)
        if guard.detour > _LONG and _is_flat(points, guard.detour, width, rng, n_jobs):
            guard = Guard(guard.detour, 0.0, _limit(guard.detour), flat=True)
        _, near, chords, base = joined
        short = _short(base, Starts.at(np.arange(n)), near, guard.limit * chords, n_jobs)
        edges = _with(base, near, chords, short)
        return cls(points, width, search, base, edges, guard, n_jobs)

    def starts(self, points: Floats) -> Starts:
        """Join new points (m, p) to the graph by the rules for its own."""
        near = self.search.kneighbors(points, return_distance=False)
        near, chords = _in_order(points, self.points, near.astype(np.int64))
        chosen = np.zeros(near.shape, np.bool_)
        chosen[:, :_JOINED] = True
        first = Starts.of(near, chords, chosen)
        short = _short(self.base, first, near, self.guard.limit * chords, self.n_jobs)
        return Starts.of(near, chords, chosen | short)

    def nearest(self, starts: Starts, k: int) -> tuple[Floats, Rows]:
        """Return lengths and nodes (m, k) that are nearest to sources by paths.

        Equally near ones come in their order.
        """
        m = len(starts.first) - 1
        lengths, found = np.empty((m, k)), np.empty((m, k), np.int64)
        graph = _arrays(self.edges)

        def search(start: int) -> None:
            part = slice(start, start + _BLOCK)
            paths.nearest(graph, starts.rows(part), lengths[part], found[part])

        list(mapped(search, range(0, m, _BLOCK), self.n_jobs))
        return lengths, found


def _arrays(graph: csr_array) -> paths.Graph:
    first, neighbors = graph.indptr.astype(np.int64), graph.indices.astype(np.int32)
    return paths.Graph(first, neighbors, graph.data)


def _joined(points: Floats, search: NearestRows) -> _Joined:
    near = search.kneighbors(return_distance=False).astype(np.int64)
    near, chords = _in_order(points, points, near)
    return _Joined(search, near, chords, _base(points, near, chords))


def _measured(joined: _Joined, rng: np.random.Generator, n_jobs: int | None) -> Guard:
    """Measure detours of the points, of some where there are many."""
    _, near, chords, base = joined
    n = len(near)
    own = np.arange(n) if n <= _MEASURED else np.sort(rng.choice(n, _MEASURED, replace=False))
    lengths = _detours(base, own, near[own], chords[own], n_jobs)
    # distances of distinct points may be too small for a number
    ratios = lengths / np.maximum(chords[own], np.finfo(float).tiny)
    return _guard(ratios, _are_edges(base, own, near[own]))


def _is_flat(
    points: Floats, detour: float, width: int, rng: np.random.Generator, n_jobs: int | None
) -> bool:
    """Tell whether detours are longer than those of normal rows of the same covariance."""

    def of(sample: Floats) -> float:
        search = NearestRows(n_neighbors=min(width, len(sample) - 1), n_jobs=n_jobs)
        return _measured(_joined(sample, search.fit(sample)), rng, n_jobs).detour

    if len(points) > _MEASURED:  # the longer the more points there are
        points = points[rng.choice(len(points), _MEASURED, replace=False)]
        detour = of(points)
    n = len(points)
    spreads = np.linalg.svd(points - points.mean(axis=0), compute_uv=False) / np.sqrt(n)
    return detour > _FLAT * of(rng.normal(size=(n, len(spreads))) * spreads)


def _in_order(at: Floats, points: Floats, near: Rows) -> tuple[Rows, Floats]:
    """Return neighbours (m, K) by their exact distances, equal ones by their numbers."""
    chords = np.empty(near.shape)
    for start in range(0, len(at), _BLOCK):
        part = slice(start, start + _BLOCK)
        for j in range(near.shape[1]):
            chords[part, j] = np.linalg.norm(points[near[part, j]] - at[part], axis=1)
    order = np.lexsort((near, chords), axis=1)
    return np.take_along_axis(near, order, axis=1), np.take_along_axis(chords, order, axis=1)


def _base(points: Floats, near: Rows, chords: Floats) -> csr_array:
    """Join every point to its nearest, and by a spanning tree whatever is then apart."""
    whole = neighborhood_graph(near, chords)
    tree = minimum_spanning_tree(whole.weights)
    joined = neighborhood_graph(near[:, :_JOINED], chords[:, :_JOINED]).weights
    i, j, lengths = _bridges(points, whole.component, whole.n_components)
    bridges = coo_array((lengths, (i, j)), shape=joined.shape).tocsr()
    for more in (csr_array(tree), bridges):
        joined = joined.maximum(more).maximum(more.T)
    return csr_array(joined)


def _bridges(
    points: Floats, component: npt.NDArray[np.int32], n_components: int
) -> tuple[Rows, Rows, Floats]:
    """Return the shortest edges that connect what is apart (Boruvka), and their lengths."""
    n = len(points)
    found: list[tuple[int, int]] = []
    while n_components > 1:
        largest = np.bincount(component).argmax()
        for number in np.delete(np.arange(n_components), largest).tolist():
            own, rest = np.flatnonzero(component == number), np.flatnonzero(component != number)
            few, many = (own, rest) if len(own) < len(rest) else (rest, own)
            search = NearestRows(n_neighbors=1).fit(points[many])
            lengths, rows = search.kneighbors(points[few])
            place = int(lengths.argmin())
            found.append((int(few[place]), int(many[rows[place, 0]])))
        i, j = np.array(found).T
        links = coo_array((np.ones(len(i)), (component[i], component[j])), shape=(n, n)).tocsr()
        merged = connected_components(links[:n_components, :n_components], directed=False)
        n_components, component = merged[0], merged[1][component]
    i, j = np.array(found, np.int64).reshape(-1, 2).T
    return i, j, np.linalg.norm(points[i] - points[j], axis=1)


def _detours(graph: csr_array, own: Rows, near: Rows, chords: Floats, n_jobs: int | None) -> Floats:
    """Return lengths of paths from nodes to their neighbours (m, K); inf where far too long."""
    lengths = np.empty(near.shape)
    arrays, starts = _arrays(graph), Starts.at(own)
    farthest = _MOST * chords[:, -1]

    def search(start: int) -> None:
        part = slice(start, start + _BLOCK)
        paths.lengths_to(
            arrays, starts.rows(part), near[part], farthest[part], _LOOKED_AT, lengths[part]
        )

    list(mapped(search, range(0, len(near), _BLOCK), n_jobs))
    return lengths


def _short(
    graph: csr_array, starts: Starts, near: Rows, bounds: Floats, n_jobs: int | None
) -> npt.NDArray[np.bool_]:
    """Tell which neighbours (m, K) of sources have paths that are no longer than a bound."""
    found = np.empty(near.shape, np.bool_)
    arrays = _arrays(graph)

    def search(start: int) -> None:
        part = slice(start, start + _BLOCK)
        paths.within(arrays, starts.rows(part), near[part], bounds[part], found[part])

    list(mapped(search, range(0, len(near), _BLOCK), n_jobs))
    return found


def _are_edges(graph: csr_array, own: Rows, near: Rows) -> npt.NDArray[np.bool_]:
    """Tell which neighbours (m, K) of nodes are joined to them."""
    n = graph.shape[0]
    edges = graph.tocoo()
    codes = np.sort(edges.row.astype(np.int64) * n + edges.col)
    wanted = own[:, None] * n + near
    place = np.minimum(np.searchsorted(codes, wanted), len(codes) - 1)
    found: npt.NDArray[np.bool_] = codes[place] == wanted
    return found


def _bands(width: int) -> Iterator[slice]:
    """Return the ranks beyond those that are always joined, in bands."""
    start, stop = _JOINED, 2.0 * _JOINED
    while start < width:
        yield slice(start, min(round(stop), width))
        start, stop = round(stop), _BAND * stop


def _guard(ratios: Floats, edges: npt.NDArray[np.bool_]) -> Guard:
    """Return how far detours may go: less far where they grow with the rank."""
    bands = [ratios[:, band][~edges[:, band]] for band in _bands(ratios.shape[1])]
    bands = [band for band in bands if len(band)]
    if not bands:
        return Guard(1.0, 0.0, _LEAST)
    detour = float(np.median(bands[0]))
    limit = _limit(detour)
    quartiles = np.array(
        [np.quantile(short, [0.5, 0.75]) for band in bands if len(short := band[band <= limit])]
    )
    growth = 0.0
    if len(quartiles) > 1:
        rise = (quartiles[1:] / quartiles[0]).max(axis=0)
        growth = float(np.clip(((rise - _LEVEL) / _RISE).max(), 0.0, 1.0))
    return Guard(detour, growth, limit * (_BENT / limit) ** growth)


def _limit(detour: float) -> float:
    return float(np.clip(_LEAST + _SLOPE * (detour - 1), _LEAST, _MOST))


def _with(graph: csr_array, near: Rows, chords: Floats, chosen: npt.NDArray[np.bool_]) -> csr_array:
    """Return the graph with the chosen ones of the neighbours (n, K) joined directly."""
    rows = np.repeat(np.arange(len(near)), chosen.sum(axis=1))
    more = coo_array((chords[chosen], (rows, near[chosen])), shape=graph.shape).tocsr()
    return csr_array(graph.maximum(more).maximum(more.T))
