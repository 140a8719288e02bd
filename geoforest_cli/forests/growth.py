"""How trees are grown: rules in words, kernels' rules, threads."""

import itertools
import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.utils import check_random_state

from geoforest_cli.forests.forest import Forest, Tree, assemble, watcher
from geoforest_cli.forests.kernels import rules as names
from geoforest_cli.forests.kernels import samplers
from geoforest_cli.forests.kernels.grow import grow_trees
from geoforest_cli.forests.kernels.pairwise import Pairs
from geoforest_cli.forests.kernels.rules import Rules
from geoforest_cli.forests.kernels.workspace import Tables
from geoforest_cli.forests.missing import Draws
from geoforest_cli.forests.sizes import n_candidates
from geoforest_cli.forests.tables import shared_tables
from geoforest_cli.threads import mapped, n_threads

CRITERIA = {
    "two_means": names.TWO_MEANS,
    "fast_bic": names.FAST_BIC,
    "delta_bic": names.DELTA_BIC,
    "mean_bic": names.MEAN_BIC,
    "fast_bic_legacy": names.FAST_BIC_LEGACY,
    "mclust_bic": names.MCLUST_BIC,
    "mclust_bic_legacy": names.MCLUST_BIC_LEGACY,
    "gini": names.GINI,
    "variance": names.VARIANCE,
    "pairwise": names.PAIRWISE,
}
# those that know columns recorded in steps
STEPPED = frozenset({"delta_bic", "mean_bic"})
SAMPLERS = {
    "axis": names.AXIS,
    "oblique": names.OBLIQUE,
    "poisson": names.POISSON,
    "patch": names.PATCH,
    "mixed": names.MIXED,
}

_MASK = (1 << 64) - 1
_LARGEST_WHOLE = 2.0**31
_MOST_AT_ONCE = 16  # trees
_ROWS_AT_ONCE = 200_000  # of all trees that are grown at once
_VALUES_AT_ONCE = 1 << 16


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
    stepped : bool
        Pixels are recorded in steps of 1, and so are their sums (patch sampler).
    max_search : int
        Larger nodes choose their cut on this many of their distinct bag rows; 0 is all.
    min_share : float
        Smallest side of a cut, as a share of the node's bag rows.
    good : float
        A candidate that scores below is good enough: no more are drawn. By mean-BIC, one whose
        delta-BIC is below.
    max_projections : int
        Most candidates of a node, drawn n_projections at a time until one is good enough;
        0 draws once.
    shortlist : int
        After each sqrt(p) candidates of all columns the mixed sampler draws as many of this many,
        those that are most clustered by themselves; 0 draws from all columns.
    patience : float
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
    max_depth: int = 1 << 30
    bootstrap: bool = True
    poisson_mean: float = 0.0
    patch: tuple[int, ...] = ()
    stepped: bool = False
    max_search: int = 0
    min_share: float = 0.0
    good: float = math.inf
    max_projections: int = 0
    shortlist: int = 0
    patience: float = 1.0
    full_credit: bool = True

    def rules(self, columns: npt.NDArray[np.float64]) -> Rules:
        """Return what the kernels go by, for a table of these columns (p, N)."""
        p = len(columns)
        d = min(self.n_projections, p) if self.sampler == "axis" else self.n_projections
        d = 1 if self.sampler == "mixed" else d
        most = {"axis": d, "mixed": 2, "patch": 4 * d, "poisson": samplers.MOST_POISSON * d}
        n_nonzeros = most.get(self.sampler, min(self.n_nonzeros, p * d))
        # no more than there are: single columns, and sums and differences of two
        possible = {"axis": p, "mixed": p * p}.get(self.sampler, self.max_projections)
        whole = self.criterion == "gini" and _is_whole(columns, n_nonzeros // d + 1)
        return Rules(
            criterion=CRITERIA[self.criterion],
            sampler=SAMPLERS[self.sampler],
            n_projections=d,
            n_nonzeros=n_nonzeros,
            table_size=samplers.table_size(n_nonzeros),
            patch=np.array(self.patch, np.int64),
            poisson_mean=samplers.poisson_parameter(self.poisson_mean),
            min_parent=self.min_parent,
            min_leaf=self.min_leaf,
            max_depth=self.max_depth,
            floor=float(self.variance_floor),
            bootstrap=int(self.bootstrap),
            max_search=self.max_search,
            whole=int(whole),
            full_credit=int(self.full_credit),
            least_share=float(self.min_share),
            most_projections=min(self.max_projections, possible),
            turn=n_candidates("sqrt", p),
            patience=float(self.patience),
            good=float(self.good),
        )

    def tables(
        self, columns: npt.NDArray[np.float64], *, ranked: bool, n_jobs: int | None = None
    ) -> Tables:
        """Return what all trees on these columns (p, N) share; with ranks, where they pay."""
        stepped = None if self.criterion in STEPPED else 0.0
        if self.sampler == "patch" and stepped is None:
            # entries of a summed-area table repeat less than the patches that are told by them
            stepped = 1.0 / 12.0 if self.stepped else 0.0
        return shared_tables(
            columns,
            # patches are seldom one entry of their table, and the mixed sampler seldom sorts
            ranked=ranked and self.sampler not in ("patch", "mixed"),
            stepped=stepped,
            shortlist=min(self.shortlist, len(columns)),
            min_share=self.min_share,
            variance_floor=self.variance_floor,
            n_jobs=n_jobs,
        )


def root_seed(random_state: Any) -> int:
    """Return the seed that a scikit-learn random_state stands for."""
    if isinstance(random_state, int | np.integer):
        return int(random_state)
    return int(check_random_state(random_state).randint(0, 2**31 - 1))


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
    labels: npt.NDArray[np.int32] | None = None,
    response: npt.NDArray[np.float64] | None = None,
    pairs: Pairs | None = None,
    sample_weight: npt.NDArray[np.float64] | None = None,
    n_jobs: int | None = None,
    missing: Draws | None = None,
    tables: Tables | None = None,
    done: Callable[[int, Tree], None] | None = None,
) -> Forest:
    """Grow a forest; the same trees whatever the number of threads.

    Parameters
    ----------
    points : (N, p) float array
        Of any layout and precision: the kernels see double precision, column by column.
    growth : Growth
    n_trees : int
    seed : int
        Root of the trees' seeds.
    labels : (N,) int32, optional
        Classes 0..K-1 for Gini.
    response : (N,) float, optional
        Numbers for the variance.
    pairs : Pairs, optional
        Distances for the pairwise criterion.
    sample_weight : (N,) float, optional
        The bootstrap draws rows in proportion to it.
    n_jobs : int, optional
        Threads, as in scikit-learn.
    missing : Draws, optional
        What stands for NaN, drawn anew for each tree.
    tables : Tables, optional
        Those of `shared_tables` for these columns, where they are known already.
    done : callable, optional
        Told the number of each tree and the tree once it is grown, by the thread that grew it.
    """
    wanted = {"gini": labels, "variance": response, "pairwise": pairs}.get(growth.criterion, ())
    if wanted is None:
        kinds = {"gini": "labels", "variance": "a response", "pairwise": "distances"}
        raise ValueError(f"{growth.criterion} needs {kinds[growth.criterion]}")
    # for a read-only table, as pandas gives them, the kernel would be compiled a second time
    columns = np.require(points.T, np.float64, ["C", "W"])
    classes = labels if growth.criterion == "gini" else None
    numbers = np.asarray(response, np.float64) if growth.criterion == "variance" else None
    distances = pairs if growth.criterion == "pairwise" else None
    n_classes = 1 if classes is None else int(classes.max()) + 1
    rules = growth.rules(columns)
    cumulative = np.empty(0) if sample_weight is None else np.cumsum(sample_weight)
    if tables is None:
        tables = growth.tables(
            columns,
            ranked=rules.whole == 0 and distances is None and missing is None,
            n_jobs=n_jobs,
        )
    seeds = tree_seeds(seed, n_trees)

    def grow(trees: range) -> list[Tree]:
        gains = np.zeros((len(trees), len(columns) if distances is not None else 0))
        filled = columns
        if missing is not None:
            (t,) = trees
            filled = np.ascontiguousarray(missing.fill(points, seeds[t]).T)
        grown = grow_trees(
            filled, classes, n_classes, numbers, distances, gains,
            np.array(seeds[trees.start : trees.stop]), rules, cumulative, tables,
        )  # fmt: skip
        found = [Tree._make((*one, gain)) for one, gain in zip(grown, gains, strict=True)]
        if done is not None:
            for t, tree in zip(trees, found, strict=True):
                done(t, tree)
        return found

    threads = min(n_threads(n_jobs), n_trees)
    together = 1 if missing is not None else _together(n_trees, threads, len(points))
    return assemble(_one_after_the_first(grow, n_trees, threads, together), seeds, missing)


def _together(n_trees: int, threads: int, n_points: int) -> int:
    """How many trees a thread grows at once, at most: few enough to be stopped between them."""
    return max(1, min(n_trees // (16 * threads), _MOST_AT_ONCE, _ROWS_AT_ONCE // n_points))


def _parts(n_trees: int, threads: int, together: int) -> Iterator[range]:
    """Yield all trees but the first, some at a time; at the end no thread waits for a whole lot."""
    start = 1
    while start < n_trees:
        some = min(together, -(-(n_trees - start) // threads))
        yield range(start, start + some)
        start += some


def _one_after_the_first(
    grow: Callable[[range], list[Tree]], n_trees: int, threads: int, together: int
) -> list[Tree]:
    """Grow the first tree, which compiles the kernel that all threads would wait for; then all."""
    watch = watcher.get()

    def watched(trees: range) -> list[Tree]:
        found = grow(trees)
        watch("trees", len(trees), n_trees)
        return found

    found = [watched(range(1))]
    found += mapped(watched, list(_parts(n_trees, threads, together)), threads)
    return list(itertools.chain.from_iterable(found))


def _is_whole(columns: npt.NDArray[Any], terms: int) -> bool:
    """Whether sums of a few columns are whole numbers that 32 bits hold."""
    largest = max(abs(float(columns.min(initial=0))), abs(float(columns.max(initial=0))))
    if not largest * max(terms, 16) < _LARGEST_WHOLE:
        return False
    some = max(1, _VALUES_AT_ONCE // columns.shape[1])
    parts = (columns[start : start + some] for start in range(0, len(columns), some))
    return all(bool((part == np.rint(part)).all()) for part in parts)
