"""Permutation importances: how much worse a classifier does without what a column says."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import numpy.typing as npt
import pandas as pd

from geoforest_cli.tables.cross_validation import FoldModel, Labels
from geoforest_cli.tables.messages import ignore
from geoforest_cli.tables.table import Points

__all__ = ["IMPORTANCES", "OnColumn", "Permutations", "by_source"]

IMPORTANCES = ("impurity", "permutation", "low", "high")
OnColumn = Callable[[int, int], None]

_REPEATS = 5
_RANGE = (5.0, 95.0)  # percent of the drops


class Permutations:
    """Collects, fold by fold, the drop of accuracy when a column is permuted in the rows tested.

    Parameters
    ----------
    sources : sequence of str
        The user's column that each column of the points comes from; those of one category are
        permuted together.
    folds : int
    seed : int
    on_column : callable
        Called with how many columns are done, and of how many, all folds together.
    """

    def __init__(
        self, sources: Sequence[str], folds: int, seed: int, on_column: OnColumn = ignore
    ) -> None:
        self.names = list(dict.fromkeys(sources))
        number = {name: place for place, name in enumerate(self.names)}
        self._owner = np.array([number[source] for source in sources])
        self._folds, self._seed, self._on_column = folds, seed, on_column
        self._drops: list[npt.NDArray[np.float64]] = []

    def add(self, fitted: FoldModel, X: Points, y: Labels, accuracy: float) -> None:
        """Permute each column in the rows of one fold, five times.

        Parameters
        ----------
        fitted : FoldModel
            It has not seen these rows.
        X : (n, p) array
        y : (n,) array
        accuracy : float
            Of these rows as they are.
        """
        count = len(self.names)
        drops = np.zeros((count, _REPEATS))
        rng = np.random.default_rng([self._seed, len(self._drops)])
        seen = fitted.columns()
        # one prediction for all repeats: calling a forest takes longer than many rows
        rows = np.tile(np.arange(len(X)), _REPEATS)
        together, classes = X[rows], y[rows]
        for number in range(count):
            own = np.flatnonzero(self._owner == number)
            shuffled = np.concatenate([rng.permutation(len(X)) for _ in range(_REPEATS)])
            # otherwise no prediction changes
            if seen[own].any() and (X[:, own] != X[0, own]).any():
                together[:, own] = X[np.ix_(shuffled, own)]
                right = (fitted.predict(together) == classes).reshape(_REPEATS, len(X))
                together[:, own] = X[np.ix_(rows, own)]
                drops[number] = accuracy - right.mean(axis=1)
            self._on_column(len(self._drops) * count + number + 1, self._folds * count)
        self._drops.append(drops)

    def frame(self, impurity: pd.Series[float] | None) -> pd.DataFrame:
        """Return a line for each column, the most important one first.

        Parameters
        ----------
        impurity : pandas.Series, optional
            Indexed by column; NaN without it.

        Returns
        -------
        DataFrame
            column, impurity, permutation (the mean drop), low and high, between which nine in ten
            of the drops are.
        """
        drops = np.concatenate(self._drops, axis=1)
        low, high = np.percentile(drops, _RANGE, axis=1)
        shares = np.nan if impurity is None else impurity[self.names].to_numpy()
        frame = pd.DataFrame(
            {
                "column": self.names,
                "impurity": shares,
                "permutation": drops.mean(axis=1),
                "low": low,
                "high": high,
            }
        )
        order = ["permutation", "impurity"]
        return frame.sort_values(order, ascending=False, kind="stable", ignore_index=True)


def by_source(shares: pd.Series[float], sources: Sequence[str]) -> pd.Series[float]:
    """Return the shares of the user's columns: a category's is the sum over its values.

    Examples
    --------
    >>> shares = pd.Series([0.5, 0.25, 0.25], index=["size", "kind=a", "kind=b"])
    >>> by_source(shares, ["size", "kind", "kind"]).to_dict()
    {'size': 0.5, 'kind': 0.5}
    """
    return shares.groupby(list(sources), sort=False).sum()
