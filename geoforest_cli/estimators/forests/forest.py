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
from geoforest_cli.estimators.forests import storage
from geoforest_cli.estimators.forests.donors import Draws
from geoforest_cli.estimators.forests.kernels import leaves as leaf_kernels

Pairs = Literal["all", "in_bag", "oob"]
Leaves = npt.NDArray[np.uint16] | npt.NDArray[np.int32]
Watcher = Callable[[str, int, int], None]
# told what is counted, how many more are done, and how many there are: a command line's progress
watcher: ContextVar[Watcher] = ContextVar("watcher", default=lambda _what, _done, _of: None)

_PARTS = 10  # of the trees, after each of which a verbose forest says how many are grown
_PACKED = {
    "children", "threshold", "first", "features", "weights", "leaf_of", "in_bag", "gains",
}  # fmt: skip
# that one call drops down all trees: few stay in a processor's cache, many repay the time that it
# takes to write the nodes of a large tree side by side
_VALUES_AT_ONCE, _MOST_VALUES, _LEAST_ROWS, _NODES_PER_ROW = 1 << 16, 1 << 23, 512, 4


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
    leaf_of : (T, N) uint16, or int32 where a tree has more than 65,527
        The training points' leaves, as node numbers.
    in_bag : (T, N) uint8, or int32 where a point is in a bag more than 255 times
        How often each training point is in the tree's bag.
    gains : (T, p) float64, or (T, 0)
        Of each feature in the tree's cuts (pairwise only).
    seeds : (T,) uint64
    missing : Draws or None
        The rows from which missing values are drawn.
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
    seeds: npt.NDArray[np.uint64]
    missing: Draws | None = None

    def __getstate__(self) -> dict[str, Any]:
        """Return what pickle keeps, in few bytes."""
        inner = self.children[:, 0] >= 0
        drawn = np.array_equal(self.in_bag, storage.bags(self.seeds, self.leaf_of.shape[1]))
        arrays: dict[str, npt.NDArray[Any]] = {
            "inner": np.packbits(inner),
            # a right child comes right after its left sibling, and both soon after their parent
            "left": (self.children[:, 0] - self._own_numbers())[inner].astype(np.int32),
            "threshold": self.threshold[inner],
            "terms": np.diff(self.first)[inner].astype(np.int32),
            "features": self.features,
            "weights": self.weights,
            "gains": self.gains,
        }
        packed: dict[str, Any] = {name: storage.pack(array) for name, array in arrays.items()}
        packed["leaf_of"] = storage.pack_leaves(self.leaf_of, self._of_trees(~inner))
        # None where the bags can be drawn again from the seeds
        packed["in_bag"] = None if drawn else storage.pack(self.in_bag)
        others = {name: value for name, value in vars(self).items() if name not in _PACKED}
        return {"others": others, "rows": self.leaf_of.shape[1], "packed": packed}

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Restore the forest from what `__getstate__` returned."""
        packed, n = state["packed"], state["rows"]
        vars(self).update(state["others"])
        own = self._own_numbers()
        inner = np.unpackbits(storage.unpack(packed["inner"]), count=len(own)).astype(np.bool_)
        children = np.full((len(own), 2), -1, np.int32)
        left = own[inner] + storage.unpack(packed["left"])
        children[inner] = np.stack([left, left + 1], axis=1)
        threshold, terms = np.zeros(len(own)), np.zeros(len(own), np.int64)
        threshold[inner] = storage.unpack(packed["threshold"])
        terms[inner] = storage.unpack(packed["terms"])
        bags = packed["in_bag"]
        vars(self).update(
            children=children,
            threshold=threshold,
            first=np.concatenate([[0], np.cumsum(terms)]),
            leaf_of=storage.unpack_leaves(packed["leaf_of"], self._of_trees(~inner), n),
            in_bag=storage.unpack(bags) if bags else _narrow(storage.bags(self.seeds, n)),
            **{name: storage.unpack(packed[name]) for name in ("features", "weights", "gains")},
        )

    def _own_numbers(self) -> npt.NDArray[np.int64]:
        """Return the number of every node within its tree."""
        own: npt.NDArray[np.int64] = np.arange(self.first_node[-1])
        return own - np.repeat(self.first_node[:-1], np.diff(self.first_node))

    def _of_trees(self, values: npt.NDArray[np.bool_]) -> list[npt.NDArray[np.bool_]]:
        """Cut an array over all nodes into those of each tree."""
        return np.split(values, self.first_node[1:-1])

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
        return max(_VALUES_AT_ONCE, min(rows * (p + 1), _MOST_VALUES)) // (p + 1)

    def drop(self, points: npt.NDArray[Any], n_jobs: int | None = None) -> npt.NDArray[np.int32]:
        """Return the (n, T) leaves that the rows of `points` reach."""
        n, p = points.shape
        leaves = np.empty((self.n_trees, n), np.int32)
        trees = self.children, self.threshold, self.first, self.features, self.weights
        some = max(_LEAST_ROWS, min(self._rows_at_once(p), -(-n // n_threads(n_jobs))))

        def drop(rows: npt.NDArray[Any], of: slice) -> npt.NDArray[np.int32]:
            first_node = self.first_node[of]
            padded = np.zeros((len(rows), p + 1))
            padded[:, :p] = rows
            reached = np.empty((len(first_node) - 1, len(rows)), np.int32)
            leaf_kernels.drop(padded, first_node, trees, reached)
            return reached

        def fall(start: int) -> None:
            part = slice(start, start + some)
            rows = points[part]
            if self.missing is None or not np.isnan(rows).any():
                leaves[:, part] = drop(rows, slice(None))
                return
            donors = self.missing.donors(rows)
            for t, seed in enumerate(self.seeds):
                leaves[t, part] = drop(donors.fill(seed), slice(t, t + 2))[0]

        list(mapped(fall, range(0, n, some), n_jobs))
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


def assemble(
    trees: Sequence[Tree], seeds: Sequence[np.uint64], missing: Draws | None = None
) -> Forest:
    """Join trees into one forest."""
    wide = np.stack([t.leaf_of for t in trees])
    leaf_of: Leaves = wide
    if storage.node_type(max(len(t.children) for t in trees)) is np.uint16:
        leaf_of = wide.astype(np.uint16)
    return Forest(
        first_node=np.concatenate([[0], np.cumsum([len(t.children) for t in trees])]),
        **_nodes(trees),
        leaf_of=leaf_of,
        in_bag=_narrow(np.stack([t.counts for t in trees])),
        gains=np.stack([t.gains for t in trees]),
        seeds=np.array(seeds, np.uint64),
        missing=missing,
    )


def merge(forests: Sequence[Forest]) -> Forest:
    """Join forests that were grown on the same points into one.

    Leaf counts are additive over trees, so F forests of T trees give, bit for bit, the
    proximities of one forest of F*T trees.
    """
    return Forest(
        first_node=_chain([f.first_node for f in forests]),
        **_nodes(forests),
        **_joined(forests, ("leaf_of", "in_bag", "gains", "seeds")),
        missing=forests[0].missing,
    )


def _nodes(parts: Sequence[Tree | Forest]) -> dict[str, npt.NDArray[Any]]:
    """Join the nodes of trees or forests."""
    names = ("children", "threshold", "features", "weights")
    return {"first": _chain([part.first for part in parts]), **_joined(parts, names)}


def _joined(parts: Sequence[Tree | Forest], names: Sequence[str]) -> dict[str, npt.NDArray[Any]]:
    return {name: np.concatenate([getattr(part, name) for part in parts]) for name in names}


def _narrow(
    counts: npt.NDArray[np.int32],
) -> npt.NDArray[np.uint8] | npt.NDArray[np.int32]:
    """Return bag counts in as few bytes as they need."""
    return counts if counts.max() > np.iinfo(np.uint8).max else counts.astype(np.uint8)


def _chain(firsts: Iterable[npt.NDArray[np.int64]]) -> npt.NDArray[np.int64]:
    """Join the offset arrays of several trees into one."""
    lengths = np.concatenate([np.diff(f) for f in firsts])
    return np.concatenate([[0], np.cumsum(lengths)])
