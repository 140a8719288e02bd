"""The front door: which columns carry structure."""

from __future__ import annotations

from dataclasses import field
from typing import Any, Literal

import numpy as np
import numpy.typing as npt
from scipy.stats import norm

from geoforest_cli.estimators.base.parameters import Jobs, PositiveInt
from geoforest_cli.estimators.screening.base import ColumnTests, Screen
from geoforest_cli.estimators.screening.bins import Bins
from geoforest_cli.estimators.screening.forest import ForestScreen
from geoforest_cli.estimators.screening.pairs import Null, PairScreen

__all__ = ["ColumnScreen", "Method"]

Method = Literal["pairs", "forest", "both"]
Floats = npt.NDArray[np.float64]
_LEAST = -8.0  # z of a p-value of nearly 1


class ColumnScreen(Screen):
    """Keeps the columns that depend on others, by pairs, by a forest, or by either.

    Parameters
    ----------
    method : {"pairs", "forest", "both"}
        `PairScreen`, `ForestScreen`, or both: a column's p-value is then twice the smaller of the
        two (Bonferroni), and its score the larger z of these two p-values.
    level : float
        Columns with an adjusted p-value of at most this are kept.
    adjust : {"fdr", "fwer"}
        Bound the expected share of false columns among those kept, or the chance of any false one.
        One noise column is enough to spoil distances.
    bins : int or "auto"
    null : {"analytic", "permutation"}
        Of the pairs.
    rounds : int
    n_jobs : int, optional
        Threads; the result does not depend on it.
    random_state : int, RandomState or None
        For the forest, and for permutations.

    Notes
    -----
    Pairs are exact and find any dependence of two columns; the forest also finds a column that
    depends on several others together, and costs about as much. A level for any false column is the
    default: at .01 it keeps a false one in less than one table of a hundred, the false discovery
    rate in up to three, and both find nearly the same columns.

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

    method: Method = field(default="both", kw_only=False)
    bins: Bins = "auto"
    null: Null = "analytic"
    rounds: PositiveInt = 1
    n_jobs: Jobs = None
    random_state: Any = None

    def _check(self) -> None:
        for screen in self._screens():
            screen._check()

    def _screens(self) -> list[Screen]:
        common: dict[str, Any] = {
            "level": self.level, "adjust": self.adjust, "bins": self.bins, "rounds": self.rounds,
            "n_jobs": self.n_jobs, "random_state": self.random_state,
        }  # fmt: skip
        pairs, forest = PairScreen(null=self.null, **common), ForestScreen(**common)
        return {"pairs": [pairs], "forest": [forest], "both": [pairs, forest]}[self.method]

    def _test_columns(self, table: npt.NDArray[Any]) -> ColumnTests:
        found = [screen._test_columns(table) for screen in self._screens()]
        if len(found) == 1:
            return found[0]
        return ColumnTests.of(
            np.maximum(*(_of_columns(one) for one in found)),
            np.minimum(2 * np.minimum(found[0].pvalues, found[1].pvalues), 1.0),
            found[0].tested | found[1].tested,
            found[0].partners,
        )


def _of_columns(found: ColumnTests) -> Floats:
    """Return the z of the p-values; where these are too small to be told from 0, the scores."""
    with np.errstate(divide="ignore"):
        z = np.maximum(norm.isf(found.pvalues), _LEAST)
    return np.where(found.pvalues > 0, z, found.scores)
