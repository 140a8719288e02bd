"""A forest as flat arrays: the engine under every estimator."""

import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from geoforest_cli.core.threads import mapped, n_threads
from geoforest_cli.estimators.forests.kernels import leaves as leaf_kernels

Pairs = Literal["all", "in_bag", "oob"]
Leaves = npt.NDArray[np.uint16] | npt.NDArray[np.int32]
Watcher = Callable[[str, int, int], None]
# told what is counted, how many more are done, and how many there are: a command line's progress
watcher: ContextVar[Watcher] = ContextVar("watcher", default=lambda _what, _done, _of: None)

_PARTS = 10  # of the trees, after each of which a verbose forest says how many are grown
_LARGEST_UINT8, _LARGEST_UINT16 = np.iinfo(np.uint8).max, np.iinfo(np.uint16).max
# that one call drops down all trees: few stay in a processor's cache, many repay the time that it
# takes to write the nodes of a large tree side by side
_VALUES_PER_BLOCK, _MOST_VALUES, _LEAST_ROWS, _NODES_PER_ROW = 1 << 16, 1 << 23, 512, 4


@contextmanager
def reporting(estimator: Any) -> Iterator[None]:
    """Print how many trees are grown, ten times, if the estimator is verbose."""
    if not estimator.verbose:
        yield
        return
    before, lock, began = watcher.get(), threading.Lock(), time.perf_counter()
    name, total = type(estimator).__name__, 0

    def watch(what: str, done: int, of: int) -> None:
        nonlocal total
        before(what, done, of)
        with lock:
            part = total * _PARTS // of
            total += done
            if total * _PARTS // of > part:
                print(f"[{name}] {total} of {of} trees: {time.perf_counter() - began:.2f} s")

    token = watcher.set(watch)
    try:
        yield
    finally:
        watcher.reset(token)


class Tree(NamedTuple):
    """One tree as `grow_trees` returns it, and the gains of its features (pairwise only)."""

    children: npt.NDArray[np.int32]
    threshold: npt.NDArray[np.float64]
    first: npt.NDArray[np.int64]
    features: npt.NDArray[np.int32]
    weights: npt.NDArray[np.float32]
    leaf_of: npt.NDArray[np.int32]
    counts: npt.NDArray[np.int32]
    gains: npt.NDArray[np.float64]


@dataclass(frozen=True)
class Forest:
    """Trees in flat arrays; nodes of tree t are first_node[t]:first_node[t+1].

    Attributes
    ----------
    first_node : (T + 1,) int64
    children : (nodes, 2) int32
        Node numbers within the tree; -1 in leaves.
    threshold : (nodes,) float64
        A point goes left if its projected value is smaller.
    first : (nodes + 1,) int64
        Node i projects on features[first[i]:first[i+1]] with the weights there.
    features : int32, weights : float32
    leaf_of : (T, N) uint16, or int32 where a tree has more than 65,535 nodes
        The training points' leaves, as node numbers.
    in_bag : (T, N) uint8, or int32 where a point is in a bag more than 255 times
        How often each training point is in the tree's bag.
    gains : (T, p) float64, or (T, 0)
        Of each feature in the tree's cuts (pairwise only).
    """

    first_node: npt.NDArray[np.int64]
    children: npt.NDArray[np.int32]
    threshold: npt.NDArray[np.float64]
    first: npt.NDArray[np.int64]
    features: npt.NDArray[np.int32]
    weights: npt.NDArray[np.float32]
    leaf_of: Leaves
    in_bag: npt.NDArray[np.uint8] | npt.NDArray[np.int32]
    gains: npt.NDArray[np.float64]

    @property
    def n_trees(self) -> int:
        """Number of trees T."""
        return len(self.first_node) - 1

    def n_leaves(self) -> npt.NDArray[np.int64]:
        """Return the number of leaves of each tree."""
        is_leaf = np.concatenate([[0], np.cumsum(self.children[:, 0] < 0)])
        return np.diff(is_leaf[self.first_node])

    def _rows_at_once(self, p: int) -> int:
        """Return how many rows of p columns are dropped together: more down larger trees."""
        rows = int(np.diff(self.first_node).max(initial=0)) // _NODES_PER_ROW
        return max(_VALUES_PER_BLOCK, min(rows * (p + 1), _MOST_VALUES)) // (p + 1)

    def drop(self, points: npt.NDArray[Any], n_jobs: int | None = None) -> npt.NDArray[np.int32]:
        """Return the (n, T) leaves that the rows of `points` reach."""
        n, p = points.shape
        leaves = np.empty((self.n_trees, n), np.int32)
        trees = self.children, self.threshold, self.first, self.features, self.weights
        step = max(_LEAST_ROWS, min(self._rows_at_once(p), -(-n // n_threads(n_jobs))))

        def drop_rows(start: int) -> None:
            rows = points[start : start + step]
            padded = np.zeros((len(rows), p + 1))
            padded[:, :p] = rows
            reached = np.empty((self.n_trees, len(rows)), np.int32)
            leaf_kernels.drop(padded, self.first_node, trees, reached)
            leaves[:, start : start + step] = reached

        list(mapped(drop_rows, range(0, n, step), n_jobs))
        return leaves.T

    def leaf_means(self, targets: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
        """Return the mean of the bag rows' targets (N, K) in every leaf (nodes, K)."""
        means = np.zeros((len(self.threshold), targets.shape[1]))
        leaf_kernels.leaf_means(self.first_node, self.leaf_of, self.in_bag, targets, means)
        return means

    def decreases(self, targets: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
        """Return n I - n_L I_L - n_R I_R of every node, 0 in leaves (nodes,).

        The n are bag rows, and I is the sum of the variances of the target's columns (N, K): the
        variance of a response, and of indicators of classes Gini's impurity.
        """
        worth = np.zeros(len(self.threshold))
        # far from zero the squares of sums would drown their differences
        centred = targets - targets.mean(axis=0)
        leaf_kernels.decreases(
            self.first_node, self.children, self.leaf_of, self.in_bag, centred, worth
        )
        return worth

    def bag_rows(self, tree: int) -> npt.NDArray[np.float64]:
        """Return how many rows of its bag reach each node of a tree."""
        children = self.children[self.first_node[tree] : self.first_node[tree + 1]]
        counts = self.in_bag[tree].astype(np.float64)
        rows = np.bincount(self.leaf_of[tree], counts, len(children)).astype(np.float64)
        # children come after their parents
        for node in np.flatnonzero(children[:, 0] >= 0)[::-1]:
            rows[node] = rows[children[node]].sum()
        return rows

    def mean_over_trees(
        self, values: npt.NDArray[Any], leaves: npt.NDArray[np.int32]
    ) -> npt.NDArray[np.float64]:
        """Return, for rows that reach `leaves` (n, T), the trees' mean of the nodes' values."""
        total = np.zeros((len(leaves), values.shape[1]))
        for t in range(self.n_trees):
            total += values[self.first_node[t] + leaves[:, t]]
        return total / self.n_trees


def assemble(trees: Sequence[Tree]) -> Forest:
    """Join trees into one forest, leaves and bag counts in as few bytes as they need."""
    sizes = [len(t.children) for t in trees]
    leaf_of = np.stack([t.leaf_of for t in trees])
    in_bag = np.stack([t.counts for t in trees])
    return Forest(
        first_node=np.concatenate([[0], np.cumsum(sizes)]),
        **_nodes(trees),
        leaf_of=leaf_of.astype(np.uint16) if max(sizes) <= _LARGEST_UINT16 else leaf_of,
        in_bag=in_bag if in_bag.max() > _LARGEST_UINT8 else in_bag.astype(np.uint8),
        gains=np.stack([t.gains for t in trees]),
    )


def merge(forests: Sequence[Forest]) -> Forest:
    """Join forests that were grown on the same points into one.

    Leaf counts are additive over trees, so F forests of T trees give, bit for bit, the
    proximities of one forest of F*T trees.
    """
    return Forest(
        first_node=_chain([f.first_node for f in forests]),
        **_nodes(forests),
        **_joined(forests, ("leaf_of", "in_bag", "gains")),
    )


def _nodes(parts: Sequence[Tree | Forest]) -> dict[str, npt.NDArray[Any]]:
    """Join the nodes of trees or forests."""
    names = ("children", "threshold", "features", "weights")
    return {"first": _chain([part.first for part in parts]), **_joined(parts, names)}


def _joined(parts: Sequence[Tree | Forest], names: Sequence[str]) -> dict[str, npt.NDArray[Any]]:
    return {name: np.concatenate([getattr(part, name) for part in parts]) for name in names}


def _chain(firsts: Iterable[npt.NDArray[np.int64]]) -> npt.NDArray[np.int64]:
    """Join the offset arrays of several trees into one."""
    lengths = np.concatenate([np.diff(f) for f in firsts])
    return np.concatenate([[0], np.cumsum(lengths)])
