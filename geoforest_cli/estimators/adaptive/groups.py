"""Groups of columns beside a shape that are linear or weakly dependent: noise with causes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from scipy.stats import kurtosistest, norm, skewtest

from geoforest_cli.estimators.screening.autocorrelation import normal_scores

__all__ = [
    "GroupTests",
    "copula_evidence",
    "group_tests",
    "groups_in_words",
    "linear_groups",
    "predictability",
]

Floats = npt.NDArray[np.float64]
Columns = npt.NDArray[np.int64]
Bools = npt.NDArray[np.bool_]

_MIN_ROWS = 100  # rows: with fewer nothing is known of groups
_ROWS, _OF_GROUP, _COLUMNS, _COMPONENTS = 1000, 200, 12, 30  # that are looked at, at most
_NEIGHBORS = 10
_MIN_VARIANCE = 1e-6  # variance of a component, of the largest one's: what is smaller is rounding
_MIN_VALUES = 10  # different values: a column with fewer is no measurement, and never normal
_EVIDENCE = 3.0  # -log10 p: a group with more is no Gaussian copula
_MIN_COLUMNS = 3  # columns: two may be linear by chance of their shape
_TIMES = 2.0  # as predictable as a linear group: what is dropped beside a strong one
_NAMES = 10  # that are listed
_WEAK = 0.4  # predictability of a linear group that is dropped beside a stronger linear one


class GroupTests(NamedTuple):
    """Facts about g groups of columns.

    Attributes
    ----------
    sizes : (g,) int64
    measured : (g,) bool
        Most columns have more than ten different values.
    evidence : (g,) float64
        Minus log10 of the p-value of a Gaussian copula.
    predictability : (g,) float64
        Mean share of a column's variance that neighbours in the others explain.
    """

    sizes: Columns
    measured: Bools
    evidence: Floats
    predictability: Floats


def group_tests(points: Floats, groups: Columns, rng: np.random.Generator) -> GroupTests:
    """Test groups of columns of points (N, p).

    Parameters
    ----------
    points : (N, p) array
    groups : (p,) int64
        Numbers from 1; columns with another number are in none.
    rng : numpy.random.Generator
        Draws 1,000 rows where there are more. Of more than 200 columns some are looked at.
    """
    n = len(points)
    if n > _ROWS:
        points = points[np.sort(rng.choice(n, _ROWS, replace=False))]
    rows = []
    for number in range(1, int(groups.max(initial=0)) + 1):
        columns = np.flatnonzero(groups == number)
        sample = points[:, columns[_evenly(len(columns), _OF_GROUP)]]
        scores = normal_scores(sample)
        many = np.mean([len(np.unique(column)) > _MIN_VALUES for column in sample.T]) >= 0.5
        rows.append((len(columns), many, copula_evidence(scores), predictability(scores)))
    sizes, measured, evidence, shares = np.array(rows, np.float64).reshape(-1, 4).T
    return GroupTests(sizes.astype(np.int64), measured > 0, evidence, shares)


def linear_groups(points: Floats, groups: Columns, rng: np.random.Generator) -> Columns:
    """Return the numbers of the groups that are left out: linear ones beside a shape.

    A group of three columns or more is linear if a Gaussian copula is not rejected at .001. It is
    left out if another group is no Gaussian copula, though most of its columns have more than ten
    different values, and is at least half as predictable; or if it is itself less than .4
    predictable, and another group of three columns or more is more than twice as predictable.
    Nothing is left out of fewer than 100 rows or than two groups.

    Parameters
    ----------
    points, groups, rng
        As in `group_tests`.
    """
    if len(points) < _MIN_ROWS or groups.max(initial=0) < 2:
        return np.empty(0, np.int64)
    tests = group_tests(points, groups, rng)
    large = tests.sizes >= _MIN_COLUMNS
    linear = tests.evidence < _EVIDENCE
    shape = ~linear & tests.measured
    share = tests.predictability
    linear_numbers = []
    for g in np.flatnonzero(linear & large):
        beside_shape = (shape & (_TIMES * share >= share[g])).any()
        beside_stronger = share[g] < _WEAK and (large & (share > _TIMES * share[g])).any()
        if beside_shape or beside_stronger:
            linear_numbers.append(g + 1)
    return np.array(linear_numbers, np.int64)


def groups_in_words(groups: Columns, left_out: Columns, names: Sequence[str] | None = None) -> str:
    """Return how many groups there are and which columns are left out, to end a sentence.

    Examples
    --------
    >>> groups_in_words(np.array([2, 2, 1, 1, 1]), np.array([2, 3, 4]))
    '; columns form 2 independent groups; left out, a group that is linear or weakly dependent: \
x2, x3, x4'
    >>> groups_in_words(np.array([1, 1, -1]), np.array([], int))
    ''
    """
    count = int((np.bincount(groups[groups > 0]) > 1).sum())
    if count < 2:
        return ""
    text = f"; columns form {count} independent groups"
    if not len(left_out):
        return text
    plural = len(np.unique(groups[left_out])) > 1
    what = "groups that are" if plural else "a group that is"
    return f"{text}; left out, {what} linear or weakly dependent: {_names_of(left_out, names)}"


def _names_of(columns: Columns, names: Sequence[str] | None) -> str:
    listed = [f"x{j}" if names is None else str(names[j]) for j in columns[:_NAMES].tolist()]
    more = len(columns) - len(listed)
    return ", ".join(listed) + (f" and {more} more" if more else "")


def copula_evidence(scores: Floats) -> float:
    """Return minus log10 of a p-value for a Gaussian copula, by normal scores (n, q).

    Of independent normal components neither is skewed or has heavy tails, and neither the size of
    one nor its value is known from the size of another. Tested are skewness and kurtosis of the
    first 30 principal components, and rank correlations of the size of each with the value and the
    size of each other one; the smallest p-value counts, times the number of tests (Bonferroni).

    References
    ----------
    D'Agostino, Belanger and D'Agostino, A suggestion for using powerful and informative tests of
    normality, The American Statistician 44, 1990.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> turn = rng.uniform(0, 2 * np.pi, 200)
    >>> copula_evidence(normal_scores(np.c_[np.cos(turn), np.sin(turn)])) > 10
    True
    >>> copula_evidence(normal_scores(rng.normal(size=(200, 1)) + rng.normal(size=(200, 5)))) > 3
    False
    """
    n = len(scores)
    left, lengths, _ = np.linalg.svd(scores, full_matrices=False)
    parts = np.sqrt(n) * left[:, lengths**2 > _MIN_VARIANCE * lengths[0] ** 2][:, :_COMPONENTS]
    m = parts.shape[1]
    values, sizes = (_unit(normal_scores(part)) for part in (parts, np.abs(parts)))
    with_values = (sizes.T @ values)[~np.eye(m, dtype=bool)]
    with_sizes = (sizes.T @ sizes)[np.triu_indices(m, 1)]
    moments = [skewtest(parts).statistic, kurtosistest(parts).statistic]
    z = np.abs(np.concatenate([*moments, np.sqrt(n - 1) * np.r_[with_values, with_sizes]]))
    return float(-np.log10(2 * len(z)) - norm.logsf(z.max()) / np.log(10))


def predictability(scores: Floats) -> float:
    """Return the mean share of a column's variance that ten neighbours in the others explain.

    A column is looked at twice, as it is and by its size; the larger share counts: on a circle
    neither coordinate has a trend in the other. Of many columns twelve are looked at; a column
    alone has 0.

    Parameters
    ----------
    scores : (n, q) array
        Normal scores.
    """
    n, q = scores.shape
    if q < 2:
        return 0.0
    squares = (scores**2).sum(axis=1)
    distances = squares[:, None] + squares - 2 * scores @ scores.T
    np.fill_diagonal(distances, np.inf)
    shares = []
    for j in _evenly(q, _COLUMNS):
        column = scores[:, j]
        others = distances - (column[:, None] - column) ** 2
        neighbors = np.argpartition(others, _NEIGHBORS, axis=1)[:, :_NEIGHBORS]
        both = np.stack([column, np.abs(column)])
        errors = ((both - both[:, neighbors].mean(axis=2)) ** 2).sum(axis=1)
        spread = n * both.var(axis=1)
        shares.append(max(float((1 - errors[spread > 0] / spread[spread > 0]).max()), 0.0))
    return float(np.mean(shares))


def _evenly(count: int, most: int) -> Columns:
    """Return numbers below a count, at most so many, evenly apart."""
    return np.unique(np.linspace(0, count - 1, min(count, most)).round().astype(np.int64))


def _unit(columns: Floats) -> Floats:
    unit: Floats = columns / np.linalg.norm(columns, axis=0)
    return unit
