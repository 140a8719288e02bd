"""Importances of columns: by the decrease of impurity, and by permutation of rows not seen."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import numpy.typing as npt
import pandas as pd

from geoforest_cli.core.errors import UserError
from geoforest_cli.estimators.methods import METHODS, kind_of
from geoforest_cli.tables.cross_validation import FoldModel, Labels
from geoforest_cli.tables.messages import as_argument, ignore
from geoforest_cli.tables.table import Points

__all__ = ["OnColumn", "Permutations", "importance_table", "require_impurity"]

OnColumn = Callable[[int, int], None]

_REPEATS = 5
_RANGE = (5.0, 95.0)  # percent of the drops


class Permutations:
    """Drops of accuracy, fold by fold, when a column is permuted in the rows tested.

    Parameters
    ----------
    model : FoldModel
        Columns of its data that come from one category are permuted together.
    folds : int
    on_column : callable
        Called with how many columns are done, and of how many, all folds together.
    """

    def __init__(self, model: FoldModel, folds: int, on_column: OnColumn = ignore) -> None:
        self._owner, self.names = pd.factorize(np.array(model.data.sources, object))
        self._folds, self._seed, self._on_column = folds, model.seed, on_column
        self.drops: list[npt.NDArray[np.float64]] = []

    def add(self, fitted: FoldModel, X: Points, y: Labels, accuracy: float) -> None:
        """Permute each column in the rows (n, p) of one fold, five times.

        The model has not seen these rows, of which it predicts a share as they are.
        """
        count = len(self.names)
        drops = np.zeros((count, _REPEATS))
        rng = np.random.default_rng([self._seed, len(self.drops)])
        seen = fitted.columns()
        # one prediction for all repeats: calling a forest takes longer than many rows
        rows = np.tile(np.arange(len(X)), _REPEATS)
        together, classes = X[rows], y[rows]
        for number in range(count):
            members = np.flatnonzero(self._owner == number)
            shuffled = np.concatenate([rng.permutation(len(X)) for _ in range(_REPEATS)])
            # otherwise no prediction changes
            if seen[members].any() and (X[:, members] != X[0, members]).any():
                together[:, members] = X[np.ix_(shuffled, members)]
                right = (fitted.predict(together) == classes).reshape(_REPEATS, len(X))
                together[:, members] = X[np.ix_(rows, members)]
                drops[number] = accuracy - right.mean(axis=1)
            self._on_column(len(self.drops) * count + number + 1, self._folds * count)
        self.drops.append(drops)


def importance_table(model: FoldModel, labels: Labels, permutations: Permutations) -> pd.DataFrame:
    """Return a line for each of the user's columns, the most important one first.

    Returns
    -------
    DataFrame
        column; impurity (its share in the decrease of impurity of the method fitted on all rows,
        NaN for methods that have none); with drops, permutation (the mean drop), low and
        high, between which nine in ten of the drops are.
    """
    table = _impurity(model, labels).rename_axis("column").reset_index()
    order = ["impurity"]
    if permutations.drops:
        drops = np.concatenate(permutations.drops, axis=1)
        low, high = np.percentile(drops, _RANGE, axis=1)
        table = table.assign(permutation=drops.mean(axis=1), low=low, high=high)
        order = ["permutation", "impurity"]
    return table.sort_values(order, ascending=False, kind="stable", ignore_index=True)


def _impurity(model: FoldModel, labels: Labels) -> pd.Series[float]:
    """Return the share of each column; that of a category is the sum over its values."""
    sources = list(model.data.sources)
    shares = np.full(len(sources), np.nan)
    if _may_have_impurity(model.method):
        fitted = replace(model).fit(model.data.points, labels)
        if hasattr(fitted.model, "feature_importances_"):
            kept = fitted.columns()
            shares[kept], shares[~kept] = fitted.model.feature_importances_, 0.0
    of_sources = pd.Series(shares, name="impurity").groupby(sources, sort=False)
    return of_sources.sum(min_count=1)


def require_impurity(method: str) -> None:
    """Refuse a method that has no importances by impurity: asked before it is trained.

    Raises
    ------
    UserError

    Examples
    --------
    >>> require_impurity("morf")
    >>> require_impurity("knn")
    Traceback (most recent call last):
    geoforest_cli.core.errors.UserError: importances: knn has no importances; morf, sporf and \
rf have
    """
    if not _may_have_impurity(method):
        argument = as_argument("importances")
        raise UserError(f"{argument}: {method} has no importances; morf, sporf and rf have")


def _may_have_impurity(method: str) -> bool:
    """Return whether a method has importances; one of the user's may have them once trained."""
    is_classifier = method in METHODS and ":" not in method and kind_of(method) == "classifier"
    return not is_classifier or hasattr(METHODS[method].load(), "feature_importances_")
