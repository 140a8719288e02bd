"""Lists of neighbours: of distinct points as rows, and of two methods as one."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from geoforest_cli.estimators.base.neighbors import Copies, Neighbors

__all__ = ["blend", "expand"]

Floats = npt.NDArray[np.float64]
Rows = npt.NDArray[np.int64]


def expand(lengths: Floats, nodes: Rows, copies: Copies, own: Rows, k: int) -> Neighbors:
    """Return the k nearest rows, where points are listed that stand for one or more rows.

    Parameters
    ----------
    lengths : (m, q) float64
        Ascending.
    nodes : (m, q) int64
        Numbers of distinct points; their rows are enough for k without the own one.
    copies : Copies
    own : (m,) int64
        The row that each list leaves out; -1 for none.
    k : int

    Examples
    --------
    >>> copies = Copies(np.array([0, 1]), np.array([0, 1, 0]))
    >>> lengths, nodes = np.array([[0.0, 2.0]]), np.array([[0, 1]])
    >>> expand(lengths, nodes, copies, np.array([2]), 2)
    (array([[0., 2.]]), array([[0, 1]]))
    """
    m = len(nodes)
    members = np.argsort(copies.place, kind="stable")
    sizes = np.bincount(copies.place, minlength=len(copies.row))
    first = np.concatenate([[0], np.cumsum(sizes)[:-1]])
    # no list needs more copies of one point than k and the own row
    counts = np.minimum(sizes, k + 1)[nodes].ravel()
    starts = np.repeat(np.cumsum(counts) - counts, counts)
    place = np.repeat(first[nodes.ravel()], counts) + np.arange(counts.sum()) - starts
    rows = members[place]
    queries = np.repeat(np.repeat(np.arange(m), nodes.shape[1]), counts)
    far = np.repeat(lengths.ravel(), counts)
    others = rows != own[queries]
    rows, queries, far = rows[others], queries[others], far[others]
    order = np.lexsort((rows, far, queries))
    begin = np.searchsorted(queries, np.arange(m))
    chosen = order[begin[:, None] + np.arange(k)]
    return far[chosen], rows[chosen].astype(np.int64)


def blend(graph: Neighbors, forest: Neighbors, share: float, k: int) -> Neighbors:
    r"""Return the k rows of the smallest mean square root of their ranks in two lists.

    .. math:: (1 - w) \sqrt{r_\text{graph}} + w \sqrt{r_\text{forest}}

    Equally near rows have the same rank. A row that a list of M lacks has the rank M + 1 there. A
    row that is at distance 0 by the graph stays there, and equal scores go by it.

    Parameters
    ----------
    graph, forest : tuples of (m, M) arrays
        Distances, ascending, and rows.
    share : float
        w.
    k : int
        At most M.

    Examples
    --------
    >>> near = np.array([[1.0, 2.0, 3.0]]), np.array([[4, 5, 6]])
    >>> other = np.array([[0.1, 0.2, 0.3]]), np.array([[6, 5, 4]])
    >>> blend(near, other, 0.4, 3)[1].tolist()
    [[4, 5, 6]]
    >>> blend(near, other, 0.6, 3)[1].tolist()
    [[6, 5, 4]]
    """
    m, width = graph[1].shape
    rows = np.concatenate([graph[1], forest[1]], axis=1)
    # a row that both list stands in two neighbouring places, that of the graph first
    order = np.argsort(rows, axis=1, kind="stable")
    rows = np.take_along_axis(rows, order, axis=1)
    ranks = np.concatenate([_ranks(graph[0]), np.full((m, width), width + 1.0)], axis=1)
    others = np.concatenate([np.full((m, width), width + 1.0), _ranks(forest[0])], axis=1)
    here = np.concatenate([graph[0] == 0, np.zeros((m, width), np.bool_)], axis=1)
    ranks, others, here = (np.take_along_axis(a, order, axis=1) for a in (ranks, others, here))
    twice = rows[:, 1:] == rows[:, :-1]
    others[:, :-1] = np.where(twice, others[:, 1:], others[:, :-1])
    scores = (1 - share) * np.sqrt(ranks) + share * np.sqrt(others)
    scores[here] = 0.0
    scores[:, 1:][twice] = np.inf
    best = np.lexsort((rows, ranks, scores), axis=1)[:, :k]
    return np.take_along_axis(scores, best, axis=1), np.take_along_axis(rows, best, axis=1)


def _ranks(distances: Floats) -> Floats:
    """Return ranks from 1 of ascending distances (m, M), equal ones with the first one's."""
    places = np.broadcast_to(np.arange(distances.shape[1]), distances.shape).copy()
    places[:, 1:][distances[:, 1:] == distances[:, :-1]] = 0
    ranks: Floats = np.maximum.accumulate(places, axis=1) + 1.0
    return ranks
