"""Proximities of a forest: S_ij = L_ij / T_ij (Geodesic Forests, section 3)."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array

from geoforest_cli.core.threads import mapped, n_threads
from geoforest_cli.estimators.base.validation import require_memory
from geoforest_cli.estimators.forests.forest import Leaves, Pairs, watcher
from geoforest_cli.estimators.forests.kernels import leaves as kernels
from geoforest_cli.estimators.forests.kernels import listing, lookup

_HINT = ": use kneighbors(), which never builds it"
_BLOCK = 4096  # queries that one call of the kernel looks up, at most
_ROWS_LISTED = 512  # of a sparse matrix, by one call of the kernel
_PARTS_PER_THREAD = 4
_TREES_OF_AN_ORDER = 4


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


def count_leaves(leaf_of: Leaves, in_bag: npt.NDArray[np.bool_], pairs: Pairs) -> LeafCounts:
    """Count shared leaves over all pairs of points.

    Parameters
    ----------
    leaf_of : (T, N) integers
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
    leaves = np.ascontiguousarray(leaf_of)
    together = np.zeros((n, n), np.int32)
    if pairs == "all":
        kernels.count_together(leaves, np.zeros((0, 0), np.bool_), together)
        return LeafCounts(together, n_trees)
    eligible = np.ascontiguousarray(in_bag if pairs == "in_bag" else ~in_bag)
    kernels.count_together(leaves, eligible, together)
    # whole numbers below 2^24: the product in float32 is exact
    weight = eligible.astype(np.float32)
    return LeafCounts(together, (weight.T @ weight).astype(np.int32))


def proximity(
    leaf_of: Leaves, in_bag: npt.NDArray[np.bool_], pairs: Pairs
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
    """The training points of each leaf, found by places near each other.

    Attributes
    ----------
    places : Places
    n_trees : int
    """

    places: lookup.Places
    n_trees: int

    @classmethod
    def build(
        cls,
        leaf_of: Leaves,
        n_nodes: npt.NDArray[np.int64],
        times: npt.NDArray[Any] | None = None,
        n_jobs: int | None = None,
    ) -> "LeafIndex":
        """Sort the points of every tree by leaf.

        Parameters
        ----------
        leaf_of : (T, N) integers
        n_nodes : (T,) int64
            How many nodes each tree has.
        times : (T, N) integers or bool, optional
            How often a tree counts each point; by default once.
        n_jobs : int, optional
        """
        n_trees, n = leaf_of.shape
        row = _near_by(leaf_of).astype(np.int32)
        position = np.empty(n, np.int32)
        position[row] = np.arange(n, dtype=np.int32)
        bounds = np.concatenate([[0], np.cumsum(n_nodes + 1)])
        held = np.full(n_trees, n) if times is None else times.sum(axis=1, dtype=np.int64)
        begin = np.concatenate([[0], np.cumsum(held)])
        start, members = np.empty(bounds[-1], np.int64), np.empty(begin[-1], np.int32)
        once = np.zeros(0, np.int32)

        def group(t: int) -> None:
            of_tree = start[bounds[t] : bounds[t + 1]]
            of_tree[0] = begin[t]
            counts = once if times is None else times[t].astype(np.int32)
            lookup.group_by_leaf(leaf_of[t], counts, row, of_tree, members)

        list(mapped(group, range(n_trees), n_jobs))
        return cls(lookup.Places(bounds[:-1].copy(), start, members, row, position), n_trees)

    def nearest(
        self,
        leaves: Leaves,
        row_ids: npt.NDArray[np.int64],
        k: int,
        seed: int,
        n_jobs: int | None = None,
    ) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.int64]]:
        """Return distances 1 - S and rows of the k nearest points of each query.

        Parameters
        ----------
        leaves : (T, n) integers
            Leaves of the queries.
        row_ids : (n,) int64
            Each query's own row, left out of its neighbours; -1 for a new point.
        """
        n_queries = leaves.shape[1]
        shares = np.empty((n_queries, k), np.int32)
        indices = np.empty((n_queries, k), np.int64)
        watch = watcher.get()

        def find(queries: npt.NDArray[np.intp]) -> None:
            m = len(queries)
            lists = np.empty((m, k), np.int32), np.empty((m, k), np.int64)
            lookup.nearest(
                _rows_of(leaves, queries), row_ids[queries], self.places, self.scratch(),
                np.uint64(seed & 0xFFFFFFFFFFFFFFFF), *lists,
            )  # fmt: skip
            shares[queries], indices[queries] = lists
            watch("points", m, n_queries)

        list(mapped(find, _parts(_near_by(leaves), n_jobs, _BLOCK), n_jobs))
        return 1.0 - shares / self.n_trees, indices

    def room(self, leaves: Leaves, eligible: npt.NDArray[np.bool_] | None) -> npt.NDArray[np.int64]:
        """Return how many points the leaves of each query hold, over the trees that count it."""
        total = np.zeros(leaves.shape[1], np.int64)
        for t, first in enumerate(self.places.first_start):
            start = self.places.start[first:]
            held = start[leaves[t].astype(np.intp) + 1] - start[leaves[t]]
            total += held if eligible is None else held * eligible[t]
        return total

    def scratch(self, *, weighed: bool = False) -> lookup.Scratch:
        """Return what a thread counts in, or adds up shares of leaves."""
        n = len(self.places.row)
        kind = np.dtype(np.float64) if weighed else np.min_scalar_type(self.n_trees)
        return lookup.Scratch(np.zeros(n, kind), np.empty(n + 1, np.int32))

    def matrix(
        self,
        leaves: Leaves,
        counted: npt.NDArray[np.bool_] | None,
        fill: "Fill",
        *,
        alone: npt.NDArray[np.bool_] | None = None,
        weighed: bool = False,
        n_jobs: int | None = None,
    ) -> csr_array:
        """Return the sparse matrix (n, N) of queries and the points that share a leaf with them.

        Parameters
        ----------
        leaves : (T, n) integers
            Leaves of the queries.
        counted : (T, n) bool, optional
            Which trees count a query; by default all.
        fill : callable
            Writes the rows of some queries, as `listing.fill_quotients` does.
        alone : (n,) bool, optional
            Queries that share no leaf and have an entry all the same.
        weighed : bool
            Add up shares of leaves instead of counting trees.

        Raises
        ------
        DataError
            If an upper bound of the result's size does not fit in memory.
        """
        n, of = leaves.shape[1], len(self.places.row)
        room = self.room(leaves, counted)
        most = min(int(room.sum()), n * of)
        require_memory(24 * most, f"a sparse proximity matrix of {n} points", _HINT)
        first = np.zeros(n + 1, np.int64)
        first[1:] = 0 if alone is None else alone
        list_points: Any = listing.weighed_leaves if weighed else listing.shared_leaves

        def find(queries: npt.NDArray[np.intp]) -> _Listed:
            nodes = _rows_of(leaves, queries)
            if counted is not None:
                nodes[~counted[:, queries].T] = -1
            scratch = self.scratch(weighed=weighed)
            space = int(np.minimum(room[queries], of).sum())
            points, sums = np.empty(space, np.int32), np.empty(space, scratch.shared.dtype)
            begin = np.empty(len(queries) + 1, np.int64)
            list_points(nodes, self.places, scratch, points, sums, begin)
            first[queries + 1] += np.diff(begin)
            return queries, (points[: begin[-1]].copy(), sums[: begin[-1]].copy(), begin)

        listed = list(mapped(find, _parts(_near_by(leaves), n_jobs, _ROWS_LISTED), n_jobs))
        np.cumsum(first, out=first)
        return _filled(listed, fill, first, (n, of))


def _filled(
    listed: list["_Listed"], fill: "Fill", first: npt.NDArray[np.int64], shape: tuple[int, int]
) -> csr_array:
    """Return the sparse matrix of what is listed, which is let go of on the way."""
    indices, shares = np.empty(first[-1], np.int32), np.empty(first[-1])
    while listed:
        queries, lists = listed.pop()
        fill(lists, queries, first, indices, shares)
    starts = first.astype(np.int32 if first[-1] <= np.iinfo(np.int32).max else np.int64)
    return csr_array((shares, indices, starts), shape=shape)


def _near_by(leaves: Leaves) -> npt.NDArray[np.intp]:
    """Return an order of points (T, n) in which those of one leaf lie together, in a few trees."""
    return np.lexsort(leaves[:_TREES_OF_AN_ORDER][::-1])


def _parts(
    order: npt.NDArray[np.intp], n_jobs: int | None, most: int
) -> list[npt.NDArray[np.intp]]:
    """Cut an order into parts of at most so many, enough to keep all threads busy to the end."""
    size = max(1, min(most, -(-len(order) // (_PARTS_PER_THREAD * n_threads(n_jobs)))))
    return [order[start : start + size] for start in range(0, len(order), size)]


def _rows_of(leaves: Leaves, queries: npt.NDArray[np.intp]) -> npt.NDArray[np.int32]:
    """Return the leaves of some queries (n, T)."""
    return np.ascontiguousarray(leaves[:, queries].T, np.int32)


def sparse_proximity(
    leaf_of: Leaves, in_bag: npt.NDArray[np.bool_], pairs: Pairs, n_jobs: int | None = None
) -> csr_array:
    """Return the non-zero entries of S: pairs of points that share a leaf in some tree.

    Parameters
    ----------
    leaf_of : (T, N) integers
    in_bag : (T, N) bool
    pairs : {"all", "in_bag", "oob"}
        As for `count_leaves`. A pair that no tree counts is absent, like one that never shares a
        leaf: the sparse matrix does not tell NaN from 0.
    n_jobs : int, optional

    Raises
    ------
    DataError
        If an upper bound of the result's size does not fit in memory.
    """
    n_trees, n = leaf_of.shape
    eligible = None if pairs == "all" else in_bag if pairs == "in_bag" else ~in_bag
    index = LeafIndex.build(leaf_of, leaf_of.max(axis=1).astype(np.int64) + 1, eligible, n_jobs)
    bits = np.zeros((n, 0), np.uint64) if eligible is None else _bits(eligible)
    shares_of = np.arange(n_trees + 1) / n_trees

    def fill(lists: Any, queries: Any, *matrix: Any) -> None:
        listing.fill_shares(lists, queries, bits, shares_of, *matrix)

    # a point that no tree counts is not among those that it shares a leaf with
    alone = None if eligible is None else ~np.any(eligible, axis=0, keepdims=True)[0]
    return index.matrix(leaf_of, eligible, fill, alone=alone, n_jobs=n_jobs)


_Listed = tuple[npt.NDArray[np.intp], tuple[npt.NDArray[Any], npt.NDArray[Any], npt.NDArray[Any]]]
Fill = Callable[..., None]


def _bits(eligible: npt.NDArray[np.bool_]) -> npt.NDArray[np.uint64]:
    """Return a bit for each tree that counts a point, (N, words)."""
    n_trees, n = eligible.shape
    bits = np.zeros((n, -(-n_trees // 64) * 8), np.uint8)
    bits[:, : -(-n_trees // 8)] = np.packbits(eligible.T, axis=1)
    return bits.view(np.uint64)
