"""Trees on parts of the columns, and what they tell of the other columns."""

from __future__ import annotations

import functools
import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array
from threadpoolctl import threadpool_limits

from geoforest_cli.core.threads import mapped
from geoforest_cli.estimators.forests.forest import watcher
from geoforest_cli.estimators.forests.growth import Growth, grow_forest
from geoforest_cli.estimators.forests.kernels.rules import Tables
from geoforest_cli.estimators.screening.counts import counted
from geoforest_cli.estimators.screening.kernels import leaves as kernels
from geoforest_cli.estimators.screening.kernels.bits import normal_score
from geoforest_cli.estimators.screening.moments import (
    MIN_ROWS,
    second_moment,
    sums_of_bins,
    third_moment,
)

__all__ = ["Trees", "column_scores", "grow_trees", "tables_of"]

Floats = npt.NDArray[np.float64]
Bools = npt.NDArray[np.bool_]
_COLUMNS_AT_ONCE = 64
_MOST_ROWS = 1000  # on which sums over all pairs of rows are made
_ROWS_AT_ONCE = 100
_GROWTH = Growth(
    criterion="delta_bic",
    sampler="axis",
    n_projections=1,
    n_nonzeros=0,
    min_parent=4,
    min_share=0.125,
    variance_floor=0.015,
    stop_score=0.0,
)


@dataclass(frozen=True)
class Trees:
    """The leaves of trees that have any cut.

    Attributes
    ----------
    leaves : (T, n) int32
        The rows' leaves, numbered from 0 without gaps.
    n_leaves : (T,) int64
    weights : (T,) float64
        1 / sqrt(leaves - 1): in proportion to its root chi-square spreads.
    unseen : (p, T) bool
        Which trees may test a column.
    """

    leaves: npt.NDArray[np.int32]
    n_leaves: npt.NDArray[np.int64]
    weights: Floats
    unseen: Bools

    @classmethod
    def of(cls, leaves: npt.NDArray[np.int32], seen: Bools) -> Trees:
        """Leave out trees of a single leaf; `seen` (T, p) tells what each tree may have cut."""
        n_leaves = leaves.max(axis=1).astype(np.int64) + 1
        kept = n_leaves > 1
        weights = 1 / np.sqrt(n_leaves[kept] - 1.0)
        return cls(leaves[kept], n_leaves[kept], weights, np.ascontiguousarray(~seen[kept].T))

    def for_columns(self, columns: Bools) -> Trees:
        """Return the same trees, to test some of the columns."""
        return replace(self, unseen=self.unseen[columns])

    def sums(self) -> Floats:
        """Return the eight sums of `moments` for the weighted sum A of the trees' projections.

        Those over all pairs of rows come from at most `_MOST_ROWS` of them.
        """
        n = self.leaves.shape[1]
        offsets = np.concatenate([[0], np.cumsum(self.n_leaves)])
        entries = np.empty(self.leaves.shape)
        for entry, w, leaf in zip(entries, self.weights, self.leaves, strict=True):
            entry[:] = np.sqrt(w / np.bincount(leaf)[leaf])
        columns = (self.leaves + offsets[:-1, None]).T.ravel()
        starts = np.arange(0, entries.size + 1, len(entries))
        Z = csr_array((entries.T.ravel(), columns, starts), shape=(n, int(offsets[-1])))
        whole = float(self.weights.sum())
        diagonal = (entries**2).sum(axis=0) - whole / n
        trace, along = float(diagonal.sum()), Z.T @ diagonal
        # A + whole / n = Z Z' has the eigenvalues of the smaller of Z Z' and Z' Z
        inner = (Z @ Z.T if n < Z.shape[1] else Z.T @ Z).toarray()
        with threadpool_limits(1, "blas"):
            cube = float((inner @ inner * inner).sum())
        sample = np.unique(np.linspace(0, n - 1, min(n, _MOST_ROWS)).round().astype(np.intp))
        cubes = edges = 0.0
        for start in range(0, len(sample), _ROWS_AT_ONCE):
            part = sample[start : start + _ROWS_AT_ONCE]
            A = (Z[part] @ Z.T).toarray() - whole / n
            squares = A * A
            cubes += float((squares * A).sum()) * n / len(sample)
            edges += float(diagonal[part] @ squares.sum(axis=1)) * n / len(sample)
        return np.array(
            [
                trace**3,
                trace * (float((inner * inner).sum()) - whole**2),
                cube - whole**3,
                trace * float(diagonal @ diagonal),
                float((diagonal**3).sum()),
                cubes,
                edges,
                float(along @ along) - whole / n * trace**2,
            ]
        )

    def gram(self, seen: Bools, used: Bools) -> tuple[Floats, Floats]:
        """Return tr P_t P_s and sum_i (P_t)_ii (P_s)_ii of trees in use, on the known rows."""
        traces = np.zeros((len(used), len(used)))
        diagonals = np.zeros_like(traces)
        kernels.gram(self.leaves, self.n_leaves, seen, used, traces, diagonals)
        return traces, diagonals


def tables_of(columns: Floats) -> Tables:
    """Return what all trees on columns (p, n) share."""
    return _GROWTH.tables(columns, ranked=True)


def grow_trees(
    columns: Floats,
    tables: Tables,
    parts: Sequence[npt.NDArray[np.intp]],
    n_trees: int,
    seed: int,
    n_jobs: int | None = None,
) -> Trees:
    """Grow trees on each of several parts of the columns.

    Parameters
    ----------
    columns : (p, n) array
    tables : Tables
        Of all columns.
    parts : sequence of int arrays
        Column numbers, ascending.
    n_trees : int
        Trees on each part.
    seed : int
    n_jobs : int, optional
        Threads.
    """
    p, n = columns.shape
    leaves: list[npt.NDArray[np.int32]] = []
    seen = np.zeros((len(parts) * n_trees, p), np.bool_)
    for h, part in enumerate(parts):
        d = max(1, math.ceil(math.sqrt(len(part))))
        growth = replace(
            _GROWTH,
            n_projections=d,
            min_parent=max(round(2 * math.sqrt(n)), n // 8, 4),
            max_projections=20 * d,
        )
        ranked = slice(0) if not len(tables.ranks) else part
        ranks = tables.ranks[ranked]
        tables_of_half = tables._replace(
            ranks=ranks,
            distinct=tables.distinct[ranked],
            dense=ranks if tables.dense is tables.ranks else tables.dense[ranked],
            largest=tables.largest[part],
            roundings=tables.roundings[part],
        )
        # the many small forests of a screen are no progress that a user can follow
        token = watcher.set(lambda _what, _done, _of: None)
        try:
            forest = grow_forest(
                columns[part].T, growth, n_trees, seed + h, n_jobs=n_jobs, tables=tables_of_half
            )
        finally:
            watcher.reset(token)
        numbers = (np.unique(leaf, return_inverse=True)[1] for leaf in forest.leaf_of)
        leaves += [number.astype(np.int32) for number in numbers]
        seen[h * n_trees : (h + 1) * n_trees, part] = True
    return Trees.of(np.array(leaves), seen)


def column_scores(codes: npt.NDArray[np.int8], trees: Trees, n_jobs: int | None = None) -> Floats:
    """Return the z of each column of bins (p, n); -inf where no tree can test it."""
    p = len(codes)
    if not len(trees.leaves):
        return np.full(p, -np.inf)
    null = _Null.of(trees)
    scores = np.empty(p)

    def test(start: int) -> None:
        part = slice(start, start + _COLUMNS_AT_ONCE)
        values = np.empty(len(codes[part]))
        kernels.overlaps(
            codes[part], trees.leaves, trees.weights, trees.n_leaves, trees.unseen[part],
            int(codes.max()) + 1, values,
        )  # fmt: skip
        columns = zip(values, codes[part], trees.unseen[part], strict=True)
        scores[part] = [null.score(*column) for column in columns]

    starts = range(0, p, _COLUMNS_AT_ONCE)
    sizes = [min(_COLUMNS_AT_ONCE, p - start) for start in starts]
    list(counted(mapped(test, starts, n_jobs), sizes, "columns tested", p))
    return scores


@dataclass(frozen=True)
class _Null:
    """The moments of a column's value if it is independent of the trees."""

    trees: Trees
    traces: Floats
    diagonals: Floats
    squares: Floats
    cubes: Floats

    @classmethod
    def of(cls, trees: Trees) -> _Null:
        every = np.ones(len(trees.leaves), np.bool_)
        n = trees.leaves.shape[1]
        traces, diagonals = trees.gram(np.ones(n, np.bool_), every)
        squares = _squares(trees.weights, traces, diagonals)
        third = third_moment(np.array([float(n)]))[0]
        return cls(trees, traces, diagonals, squares, trees.sums() @ third)

    def score(self, value: float, codes: npt.NDArray[np.int8], unseen: Bools) -> float:
        """Return the z of a value.

        Mean and variance are those of the trees and rows that have judged; the skewness is that of
        all trees and rows.
        """
        n, seen = len(codes), codes >= 0
        m = int(seen.sum())
        if m < MIN_ROWS:
            return -math.inf
        traces, diagonals = self.traces, self.diagonals
        if m < n:
            traces, diagonals = self.trees.gram(seen, unseen)
        weights = np.where(unseen, self.trees.weights, 0.0)
        sizes = np.bincount(codes[seen]).astype(np.float64)
        mean, variance = _moments(_squares(weights, traces, diagonals), sizes, m)
        sizes = sizes * (n / m)
        whole_mean, whole = _moments(self.squares, sizes, n)
        if not whole > 0:
            return -math.inf
        third = float(self.cubes @ sums_of_bins(sizes)) - 3 * whole_mean * whole - whole_mean**3
        skewness = third / whole**1.5
        return float(normal_score(value, mean, variance, skewness * max(variance, 0.0) ** 1.5))


def _squares(weights: Floats, traces: Floats, diagonals: Floats) -> Floats:
    """Return (tr A)^2, tr A^2 and sum a_ii^2 for a weighted sum A of projections."""
    trace = float(weights @ np.diag(traces))
    both = (float(weights @ form @ weights) for form in (traces, diagonals))
    return np.array([trace**2, *both])


def _moments(squares: Floats, sizes: npt.NDArray[np.float64], n: int) -> tuple[float, float]:
    """Return mean and variance for a column with bins of these sizes."""
    sums = sums_of_bins(sizes)
    mean = math.sqrt(squares[0]) * float(sums[2]) / (n - 1)
    return mean, float(squares @ _second(n) @ sums[[1, 2, 6]]) - mean**2


@functools.lru_cache
def _second(n: int) -> Floats:
    moment: Floats = second_moment(np.array([float(n)]))[0]
    return moment
