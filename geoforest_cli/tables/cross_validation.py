"""Cross-validation: in each fold the training rows decide the screen, the scale and the model."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np
import numpy.typing as npt
import pandas as pd

from geoforest_cli.estimators.methods import build
from geoforest_cli.tables.folds import Splits
from geoforest_cli.tables.messages import as_argument, format_names, ignore
from geoforest_cli.tables.scaling import Rescale, Scaling
from geoforest_cli.tables.screens import ScreenOptions, ScreenResult
from geoforest_cli.tables.table import Points, UserTable

__all__ = ["FoldModel", "Labels", "OnFold", "OnTested", "cross_predict", "screen_note"]

Labels = npt.NDArray[np.str_]
OnFold = Callable[[int, int, float], None]
OnTested = Callable[["FoldModel", Points, Labels, float], None]


@dataclass
class FoldModel:
    """A classifier of the columns that a screen keeps, on the scale of its training rows."""

    method: str
    params: Mapping[str, Any]
    rescale: Rescale
    screening: ScreenOptions | None
    data: UserTable
    seed: int
    n_jobs: int | None

    def fit(self, X: Points, y: Labels) -> Self:
        """Screen and scale the columns by these rows, and learn from them."""
        self.screened = None
        if self.screening is not None:
            rows = f" in {len(X)} rows to learn from"
            self.screened = self.screening.keep(X, self.data.sources, self.data.name, rows)
        self._scaling = Scaling.fit(self._kept(X), self.rescale)
        self.model = build(self.method, self.params, seed=self.seed, n_jobs=self.n_jobs or -1)
        self.model.fit(self._scaling.apply(self._kept(X)), y)
        return self

    def predict(self, X: Points) -> Labels:
        """Return the class of each row."""
        predicted: Labels = self.model.predict(self._scaling.apply(self._kept(X)))
        return predicted

    def columns(self) -> npt.NDArray[np.bool_]:
        """Return which columns the classifier sees."""
        if self.screened is None:
            return np.ones(len(self.data.sources), bool)
        return self.screened.kept_among(self.data.sources)

    def _kept(self, X: Points) -> Points:
        return X if self.screened is None else X[:, self.columns()]


def screen_note(screens: Sequence[ScreenResult], folds_kept: pd.Series[int]) -> str:
    """Return what the screens of the folds have kept, and which columns they have dropped."""
    sizes = [int(screen.kept.sum()) for screen in screens]
    low, high = min(sizes), max(sizes)
    count = f"{low}" if low == high else f"{low} to {high}"
    note = (
        f"The screen, fitted on the training rows of each fold, keeps {count} "
        f"of {len(folds_kept)} columns"
    )
    never = [str(name) for name in folds_kept.index[folds_kept == 0]]
    if never:
        note += f"; dropped in all folds: {format_names(never)}"
    partly = folds_kept[(folds_kept > 0) & (folds_kept < len(screens))]
    if len(partly):
        note += f"; in some: {format_names([str(name) for name in partly.index])}"
    return f"{note} ({as_argument('find_columns')} on all rows says more)."


def cross_predict(
    model: FoldModel, labels: Labels, splits: Splits, on_fold: OnFold, on_tested: OnTested = ignore
) -> tuple[Labels, tuple[float, ...], list[ScreenResult]]:
    """Return the predicted class of each row, the accuracy of each fold, and its screen.

    Each fold's fitted model, the rows that it has not seen, their classes and its accuracy on them
    go to `on_tested`.
    """
    points = model.data.points
    predicted = np.empty(len(labels), labels.dtype)
    scores: list[float] = []
    screens: list[ScreenResult] = []
    for train, test in splits.parts(labels):
        fitted = replace(model).fit(points[train], labels[train])
        if fitted.screened is not None:
            screens.append(fitted.screened)
        predicted[test] = fitted.predict(points[test])
        scores.append(float(np.mean(predicted[test] == labels[test])))
        on_fold(len(scores), splits.folds, scores[-1])
        on_tested(fitted, points[test], labels[test], scores[-1])
    return predicted, tuple(scores), screens
