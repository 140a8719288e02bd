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
_MIN_GUARD, _MAX_GUARD = 1.3, 3.0  # of the guard
_SLOPE = 6.0
_LEVEL, _RISE = np.array([1.06, 1.10]), np.array([0.06, 0.10])  # of the median, upper quartile
_BENT = 1.1  # the limit where detours grow
_LONG = 1.3  # detours beyond which flat data of the same spread are asked for theirs
_FLAT = 1.03  # times: with detours longer than theirs, nothing is bent
_MEASURED = 2000  # points whose detours are measured
_LOOKED_AT = 3000  # nodes that one such search looks at
_BLOCK = 1024  # sources of one call of a kernel


class Guard(NamedTuple):
    """Limits of detours, beyond which a pair is no longer joined directly.

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
    neighbors: Rows
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
    def of(cls, nodes: Rows, lengths: Floats, joined: npt.NDArray[np.bool_]) -> Self:
        """Start with the chosen ones of lists (m, K) of nodes."""
        first = np.concatenate([[0], np.cumsum(joined.sum(axis=1))])
        return cls(first, nodes[joined], lengths[joined])

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
            return cls(points, width, search, lone, lone, Guard(1.0, 0.0, _MIN_GUARD), n_jobs)
        joined = _joined(points, search)
        guard = _measured(joined, rng, n_jobs)
        if guard.detour > _LONG and _is_flat(points, guard.detour, width, rng, n_jobs):
            guard = Guard(guard.detour, 0.0, _limit(guard.detour), flat=True)
        _, neighbors, chords, base = joined
        short = _short(base, Starts.at(np.arange(n)), neighbors, guard.limit * chords, n_jobs)
        edges = _with(base, neighbors, chords, short)
        return cls(points, width, search, base, edges, guard, n_jobs)

    def starts(self, points: Floats) -> Starts:
        """Join new points (m, p) to the graph by the rules for its own."""
        neighbors = self.search.kneighbors(points, return_distance=False)
        neighbors, chords = _in_order(points, self.points, neighbors.astype(np.int64))
        joined = np.zeros(neighbors.shape, np.bool_)
        joined[:, :_JOINED] = True
        first = Starts.of(neighbors, chords, joined)
        short = _short(self.base, first, neighbors, self.guard.limit * chords, self.n_jobs)
        return Starts.of(neighbors, chords, joined | short)

    def nearest(self, starts: Starts, k: int) -> tuple[Floats, Rows]:
        """Return lengths and nodes (m, k) that are nearest to sources by paths.

        Equally near ones come in their order.
        """
        m = len(starts.first) - 1
        lengths, indices = np.empty((m, k)), np.empty((m, k), np.int64)
        graph = _arrays(self.edges)

        def search(start: int) -> None:
            part = slice(start, start + _BLOCK)
            paths.nearest(graph, starts.rows(part), lengths[part], indices[part])

        list(mapped(search, range(0, m, _BLOCK), self.n_jobs))
        return lengths, indices


def _arrays(graph: csr_array) -> paths.PathGraph:
    first, neighbors = graph.indptr.astype(np.int64), graph.indices.astype(np.int32)
    return paths.PathGraph(first, neighbors, graph.data)


def _joined(points: Floats, search: NearestRows) -> _Joined:
    neighbors = search.kneighbors(return_distance=False).astype(np.int64)
    neighbors, chords = _in_order(points, points, neighbors)
    return _Joined(search, neighbors, chords, _base(points, neighbors, chords))


def _measured(joined: _Joined, rng: np.random.Generator, n_jobs: int | None) -> Guard:
    """Measure detours of the points, of some where there are many."""
    _, neighbors, chords, base = joined
    n = len(neighbors)
    sample = np.arange(n) if n <= _MEASURED else np.sort(rng.choice(n, _MEASURED, replace=False))
    lengths = _detours(base, sample, neighbors[sample], chords[sample], n_jobs)
    # distances of distinct points may be too small for a number
    ratios = lengths / np.maximum(chords[sample], np.finfo(float).tiny)
    return _guard(ratios, _are_edges(base, sample, neighbors[sample]))


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


def _in_order(at: Floats, points: Floats, neighbors: Rows) -> tuple[Rows, Floats]:
    """Return neighbours (m, K) by their exact distances, equal ones by their numbers."""
    chords = np.empty(neighbors.shape)
    for start in range(0, len(at), _BLOCK):
        part = slice(start, start + _BLOCK)
        for j in range(neighbors.shape[1]):
            chords[part, j] = np.linalg.norm(points[neighbors[part, j]] - at[part], axis=1)
    order = np.lexsort((neighbors, chords), axis=1)
    return np.take_along_axis(neighbors, order, axis=1), np.take_along_axis(chords, order, axis=1)


def _base(points: Floats, neighbors: Rows, chords: Floats) -> csr_array:
    """Join every point to its nearest, and by a spanning tree whatever is then apart."""
    whole = neighborhood_graph(neighbors, chords)
    tree = minimum_spanning_tree(whole.weights)
    joined = neighborhood_graph(neighbors[:, :_JOINED], chords[:, :_JOINED]).weights
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
    bridges: list[tuple[int, int]] = []
    while n_components > 1:
        largest = np.bincount(component).argmax()
        for number in np.delete(np.arange(n_components), largest).tolist():
            members, rest = np.flatnonzero(component == number), np.flatnonzero(component != number)
            few, many = (members, rest) if len(members) < len(rest) else (rest, members)
            search = NearestRows(n_neighbors=1).fit(points[many])
            lengths, rows = search.kneighbors(points[few])
            nearest = int(lengths.argmin())
            bridges.append((int(few[nearest]), int(many[rows[nearest, 0]])))
        i, j = np.array(bridges).T
        links = coo_array((np.ones(len(i)), (component[i], component[j])), shape=(n, n)).tocsr()
        merged = connected_components(links[:n_components, :n_components], directed=False)
        n_components, component = merged[0], merged[1][component]
    i, j = np.array(bridges, np.int64).reshape(-1, 2).T
    return i, j, np.linalg.norm(points[i] - points[j], axis=1)


def _detours(graph: csr_array, at: Rows, ends: Rows, chords: Floats, n_jobs: int | None) -> Floats:
    """Return lengths of paths from nodes to their neighbours (m, K); inf where far too long."""
    lengths = np.empty(ends.shape)
    arrays, starts = _arrays(graph), Starts.at(at)
    farthest = _MAX_GUARD * chords[:, -1]

    def search(start: int) -> None:
        part = slice(start, start + _BLOCK)
        paths.lengths_to(
            arrays, starts.rows(part), ends[part], farthest[part], _LOOKED_AT, lengths[part]
        )

    list(mapped(search, range(0, len(ends), _BLOCK), n_jobs))
    return lengths


def _short(
    graph: csr_array, starts: Starts, neighbors: Rows, bounds: Floats, n_jobs: int | None
) -> npt.NDArray[np.bool_]:
    """Tell which neighbours (m, K) of sources have paths that are no longer than a bound."""
    is_short = np.empty(neighbors.shape, np.bool_)
    arrays = _arrays(graph)

    def search(start: int) -> None:
        part = slice(start, start + _BLOCK)
        paths.within(arrays, starts.rows(part), neighbors[part], bounds[part], is_short[part])

    list(mapped(search, range(0, len(neighbors), _BLOCK), n_jobs))
    return is_short


def _are_edges(graph: csr_array, rows: Rows, neighbors: Rows) -> npt.NDArray[np.bool_]:
    """Tell which neighbours (m, K) of nodes are joined to them."""
    n = graph.shape[0]
    edges = graph.tocoo()
    codes = np.sort(edges.row.astype(np.int64) * n + edges.col)
    wanted = rows[:, None] * n + neighbors
    position = np.minimum(np.searchsorted(codes, wanted), len(codes) - 1)
    are_edges: npt.NDArray[np.bool_] = codes[position] == wanted
    return are_edges


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
        return Guard(1.0, 0.0, _MIN_GUARD)
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
    return float(np.clip(_MIN_GUARD + _SLOPE * (detour - 1), _MIN_GUARD, _MAX_GUARD))


def _with(graph: csr_array, ends: Rows, chords: Floats, joined: npt.NDArray[np.bool_]) -> csr_array:
    """Return the graph with the chosen ones of the neighbours (n, K) joined directly."""
    rows = np.repeat(np.arange(len(ends)), joined.sum(axis=1))
    more = coo_array((chords[joined], (rows, ends[joined])), shape=graph.shape).tocsr()
    return csr_array(graph.maximum(more).maximum(more.T))
