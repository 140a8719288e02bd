"""A forest as flat arrays, and how one is grown: the engine under every estimator."""

import math
import os
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from geoforest_cli.forests.kernels import choose as choosing
from geoforest_cli.forests.kernels import grow as growing
from geoforest_cli.forests.kernels import leaves as leaf_kernels
from geoforest_cli.forests.kernels import samplers
from geoforest_cli.forests.kernels.fast_bic import mantissa_logs
from geoforest_cli.forests.kernels.workspace import Tables

Pairs = Literal["all", "in_bag", "oob"]

CRITERIA = {
    "two_means": choosing.TWO_MEANS,
    "fast_bic": choosing.FAST_BIC,
    "delta_bic": choosing.DELTA_BIC,
    "fast_bic_legacy": choosing.FAST_BIC_LEGACY,
    "mclust_bic": choosing.MCLUST_BIC,
    "mclust_bic_legacy": choosing.MCLUST_BIC_LEGACY,
    "gini": choosing.GINI,
    "variance": choosing.VARIANCE,
}
SAMPLERS = {
    "axis": samplers.AXIS,
    "oblique": samplers.OBLIQUE,
    "poisson": samplers.POISSON,
    "patch": samplers.PATCH,
}

Watcher = Callable[[str, int, int], None]
# told what is counted, how many more are done, and how many there are: a command line's progress
watcher: ContextVar[Watcher] = ContextVar("watcher", default=lambda _what, _done, _of: None)

_MASK = (1 << 64) - 1
_MOST_BYTES_OF_RANKS = 1_000_000_000
_MOST_RANKED_ROWS = 1 << 16  # ranks are 16 bits wide
_LARGEST_WHOLE = 2.0**31
_ROWS_AT_ONCE = 512  # rows that one call drops down all trees


@dataclass(frozen=True)
class Growth:
    """How the trees of a forest are grown.

    Attributes
    ----------
    criterion, sampler : str
        Keys of `CRITERIA` and `SAMPLERS`.
    n_projections : int
        d, the candidates per node.
    n_nonzeros : int
        Non-zeros over all d candidates of a node (oblique sampler).
    min_parent : int
        Nodes with fewer bag rows are leaves.
    min_leaf : int
        Fewest bag rows on each side of a cut.
    variance_floor : float
        Floor of the variances, relative to the node's; 0 skips cuts with a
        zero-variance side.
    max_depth : int
    bootstrap : bool
    poisson_mean : float
        Mean number of non-zeros of a candidate (Poisson sampler).
    patch : tuple of int
        What the patch sampler needs, see `samplers.patch`; the columns are then those of a
        summed-area table.
    max_search : int
        Larger nodes choose their cut on this many of their distinct bag rows; 0 is all.
    two_means_below : bool
        Nodes at max_depth are not leaves but cut by two-means from there on.
    """

    criterion: str
    sampler: str
    n_projections: int
    n_nonzeros: int
    min_parent: int
    min_leaf: int = 1
    variance_floor: float = 0.0
    max_depth: int = 1 << 30
    bootstrap: bool = True
    poisson_mean: float = 0.0
    patch: tuple[int, ...] = ()
    max_search: int = 0
    two_means_below: bool = False


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
    leaf_of : (T, N) int32
        The training points' leaves, as node numbers.
    in_bag : (T, N) uint8
        How often each training point is in the tree's bag (at most 255 is told).
    """

    first_node: npt.NDArray[np.int64]
    children: npt.NDArray[np.int32]
    threshold: npt.NDArray[np.float64]
    first: npt.NDArray[np.int64]
    features: npt.NDArray[np.int32]
    weights: npt.NDArray[np.float32]
    leaf_of: npt.NDArray[np.int32]
    in_bag: npt.NDArray[np.uint8]

    @property
    def n_trees(self) -> int:
        """Number of trees T."""
        return len(self.first_node) - 1

    def n_leaves(self) -> npt.NDArray[np.int64]:
        """Return the number of leaves of each tree."""
        is_leaf = np.concatenate([[0], np.cumsum(self.children[:, 0] < 0)])
        return np.diff(is_leaf[self.first_node])

    def drop(self, points: npt.NDArray[Any], n_jobs: int | None = None) -> npt.NDArray[np.int32]:
        """Return the (n, T) leaves that the rows of `points` reach."""
        points = np.ascontiguousarray(points)
        leaves = np.empty((len(points), self.n_trees), np.int32)

        def fall(start: int) -> None:
            part = slice(start, start + _ROWS_AT_ONCE)
            leaf_kernels.drop(
                points[part], self.first_node, self.children, self.threshold,
                self.first, self.features, self.weights, leaves[part],
            )  # fmt: skip

        starts = range(0, len(points), _ROWS_AT_ONCE)
        threads = min(n_threads(n_jobs), len(starts))
        if threads > 1:
            with ThreadPoolExecutor(threads) as pool:
                list(pool.map(fall, starts))
        else:
            for start in starts:
                fall(start)
        return leaves


def tree_seeds(root: int, n_trees: int) -> list[np.uint64]:
    """Return one 64-bit seed per tree; tree t's depends on the root and t only."""
    return [np.uint64(_splitmix((root + t * 0x9E3779B97F4A7C15) & _MASK)) for t in range(n_trees)]


def _splitmix(x: int) -> int:
    x = ((x ^ (x >> 30)) * 0xBF58476D1CE4E5B9) & _MASK
    x = ((x ^ (x >> 27)) * 0x94D049BB133111EB) & _MASK
    return x ^ (x >> 31)


def n_threads(n_jobs: int | None) -> int:
    """Resolve scikit-learn's n_jobs: None is 1, -1 all processors."""
    if n_jobs is None:
        return 1
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    return max(1, n_jobs if n_jobs > 0 else (cores or 1) + 1 + n_jobs)


def grow_forest(
    points: npt.NDArray[Any],
    growth: Growth,
    n_trees: int,
    seed: int,
    *,
    labels: npt.NDArray[np.int32] | None = None,
    response: npt.NDArray[np.float64] | None = None,
    sample_weight: npt.NDArray[np.float64] | None = None,
    n_jobs: int | None = None,
) -> Forest:
    """Grow a forest; the same trees whatever the number of threads.

    Parameters
    ----------
    points : (N, p) float array
    growth : Growth
    n_trees : int
    seed : int
        Root of the trees' seeds.
    labels : (N,) int32, optional
        Classes 0..K-1 for Gini.
    response : (N,) float, optional
        Numbers for the variance.
    sample_weight : (N,) float, optional
        The bootstrap draws rows in proportion to it.
    n_jobs : int, optional
        Threads, as in scikit-learn.
    """
    n_points, p = points.shape
    columns = np.ascontiguousarray(points.T)
    n_classes = 1 if labels is None else int(labels.max()) + 1
    if labels is None:
        labels = np.zeros(n_points, np.int32)
    if growth.criterion == "variance" and response is None:
        raise ValueError("the variance needs a response")
    numbers = np.empty(0) if response is None else np.asarray(response, np.float64)
    d = min(growth.n_projections, p) if growth.sampler == "axis" else growth.n_projections
    n_nonzeros = _most_nonzeros(growth, p, d)
    whole = growth.criterion == "gini" and _is_whole(columns, n_nonzeros // d + 1)
    sizes = np.array(
        [
            d, n_nonzeros, growth.min_parent, growth.max_depth, int(growth.bootstrap), int(whole),
            growth.max_search, int(growth.two_means_below),
        ],
        np.int64,
    )  # fmt: skip
    rule = np.array([growth.min_leaf, growth.variance_floor, growth.poisson_mean], np.float64)
    shape = np.array(growth.patch, np.int64)
    cumulative = np.empty(0) if sample_weight is None else np.cumsum(sample_weight)
    tables = _shared_tables(columns[:0] if whole else columns, n_points)
    seeds = tree_seeds(seed, n_trees)
    leaf_of = np.empty((n_trees, n_points), np.int32)
    in_bag = np.empty((n_trees, n_points), np.uint8)
    watch = watcher.get()

    def grow(t: int) -> tuple[npt.NDArray[Any], ...]:
        *tree, leaf_of[t], counts = growing.grow_tree(
            columns, labels, n_classes, numbers, seeds[t], CRITERIA[growth.criterion],
            SAMPLERS[growth.sampler], sizes, rule, shape, cumulative, tables,
            samplers.table_size(n_nonzeros),
        )  # fmt: skip
        in_bag[t] = np.minimum(counts, 255)
        watch("trees", 1, n_trees)
        return tuple(tree)

    # the first tree compiles the kernel; threads that start together would all wait for it
    trees = [grow(0)]
    threads = min(n_threads(n_jobs), n_trees)
    if threads > 1:
        with ThreadPoolExecutor(threads) as pool:
            trees += pool.map(grow, range(1, n_trees))
    else:
        trees += map(grow, range(1, n_trees))
    return assemble(trees, leaf_of, in_bag)


def _most_nonzeros(growth: Growth, p: int, d: int) -> int:
    if growth.sampler == "axis":
        return d
    if growth.sampler == "patch":
        return 4 * d
    if growth.sampler == "poisson":
        return samplers.MOST_POISSON * d
    return min(growth.n_nonzeros, p * d)


def _is_whole(columns: npt.NDArray[Any], terms: int) -> bool:
    """Whether sums of a few columns are whole numbers that 32 bits hold."""
    largest = max(abs(float(columns.min(initial=0))), abs(float(columns.max(initial=0))))
    if not largest * max(terms, 16) < _LARGEST_WHOLE:
        return False
    return all(bool((column == np.rint(column)).all()) for column in columns)


def _shared_tables(columns: npt.NDArray[Any], n: int) -> Tables:
    p = len(columns)
    known = n <= _MOST_RANKED_ROWS and 2 * p * n <= _MOST_BYTES_OF_RANKS
    ranks = np.empty((p if known else 0, n), np.uint16)
    distinct = np.empty(len(ranks), np.bool_)
    places = np.arange(n, dtype=np.uint16)
    for j in range(len(ranks)):
        order = np.argsort(columns[j])
        distinct[j] = bool((np.diff(columns[j, order]) > 0).all())
        if not distinct[j]:
            # the quicker sort leaves the order of ties to the processor
            order = np.argsort(columns[j], kind="stable")
        ranks[j, order] = places
    logs = np.array([0.0, *(math.log(i) for i in range(1, n + 1))])
    return Tables(logs, mantissa_logs(), ranks, distinct)


def assemble(
    trees: Sequence[tuple[npt.NDArray[Any], ...]],
    leaf_of: npt.NDArray[np.int32],
    in_bag: npt.NDArray[np.uint8],
) -> Forest:
    """Join trees (children, threshold, first, features, weights) into one forest."""
    children, threshold, first, features, weights = zip(*trees, strict=True)
    return Forest(
        first_node=np.concatenate([[0], np.cumsum([len(c) for c in children])]),
        children=np.concatenate(children),
        threshold=np.concatenate(threshold),
        first=_chain(first),
        features=np.concatenate(features),
        weights=np.concatenate(weights),
        leaf_of=leaf_of,
        in_bag=in_bag,
    )


def _chain(firsts: Iterable[npt.NDArray[np.int64]]) -> npt.NDArray[np.int64]:
    """Join the offset arrays of several trees into one."""
    lengths = np.concatenate([np.diff(f) for f in firsts])
    return np.concatenate([[0], np.cumsum(lengths)])


def merge(forests: Sequence[Forest]) -> Forest:
    """Join forests that were grown on the same points into one.

    Leaf counts are additive over trees, so F forests of T trees give, bit for bit, the
    proximities of one forest of F*T trees.
    """
    return Forest(
        first_node=_chain([f.first_node for f in forests]),
        children=np.concatenate([f.children for f in forests]),
        threshold=np.concatenate([f.threshold for f in forests]),
        first=_chain([f.first for f in forests]),
        features=np.concatenate([f.features for f in forests]),
        weights=np.concatenate([f.weights for f in forests]),
        leaf_of=np.concatenate([f.leaf_of for f in forests]),
        in_bag=np.concatenate([f.in_bag for f in forests]),
    )
