"""Classifiers of scikit-learn with the parameters of the papers."""

from __future__ import annotations

import warnings
from abc import ABC, abstractmethod
from typing import Annotated, Any, Literal, Self

import numpy as np
import numpy.typing as npt
from pydantic import Field
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression as ScikitLogistic
from sklearn.neighbors import KNeighborsClassifier
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC, LinearSVC

__all__ = [
    "GradientBoosting",
    "KNeighbors",
    "LinearSvm",
    "LogisticRegression",
    "Mlp",
    "RbfSvm",
]

Positive = Annotated[int, Field(ge=1)]


class _Baseline(ABC):
    """A scikit-learn classifier, its columns standardised if asked."""

    standardise: bool = False
    random_state: int | None = None

    @abstractmethod
    def _estimator(self, seed: int | None) -> Any: ...

    def fit(self, X: npt.ArrayLike, y: npt.ArrayLike) -> Self:
        """Fit on X (N, p) and classes y (N,)."""
        seed = None if self.random_state is None else int(self.random_state) % 2**31
        estimator = self._estimator(seed)
        self.model_ = make_pipeline(StandardScaler(), estimator) if self.standardise else estimator
        with warnings.catch_warnings():
            # the papers' programs stop at the same numbers of iterations
            warnings.simplefilter("ignore", ConvergenceWarning)
            self.model_.fit(np.asarray(X), np.asarray(y))
        return self

    def predict(self, X: npt.ArrayLike) -> npt.NDArray[Any]:
        """Return the class of each row."""
        found: npt.NDArray[Any] = self.model_.predict(np.asarray(X))
        return found


class LogisticRegression(_Baseline):
    """Logistic regression (liblinear for two classes, lbfgs for more)."""

    def __init__(self, *, standardise: bool = False, random_state: int | None = None) -> None:
        self.standardise = standardise
        self.random_state = random_state

    def fit(self, X: npt.ArrayLike, y: npt.ArrayLike) -> Self:
        """Fit on X (N, p) and classes y (N,)."""
        self._binary = len(np.unique(np.asarray(y))) == 2
        return super().fit(X, y)

    def _estimator(self, seed: int | None) -> Any:
        solver: Literal["liblinear", "lbfgs"] = "liblinear" if self._binary else "lbfgs"
        return ScikitLogistic(solver=solver, random_state=seed)


class LinearSvm(_Baseline):
    """Linear support vector machine."""

    def __init__(self, *, standardise: bool = False, random_state: int | None = None) -> None:
        self.standardise = standardise
        self.random_state = random_state

    def _estimator(self, seed: int | None) -> Any:
        return LinearSVC(random_state=seed)


class RbfSvm(_Baseline):
    """Support vector machine with a Gaussian kernel.

    Parameters
    ----------
    gamma : {"auto", "scale"}
        1 / p, the default of the program's time, or scikit-learn's of today.
    standardise : bool
    """

    def __init__(
        self, *, gamma: Literal["auto", "scale"] = "auto", standardise: bool = False
    ) -> None:
        self.gamma = gamma
        self.standardise = standardise

    def _estimator(self, seed: int | None) -> Any:
        del seed
        return SVC(gamma=self.gamma)


class KNeighbors(_Baseline):
    """k nearest neighbours."""

    def __init__(self, n_neighbors: Positive = 3, *, standardise: bool = False) -> None:
        self.n_neighbors = n_neighbors
        self.standardise = standardise

    def fit(self, X: npt.ArrayLike, y: npt.ArrayLike) -> Self:
        """Fit on X (N, p) and classes y (N,); k is at most N."""
        self._k = min(self.n_neighbors, len(np.asarray(y)))
        return super().fit(X, y)

    def _estimator(self, seed: int | None) -> Any:
        del seed
        return KNeighborsClassifier(self._k)


class Mlp(_Baseline):
    """Neural network with one hidden layer."""

    def __init__(
        self,
        *,
        hidden: Positive = 100,
        max_iter: Positive = 500,
        standardise: bool = False,
        random_state: int | None = None,
    ) -> None:
        self.hidden = hidden
        self.max_iter = max_iter
        self.standardise = standardise
        self.random_state = random_state

    def _estimator(self, seed: int | None) -> Any:
        return MLPClassifier((self.hidden,), max_iter=self.max_iter, random_state=seed)


class GradientBoosting(_Baseline):
    """Gradient boosted trees on histograms."""

    def __init__(self, *, max_iter: Positive = 100, random_state: int | None = None) -> None:
        self.max_iter = max_iter
        self.random_state = random_state

    def _estimator(self, seed: int | None) -> Any:
        return HistGradientBoostingClassifier(max_iter=self.max_iter, random_state=seed)
