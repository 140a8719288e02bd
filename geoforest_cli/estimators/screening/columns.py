"""The front door: which columns carry structure."""

from __future__ import annotations

from dataclasses import field
from typing import Any, ClassVar, Literal

import numpy as np
import numpy.typing as npt
from scipy.stats import norm
from sklearn.utils.validation import check_is_fitted

from geoforest_cli.estimators.base.parameters import Jobs
from geoforest_cli.estimators.screening.base import ColumnTests, Screen, Table, dense
from geoforest_cli.estimators.screening.bins import Bins
from geoforest_cli.estimators.screening.correlation import CorrelationScreen
from geoforest_cli.estimators.screening.forest import ForestScreen
from geoforest_cli.estimators.screening.groups import (
    ColumnPairs,
    PairStatistic,
    numbered_by_size,
)
from geoforest_cli.estimators.screening.pairs import PairScreen

__all__ = ["MOST_PAIRED", "ColumnScreen", "Method"]

MOST_PAIRED = 20_000  # columns: all pairs of more take many minutes

Method = Literal["pairs", "correlation", "forest", "auto", "both"]
Floats = npt.NDArray[np.float64]
_MIN_Z = -8.0  # z of a p-value of nearly 1
_OF_LEVEL = 0.5  # for the pairs of kept columns, so that what is promised of groups is kept


class ColumnScreen(Screen):
    """Keeps the columns that depend on others, by pairs, correlations, a forest, or either of two.

    Parameters
    ----------
    method : {"pairs", "correlation", "forest", "auto", "both"}
        `PairScreen`, `CorrelationScreen`, `ForestScreen`; "auto", pairs and correlations; or
        "both", pairs and the forest. Of two a column's p-value is twice the smaller one
        (Bonferroni), its score the larger z of these two p-values, and its partner that of the
        smaller one, if it names any.
    level : float
        Columns with an adjusted p-value of at most this are kept.
    adjust : {"fdr", "fwer"}
        Bound the expected share of false columns among those kept, or the chance of any false one.
        One noise column is enough to spoil distances.
    bins : int or "auto"
    n_jobs : int, optional
        Threads; the result does not depend on it.
    random_state : int, RandomState or None
        For the forest.
    find_groups : bool
        Whether `groups_` is wanted: where many columns are kept, it takes as long as the pairs.

    Attributes
    ----------
    groups_ : (p,) int64
        The group of each kept column, numbers from 1, the largest group first and of equal ones the
        one that begins first; -1 for dropped columns. Two kept columns are joined where they depend
        on each other at half of `level`, shared by all pairs of kept columns (Bonferroni): groups
        that are independent are joined by mistake in less than a share `level` of tables. A column
        that depends on several others together, but on none of them alone, is a group of one. Not
        with ``find_groups=False``.
    pair_limit_ : float
        The z from which two kept columns are joined.
    note_ : str
        A sentence on what was left out because there are many columns; else empty.

    Notes
    -----
    Of more than 20,000 columns no pairs are compared where `method` is "auto" or "both": the forest
    alone judges them, and `note_` says so. Of more than 20,000 kept columns no groups are looked
    for: they count as one. A method that is named, such as "pairs", compares all pairs.

    Pairs are exact and find any dependence of two columns; the forest also finds a column that
    depends on several others together, and costs about as much. A level for any false column is the
    default: at .01 it keeps a false one in less than one table of a hundred, the false discovery
    rate in up to three, and both find nearly the same columns.

    Pairs for `groups_` are judged by chi-square for "pairs", by correlations of normal scores
    for "correlation", and by both for the other methods: the forest names no pairs of its own.
    ``pair_scores(X)`` returns their z.

    What no screen can do: tell a signal column that is independent of all others, such as the width
    of a Swiss roll, from noise; or noise columns that depend on one another from signal. See the
    notes on `PairScreen` for the rest. It says what it has dropped: ``get_support``.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> t = rng.uniform(size=300)
    >>> X = np.c_[np.cos(9 * t), np.sin(9 * t), rng.normal(size=(300, 20))]
    >>> ColumnScreen().fit_transform(X).shape
    (300, 2)
    """

    _sparse: ClassVar[bool] = True
    method: Method = field(default="both", kw_only=False)
    bins: Bins = "auto"
    n_jobs: Jobs = None
    random_state: Any = None
    find_groups: bool = True

    def _unpaired(self, p: int) -> bool:
        """Return whether pairs of p columns are too many for a method that takes two tests."""
        return p > MOST_PAIRED and self.method in {"auto", "both"}

    def _screens(self, p: int = 0) -> list[Screen]:
        common: dict[str, Any] = {
            "level": self.level, "adjust": self.adjust, "n_jobs": self.n_jobs
        }  # fmt: skip
        correlation = CorrelationScreen(**common)
        pairs = PairScreen(bins=self.bins, **common)
        forest = ForestScreen(bins=self.bins, random_state=self.random_state, **common)
        by_name: dict[Method, list[Screen]] = {
            "pairs": [pairs], "correlation": [correlation], "forest": [forest],
            "auto": [pairs, correlation], "both": [pairs, forest],
        }  # fmt: skip
        return by_name["forest" if self._unpaired(p) else self.method]

    def _test_columns(self, table: Table) -> ColumnTests:
        p = table.shape[1]
        self.note_ = ""
        if self._unpaired(p):
            self.note_ = (
                f"{p:,} columns, more than {MOST_PAIRED:,}: no pairs are compared, the forest "
                f'alone judges them (method="pairs" compares all).'
            )
        tests = [screen._test_columns(table) for screen in self._screens(p)]
        if len(tests) == 1:
            return tests[0]
        first, second = tests
        scores = _of_columns(first), _of_columns(second)
        by_second = (first.partners < 0) | (scores[1] > scores[0])
        # the forest names no partner: that of the pairs is one if they would keep the column, too
        by_second &= (second.partners >= 0) | (first.pvalues > self.level)
        return ColumnTests.of(
            np.maximum(*scores),
            np.minimum(2 * np.minimum(first.pvalues, second.pvalues), 1.0),
            first.tested | second.tested,
            np.where(by_second, second.partners, first.partners),
        )

    def _finish(self, table: Table) -> None:
        self.groups_ = np.full(table.shape[1], -1, np.int64)
        self.pair_limit_ = np.inf
        if not self.find_groups:
            del self.groups_, self.pair_limit_
            return
        kept = np.flatnonzero(self.support_)
        if self._unpaired(len(kept)) or (self.method == "forest" and len(kept) > MOST_PAIRED):
            self.groups_[kept] = 1
            said = f"The {len(kept):,} kept columns count as one group."
            self.note_ = f"{self.note_} {said}".strip()
            return
        pairs = self._pairs_of(dense(table[:, kept]))
        level = _OF_LEVEL * self.level
        self.pair_limit_ = pairs.limit(level)
        self.groups_[kept] = numbered_by_size(pairs.components(level, self.n_jobs))

    def pair_scores(self, X: npt.ArrayLike) -> Floats:
        """Return the z of every pair of the k kept columns of X (n, p), in an array (k, k).

        It is the larger one of two statistics, 0 on the diagonal and where a pair cannot be tested.

        Examples
        --------
        >>> t = np.random.default_rng(0).uniform(0, 6, 200)
        >>> X = np.c_[np.cos(t), np.sin(t)]
        >>> (ColumnScreen("pairs").fit(X).pair_scores(X) > 10).tolist()
        [[False, True], [True, False]]
        """
        check_is_fitted(self)
        table = self._table(X, reset=False)
        return self.pair_scores_of(dense(table[:, self.support_]))

    def pair_scores_of(self, table: npt.NDArray[Any]) -> Floats:
        """Return the z of every pair of columns of a table (n, k), as `pair_scores` does."""
        return self._pairs_of(table).z(self.n_jobs)

    def _pairs_of(self, table: npt.NDArray[Any]) -> ColumnPairs:
        statistic: PairStatistic = (
            self.method if self.method in {"pairs", "correlation"} else "auto"
        )
        return ColumnPairs.of(table, statistic, self.bins)


def _of_columns(tests: ColumnTests) -> Floats:
    """Return the z of the p-values; where these are too small to be told from 0, the scores."""
    with np.errstate(divide="ignore"):
        z = np.maximum(norm.isf(tests.pvalues), _MIN_Z)
    return np.where(tests.pvalues > 0, z, tests.scores)
