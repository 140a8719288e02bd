"""The folds of a cross-validation, and what a classifier stands behind in each of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, Self

import numpy as np
import numpy.typing as npt
import pandas as pd

from geoforest_cli.methods import build
from geoforest_cli.own_data.scaling import Rescale, Scaling
from geoforest_cli.own_data.screens import Screened, Screening
from geoforest_cli.own_data.table import Points, UserTable
from geoforest_cli.own_data.wording import listed, spell

__all__ = [
    "Classifier", "Labels", "OfKept", "OnFold", "OnScale", "folded", "new_model",
    "screens_in_words",
]  # fmt: skip

Labels = npt.NDArray[np.str_]
OnFold = Callable[[int, int, float], None]


class Classifier(Protocol):
    """What a method of the kind does."""

    def fit(self, X: Points, y: Labels) -> Self:
        """Learn from rows and their classes."""

    def predict(self, X: Points) -> Labels:
        """Return the class of each row."""


def new_model(
    method: str,
    params: Mapping[str, Any],
    rescale: Rescale,
    seed: int,
    n_jobs: int,
    screening: Screening | None,
    data: UserTable,
) -> Classifier:
    """Return an unfitted classifier, behind a scale and a screen where these are wanted."""
    model: Classifier = build(method, params, seed=seed, n_jobs=n_jobs)
    model = model if rescale == "none" else OnScale(model, rescale)
    return model if screening is None else OfKept(model, screening, data.sources, data.name)


@dataclass
class OnScale:
    """A classifier behind the scale of its training rows."""

    model: Classifier
    rescale: Rescale

    def fit(self, X: Points, y: Labels) -> Self:
        """Learn the scale, and from the rows on it."""
        self._scaling = Scaling.fit(X, self.rescale)
        self.model.fit(self._scaling.apply(X), y)
        return self

    def predict(self, X: Points) -> Labels:
        """Return the class of each row."""
        return self.model.predict(self._scaling.apply(X))


@dataclass
class OfKept:
    """A classifier behind the screen of its training rows."""

    model: Classifier
    screening: Screening
    sources: tuple[str, ...]
    name: str

    def fit(self, X: Points, y: Labels) -> Self:
        """Screen the columns, and learn from those that are kept."""
        where = f" in {len(X)} rows to learn from"
        self.screened = self.screening.keep(X, self.sources, self.name, where)
        self.kept = self.screened.among(self.sources)
        self.model.fit(X[:, self.kept], y)
        return self

    def predict(self, X: Points) -> Labels:
        """Return the class of each row."""
        return self.model.predict(X[:, self.kept])


def screens_in_words(screens: Sequence[Screened], folds_kept: pd.Series[int]) -> str:
    """Return what the screens of the folds have kept, and which columns they have dropped."""
    sizes = [int(screen.kept.sum()) for screen in screens]
    low, high = min(sizes), max(sizes)
    count = f"{low}" if low == high else f"{low} to {high}"
    told = (
        f"The screen, fitted on the training rows of each fold, keeps {count} "
        f"of {len(folds_kept)} columns"
    )
    never = [str(name) for name in folds_kept.index[folds_kept == 0]]
    if never:
        told += f"; dropped in all folds: {listed(never)}"
    some = folds_kept[(folds_kept > 0) & (folds_kept < len(screens))]
    if len(some):
        told += f"; in some: {listed([str(name) for name in some.index])}"
    return f"{told} ({spell('find_columns')} on all rows says more)."


def folded(
    new: Callable[[], Classifier],
    points: Points,
    labels: Labels,
    folds: int,
    seed: int,
    on_fold: OnFold | None,
) -> tuple[Labels, tuple[float, ...], list[Screened]]:
    """Return what each row is taken for, the accuracy of each fold, and its screen."""
    from sklearn.model_selection import StratifiedKFold

    found = np.empty(len(labels), labels.dtype)
    scores: list[float] = []
    screens: list[Screened] = []
    splits = StratifiedKFold(folds, shuffle=True, random_state=seed)
    for train, test in splits.split(points, labels):
        model = new().fit(points[train], labels[train])
        if isinstance(model, OfKept):
            screens.append(model.screened)
        found[test] = model.predict(points[test])
        scores.append(float(np.mean(found[test] == labels[test])))
        if on_fold is not None:
            on_fold(len(scores), folds, scores[-1])
    return found, tuple(scores), screens
