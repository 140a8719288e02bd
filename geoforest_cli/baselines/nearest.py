"""Predictors of classes or numbers that a learned distance is compared with."""

from __future__ import annotations

from typing import Annotated, Any, Self

import numpy as np
import numpy.typing as npt
from pydantic import Field
from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor
from sklearn.neighbors import (
    KNeighborsClassifier,
    KNeighborsRegressor,
    NeighborhoodComponentsAnalysis,
)
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from geoforest_cli.errors import DataError

__all__ = ["ComponentsNeighbors", "ForestOfResponse", "PlainNeighbors"]

Positive = Annotated[int, Field(ge=1)]


def _is_number(y: npt.NDArray[Any]) -> bool:
    return bool(y.dtype.kind == "f")


class PlainNeighbors:
    """k nearest neighbours on standardised columns, for classes or numbers."""

    def __init__(self, n_neighbors: Positive = 5) -> None:
        self.n_neighbors = n_neighbors

    def fit(self, X: npt.ArrayLike, y: npt.ArrayLike) -> Self:
        """Keep points X (N, p) and responses y (N,)."""
        response = np.asarray(y)
        cls = KNeighborsRegressor if _is_number(response) else KNeighborsClassifier
        self.model_ = make_pipeline(StandardScaler(), cls(self.n_neighbors)).fit(X, response)
        return self

    def predict(self, X: npt.ArrayLike) -> npt.NDArray[Any]:
        """Return the most frequent class, or the mean response, of the neighbours."""
        found: npt.NDArray[Any] = self.model_.predict(X)
        return found


class ComponentsNeighbors:
    """k nearest neighbours after neighbourhood components analysis; for classes only."""

    def __init__(self, n_neighbors: Positive = 5, *, random_state: int | None = None) -> None:
        self.n_neighbors = n_neighbors
        self.random_state = random_state

    def fit(self, X: npt.ArrayLike, y: npt.ArrayLike) -> Self:
        """Learn a linear map from points X (N, p) and classes y (N,)."""
        if _is_number(np.asarray(y)):
            raise DataError("neighbourhood components analysis needs classes, not numbers")
        seed = None if self.random_state is None else int(self.random_state) % 2**31
        self.model_ = make_pipeline(
            StandardScaler(),
            NeighborhoodComponentsAnalysis(random_state=seed),
            KNeighborsClassifier(self.n_neighbors),
        ).fit(X, y)
        return self

    def predict(self, X: npt.ArrayLike) -> npt.NDArray[Any]:
        """Return the most frequent class of the neighbours."""
        found: npt.NDArray[Any] = self.model_.predict(X)
        return found


class ForestOfResponse:
    """scikit-learn's random forest, for classes or numbers."""

    def __init__(self, n_estimators: Positive = 200, *, random_state: int | None = None) -> None:
        self.n_estimators = n_estimators
        self.random_state = random_state

    def fit(self, X: npt.ArrayLike, y: npt.ArrayLike) -> Self:
        """Fit on points X (N, p) and responses y (N,)."""
        response = np.asarray(y)
        seed = None if self.random_state is None else int(self.random_state) % 2**31
        if _is_number(response):
            model: Any = RandomForestRegressor(
                self.n_estimators, max_features=1 / 3, random_state=seed
            )
        else:
            model = RandomForestClassifier(self.n_estimators, random_state=seed)
        self.model_ = model.fit(X, response)
        return self

    def predict(self, X: npt.ArrayLike) -> npt.NDArray[Any]:
        """Return the class, or the mean response."""
        found: npt.NDArray[Any] = self.model_.predict(X)
        return found
