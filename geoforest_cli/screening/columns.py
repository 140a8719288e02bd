"""The front door: which columns carry structure."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from geoforest_cli.screening.adjust import Adjust
from geoforest_cli.screening.base import Level, Positive, Screen, Verdicts
from geoforest_cli.screening.bins import Bins
from geoforest_cli.screening.forest import ForestScreen
from geoforest_cli.screening.pairs import PairScreen

__all__ = ["ColumnScreen", "Method"]

Method = Literal["pairs", "forest", "both"]


class ColumnScreen(Screen):
    """Keeps the columns that depend on others, by pairs, by a forest, or by either.

    Parameters
    ----------
    method : {"pairs", "forest", "both"}
        With "both" a column's p-value is twice the smaller of the two.
    level : float
    adjust : {"fdr", "fwer"}
    bins : int or "auto"
    null : {"analytic", "permutation"}
    rounds : int
    n_jobs : int, optional
    random_state : int, RandomState or None

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> t = rng.uniform(size=300)
    >>> X = np.c_[np.cos(9 * t), np.sin(9 * t), rng.normal(size=(300, 20))]
    >>> ColumnScreen().fit_transform(X).shape
    (300, 2)
    """

    def __init__(
        self,
        method: Method = "pairs",
        *,
        level: Level = 0.01,
        adjust: Adjust = "fwer",
        bins: Bins = "auto",
        null: Literal["analytic", "permutation"] = "analytic",
        rounds: Positive = 1,
        n_jobs: int | None = None,
        random_state: Any = None,
    ) -> None:
        self.method = method
        self.level = level
        self.adjust = adjust
        self.bins = bins
        self.null = null
        self.rounds = rounds
        self.n_jobs = n_jobs
        self.random_state = random_state

    def _judge(self, table: npt.NDArray[Any]) -> Verdicts:
        common: dict[str, Any] = {
            "level": self.level, "adjust": self.adjust, "bins": self.bins, "rounds": self.rounds,
            "n_jobs": self.n_jobs, "random_state": self.random_state,
        }  # fmt: skip
        found = []
        if self.method in {"pairs", "both"}:
            found.append(PairScreen(null=self.null, **common)._judge(table))
        if self.method in {"forest", "both"}:
            found.append(ForestScreen(**common)._judge(table))
        if len(found) == 1:
            return found[0]
        pvalues = np.minimum(2 * np.minimum(found[0].pvalues, found[1].pvalues), 1.0)
        return Verdicts.of(
            np.maximum(found[0].scores, found[1].scores),
            pvalues,
            found[0].judged | found[1].judged,
            found[0].partners,
        )
