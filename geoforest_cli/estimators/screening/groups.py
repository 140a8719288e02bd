"""Groups of columns: the connected components of the graph of dependent pairs."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal, Self

import numpy as np
import numpy.typing as npt
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components
from scipy.stats import norm
from threadpoolctl import threadpool_limits

from geoforest_cli.core.threads import mapped
from geoforest_cli.estimators.screening.base import Bools, Floats, Numbers
from geoforest_cli.estimators.screening.bins import Binned, Bins
from geoforest_cli.estimators.screening.correlation import SIGNS, Scores, blocks_of_z
from geoforest_cli.estimators.screening.kernels import bits
from geoforest_cli.estimators.screening.pairs import TABLES, exact_pair_score, sets_of

__all__ = ["ColumnPairs", "PairStatistic", "numbered_by_size"]

PairStatistic = Literal["pairs", "correlation", "auto"]
Columns = npt.NDArray[np.intp]
Block = tuple[int, npt.NDArray[Any]]

_MOST_RARE = 4  # bins: joined two and two, they are two categories, one of which may be rare


@dataclass(frozen=True)
class ColumnPairs:
    """The tests of all pairs of some columns.

    Attributes
    ----------
    binned : Binned, optional
        For chi-square, as in `PairScreen`.
    scores : Scores, optional
        For correlations, as in `CorrelationScreen`.
    count : int
        Of the columns.
    """

    binned: Binned | None
    scores: Scores | None
    count: int

    @classmethod
    def of(cls, table: npt.NDArray[Any], statistic: PairStatistic, bins: Bins = "auto") -> Self:
        """Prepare the columns of a table (n, k) that may hold NaN.

        Parameters
        ----------
        table : (n, k) array
        statistic : {"pairs", "correlation", "auto"}
            Chi-square, correlations of normal scores, or both.
        bins : int or "auto"
        """
        binned = Binned.of(table, bins) if statistic != "correlation" else None
        scores = Scores.of(table) if statistic != "pairs" else None
        return cls(binned, scores, table.shape[1])

    def limit(self, level: float) -> float:
        """Return the z from which a pair counts as dependent (Bonferroni).

        The level is shared by all pairs, the two tables of each, and both signs of its correlation.

        Examples
        --------
        >>> pairs = ColumnPairs.of(np.random.default_rng(0).normal(size=(50, 17)), "auto")
        >>> round(pairs.limit(0.01), 2)
        4.13
        """
        tests = TABLES * (self.binned is not None) + SIGNS * (self.scores is not None)
        pairs = max(self.count * (self.count - 1) // 2, 1)
        return float(norm.isf(level / (tests * pairs)))

    def z(self, n_jobs: int | None = None) -> Floats:
        """Return the z of every pair (k, k): the larger one of two statistics.

        It is 0 on the diagonal, and where a pair cannot be tested.
        """
        pair_z = np.zeros((self.count, self.count))
        if self.binned is not None:
            for start, z in _blocks_of_chi_square(self.binned, n_jobs):
                part = pair_z[start : start + len(z), start:]
                np.maximum(part, z, out=part)
            few = self.binned.n_bins <= _MOST_RARE
            unsure = np.triu(pair_z > 0) & (few[:, None] | few)
            for i, j in np.argwhere(unsure).tolist():
                pair_z[i, j] = max(exact_pair_score(self.binned, i, j, pair_z[i, j]), 0.0)
        if self.scores is not None:
            with threadpool_limits(1, "blas"):
                for start, block in blocks_of_z(self.scores, n_jobs):
                    part = pair_z[start : start + len(block), start:]
                    np.maximum(part, np.triu(block, 1), out=part)
        return np.maximum(pair_z, pair_z.T)

    def components(self, level: float, n_jobs: int | None = None) -> Numbers:
        """Return the component of every column, numbers from 0 in no particular order.

        Two columns are joined where their pair counts as dependent; no matrix of all pairs is kept.

        Parameters
        ----------
        level : float
            Bound on the probability that any two independent columns are joined directly.
        n_jobs : int, optional
            Threads.
        """
        labels = np.arange(self.count)
        limit = self.limit(level)
        if self.scores is not None:
            with threadpool_limits(1, "blas"):
                for start, z in blocks_of_z(self.scores, n_jobs):
                    labels = _joined(labels, *_ends(np.triu(z >= limit, 1), start))
        if self.binned is not None:
            for start, z in _blocks_of_chi_square(self.binned, n_jobs):
                labels = _joined_surely(labels, self.binned, limit, *_ends(z >= limit, start))
        return labels.astype(np.int64)


def _blocks_of_chi_square(binned: Binned, n_jobs: int | None) -> Iterator[Block]:
    """Yield the z of 64 columns at a time, with all columns from the first of them on."""
    p = len(binned.codes)
    sets = sets_of(binned)

    def search(block: int) -> Floats:
        z = np.full((bits.LANES, (sets.words.shape[0] - block) * bits.LANES), -np.inf)
        bits.score_rows(sets, block, bits.new_work(sets.words.shape[1]), z)
        return z

    starts = range(0, p, bits.LANES)
    for start, z in zip(starts, mapped(search, range(len(starts)), n_jobs), strict=True):
        yield start, z[: p - start, : p - start]


def _ends(hits: Bools, start: int) -> tuple[Columns, Columns]:
    first, other = np.nonzero(hits)
    return first + start, other + start


def _joined(labels: Numbers, i: Columns, j: Columns) -> Numbers:
    """Return the components of columns that have components, when more pairs are joined."""
    if not len(i):
        return labels
    count = int(labels.max()) + 1
    edges = coo_array((np.ones(len(i), np.int8), (labels[i], labels[j])), (count, count))
    merged: Numbers = connected_components(edges, directed=False)[1]
    return merged[labels]


def _joined_surely(
    labels: Numbers, binned: Binned, limit: float, first: Columns, other: Columns
) -> Numbers:
    """Return the components when pairs are joined, those with a rare category by exact tails."""
    few = binned.n_bins <= _MOST_RARE
    unsure = few[first] | few[other]
    labels = _joined(labels, first[~unsure], other[~unsure])
    for i, j in zip(first[unsure].tolist(), other[unsure].tolist(), strict=True):
        if labels[i] != labels[j] and exact_pair_score(binned, i, j, np.inf) >= limit:
            labels = np.where(labels == labels[j], labels[i], labels)
    return labels


def numbered_by_size(labels: Numbers) -> Numbers:
    """Return numbers of groups from 1, the largest first, of equal ones the one that begins first.

    Examples
    --------
    >>> numbered_by_size(np.array([7, 3, 3, 9, 9])).tolist()
    [3, 1, 1, 2, 2]
    """
    _, first, inverse, sizes = np.unique(
        labels, return_index=True, return_inverse=True, return_counts=True
    )
    numbers = np.empty(len(sizes), np.int64)
    numbers[np.lexsort((first, -sizes))] = np.arange(1, len(sizes) + 1)
    ranks: Numbers = numbers[inverse]
    return ranks
