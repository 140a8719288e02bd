"""Rows that are copies of one another: none of them is a nearer neighbour than the others."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

__all__ = ["Copies", "distinct_points", "draw_among_copies", "number_copies"]

Distances = npt.NDArray[np.float64]
Rows = npt.NDArray[np.int64]

_FACTOR = np.uint64(0x9E3779B97F4A7C15)  # odd: what it multiplies stays distinct
_ROWS_AT_ONCE = 16_384


@dataclass(frozen=True)
class Copies:
    """Numbers of distinct points by row: graphs and indices are built of the distinct ones.

    With k copies or more of a point, its k nearest others are nothing but copies, and it would be
    a piece of its own.

    Attributes
    ----------
    row : (m,) int64
        A row of each distinct point.
    node : (n,) int64
        Number of the distinct point that each row is a copy of.
    """

    row: Rows
    node: Rows

    def spread(self, matrix: Distances) -> Distances:
        """Return distances (m', m) to distinct points as distances (m', n) to all rows."""
        return matrix[:, self.node]

    def spread_both(self, matrix: Distances) -> Distances:
        """Return distances (m, m) between distinct points as distances (n, n) between all rows."""
        return self.spread(matrix)[self.node]

    def listed(self, lengths: Distances, nodes: Rows, but: Rows, k: int) -> tuple[Distances, Rows]:
        """Return the k nearest rows, where distinct points are listed.

        Equally near points stand in the order of their numbers.

        Parameters
        ----------
        lengths : (m, q) float64
            Ascending.
        nodes : (m, q) int64
            Numbers of distinct points; their rows are enough for k without the own one.
        but : (m,) int64
            The row that each list leaves out; -1 for none.
        k : int

        Examples
        --------
        >>> copies = Copies(np.array([0, 1]), np.array([0, 1, 0]))
        >>> copies.listed(np.array([[0.0, 2.0]]), np.array([[0, 1]]), np.array([2]), 2)
        (array([[0., 2.]]), array([[0, 1]]))
        """
        if len(self.row) == len(self.node) and (lengths[:, 1:] > lengths[:, :-1]).all():
            rows = self.row[nodes]
            first = np.argsort(rows == but[:, None], axis=1, kind="stable")[:, :k]
            return np.take_along_axis(lengths, first, 1), np.take_along_axis(rows, first, 1)
        distances, rows = np.empty((len(nodes), k)), np.empty((len(nodes), k), np.int64)
        members = np.argsort(self.node, kind="stable")
        sizes = np.bincount(self.node, minlength=len(self.row))
        first = np.cumsum(sizes) - sizes
        for start in range(0, len(nodes), _ROWS_AT_ONCE):
            part = slice(start, start + _ROWS_AT_ONCE)
            # no list needs more copies of one point than k and the own row
            counts = np.minimum(sizes, k + 1)[nodes[part]].ravel()
            begin = np.repeat(np.cumsum(counts) - counts, counts)
            entry = np.repeat(np.arange(len(counts)), counts)
            node, query = nodes[part].ravel()[entry], entry // nodes.shape[1]
            row = members[first[node] + np.arange(len(entry)) - begin]
            kept = row != but[part][query]
            row, node, query = row[kept], node[kept], query[kept]
            length = lengths[part].ravel()[entry[kept]]
            order = np.lexsort((row, node, length, query))
            starts = np.searchsorted(query, np.arange(len(but[part])))
            nearest = order[starts[:, None] + np.arange(k)]
            distances[part], rows[part] = length[nearest], row[nearest]
        return distances, rows


def number_copies(points: npt.NDArray[Any]) -> Rows:
    """Return for each row the number of its values, from 0 in the order of their first rows.

    Rows are compared by hashes of 64 bits.

    Parameters
    ----------
    points : (N, p) array

    Examples
    --------
    >>> number_copies(np.array([[1.0, 0.0], [2.0, 3.0], [1.0, -0.0]])).tolist()
    [0, 1, 0]
    """
    hashes = np.zeros(len(points), np.uint64)
    for count, column in enumerate(points.T, start=1):
        # both zeros are one value
        hashes = hashes * _FACTOR + pd.util.hash_array(column + 0.0)
        # rows that differ in the first columns are distinct whatever follows
        if count.bit_count() == 1 and len(pd.unique(hashes)) == len(hashes):
            break
    return pd.factorize(hashes)[0].astype(np.int64)


def distinct_points(points: npt.NDArray[Any], seed: int) -> Copies:
    """Find equal rows; where there are some, distinct points are numbered at random.

    Else equally near points would be chosen by the order of the table.

    Parameters
    ----------
    points : (N, p) array
    seed : int

    Examples
    --------
    >>> copies = distinct_points(np.array([[2.0], [1.0], [2.0]]), seed=3)
    >>> copies.row.tolist(), copies.node.tolist()
    ([1, 0], [1, 0, 1])
    """
    node = number_copies(points)
    row = np.unique(node, return_index=True)[1].astype(np.int64)
    if len(row) < len(node):
        order = np.random.default_rng(seed).permutation(len(row))
        row, node = row[order], np.argsort(order)[node]
    return Copies(row, node)


def draw_among_copies(
    indices: Rows, node: Rows, rng: np.random.Generator, *, new: bool = False
) -> Rows:
    """Return lists of neighbours where each is drawn from the copies of it, the own row excepted.

    Each list has as many of the copies of a row as before, at the same places; every copy is in it
    with the same probability.

    Parameters
    ----------
    indices : (m, k) int64
        Neighbours of row i, not i itself; or with `new` of rows that are not among the N.
    node : (N,) int64
        See `number_copies`.
    rng : Generator
    new : bool

    Examples
    --------
    >>> place = np.array([0, 0, 0, 1])
    >>> rng = np.random.default_rng(0)
    >>> indices = np.array([[1], [0], [0], [0]])
    >>> sorted({int(draw_among_copies(indices, place, rng)[3, 0]) for _ in range(50)})
    [0, 1, 2]
    """
    sizes = np.bincount(node)
    if sizes.max(initial=1) == 1:
        return indices
    n, (m, k) = len(node), indices.shape
    shuffled = rng.permutation(n)
    members = shuffled[np.argsort(node[shuffled], kind="stable")]
    first = np.cumsum(sizes) - sizes
    group = node[indices]
    # how many of the same copies stand before an entry of its list
    order = np.argsort(group, axis=1, kind="stable")
    ranked = np.take_along_axis(group, order, axis=1)
    starts = np.broadcast_to(np.arange(k), (m, k)).copy()
    starts[:, 1:][ranked[:, 1:] == ranked[:, :-1]] = 0
    begin = np.maximum.accumulate(starts, axis=1)
    before = np.empty((m, k), np.int64)
    np.put_along_axis(before, order, np.arange(k) - begin, axis=1)
    # a turn of each group's copies, one for each list and group
    shares = np.empty((m, k))
    np.put_along_axis(shares, order, np.take_along_axis(rng.random((m, k)), begin, axis=1), axis=1)
    with_own = np.zeros((m, k), np.bool_) if new else group == node[:, None]
    possible = sizes[group] - with_own
    at = ((shares * possible).astype(np.int64) + before) % possible
    if not new:
        number = np.empty(n, np.int64)
        number[members] = np.arange(n) - first[node[members]]
        at += with_own & (at >= number[:, None])
    drawn: Rows = members[first[group] + at]
    return drawn
