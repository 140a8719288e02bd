"""Predictors of classes or numbers that a learned distance is compared with."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import field
from typing import Any, Self

import numpy as np
import numpy.typing as npt
from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor
from sklearn.neighbors import (
    KNeighborsClassifier,
    KNeighborsRegressor,
    NeighborhoodComponentsAnalysis,
)
from sklearn.pipeline import make_pipeline
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, validate_data

from geoforest_cli.core.errors import DataError
from geoforest_cli.estimators.base.estimator import Estimator
from geoforest_cli.estimators.base.parameters import PositiveInt, Seed, seed_31_bits
from geoforest_cli.estimators.base.scaling import Rescale, Scaling

__all__ = ["ComponentsNeighbors", "ForestOfResponse", "PlainNeighbors"]


class _Predictor(Estimator, ABC):
    """Predicts classes, or numbers where the response holds floats."""

    @abstractmethod
    def _model(self, *, numbers: bool) -> Any: ...

    def fit(self, X: npt.ArrayLike, y: npt.ArrayLike) -> Self:
        """Fit on points X (N, p) and classes or numbers y (N,)."""
        points, response = validate_data(self, X, y, dtype=[np.float64, np.float32])
        numbers = response.dtype.kind == "f"
        if not numbers:
            check_classification_targets(response)
            self.classes_ = np.unique(response)
        self._rows = len(points)
        self._scaling = Scaling.fit(points, getattr(self, "rescale", "none"))
        self.model_ = self._model(numbers=numbers).fit(self._scaling.apply(points), response)
        return self

    def predict(self, X: npt.ArrayLike) -> npt.NDArray[Any]:
        """Return the class, or the mean response, of each row."""
        check_is_fitted(self)
        points = validate_data(self, X, reset=False, dtype=[np.float64, np.float32])
        labels: npt.NDArray[Any] = self.model_.predict(self._scaling.apply(points))
        return labels

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        return tags


class PlainNeighbors(_Predictor):
    """k nearest neighbours, for classes or numbers.

    Parameters
    ----------
    n_neighbors : int
        Capped at N.
    rescale : {"none", "standardise", "min_max"}
        Scale of the columns before anything is measured, see `Scaling`.

    Examples
    --------
    >>> PlainNeighbors(1).fit([[0.0], [1.0]], ["a", "b"]).predict([[0.9]]).tolist()
    ['b']
    """

    n_neighbors: PositiveInt = field(default=5, kw_only=False)
    rescale: Rescale = "standardise"

    def _model(self, *, numbers: bool) -> Any:
        cls = KNeighborsRegressor if numbers else KNeighborsClassifier
        return cls(min(self.n_neighbors, self._rows))


class ComponentsNeighbors(PlainNeighbors):
    """k nearest neighbours after neighbourhood components analysis; for classes only.

    Parameters
    ----------
    n_neighbors : int
        Capped at N.
    rescale : {"none", "standardise", "min_max"}
        Scale of the columns before anything is measured, see `Scaling`.
    random_state : int, optional
    """

    random_state: Seed = None

    def _model(self, *, numbers: bool) -> Any:
        if numbers:
            raise DataError("neighbourhood components analysis needs classes, not numbers")
        return make_pipeline(
            NeighborhoodComponentsAnalysis(random_state=seed_31_bits(self.random_state)),
            KNeighborsClassifier(min(self.n_neighbors, self._rows)),
        )


class ForestOfResponse(_Predictor):
    """scikit-learn's random forest, for classes or numbers."""

    n_estimators: PositiveInt = field(default=200, kw_only=False)
    random_state: Seed = None

    def _model(self, *, numbers: bool) -> Any:
        seed = seed_31_bits(self.random_state)
        if numbers:
            return RandomForestRegressor(self.n_estimators, max_features=1 / 3, random_state=seed)
        return RandomForestClassifier(self.n_estimators, random_state=seed)
