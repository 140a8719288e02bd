"""Proximities of a forest: S_ij = L_ij / T_ij (Geodesic Forests, section 3)."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import psutil

from geoforest_cli.errors import DataError
from geoforest_cli.forests.forest import Forest, Pairs
from geoforest_cli.forests.kernels import leaves as kernels


@dataclass(frozen=True)
class LeafCounts:
    """Counts that are additive over trees.

    Attributes
    ----------
    together : (N, N) int32
        L_ij: trees in which i and j are eligible and share a leaf.
    trees : (N, N) int32 or int
        T_ij: trees in which both are eligible; one number if that is every tree.
    """

    together: npt.NDArray[np.int32]
    trees: npt.NDArray[np.int32] | int

    def __add__(self, other: "LeafCounts") -> "LeafCounts":
        """Join the counts of two forests grown on the same points."""
        return LeafCounts(self.together + other.together, self.trees + other.trees)

    def proximity(self) -> npt.NDArray[np.float64]:
        """Return L_ij / T_ij; NaN where no tree has both points, 1 on the diagonal."""
        with np.errstate(invalid="ignore"):
            similarity: npt.NDArray[np.float64] = self.together / self.trees
        np.fill_diagonal(similarity, 1.0)
        return similarity


def eligible_points(forest: Forest, pairs: Pairs) -> npt.NDArray[np.bool_] | None:
    """Return the (T, N) mask of the points that count in each tree; None for all."""
    if pairs == "all":
        return None
    in_bag = forest.in_bag > 0
    return in_bag if pairs == "in_bag" else ~in_bag


def leaf_counts(forest: Forest, pairs: Pairs = "all", *, n_points: int | None = None) -> LeafCounts:
    """Count shared leaves over all pairs of training points.

    Parameters
    ----------
    forest : Forest
    pairs : {"all", "in_bag", "oob"}
        Which pairs a tree counts: all, both in its bag, or both out of it.
    n_points : int, optional
        Use the first n_points rows only.

    Raises
    ------
    DataError
        If the matrix does not fit in memory.
    """
    n = forest.leaf_of.shape[1] if n_points is None else n_points
    require_memory(n)
    leaf_of = np.ascontiguousarray(forest.leaf_of[:, :n])
    mask = eligible_points(forest, pairs)
    together = np.zeros((n, n), np.int32)
    if mask is None:
        kernels.count_together(leaf_of, np.zeros((0, 0), np.bool_), together)
        return LeafCounts(together, forest.n_trees)
    mask = np.ascontiguousarray(mask[:, :n])
    kernels.count_together(leaf_of, mask, together)
    # whole numbers below 2^24: the product in float32 is exact
    weight = mask.astype(np.float32)
    return LeafCounts(together, (weight.T @ weight).astype(np.int32))


def require_memory(n: int, bytes_per_pair: int = 12) -> None:
    """Refuse a dense n x n result that would not fit in the free memory."""
    needed = bytes_per_pair * n * n
    free = psutil.virtual_memory().available
    if needed > free:
        raise DataError(
            f"a dense {n} x {n} proximity matrix needs {needed / 1e9:.1f} GB, but "
            f"{free / 1e9:.1f} GB are free: use kneighbors(), which never builds it"
        )


@dataclass(frozen=True)
class LeafIndex:
    """The training points of each leaf.

    Leaf a of tree t holds members[t, start[b] : start[b + 1]] with b = first_start[t] + a.
    """

    start: npt.NDArray[np.int64]
    members: npt.NDArray[np.int32]
    first_start: npt.NDArray[np.int64]

    @classmethod
    def build(cls, forest: Forest) -> "LeafIndex":
        """Sort the points of every tree by leaf."""
        n_nodes = np.diff(forest.first_node)
        first_start = np.concatenate([[0], np.cumsum(n_nodes + 1)])
        start = np.zeros(first_start[-1], np.int64)
        members = np.empty(forest.leaf_of.shape, np.int32)
        for t in range(forest.n_trees):
            place = start[first_start[t] : first_start[t + 1]]
            kernels.group_by_leaf(forest.leaf_of[t], int(n_nodes[t]), place, members[t])
        return cls(start, members, first_start[:-1].copy())

    def nearest(
        self,
        leaves: npt.NDArray[np.int32],
        row_ids: npt.NDArray[np.int64],
        k: int,
        seed: int,
    ) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.int64]]:
        """Return distances 1 - S and rows of the k nearest points of each query."""
        n_queries, n_trees = leaves.shape
        shares = np.empty((n_queries, k), np.int32)
        indices = np.empty((n_queries, k), np.int64)
        kernels.nearest(
            leaves, row_ids, n_trees, self.start, self.members, self.first_start, k,
            np.uint64(seed & 0xFFFFFFFFFFFFFFFF), shares, indices,
        )  # fmt: skip
        return 1.0 - shares / n_trees, indices
