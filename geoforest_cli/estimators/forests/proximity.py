"""Proximities of a forest: S_ij = L_ij / T_ij (Geodesic Forests, section 3)."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array

from geoforest_cli.core.threads import mapped
from geoforest_cli.estimators.base.validation import require_memory
from geoforest_cli.estimators.forests.forest import Forest, Pairs, watcher
from geoforest_cli.estimators.forests.kernels import leaves as kernels

_HINT = ": use kneighbors(), which never builds it"
_BLOCK = 4096  # queries that one call of the kernel looks up


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


def count_leaves(
    leaf_of: npt.NDArray[np.int32], in_bag: npt.NDArray[np.bool_], pairs: Pairs
) -> LeafCounts:
    """Count shared leaves over all pairs of points.

    Parameters
    ----------
    leaf_of : (T, N) int32
    in_bag : (T, N) bool
    pairs : {"all", "in_bag", "oob"}
        Which pairs a tree counts: all, both in its bag, or both out of it.

    Raises
    ------
    DataError
        If the matrix does not fit in memory.
    """
    n_trees, n = leaf_of.shape
    _require_matrix(n)
    leaf_of = np.ascontiguousarray(leaf_of)
    together = np.zeros((n, n), np.int32)
    if pairs == "all":
        kernels.count_together(leaf_of, np.zeros((0, 0), np.bool_), together)
        return LeafCounts(together, n_trees)
    eligible = np.ascontiguousarray(in_bag if pairs == "in_bag" else ~in_bag)
    kernels.count_together(leaf_of, eligible, together)
    # whole numbers below 2^24: the product in float32 is exact
    weight = eligible.astype(np.float32)
    return LeafCounts(together, (weight.T @ weight).astype(np.int32))


def proximity(
    leaf_of: npt.NDArray[np.int32], in_bag: npt.NDArray[np.bool_], pairs: Pairs
) -> npt.NDArray[np.float64]:
    """Return S, as `count_leaves(leaf_of, in_bag, pairs).proximity()` does.

    Raises
    ------
    DataError
        If the matrix does not fit in memory.
    """
    if pairs != "all":
        return count_leaves(leaf_of, in_bag, pairs).proximity()
    n = leaf_of.shape[1]
    _require_matrix(n)
    similarity = np.empty((n, n))
    kernels.share_together(np.ascontiguousarray(leaf_of), similarity)
    np.fill_diagonal(similarity, 1.0)
    return similarity


def _require_matrix(n: int) -> None:
    require_memory(12 * n * n, f"a dense {n} x {n} proximity matrix", _HINT)


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
        n_jobs: int | None = None,
    ) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.int64]]:
        """Return distances 1 - S and rows of the k nearest points of each query.

        Parameters
        ----------
        leaves : (T, n) int32
            Leaves of the queries.
        row_ids : (n,) int64
            Each query's own row, left out of its neighbours; -1 for a new point.
        """
        n_trees, n_queries = leaves.shape
        shares = np.empty((n_queries, k), np.int32)
        indices = np.empty((n_queries, k), np.int64)
        watch = watcher.get()

        def find(start: int) -> None:
            part = slice(start, min(start + _BLOCK, n_queries))
            kernels.nearest(
                np.ascontiguousarray(leaves[:, part].T), row_ids[part], self.start, self.members,
                self.first_start, np.uint64(seed & 0xFFFFFFFFFFFFFFFF), shares[part], indices[part],
            )  # fmt: skip
            watch("points", part.stop - start, n_queries)

        list(mapped(find, range(0, n_queries, _BLOCK), n_jobs))
        return 1.0 - shares / n_trees, indices


def sparse_proximity(
    leaf_of: npt.NDArray[np.int32], in_bag: npt.NDArray[np.bool_], pairs: Pairs
) -> csr_array:
    """Return the non-zero entries of S: pairs of points that share a leaf in some tree.

    Parameters
    ----------
    leaf_of : (T, N) int32
    in_bag : (T, N) bool
    pairs : {"all", "in_bag", "oob"}
        As for `count_leaves`. A pair that no tree counts is absent, like one that never shares a
        leaf: the sparse matrix does not tell NaN from 0.

    Raises
    ------
    DataError
        If an upper bound of the result's size does not fit in memory.
    """
    n_trees, n = leaf_of.shape
    eligible = np.ones_like(in_bag) if pairs == "all" else in_bag if pairs == "in_bag" else ~in_bag
    # the leaves of tree t become columns of their own: a point has a 1 in each of its leaves
    width = int(leaf_of.max(initial=0)) + 1
    columns = leaf_of + width * np.arange(n_trees, dtype=np.int64)[:, None]
    trees, rows = np.nonzero(eligible)
    leaf = columns[trees, rows]
    sizes = np.bincount(np.unique(leaf, return_inverse=True)[1])
    most = min(int((sizes.astype(np.int64) ** 2).sum()), n * n)
    require_memory(24 * most, f"a sparse proximity matrix of {n} points", _HINT)
    ones = np.ones(len(rows), np.int32)
    indicator = csr_array((ones, (rows, leaf)), shape=(n, width * n_trees))
    together = (indicator @ indicator.T).tocoo()
    i, j = together.coords
    counted: npt.NDArray[np.int64] | int = n_trees
    if pairs != "all":
        counted = np.zeros(together.nnz, np.int64)
        for tree in eligible:
            counted += tree[i] & tree[j]
    values = together.data / counted
    off = i != j
    diagonal = np.arange(n)
    return csr_array(
        (
            np.concatenate([values[off], np.ones(n)]),
            (np.concatenate([i[off], diagonal]), np.concatenate([j[off], diagonal])),
        ),
        shape=(n, n),
    )
