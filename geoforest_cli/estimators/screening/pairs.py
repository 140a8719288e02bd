"""Columns that depend on some other column: chi-square of all pairs."""

from __future__ import annotations

from typing import ClassVar

import numpy as np
import numpy.typing as npt
from scipy.special import gammaln
from scipy.stats import norm

from geoforest_cli.core.threads import mapped
from geoforest_cli.estimators.base.parameters import Jobs
from geoforest_cli.estimators.screening.adjust import sidak
from geoforest_cli.estimators.screening.base import ColumnTests, Numbers, Screen, Table
from geoforest_cli.estimators.screening.bins import Binned, Bins
from geoforest_cli.estimators.screening.counts import counted
from geoforest_cli.estimators.screening.kernels import bits
from geoforest_cli.estimators.screening.kernels.rare import rare_tail
from geoforest_cli.estimators.screening.moments import MIN_ROWS, coefficients, sums_of_bins

__all__ = ["TABLES", "PairScreen", "best_partners", "exact_pair_score", "sets_of"]

Floats = npt.NDArray[np.float64]

TABLES = 2  # of a pair: fine and coarse
_RARE = 10.0  # rows that are expected in the rarest cell; of fewer, the tail is computed exactly


class PairScreen(Screen):
    r"""Keeps columns that depend on some other column.

    Every column is cut into b bins of about equally many rows by mid-ranks, so that ties share a
    bin: the screen is the same for any increasing transformation of a column. The table n_ab of
    each pair of columns, with margins r_a and c_b, gives

    .. math:: \chi^2 = n \Big(\sum_{ab} \frac{n_{ab}^2}{r_a c_b} - 1\Big)

    and, with its exact mean, variance and skewness over all permutations of the rows, a z by
    Wilson and Hilferty's cube root. Fine bins see shapes, coarse ones weak trends: the z of a pair
    is the larger of this one and of that of the table whose neighbouring bins are joined. A
    column's score is the z of its best partner; its p-value allows for the two tables and for the
    number of partners (Sidak), the adjusted one for the number of columns. Tables with a rare
    category have an exact tail instead.

    Parameters
    ----------
    level : float
        Columns with an adjusted p-value of at most this are kept.
    adjust : {"fdr", "fwer"}
        Bound the expected share of false columns among those kept (Benjamini and Hochberg), or the
        chance of any false one (Holm). False columns come in pairs: a chance pair lifts both.
    bins : int or "auto"
        b; "auto" is 8, or an even number from 4 on so that a cell expects at least 2.5 rows.
    n_jobs : int, optional
        Threads; the result does not depend on it.

    Notes
    -----
    Rows with a missing value are left out pair by pair. A column is not tested (p-value 1, no
    partner) if it is constant, and two columns are not compared on fewer than six rows, or where
    two rare categories would meet in less than about a fiftieth of a row.

    What no screen of pairs can do: columns that depend on several others together but on none of
    them alone (parity) are lost, see `ForestScreen`; so is a column that is independent of all
    others, even if it is a coordinate of the manifold, as is the width of a Swiss roll. Noise
    columns that depend on one another are kept. After a rotation of the whole space every column
    depends on every other and all are kept. With fewer than about 200 rows and thousands of
    columns only strong dependence is found.

    References
    ----------
    Wilson and Hilferty, The distribution of chi-square, PNAS 17, 1931. For the moments see
    `geoforest_cli.estimators.screening.moments`.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> t = rng.uniform(size=300)
    >>> X = np.c_[np.cos(9 * t), np.sin(9 * t), rng.normal(size=(300, 20))]
    >>> screen = PairScreen().fit(X)
    >>> screen.get_support(indices=True).tolist(), screen.partners_[:2].tolist()
    ([0, 1], [1, 0])
    """

    _sparse: ClassVar[bool] = True
    bins: Bins = "auto"
    n_jobs: Jobs = None

    def _test_columns(self, table: Table) -> ColumnTests:
        binned = Binned.of(table, self.bins)
        scores, partners = best_partners(binned, n_jobs=self.n_jobs)
        tested = partners >= 0
        scores = _with_exact_tails(binned, scores, partners)
        pvalues = sidak(norm.sf(scores), max(TABLES * (int(tested.sum()) - 1), 1))
        return ColumnTests.of(scores, pvalues, tested, partners)


def best_partners(binned: Binned, *, n_jobs: int | None = None) -> tuple[Floats, Numbers]:
    """Return for each column the z of its best partner, and that partner; -inf, -1 without one.

    Parameters
    ----------
    binned : Binned
    n_jobs : int, optional
        Threads.
    """
    p = len(binned.codes)
    sets = sets_of(binned)
    shape = sets.n_bins.shape

    def search(block: int) -> tuple[Floats, Numbers]:
        best = np.full(shape, -np.inf), np.full(shape, -1, np.int64)
        bits.best_of_row(sets, block, bits.new_work(sets.words.shape[1]), *best)
        return best

    score, partner = np.full(shape, -np.inf), np.full(shape, -1, np.int64)
    blocks = range(-(-p // bits.LANES))
    # a block has as many pairs as there are columns from it on
    pairs = [p - bits.LANES * block for block in blocks]
    for z, other in counted(mapped(search, blocks, n_jobs), pairs, "columns compared", p):
        # of equal scores the first partner's is kept, whatever the order of the blocks
        better = (z > score) | ((z == score) & (other < partner))
        score[better], partner[better] = z[better], other[better]
    return score.ravel()[:p], partner.ravel()[:p]


def sets_of(binned: Binned) -> bits.Sets:
    """Return the bins as sets of bits."""
    p, n = binned.codes.shape
    blocks, most = -(-p // bits.LANES), int(binned.n_bins.max(initial=3))
    n_words = bits.WORDS_AT_ONCE * -(-n // (64 * bits.WORDS_AT_ONCE))
    words = np.zeros((blocks, most, n_words, bits.LANES), np.uint64)
    bits.set_bits(binned.codes, binned.n_bins, words)
    n_bins = np.zeros((blocks, bits.LANES), np.int64)
    # two bins stand in the first and the third place
    n_bins.ravel()[:p] = np.where(binned.n_bins == 2, 3, binned.n_bins)
    low = 0 if (binned.codes < 0).any() else n
    inverse = np.concatenate([[0.0], 1 / np.arange(1, n + 1)])
    return bits.Sets(words, n_bins, coefficients(low, n), inverse)


def _with_exact_tails(binned: Binned, scores: Floats, partners: Numbers) -> Floats:
    """Return the scores of best pairs, with exact tails where a category is rare.

    Three moments know too little of the far tail there. Pairs that could not be found anyway are
    left as they are.
    """
    tests = max(int((partners >= 0).sum()), 1)
    exact = scores.copy()
    for i in np.flatnonzero(scores >= norm.isf(min(1.0 / tests**2, 0.5))).tolist():
        exact[i] = exact_pair_score(binned, i, int(partners[i]), float(exact[i]))
    return exact


def exact_pair_score(binned: Binned, i: int, j: int, score: float) -> float:
    """Return the z of two columns by the exact tail where a category is rare, else the score."""
    table = _table(binned, i, j)
    halves = [table, np.add.reduceat(table, range(0, len(table), 2), axis=0)]
    halves[1] = np.add.reduceat(halves[1], range(0, table.shape[1], 2), axis=1)
    if any(_is_rare(half) for half in halves):
        return max(_exact_score(half) for half in halves)
    return score


def _table(binned: Binned, i: int, j: int) -> Numbers:
    """Return the table of two columns, the second of two bins in the third place."""
    complete = (binned.codes[i] >= 0) & (binned.codes[j] >= 0)
    steps = [2 if binned.n_bins[column] == 2 else 1 for column in (i, j)]
    shape = [step * (int(binned.n_bins[c]) - 1) + 1 for step, c in zip(steps, (i, j), strict=True)]
    table = np.zeros(shape, np.int64)
    first, second = (s * binned.codes[c][complete] for s, c in zip(steps, (i, j), strict=True))
    np.add.at(table, (first, second), 1)
    return table


def _is_rare(table: Numbers) -> bool:
    """Tell whether one of the two columns has two categories, and a cell expects few rows."""
    rows, columns = (size[size > 0] for size in (table.sum(axis=1), table.sum(axis=0)))
    two = min(len(rows), len(columns)) == 2
    return two and bool(rows.min() * columns.min() < _RARE * rows.sum())


def _exact_score(table: Numbers) -> float:
    """Return the z of a table's exact p-value where a category is rare, else as for all pairs."""
    table = table[table.sum(axis=1) > 0][:, table.sum(axis=0) > 0]
    rows, columns = table.sum(axis=1), table.sum(axis=0)
    n = int(rows.sum())
    if min(table.shape) < 2 or n < MIN_ROWS:
        return -np.inf
    if not _is_rare(table):
        value = n * (float((table**2 / np.outer(rows, columns)).sum()) - 1)
        terms = [sums_of_bins(sizes)[[2, 6, 4]] for sizes in (rows, columns)]
        moments = bits.moments(coefficients(n, n)[0], *terms[0], *terms[1])
        return float(bits.normal_score(value, *moments))
    # of two columns with two categories each, those with the rarer one stand in the rows
    if len(rows) > 2 or (len(columns) == 2 and columns.min() < rows.min()):
        table, rows, columns = table.T, columns, rows
    smallest = table[rows.argmin()]
    factorials = gammaln(np.arange(n + 1) + 1.0)
    value = float((smallest**2 / columns).sum())
    return float(norm.isf(rare_tail(int(rows.min()), columns, value, factorials)))
