"""From local distances to distances along a neighbourhood graph."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt
from scipy.sparse import coo_array, csr_array
from scipy.sparse.csgraph import connected_components

__all__ = [
    "Graph",
    "Symmetrise",
    "neighborhood_graph",
    "shortest_paths",
]

Floats = npt.NDArray[np.float64]
Indices = npt.NDArray[np.int64]
Symmetrise = Literal["min", "average", "mean"]

_TINY = 1e-12  # of the largest weight: an explicit zero would vanish in a sparse matrix


@dataclass(frozen=True)
class Graph:
    """A symmetric graph of local distances.

    Attributes
    ----------
    weights : (n, n) csr_array
        Both triangles; coincident points are joined by a tiny weight.
    component : (n,) int
        Number of the connected component of each point.
    n_components : int
    """

    weights: csr_array
    component: npt.NDArray[np.int32]
    n_components: int


def neighborhood_graph(
    neighborhoods: Indices, local: Floats, symmetrise: Symmetrise = "min"
) -> Graph:
    """Join every point with its neighbours and make the weights symmetric (equation 2).

    Parameters
    ----------
    neighborhoods : (n, k) int
    local : (n, k) float
        W_ij from i to its neighbours.
    symmetrise : {"min", "average", "mean"}
        "min": the smaller of W_ij and W_ji, the union graph (the authors' last program);
        "average": their mean where both exist, the mutual graph (their first program); "mean":
        their mean where both exist, else the one that does.

    Examples
    --------
    >>> near = np.array([[1], [0], [1]])
    >>> graph = neighborhood_graph(near, np.array([[1.0], [3.0], [2.0]]), "min")
    >>> graph.weights.toarray().tolist()
    [[0.0, 1.0, 0.0], [1.0, 0.0, 2.0], [0.0, 2.0, 0.0]]
    """
    n, k = neighborhoods.shape
    rows = np.repeat(np.arange(n), k)
    columns = neighborhoods.ravel()
    scale = float(local.max(initial=0.0)) or 1.0
    weights = np.maximum(local.ravel(), _TINY * scale)
    low, high = np.minimum(rows, columns), np.maximum(rows, columns)
    order = np.lexsort((weights, high, low))
    low, high, weights = low[order], high[order], weights[order]
    first = np.ones(len(low), bool)
    first[1:] = (low[1:] != low[:-1]) | (high[1:] != high[:-1])
    starts = np.flatnonzero(first)
    counts = np.diff([*starts, len(low)])
    smallest = weights[starts]
    mean = np.add.reduceat(weights, starts) / counts if len(starts) else smallest
    kept = counts == 2 if symmetrise == "average" else np.ones(len(starts), bool)
    values = (smallest if symmetrise == "min" else mean)[kept]
    # SciPy before 1.17 makes spanning trees of graphs with these indices only
    i, j = low[starts][kept].astype(np.int32), high[starts][kept].astype(np.int32)
    both = coo_array(
        (np.concatenate([values, values]), (np.concatenate([i, j]), np.concatenate([j, i]))),
        shape=(n, n),
    )
    joined = both.tocsr()
    n_components, component = connected_components(joined, directed=False)
    return Graph(joined, component, int(n_components))


def shortest_paths(graph: Graph) -> Floats:
    """Lengths of shortest paths between all points (equation 3); inf between components."""
    from geoforest_cli.estimators.spherelets.kernels import paths

    n = graph.weights.shape[0]
    lengths = np.empty((n, n))
    paths.shortest(
        graph.weights.indptr.astype(np.int64), graph.weights.indices.astype(np.int32),
        graph.weights.data, np.arange(n), lengths,
    )  # fmt: skip
    return lengths
