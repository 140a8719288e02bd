"""Columns that trees of the other columns know something about."""

from __future__ import annotations

import math
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array
from scipy.stats import norm
from threadpoolctl import threadpool_limits

from geoforest_cli.forests.forest import n_threads
from geoforest_cli.forests.growth import Growth, grow_forest, root_seed, shared_tables
from geoforest_cli.forests.kernels.workspace import Tables
from geoforest_cli.screening.adjust import Adjust
from geoforest_cli.screening.base import Level, Positive, Screen, Verdicts
from geoforest_cli.screening.bins import Binned, Bins
from geoforest_cli.screening.kernels import leaves as kernels
from geoforest_cli.screening.kernels.bits import normal_score
from geoforest_cli.screening.moments import FEWEST, second_moment, sums_of_bins, third_moment

__all__ = ["ForestScreen"]

Floats = npt.NDArray[np.float64]
Bools = npt.NDArray[np.bool_]
_COLUMNS_AT_ONCE = 256
_MOST_ROWS = 1000  # on which sums over all pairs of rows are made
_ROWS_AT_ONCE = 100


class ForestScreen(Screen):
    """Keeps columns that trees of the other columns tell something about.

    Parameters
    ----------
    level : float
    adjust : {"fdr", "fwer"}
    bins : int or "auto"
    halves : int
    trees : int
    rounds : int
    n_jobs : int, optional
    random_state : int, RandomState or None

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> t = rng.uniform(size=300)
    >>> X = np.c_[np.cos(9 * t), np.sin(9 * t), rng.normal(size=(300, 20))]
    >>> ForestScreen(random_state=0).fit(X).get_support(indices=True).tolist()
    [0, 1]
    """

    def __init__(
        self,
        *,
        level: Level = 0.01,
        adjust: Adjust = "fwer",
        bins: Bins = "auto",
        halves: Positive = 30,
        trees: Positive = 4,
        rounds: Positive = 1,
        n_jobs: int | None = None,
        random_state: Any = None,
    ) -> None:
        self.level = level
        self.adjust = adjust
        self.bins = bins
        self.halves = halves
        self.trees = trees
        self.rounds = rounds
        self.n_jobs = n_jobs
        self.random_state = random_state

    def _judge(self, table: npt.NDArray[Any]) -> Verdicts:
        n, p = table.shape
        binned = Binned.of(table, self.bins)
        judged = binned.n_bins > 1
        if judged.sum() < 2 or n < FEWEST:
            return Verdicts.of(np.zeros(p), np.ones(p), np.zeros(p, np.bool_))
        usable = np.flatnonzero(judged)
        grown = self._grow(table, usable)
        scores = np.full(p, -np.inf)
        if len(grown.n_leaves):
            scores[usable] = _scores(
                binned.codes[usable], grown, int(binned.n_bins.max()), self.n_jobs
            )
        judged = np.isfinite(scores)
        return Verdicts.of(scores, norm.sf(scores), judged)

    def _grow(self, table: npt.NDArray[Any], usable: npt.NDArray[np.intp]) -> Trees:
        """Grow trees on random halves of the columns, on one half and then on the other."""
        n, p = len(table), len(usable)
        seed = root_seed(self.random_state)
        rng = np.random.default_rng(seed)
        size = (p + 1) // 2
        d = max(1, math.ceil(math.sqrt(size)))
        growth = Growth(
            criterion="delta_bic",
            sampler="axis",
            n_projections=d,
            n_nonzeros=0,
            min_parent=max(round(2 * math.sqrt(n)), n // 20, 4),
            min_share=0.125,
            variance_floor=0.015,
            good=0.0,
            max_projections=20 * d,
        )
        filled = _filled(table[:, usable], rng)
        tables = shared_tables(filled, ranked=True, stepped=True)
        turn = np.arange(p)
        leaves, seen = [], []
        for h in range(self.halves):
            turn = rng.permutation(p) if h % 2 == 0 else turn[::-1]
            half = np.sort(turn[:size])
            forest = grow_forest(
                filled[half].T, growth, self.trees, seed + h, n_jobs=self.n_jobs,
                tables=_of_columns(tables, half),
            )  # fmt: skip
            cut = np.zeros(p, np.bool_)
            cut[half] = True
            leaves += [np.unique(leaf, return_inverse=True)[1] for leaf in forest.leaf_of]
            seen += [cut] * self.trees
        return Trees.of(np.array(leaves, np.int32), np.array(seen))


@dataclass(frozen=True)
class Trees:
    """The leaves of trees that have any cut.

    Attributes
    ----------
    leaves : (T, n) int32
        The rows' leaves, numbered from 0 without gaps.
    n_leaves : (T,) int64
    weights : (T,) float64
        1 / sqrt(leaves - 1): in proportion to it chi-square spreads.
    unseen : (p, T) bool
        Which trees may judge a column.
    """

    leaves: npt.NDArray[np.int32]
    n_leaves: npt.NDArray[np.int64]
    weights: Floats
    unseen: Bools

    @classmethod
    def of(cls, leaves: npt.NDArray[np.int32], seen: Bools) -> Trees:
        """Leave out trees of a single leaf."""
        n_leaves = leaves.max(axis=1).astype(np.int64) + 1
        kept = n_leaves > 1
        weights = 1 / np.sqrt(n_leaves[kept] - 1.0)
        return cls(leaves[kept], n_leaves[kept], weights, np.ascontiguousarray(~seen[kept].T))

    def sums(self) -> Floats:
        """Return the eight sums of `sums_of_bins` for the weighted sum A of all projections.

        Those over all pairs of rows come from at most `_MOST_ROWS` of them.
        """
        n = self.leaves.shape[1]
        place = np.concatenate([[0], np.cumsum(self.n_leaves)])
        entries = np.empty(self.leaves.shape)
        for entry, w, leaf in zip(entries, self.weights, self.leaves, strict=True):
            entry[:] = np.sqrt(w / np.bincount(leaf)[leaf])
        columns = (self.leaves + place[:-1, None]).T.ravel()
        starts = np.arange(0, entries.size + 1, len(entries))
        Z = csr_array((entries.T.ravel(), columns, starts), shape=(n, int(place[-1])))
        whole = float(self.weights.sum())
        diagonal = (entries**2).sum(axis=0) - whole / n
        trace, along = float(diagonal.sum()), Z.T @ diagonal
        # A + whole / n = Z Z' has the eigenvalues of the smaller of Z Z' and Z' Z
        inner = (Z @ Z.T if n < Z.shape[1] else Z.T @ Z).toarray()
        with threadpool_limits(1, "blas"):
            cube = float((inner @ inner * inner).sum())
        chosen = np.unique(np.linspace(0, n - 1, min(n, _MOST_ROWS)).round().astype(np.intp))
        entry_cubes = edges = 0.0
        for start in range(0, len(chosen), _ROWS_AT_ONCE):
            part = chosen[start : start + _ROWS_AT_ONCE]
            A = (Z[part] @ Z.T).toarray() - whole / n
            squares = A * A
            entry_cubes += float((squares * A).sum()) * n / len(chosen)
            edges += float(diagonal[part] @ squares.sum(axis=1)) * n / len(chosen)
        return np.array(
            [
                trace**3,
                trace * (float((inner * inner).sum()) - whole**2),
                cube - whole**3,
                trace * float(diagonal @ diagonal),
                float((diagonal**3).sum()),
                entry_cubes,
                edges,
                float(along @ along) - whole / n * trace**2,
            ]
        )


def _scores(codes: npt.NDArray[np.int8], trees: Trees, most: int, n_jobs: int | None) -> Floats:
    """Return the z of each column (p,)."""
    p, n = codes.shape
    value = np.empty(p)
    starts = range(0, p, _COLUMNS_AT_ONCE)

    def judge(start: int) -> None:
        part = slice(start, start + _COLUMNS_AT_ONCE)
        kernels.overlaps(
            codes[part], trees.leaves, trees.weights, trees.n_leaves, trees.unseen[part], most,
            value[part],
        )  # fmt: skip

    with ThreadPoolExecutor(n_threads(n_jobs)) as pool:
        list(pool.map(judge, starts))
    every = np.ones(len(trees.leaves), np.bool_)
    complete = np.ones(n, np.bool_)
    whole = _gram(trees, complete, every)
    form, third = trees.sums(), third_moment(np.array([float(n)]))[0]
    lean = form @ third
    spread = second_moment(np.array([float(n)]))[0]
    weights = trees.weights
    trace = float((weights * (trees.n_leaves - 1)).sum())
    squares = np.array([trace**2, *(float(weights @ g @ weights) for g in whole)])
    found = np.empty(p)
    for j, column in enumerate(codes):
        known = column >= 0
        sizes = np.bincount(column[known])
        own = np.where(trees.unseen[j], weights, 0.0)
        if known.all():
            m, forms, at = n, spread, whole
        else:
            m = int(known.sum())
            if m < FEWEST:
                found[j] = -np.inf
                continue
            forms = second_moment(np.array([float(m)]))[0]
            at = _gram(trees, known, trees.unseen[j])
        f, q = sums_of_bins(sizes)[[2, 6]]
        trace_j = float(own @ np.diag(at[0]))
        mean = f * trace_j / (m - 1)
        sums = np.array([trace_j**2, float(own @ at[0] @ own), float(own @ at[1] @ own)])
        variance = float(sums @ forms @ [f * f, f, q]) - mean**2
        # the skewness is that of all trees on all rows
        b = sums_of_bins(sizes * (n / m))
        mean_all = b[2] * trace / (n - 1)
        variance_all = float(squares @ spread @ b[[1, 2, 6]]) - mean_all**2
        third_all = float(lean @ b) - 3 * mean_all * variance_all - mean_all**3
        skew = third_all / variance_all**1.5 if variance_all > 0 else 0.0
        found[j] = normal_score(value[j], mean, variance, skew * max(variance, 0.0) ** 1.5)
    return found


def _gram(trees: Trees, known: Bools, used: Bools) -> tuple[Floats, Floats]:
    traces = np.zeros((len(used), len(used)))
    diagonals = np.zeros_like(traces)
    kernels.gram(trees.leaves, trees.n_leaves, known, used, traces, diagonals)
    return traces, diagonals


def _filled(table: npt.NDArray[Any], rng: np.random.Generator) -> Floats:
    """Return the columns (p, n), missing values drawn from the others: trees need all of them."""
    filled = np.ascontiguousarray(table.T, np.float64)
    for column in filled[np.isnan(filled).any(axis=1)]:
        missing = np.isnan(column)
        column[missing] = rng.choice(column[~missing], int(missing.sum()))
    return filled


def _of_columns(tables: Tables, half: npt.NDArray[np.intp]) -> Tables:
    ranks = tables.ranks[half] if len(tables.ranks) else tables.ranks
    return tables._replace(
        ranks=ranks,
        distinct=tables.distinct[half] if len(ranks) else tables.distinct,
        largest=tables.largest[half],
        roundings=tables.roundings[half],
    )
