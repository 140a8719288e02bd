"""Columns that rise or fall with some other column: correlations of normal scores."""

from __future__ import annotations

import functools
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt
from scipy.special import gammaln, ndtri, ndtri_exp
from scipy.stats import norm
from threadpoolctl import threadpool_limits

from geoforest_cli.core.threads import mapped
from geoforest_cli.estimators.base.parameters import Jobs
from geoforest_cli.estimators.screening.adjust import sidak
from geoforest_cli.estimators.screening.base import (
    Bools,
    ColumnTests,
    Floats,
    Numbers,
    Screen,
    Table,
    dense,
    missing,
)
from geoforest_cli.estimators.screening.counts import counted
from geoforest_cli.estimators.screening.moments import MIN_ROWS

__all__ = [
    "SIGNS",
    "CorrelationScreen",
    "Scores",
    "blocks_of_z",
    "deviate_in_few_rows",
    "strongest_partners",
]

SIGNS = 2  # of a correlation
_MOST_KURTOSIS = 5.0  # of scores; a normal's is 3
_MOST_SKEW = 0.03  # of a product of two columns' scores, in units of its standard error
_MANY_ROWS = 100
_COLUMNS_AT_ONCE = 512
_VALUES_PER_BLOCK = 1 << 22
_STEP = 1e-5  # correlations that differ by less are equal: the first partner counts

Singles = npt.NDArray[np.float32]


class CorrelationScreen(Screen):
    r"""Keeps columns that rise or fall with some other column.

    Every column is replaced by its normal scores: the value of mid-rank i among n rows by the
    standard normal's quantile at (i - 1/2) / n. So the screen is the same for any increasing
    transformation of a column. The correlation r of the scores of two columns has mean 0 and
    variance 1 / (n - 1) over all permutations of the rows, exactly, and

    .. math:: z = |r| \sqrt{n - 1}

    is referred to a normal distribution, whose tail is heavier than that of r. Below a hundred rows
    it is far heavier. There the normal deviate that Student's t would have (by Wallace, with
    :math:`\nu = n - 2`)

    .. math:: \frac{8 \nu + 1}{8 \nu + 3} \sqrt{-\nu \log(1 - r^2 + 1 / (2 n))}

    counts if it is larger, and if one of the two columns has no equal values. The term 1 / (2 n)
    makes it hold for permutations, of which none has a probability below 1 / n!. A column's score
    is the z of its best partner; its p-value allows for the number of partners (Sidak) and for both
    signs, the adjusted one for the number of columns.

    Of steady trends it finds weaker ones than `PairScreen` does: of 300 rows of two normal columns
    with correlation .4 among 30 others it keeps both nearly always, pairs one time in four. It is
    blind to any other dependence, such as that of the coordinates of a circle: take both, as
    ``ColumnScreen("auto")`` does.

    Parameters
    ----------
    level : float
        Columns with an adjusted p-value of at most this are kept.
    adjust : {"fdr", "fwer"}
        As for `PairScreen`.
    n_jobs : int, optional
        Threads; the result does not depend on it.

    Notes
    -----
    Rows with a missing value are left out pair by pair; two columns are not compared on fewer than
    six rows. A column with a rare category is not tested, nor is a constant one: there the tail of
    r is heavier than a normal's. Tested are those whose scores have a kurtosis below 5 and a
    squared skewness of at most .03 sqrt(n): columns without many equal values always, columns of
    two categories if neither has less than a third of 500 rows.

    Limits: those of `PairScreen`.

    References
    ----------
    Van der Waerden, Order tests for the two-sample problem and their power, Indagationes
    Mathematicae 14, 1952, for normal scores; Wallace, Bounds on normal approximations to Student's
    and the chi-square distributions, Annals of Mathematical Statistics 30, 1959.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> cause = rng.normal(size=300)
    >>> X = np.exp(rng.normal(size=(300, 20)) + np.outer(cause, np.eye(20)[3] + np.eye(20)[5]))
    >>> screen = CorrelationScreen().fit(X)
    >>> screen.get_support(indices=True).tolist(), screen.partners_[[3, 5]].tolist()
    ([3, 5], [5, 3])
    """

    _sparse: ClassVar[bool] = True
    n_jobs: Jobs = None

    def _test_columns(self, table: Table) -> ColumnTests:
        scores = Scores.of(table)
        columns = np.flatnonzero(scores.smooth)
        z, partners = np.zeros(table.shape[1]), np.full(table.shape[1], -1, np.int64)
        best, by = strongest_partners(scores.of_columns(columns), n_jobs=self.n_jobs)
        z[columns], partners[columns] = best, np.where(by >= 0, columns[by], -1)
        tested = partners >= 0
        tries = max(SIGNS * (int(tested.sum()) - 1), 1)
        return ColumnTests.of(z, sidak(norm.sf(z), tries), tested, partners)


@dataclass(frozen=True)
class Scores:
    """Normal scores of the rows of every column.

    Attributes
    ----------
    values : (p, n) float32
        Of mean 0 and unit length; 0 for NaN.
    known : (p, n) float32 or None
        1 where there is a value, 0 for NaN; None where there are no NaN.
    smooth : (p,) bool
        Columns that vary, and have no rare category.
    untied : (p,) bool
        Columns without equal values.
    most : (p,) float32
        The largest normal deviate that fewer than 100 rows allow: no correlation of an order drawn
        at random is less likely than one of all orders that the column's values can be in.
    """

    values: Singles
    present: Singles | None
    smooth: Bools
    untied: Bools
    most: Singles

    def of_columns(self, columns: npt.NDArray[np.intp]) -> Scores:
        """Return some of the columns."""
        part = None if self.present is None else self.present[columns]
        smooth, untied = self.smooth[columns], self.untied[columns]
        return Scores(self.values[columns], part, smooth, untied, self.most[columns])

    @classmethod
    def of(cls, table: Table) -> Scores:
        """Return the scores of a table (n, p).

        Examples
        --------
        >>> Scores.of(np.array([[1.0], [9], [4], [np.nan]])).values.round(2).tolist()
        [[-0.7099999785423279, 0.7099999785423279, 0.0, 0.0]]
        """
        n, p = table.shape
        values = np.zeros((p, n), np.float32)
        smooth, untied = np.zeros((2, p), np.bool_)
        most = np.full(p, np.inf, np.float32)
        present = None
        if missing(table).any():
            present = np.empty((p, n), np.float32)
        step = max(1, _VALUES_PER_BLOCK // max(n, 1))
        for start in range(0, p, step):
            part = np.ascontiguousarray(dense(table[:, start : start + step]).T)
            if present is not None:
                present[start : start + step] = ~np.isnan(part)
            for i, order in enumerate(np.argsort(part, axis=1)):
                j = start + i
                m = n if present is None else int(present[j].sum())
                ordered = part[i, order[:m]]
                rises = ordered[1:] > ordered[:-1]
                untied[j] = rises.all()
                scores, smooth[j] = _untied_scores(m) if untied[j] else _tied_scores(rises)
                values[j, order[:m]] = scores
                if n < _MANY_ROWS:
                    most[j] = _largest_deviate(rises)
        return cls(values, present, smooth, untied, most)


def _largest_deviate(rises: Bools) -> float:
    """Return the normal deviate whose tail is one over the number of orders of the values."""
    m = len(rises) + 1
    sizes = np.diff([0, *np.flatnonzero(rises) + 1, m])
    orders = gammaln(m + 1) - gammaln(sizes + 1).sum()
    return max(-float(ndtri_exp(-orders)), 0.0)


def _tied_scores(rises: Bools) -> tuple[Singles, bool]:
    """Return the scores of ascending values that rise here and there."""
    m = len(rises) + 1
    starts = np.concatenate([[0], np.flatnonzero(rises) + 1])
    sizes = np.diff([*starts, m])
    return _standardised(np.repeat(ndtri((starts + sizes / 2) / m), sizes))


@functools.lru_cache(maxsize=8)
def _untied_scores(m: int) -> tuple[Singles, bool]:
    return _standardised(ndtri((np.arange(m) + 0.5) / max(m, 1)))


def _standardised(scores: Floats) -> tuple[Singles, bool]:
    """Return scores of mean 0 and unit length, and whether their tails are a normal's."""
    scores = scores - scores.mean() if len(scores) else scores
    squares = scores * scores
    length = float(squares.sum())
    if not length > 0:
        return np.zeros(len(scores), np.float32), False
    m = len(scores)
    kurtosis = m * float((squares * squares).sum()) / length**2
    skew = float(np.sqrt(m) * (squares * scores).sum()) / length**1.5
    smooth = kurtosis < _MOST_KURTOSIS and skew**2 <= _MOST_SKEW * m**0.5
    return (scores / np.sqrt(length)).astype(np.float32), smooth


def strongest_partners(scores: Scores, *, n_jobs: int | None = None) -> tuple[Floats, Numbers]:
    """Return for each column the z of its best partner, and that partner; 0, -1 without one.

    Parameters
    ----------
    scores : Scores
    n_jobs : int, optional
        Threads.
    """
    p = len(scores.values)
    starts = range(0, p, _COLUMNS_AT_ONCE)

    def search(start: int) -> tuple[Singles, Numbers, Singles, Numbers]:
        z = _z_of_block(scores, start)
        diagonal = np.arange(len(z))
        z[diagonal, diagonal] = -1.0
        best, first = z.argmax(axis=1), z.argmax(axis=0)
        return z[diagonal, best], start + best, z[first, np.arange(z.shape[1])], start + first

    score, partner = np.full(p, -1.0), np.full(p, -1, np.int64)
    with threadpool_limits(1, "blas"):
        pairs = [p - start for start in starts]
        blocks = counted(mapped(search, starts, n_jobs), pairs, "columns correlated", p)
        for start, block in zip(starts, blocks, strict=True):
            # a column's partners come in their order: first those before its own block
            for to, z, other in ((p, block[2], block[3]), (start + len(block[0]), *block[:2])):
                here = slice(start, to)
                better = z > score[here]
                score[here] = np.where(better, z, score[here])
                partner[here] = np.where(better, other, partner[here])
    return np.maximum(score, 0.0), partner


def blocks_of_z(scores: Scores, n_jobs: int | None = None) -> Iterator[tuple[int, Singles]]:
    """Yield the z of 512 columns at a time, with all columns from the first of them on.

    A column whose tail is not a normal's has 0 with every other one.
    """
    starts = range(0, len(scores.values), _COLUMNS_AT_ONCE)
    blocks = mapped(functools.partial(_z_of_block, scores), starts, n_jobs)
    for start, z in zip(starts, blocks, strict=True):
        z[~scores.smooth[start : start + len(z)]] = 0.0
        z[:, ~scores.smooth[start:]] = 0.0
        yield start, z


def _z_of_block(scores: Scores, start: int) -> Singles:
    """Return the z of some columns with all columns from there on; -1 on fewer than six rows."""
    n = scores.values.shape[1]
    block = scores.values[start : start + _COLUMNS_AT_ONCE]
    rest = scores.values[start:]
    untied = scores.untied[start : start + _COLUMNS_AT_ONCE, None] | scores.untied[start:]
    most = np.minimum(scores.most[start : start + _COLUMNS_AT_ONCE, None], scores.most[start:])
    z: Singles = block @ rest.T
    if scores.present is None:
        np.abs(z, out=z)
        np.minimum(z, 1.0, out=z)
        z /= _STEP
        np.rint(z, out=z)
        if n < MIN_ROWS:
            z[:] = -1.0
        elif n < _MANY_ROWS:
            z = np.where(untied, deviate_in_few_rows(z * _STEP, n), z * _STEP * np.sqrt(n - 1))
            z = np.minimum(z, most)
        else:
            z *= np.float32(_STEP * np.sqrt(n - 1))
        return z.astype(np.float32, copy=False)
    there, others = scores.present[start : start + _COLUMNS_AT_ONCE], scores.present[start:]
    rows = there @ others.T
    with np.errstate(invalid="ignore", divide="ignore"):
        first, second = block @ others.T, there @ rest.T
        spread = (block**2 @ others.T - first**2 / rows) * (there @ (rest**2).T - second**2 / rows)
        z = np.abs(z - first * second / rows) / np.sqrt(spread)
        r = np.rint(np.minimum(z, 1.0) / _STEP) * np.float32(_STEP)
        z = r * np.sqrt(rows - 1)
        few = untied & (rows < _MANY_ROWS) & (rows >= MIN_ROWS)
        z[few] = deviate_in_few_rows(r[few], rows[few])
        z = np.minimum(z, most)
    z[(rows < MIN_ROWS) | ~(spread > 0)] = -1.0
    return z.astype(np.float32)


def deviate_in_few_rows(r: npt.NDArray[Any], n: npt.NDArray[Any] | int) -> npt.NDArray[Any]:
    """Return the normal deviate of an absolute correlation r of normal scores of n < 100 rows.

    Its tail is at least as heavy as that of r over all permutations, beyond a probability of .01,
    and below twice as heavy from 20 rows on, to 1e-9: enumerated for up to nine rows, sampled by
    splitting for 10 to 99 rows, down to 1e-12.

    Parameters
    ----------
    r : array
        From 0 to 1.
    n : array or int
        Number of rows, at least 3.

    Examples
    --------
    >>> deviate_in_few_rows(np.array([0.2, 0.6, 1.0]), 20).round(2).tolist()
    [0.87, 2.67, 8.04]
    """
    nu = n - 2
    squared = np.maximum(-nu * np.log(1 - r * r + 0.5 / n), 0)
    student = (8 * nu + 1) / (8 * nu + 3) * np.sqrt(squared)
    larger: npt.NDArray[Any] = np.maximum(r * np.sqrt(n - 1), student)
    return larger
