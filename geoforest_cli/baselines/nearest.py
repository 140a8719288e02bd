"""Predictors of classes or numbers that a learned distance is compared with."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Annotated, Any, Self

import numpy as np
import numpy.typing as npt
from pydantic import Field
from sklearn.base import BaseEstimator
from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor
from sklearn.neighbors import (
    KNeighborsClassifier,
    KNeighborsRegressor,
    NeighborhoodComponentsAnalysis,
)
from sklearn.pipeline import make_pipeline
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, validate_data

from geoforest_cli.baselines._scaling import Rescale, Scaling
from geoforest_cli.errors import DataError

__all__ = ["ComponentsNeighbors", "ForestOfResponse", "PlainNeighbors"]

Positive = Annotated[int, Field(ge=1)]


class _Predictor(BaseEstimator, ABC):
    """Predicts classes, or numbers where the response holds floats."""

    rescale: Rescale = "none"

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
        self._scaling = Scaling.fit(points, self.rescale)
        self.model_ = self._model(numbers=numbers).fit(self._scaling.apply(points), response)
        return self

    def predict(self, X: npt.ArrayLike) -> npt.NDArray[Any]:
        """Return the class, or the mean response, of each row."""
        check_is_fitted(self)
        points = validate_data(self, X, reset=False, dtype=[np.float64, np.float32])
        found: npt.NDArray[Any] = self.model_.predict(self._scaling.apply(points))
        return found

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

    def __init__(self, n_neighbors: Positive = 5, *, rescale: Rescale = "standardise") -> None:
        self.n_neighbors = n_neighbors
        self.rescale = rescale

    def _model(self, *, numbers: bool) -> Any:
        cls = KNeighborsRegressor if numbers else KNeighborsClassifier
        return cls(min(self.n_neighbors, self._rows))


class ComponentsNeighbors(_Predictor):
    """k nearest neighbours after neighbourhood components analysis; for classes only.

    Parameters
    ----------
    n_neighbors : int
        Capped at N.
    rescale : {"none", "standardise", "min_max"}
        Scale of the columns before anything is measured, see `Scaling`.
    random_state : int, optional
    """

    def __init__(
        self,
        n_neighbors: Positive = 5,
        *,
        rescale: Rescale = "standardise",
        random_state: int | None = None,
    ) -> None:
        self.n_neighbors = n_neighbors
        self.rescale = rescale
        self.random_state = random_state

    def _model(self, *, numbers: bool) -> Any:
        if numbers:
            raise DataError("neighbourhood components analysis needs classes, not numbers")
        return make_pipeline(
            NeighborhoodComponentsAnalysis(random_state=_seed(self.random_state)),
            KNeighborsClassifier(min(self.n_neighbors, self._rows)),
        )


class ForestOfResponse(_Predictor):
    """scikit-learn's random forest, for classes or numbers."""

    def __init__(self, n_estimators: Positive = 200, *, random_state: int | None = None) -> None:
        self.n_estimators = n_estimators
        self.random_state = random_state

    def _model(self, *, numbers: bool) -> Any:
        seed = _seed(self.random_state)
        if numbers:
            return RandomForestRegressor(self.n_estimators, max_features=1 / 3, random_state=seed)
        return RandomForestClassifier(self.n_estimators, random_state=seed)


def _seed(random_state: int | None) -> int | None:
    return None if random_state is None else int(random_state) % 2**31
