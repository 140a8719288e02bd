"""Classifiers of other packages, as their papers set them or tuned."""

from __future__ import annotations

import itertools
import math
import warnings
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, Self

import numpy as np
import numpy.typing as npt
from sklearn.base import ClassifierMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import GridSearchCV, RepeatedStratifiedKFold
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, validate_data

from geoforest_cli.estimators.base.estimator import Estimator
from geoforest_cli.estimators.base.parameters import PositiveInt, Seed, seed_31_bits

__all__ = ["Classifier", "Grid", "crossed"]

Grid = list[dict[str, Any]]

_BUDGET = 24
_FOLDS = 5
_FEW_ROWS = 200  # rows; folds of fewer are drawn again, as one split says little


def crossed(**values: Sequence[Any]) -> Grid:
    """Return all combinations of the values of some parameters.

    Examples
    --------
    >>> crossed(C=[1, 10], gamma=["scale"])
    [{'C': 1, 'gamma': 'scale'}, {'C': 10, 'gamma': 'scale'}]
    """
    rows = itertools.product(*values.values())
    return [dict(zip(values, row, strict=True)) for row in rows]


class Classifier(ClassifierMixin, Estimator, ABC):
    """A classifier of another package, its columns standardised if asked, and tuned if asked.

    Tuned, it tries its own setting and `budget` - 1 others, drawn from its grid, by 5-fold
    stratified cross-validation on the training set, and keeps the first of those with the least
    error; below 200 rows the folds are drawn up to five times, for trees and networks twice.
    Where a class has a single row, or a fold leaves too few for the own setting, that one stays.

    Attributes
    ----------
    classes_ : (n_classes,) array
    model_ : Pipeline
    n_iter_ : int
        Of the fitted estimator, where it counts them.
    chosen_ : dict
        The setting that tuning has kept, by scikit-learn's names; empty without it.
    """

    # what a grid is crossed with; trees do not depend on the columns' scale
    _scales: ClassVar[bool] = True
    _most_repeats: ClassVar[int] = 5
    standardise = False

    tune: bool = False
    budget: PositiveInt = _BUDGET
    random_state: Seed = None

    @abstractmethod
    def _estimator(self, seed: int | None) -> Any:
        """Return scikit-learn's estimator with the own setting."""

    def _grid(self, X: npt.NDArray[Any], n_training: int) -> Grid:
        """Return the settings to be tried; `n_training` rows are left to learn from in a fold."""
        del X, n_training
        return []

    def _min_rows(self) -> int:
        """Return how many rows the own setting needs."""
        return 1

    def fit(self, X: npt.ArrayLike, y: npt.ArrayLike) -> Self:
        """Fit on X (N, p) and classes y (N,)."""
        points, labels = validate_data(self, X, y, dtype=[np.float64, np.float32])
        check_classification_targets(labels)
        self.classes_, counts = np.unique(labels, return_counts=True)
        self._rows = len(labels)
        seed = seed_31_bits(self.random_state)
        scale = StandardScaler() if self.standardise else "passthrough"
        model = Pipeline([("scale", scale), ("model", self._estimator(seed))])
        self.chosen_: dict[str, Any] = {}
        with warnings.catch_warnings():
            # the papers' programs stop at the same numbers of iterations
            warnings.simplefilter("ignore", ConvergenceWarning)
            if self.tune and counts.min() > 1:
                model = self._tuned(model, points, labels, counts)
            self.model_ = model.fit(points, labels)
        iterations = getattr(self.model_["model"], "n_iter_", None)
        if iterations is not None:
            self.n_iter_ = int(np.max(iterations))
        return self

    def _tuned(
        self,
        model: Pipeline,
        X: npt.NDArray[Any],
        y: npt.NDArray[Any],
        counts: npt.NDArray[np.int64],
    ) -> Pipeline:
        seed = seed_31_bits(self.random_state) or 0
        folds = min(_FOLDS, int(counts.min()))
        repeats = min(self._most_repeats, math.ceil(_FEW_ROWS / len(y)))
        n_training = len(y) - int(np.ceil(counts / folds).sum())
        if n_training < self._min_rows():
            return model
        settings = self._settings(X, n_training, seed)
        search = GridSearchCV(
            model,
            [{name: [value] for name, value in setting.items()} for setting in settings],
            cv=RepeatedStratifiedKFold(n_splits=folds, n_repeats=repeats, random_state=seed),
            refit=False,
            error_score="raise",
        ).fit(X, y)
        self.chosen_ = settings[int(np.argmin(search.cv_results_["rank_test_score"]))]
        tuned: Pipeline = model.set_params(**self.chosen_)
        return tuned

    def _settings(self, X: npt.NDArray[Any], n_training: int, seed: int) -> Grid:
        """Return the own setting, then others in random order, `budget` in all."""
        others = []
        for scale in self._scalers():
            at = X if scale == "passthrough" else scale.fit_transform(X)
            grid = self._grid(at, n_training) or [{}]
            others += [{"scale": scale, **_named(setting)} for setting in grid]
        order = np.random.default_rng(seed).permutation(len(others))
        default: dict[str, Any] = {}
        return [default, *(others[i] for i in order)][: self.budget]

    def _scalers(self) -> list[Any]:
        return ["passthrough", StandardScaler()] if self._scales else ["passthrough"]

    def predict(self, X: npt.ArrayLike) -> npt.NDArray[Any]:
        """Return the class of each row."""
        check_is_fitted(self)
        points = validate_data(self, X, reset=False, dtype=[np.float64, np.float32])
        classes: npt.NDArray[Any] = self.model_.predict(points)
        return classes


def _named(setting: Mapping[str, Any]) -> dict[str, Any]:
    return {f"model__{name}": value for name, value in setting.items()}
