"""The family of forest proximities: what a tree in which two rows share a leaf counts for."""

from typing import Any, Literal

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array

from geoforest_cli.estimators.base.validation import require_memory
from geoforest_cli.estimators.forests.forest import Forest, Leaves
from geoforest_cli.estimators.forests.kernels import listing
from geoforest_cli.estimators.forests.proximity import LeafIndex

__all__ = ["OUT_OF_BAG", "Weights", "dense_weighted", "sparse_weighted"]

Weights = Literal["uniform", "oob", "kerf", "gap"]
# those that ask which rows a tree's bag lacks
OUT_OF_BAG = frozenset({"oob", "gap"})


def sparse_weighted(
    forest: Forest, weights: Weights, leaves: Leaves | None = None, n_jobs: int | None = None
) -> csr_array:
    """Return the non-zero proximities of new rows to training rows, or of these by kerf or gap.

    Parameters
    ----------
    forest : Forest
    weights : {"uniform", "oob", "kerf", "gap"}
        See `ForestProximity.proximity`.
    leaves : (T, n) integers, optional
        Leaves of new rows.
    n_jobs : int, optional

    Raises
    ------
    DataError
        If an upper bound of the result's size does not fit in memory.
    """
    n_trees, n = forest.leaf_of.shape
    out = forest.in_bag == 0
    queries = forest.leaf_of if leaves is None else leaves
    of_query, of_point = np.full(queries.shape[1], n_trees), np.ones(n, np.int64)
    counted, alone, times = None, None, None
    if weights == "oob":
        times, of_point, of_query = out, out.sum(axis=0), np.ones_like(of_query)
    elif weights == "gap":
        times = forest.in_bag
        if leaves is None:
            counted, of_query = out, out.sum(axis=0)
            alone = of_query == 0
    index = LeafIndex.build(forest.leaf_of, np.diff(forest.first_node), times, n_jobs)

    def fill(lists: Any, rows: Any, *matrix: Any) -> None:
        listing.fill_quotients(lists, rows, (of_query, of_point), *matrix)

    weighed = weights in {"kerf", "gap"}
    return index.matrix(queries, counted, fill, alone=alone, weighed=weighed, n_jobs=n_jobs)


def dense_weighted(
    forest: Forest, weights: Weights, leaves: Leaves | None = None, n_jobs: int | None = None
) -> npt.NDArray[np.float64]:
    """Return what `sparse_weighted` does, dense, and NaN where no tree counts a pair."""
    n = forest.leaf_of.shape[1]
    rows = n if leaves is None else leaves.shape[1]
    require_memory(8 * rows * n, f"a dense {rows} x {n} proximity matrix")
    similarity: npt.NDArray[np.float64] = sparse_weighted(forest, weights, leaves, n_jobs).toarray()
    if weights in OUT_OF_BAG:
        never = (forest.in_bag > 0).all(axis=0)
        if weights == "oob":
            similarity[:, never] = np.nan
        elif leaves is None:
            similarity[never] = np.nan
    return similarity
