"""Standard errors of scores of neighbour lists, and intervals that hold for all methods at once.

A row counts twice in such a score: its neighbours are judged, and it is a neighbour of others. The
infinitesimal jackknife (Jaeckel 1972; Efron 1982, chapter 6) adds up both: the influence of a row
is the derivative of the score by the weight of that row.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
import numpy.typing as npt

__all__ = ["StandardErrors", "influences", "stratum_weights"]

Floats = npt.NDArray[np.float64]
Indices = npt.NDArray[np.int64]

LEVEL = 0.95
_DRAWS = 20_000
_ROUNDING = 1e-12
_MIN_ROWS_OF_STRATUM = 5  # rows of a stratum that show how much they vary


def stratum_weights(strata: Indices) -> Floats:
    """Return the weight of each row in a mean to which all strata contribute the same.

    Parameters
    ----------
    strata : (N,) int64
        Numbers from 0, all of which occur.

    Examples
    --------
    >>> stratum_weights(np.array([0, 0, 1])).tolist()
    [0.25, 0.25, 0.5]
    """
    counts = np.bincount(strata)
    weights: Floats = 1.0 / (len(counts) * counts[strata])
    return weights


def influences(values: Floats, weights: Floats, neighbors: Indices, changes: Floats) -> Floats:
    """Return how much each row adds to a weighted sum of values, which depend on neighbours.

    Parameters
    ----------
    values, weights : (N,) float64
        Of the rows.
    neighbors : (N, k) int64
    changes : (N, k) float64
        The derivative of a row's value by the weight of each of its neighbours.

    Returns
    -------
    (N,) float64
        Their sum is that of the weighted values, where the changes of each row add up to 0.

    Examples
    --------
    >>> near = np.array([[1], [2], [1]])
    >>> influences(np.zeros(3), np.ones(3), near, np.array([[0.5], [0.0], [0.25]])).tolist()
    [0.0, 0.75, 0.0]
    """
    as_neighbor = np.bincount(
        neighbors.ravel(), (weights[:, None] * changes).ravel(), minlength=len(values)
    )
    total: Floats = values * weights + as_neighbor
    return total


@dataclass(frozen=True, eq=False)
class StandardErrors:
    """Standard errors of several scores of the same rows, and of their differences.

    Parameters
    ----------
    influences : (m, N) float64
        Of each row on each score.
    strata : (N,) int64
        Numbers from 0. Rows are independent draws, a fixed number of each stratum.
    seed : int
        Of the draws that find the quantiles.

    Examples
    --------
    >>> own = np.array([[0.0, 0.2, 0.1, 0.1], [0.0, 0.0, 0.1, 0.1]])
    >>> errors = StandardErrors(own, np.zeros(4, np.int64))
    >>> errors.scores.round(3).tolist(), errors.differences.round(3).tolist()
    ([0.163, 0.115], [[0.0, 0.2], [0.2, 0.0]])
    """

    influences: Floats = field(repr=False)
    strata: Indices = field(repr=False)
    seed: int = 0

    @cached_property
    def _parts(self) -> list[Floats]:
        """The influences (m, n) of the independent draws of each stratum.

        The rows of a stratum of few rows are neighbours of one another, and say little of how much
        they vary: these strata are single draws of a stratum of their own.
        """
        counts = np.bincount(self.strata)
        few = (counts < _MIN_ROWS_OF_STRATUM) & (len(counts) > 1)
        ends = np.cumsum(counts)[:-1]
        members = np.split(np.argsort(self.strata, kind="stable"), ends)
        draws = [self.influences[:, members[number]] for number in np.flatnonzero(~few)]
        if few.any():
            sums = [
                self.influences[:, members[number]].sum(axis=1) for number in np.flatnonzero(few)
            ]
            # one alone is compared with no hit at all
            draws.append(np.array([*sums, *([np.zeros(len(sums[0]))] if len(sums) == 1 else [])]).T)
        return draws

    @cached_property
    def covariance(self) -> Floats:
        """The covariance (m, m) of the scores."""
        total: Floats = np.sum([_covariance(part) for part in self._parts], axis=0)
        return total

    @property
    def _freedom(self) -> float:
        """Degrees of freedom of the variances (Satterthwaite 1946)."""
        variances = np.array([np.trace(_covariance(part)) for part in self._parts])
        free = np.array([max(part.shape[1] - 1, 1) for part in self._parts])
        largest = variances.max()
        if not largest:
            return float(free.sum())
        shares = variances / largest
        return float(shares.sum() ** 2 / (shares**2 / free).sum())

    @property
    def scores(self) -> Floats:
        """The standard error (m,) of each score."""
        variances = np.diag(self.covariance)
        return np.sqrt(
            np.where(variances > _ROUNDING**2 * (self.influences**2).sum(axis=1), variances, 0.0)
        )

    @cached_property
    def differences(self) -> Floats:
        """The standard error (m, m) of each difference of two scores."""
        variances = np.add.outer(np.diag(self.covariance), np.diag(self.covariance))
        squared = variances - 2 * self.covariance
        return np.sqrt(np.where(squared > _ROUNDING * variances, squared, 0.0))

    @cached_property
    def _draws(self) -> Floats:
        """Deviations (draws, m) of the scores, of Student's t in all directions."""
        rng = np.random.default_rng(self.seed)
        variances, directions = np.linalg.eigh(self.covariance)
        root = directions * np.sqrt(variances.clip(0))
        chi = np.sqrt(rng.chisquare(self._freedom, _DRAWS) / self._freedom)
        drawn: Floats = rng.normal(size=(_DRAWS, len(root))) @ root.T / chi[:, None]
        return drawn

    @property
    def score_widths(self) -> Floats:
        """Half the width (m,) of the intervals of the scores, 95 % for all at once."""
        return _quantile(_largest(self._draws, self.scores)) * self.scores

    @cached_property
    def difference_widths(self) -> Floats:
        """Half the width (m, m) of the intervals of all differences, 95 % for all at once."""
        largest = np.zeros(_DRAWS)
        for number, errors in enumerate(self.differences):
            apart = self._draws[:, [number]] - self._draws
            np.maximum(largest, _largest(apart, errors), out=largest)
        return _quantile(largest) * self.differences


def _covariance(draws: Floats) -> Floats:
    """Return the covariance (m, m) of the sums of independent draws (m, n)."""
    n = draws.shape[1]
    centred = draws - draws.mean(axis=1, keepdims=True)
    total: Floats = centred @ centred.T * (n / max(n - 1, 1))
    return total


def _largest(deviations: Floats, errors: Floats) -> Floats:
    """Return the largest deviation of each draw, in standard errors; those of 0 do not vary."""
    varying = errors > 0
    scaled = np.abs(deviations[:, varying]) / errors[varying]
    largest: Floats = scaled.max(axis=1, initial=0.0)
    return largest


def _quantile(largest: Floats) -> float:
    return float(np.quantile(largest, LEVEL))
