"""Growth of trees: rules in words, kernels' rules, threads."""

import itertools
import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from geoforest_cli.core.threads import mapped, n_threads
from geoforest_cli.estimators.forests.forest import Forest, Tree, assemble, watcher
from geoforest_cli.estimators.forests.kernels.criteria import CRITERIA
from geoforest_cli.estimators.forests.kernels.grow import grow_trees
from geoforest_cli.estimators.forests.kernels.oblique import table_size
from geoforest_cli.estimators.forests.kernels.pairwise import Pairs
from geoforest_cli.estimators.forests.kernels.poisson import poisson_parameter
from geoforest_cli.estimators.forests.kernels.rules import Points, Rules, Tables
from geoforest_cli.estimators.forests.kernels.samplers import SAMPLERS
from geoforest_cli.estimators.forests.kernels.workspace import MOST_CACHED
from geoforest_cli.estimators.forests.sizes import n_candidates
from geoforest_cli.estimators.forests.tables import renumbered, shared_tables

__all__ = ["CRITERIA", "STEPPED", "Growth", "grow_forest", "tree_seeds"]

# criteria that know columns recorded in steps
STEPPED = frozenset(name for name, criterion in CRITERIA.items() if criterion.stepped)
_TARGETS = {"labels": "labels", "response": "a response", "pairs": "distances"}
_MASK = (1 << 64) - 1
_LARGEST_WHOLE = 2.0**31
_ANY_DEPTH = 1 << 30
_MAX_TREES_AT_ONCE = 16  # trees
_ROWS_AT_ONCE = 200_000  # of all trees that are grown at once
_VALUES_PER_BLOCK = 1 << 16
_MANY_ROWS = 1 << 17
_MOST_COPIED = 1 << 27  # values of a table


@dataclass(frozen=True)
class Growth:
    """Rules by which the trees of a forest are grown.

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
    max_depth : int, optional
    bootstrap : bool
    poisson_mean : float
        Mean number of non-zeros of a candidate (Poisson sampler).
    patch : tuple of int
        What the patch sampler needs, see `samplers.patch`; the columns are then those of a
        summed-area table.
    stepped : bool
        Pixels are recorded in steps of 1, and so are their sums (patch sampler).
    max_search : int
        Larger nodes choose their cut on this many of their distinct bag rows; 0 is all.
    min_share : float
        Smallest side of a cut, as a share of the node's bag rows.
    stop_score : float
        A candidate that scores below is good enough: no more are drawn. By mean-BIC, one whose
        delta-BIC is below.
    max_projections : int
        Most candidates of a node, drawn n_projections at a time until one is good enough;
        0 draws once.
    shortlist : int
        After each sqrt(p) candidates of all columns the mixed sampler draws as many of this many,
        those that are most clustered by themselves; 0 draws from all columns.
    child_search_fraction : float
        The children of a node where none was good enough draw at most this share of its
        candidates.
    full_credit : bool
        Pairwise distances: the gain of a cut goes to each of its features in full.
    """

    criterion: str
    sampler: str
    n_projections: int
    n_nonzeros: int
    min_parent: int
    min_leaf: int = 1
    variance_floor: float = 0.0
    max_depth: int | None = None
    bootstrap: bool = True
    poisson_mean: float = 0.0
    patch: tuple[int, ...] = ()
    stepped: bool = False
    max_search: int = 0
    min_share: float = 0.0
    stop_score: float = math.inf
    max_projections: int = 0
    shortlist: int = 0
    child_search_fraction: float = 1.0
    full_credit: bool = True

    def rules(
        self, columns: npt.NDArray[np.float64], lacking: npt.NDArray[np.bool_] | None = None
    ) -> Rules:
        """Return what the kernels go by, for a table of these columns (p, N).

        With `lacking` (p,), which columns lack values, `columns` are p and a copy of each.
        """
        missing = np.empty(0, np.bool_) if lacking is None else lacking
        p, n = len(columns) - len(missing), columns.shape[1]
        sampler = SAMPLERS[self.sampler]
        d = sampler.at_once or int(min(self.n_projections, sampler.possible(p)))
        most = sampler.most_nonzeros
        n_nonzeros = min(self.n_nonzeros, p * d) if most is None else most * d
        terms = n_nonzeros // d + 1
        return Rules(
            sampler=list(SAMPLERS).index(self.sampler),
            one_by_one=int(sampler.one_by_one),
            sums=int(sampler.sums),
            n_projections=d,
            n_nonzeros=n_nonzeros,
            table_size=table_size(n_nonzeros),
            patch=np.array(self.patch, np.int64),
            poisson_mean=poisson_parameter(self.poisson_mean),
            min_parent=self.min_parent,
            min_leaf=self.min_leaf,
            max_depth=_ANY_DEPTH if self.max_depth is None else self.max_depth,
            floor=float(self.variance_floor),
            bootstrap=int(self.bootstrap),
            max_search=self.max_search,
            whole=int(self._target == "labels" and _is_whole(columns, terms)),
            missing=missing,
            together=int(
                lacking is None and most is None and n_nonzeros > p and p * n > MOST_CACHED
            ),
            least_share=float(self.min_share),
            most_projections=int(min(self.max_projections, sampler.possible(p))),
            per_turn=n_candidates("sqrt", p),
            child_search_fraction=float(self.child_search_fraction),
            stop_score=float(self.stop_score),
            full_credit=int(self.full_credit),
        )

    @property
    def _target(self) -> str | None:
        """Return what the criterion needs beside the points: labels, response, pairs or nothing."""
        return next(iter(CRITERIA[self.criterion].data._fields[len(Points._fields) :]), None)

    def tables(
        self, columns: npt.NDArray[np.float64], *, ranked: bool, n_jobs: int | None = None
    ) -> Tables:
        """Return what all trees on these columns (p, N) share; with ranks, where they pay."""
        sampler = SAMPLERS[self.sampler]
        stepped = None if self.criterion in STEPPED else 0.0
        if sampler.sums and stepped is None:
            # entries of a summed-area table repeat less than the patches that are told by them
            stepped = 1.0 / 12.0 if self.stepped else 0.0
        return shared_tables(
            columns,
            ranked=ranked and sampler.single,
            stepped=stepped,
            shortlist=min(self.shortlist, len(columns)),
            min_share=self.min_share,
            variance_floor=self.variance_floor,
            n_jobs=n_jobs,
        )


def tree_seeds(root: int, n_trees: int) -> list[np.uint64]:
    """Return one 64-bit seed per tree; tree t's depends on the root and t only."""
    return [np.uint64(_splitmix((root + t * 0x9E3779B97F4A7C15) & _MASK)) for t in range(n_trees)]


def _splitmix(x: int) -> int:
    x = ((x ^ (x >> 30)) * 0xBF58476D1CE4E5B9) & _MASK
    x = ((x ^ (x >> 27)) * 0x94D049BB133111EB) & _MASK
    return x ^ (x >> 31)


def grow_forest(
    points: npt.NDArray[Any],
    growth: Growth,
    n_trees: int,
    seed: int,
    *,
    target: npt.NDArray[Any] | Pairs | None = None,
    sample_weight: npt.NDArray[np.float64] | None = None,
    n_jobs: int | None = None,
    tables: Tables | None = None,
    lacking: npt.NDArray[np.bool_] | None = None,
) -> Forest:
    """Grow a forest; the same trees whatever the number of threads.

    With more than 131,072 rows the rows are sorted by the leaves of the first tree, and all other
    trees are grown on this copy: rows of a node then lie together in memory. This is
    done where `growth.max_search` makes large nodes draw rows, and the copy takes at most 1 GB.

    Parameters
    ----------
    points : (N, p) float array
        Of any layout and precision: the kernels see double precision, column by column.
    growth : Growth
    n_trees : int
    seed : int
        Root of the trees' seeds.
    target : optional
        What the criterion asks for: classes 0..K-1 (N,) int32 for Gini, numbers (N,) float64 for
        the variance, `Pairs` of distances for the pairwise criterion.
    sample_weight : (N,) float, optional
        The bootstrap draws rows in proportion to it.
    n_jobs : int, optional
        Threads, as in scikit-learn.
    tables : Tables, optional
        Those of `shared_tables` for these columns, where they are known already.
    lacking : (p,) bool, optional
        Which columns lack values, where `points` are p columns and their copies, see `sides`.
    """
    needed = growth._target
    if needed is not None and target is None:
        raise ValueError(f"{growth.criterion} needs {_TARGETS[needed]}")
    targets = () if needed is None else (target,)
    # for a read-only table, as pandas gives them, the kernel would be compiled a second time
    columns = np.require(points.T, np.float64, ["C", "W"])
    rules = growth.rules(columns, lacking)
    cumulative = np.empty(0) if sample_weight is None else np.cumsum(sample_weight)
    if tables is None:
        ranked = rules.whole == 0 and needed != "pairs"
        tables = growth.tables(columns, ranked=ranked, n_jobs=n_jobs)
    seen = columns, tables
    seeds = tree_seeds(seed, n_trees)
    kind = CRITERIA[growth.criterion].data
    # which rows a large node looks at is left to chance: it may as well draw from another order
    renumbers = growth.max_search > 0 and len(points) > _MANY_ROWS and columns.size <= _MOST_COPIED
    renumbers = renumbers and needed is None

    def grow(trees: range) -> list[Tree]:
        nonlocal seen
        gains = np.zeros((len(trees), len(columns) if needed == "pairs" else 0))
        own_seeds = np.array(seeds[trees.start : trees.stop])
        arrays = grow_trees(kind(*seen, *targets), gains, own_seeds, rules, cumulative)
        grown = [Tree._make((*tree, gain)) for tree, gain in zip(arrays, gains, strict=True)]
        # the first tree is there before any thread begins
        if renumbers and trees.start == 0 and n_trees > 1:
            seen = renumbered(*seen, grown[0].leaf_of)
        return grown

    threads = min(n_threads(n_jobs), n_trees)
    together = _together(n_trees, threads, len(points))
    return assemble(_one_after_the_first(grow, n_trees, threads, together))


def _together(n_trees: int, threads: int, n_points: int) -> int:
    """Return how many trees a thread grows at once: few enough to be stopped between them."""
    return max(1, min(n_trees // (16 * threads), _MAX_TREES_AT_ONCE, _ROWS_AT_ONCE // n_points))


def _parts(n_trees: int, threads: int, together: int) -> Iterator[range]:
    """Yield all trees but the first, some at a time; at the end no thread waits for a whole lot."""
    start = 1
    while start < n_trees:
        count = min(together, -(-(n_trees - start) // threads))
        yield range(start, start + count)
        start += count


def _one_after_the_first(
    grow: Callable[[range], list[Tree]], n_trees: int, threads: int, together: int
) -> list[Tree]:
    """Grow the first tree, which compiles the kernel that all threads would wait for; then all."""
    watch = watcher.get()

    def watched(trees: range) -> list[Tree]:
        grown = grow(trees)
        watch("trees", len(trees), n_trees)
        return grown

    grown = [watched(range(1))]
    grown += mapped(watched, list(_parts(n_trees, threads, together)), threads)
    return list(itertools.chain.from_iterable(grown))


def _is_whole(columns: npt.NDArray[Any], terms: int) -> bool:
    """Return whether sums of a few columns are whole numbers that 32 bits hold."""
    largest = max(abs(float(columns.min(initial=0))), abs(float(columns.max(initial=0))))
    if not largest * max(terms, 16) < _LARGEST_WHOLE:
        return False
    count = max(1, _VALUES_PER_BLOCK // columns.shape[1])
    parts = (columns[start : start + count] for start in range(0, len(columns), count))
    return all(bool((part == np.rint(part)).all()) for part in parts)
