"""Lists of neighbours of two methods as one."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from geoforest_cli.estimators.base.neighbors import Neighbors

__all__ = ["blend"]

Floats = npt.NDArray[np.float64]
Rows = npt.NDArray[np.int64]


def blend(graph: Neighbors, forest: Neighbors, share: float, k: int, node: Rows) -> Neighbors:
    r"""Return the k rows of the smallest mean square root of their ranks in two lists.

    .. math:: (1 - w) \sqrt{r_\text{graph}} + w \sqrt{r_\text{forest}}

    Equally near rows have the same rank. A row that a list of M lacks has the rank M + 1 there. A
    row that is at distance 0 by the graph stays there, and equal scores go by it, then by `node`.

    Parameters
    ----------
    graph, forest : tuples of (m, M) arrays
        Distances, ascending, and rows.
    share : float
        w.
    k : int
        At most M.
    node : (N,) int64
        The order of the rows.

    Examples
    --------
    >>> near = np.array([[1.0, 2.0, 3.0]]), np.array([[4, 5, 6]])
    >>> other = np.array([[0.1, 0.2, 0.3]]), np.array([[6, 5, 4]])
    >>> blend(near, other, 0.4, 3, np.arange(7))[1].tolist()
    [[4, 5, 6]]
    >>> blend(near, other, 0.6, 3, np.arange(7))[1].tolist()
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
    best = np.lexsort((rows, node[rows], ranks, scores), axis=1)[:, :k]
    return np.take_along_axis(scores, best, axis=1), np.take_along_axis(rows, best, axis=1)


def _ranks(distances: Floats) -> Floats:
    """Return ranks from 1 of ascending distances (m, M), equal ones with the first one's."""
    places = np.broadcast_to(np.arange(distances.shape[1]), distances.shape).copy()
    places[:, 1:][distances[:, 1:] == distances[:, :-1]] = 0
    ranks: Floats = np.maximum.accumulate(places, axis=1) + 1.0
    return ranks
