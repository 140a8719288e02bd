"""Classifiers of scikit-learn with the parameters of the papers, or tuned."""

from __future__ import annotations

from dataclasses import field
from typing import Any, Literal

import numpy as np
import numpy.typing as npt
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.linear_model import LogisticRegression as ScikitLogistic
from sklearn.neighbors import KNeighborsClassifier
from sklearn.neural_network import MLPClassifier
from sklearn.svm import SVC, LinearSVC

from geoforest_cli.estimators.base.classifier import (
    Classifier,
    Grid,
    crossed,
)
from geoforest_cli.estimators.base.parameters import PositiveInt

__all__ = [
    "GradientBoosting",
    "KNeighbors",
    "LinearSvm",
    "LogisticRegression",
    "Mlp",
    "RbfSvm",
]


class LogisticRegression(Classifier):
    """Logistic regression (liblinear for two classes, lbfgs for more).

    Parameters
    ----------
    standardise : bool
    tune : bool
        Choose C from 1e-4 to 1e3, and whether to standardise, by cross-validation (see
        `Classifier`).
    budget : int
        Settings that tuning tries.
    random_state : int, optional

    Examples
    --------
    >>> X = np.random.default_rng(0).normal(size=(40, 3))
    >>> y = (X[:, 0] > 0).astype(int)
    >>> model = LogisticRegression(tune=True, budget=6, random_state=0).fit(X, y)
    >>> bool((model.predict(X) == y).mean() > 0.9)
    True
    """

    standardise: bool = False

    def _estimator(self, seed: int | None) -> Any:
        solver: Literal["liblinear", "lbfgs"]
        solver = "liblinear" if len(self.classes_) == 2 else "lbfgs"
        return ScikitLogistic(solver=solver, random_state=seed)

    def _grid(self, X: npt.NDArray[Any], n_training: int) -> Grid:
        return crossed(C=np.logspace(-4, 3, 8).tolist())


class LinearSvm(Classifier):
    """Linear support vector machine.

    Parameters
    ----------
    standardise : bool
    tune : bool
        Choose C from 1e-5 to 10, and whether to standardise, by cross-validation (see
        `Classifier`).
    budget : int
        Settings that tuning tries.
    random_state : int, optional
    """

    standardise: bool = False

    def _estimator(self, seed: int | None) -> Any:
        return LinearSVC(random_state=seed)

    def _grid(self, X: npt.NDArray[Any], n_training: int) -> Grid:
        return crossed(C=np.logspace(-5, 1, 7).tolist())


class RbfSvm(Classifier):
    """Support vector machine with a Gaussian kernel.

    Parameters
    ----------
    gamma : {"auto", "scale"}
        1 / p, the default of the program's time, or scikit-learn's of today.
    standardise : bool
    tune : bool
        Choose C from .1 to 100, gamma from 1/16 to 4 times "scale", and whether to standardise,
        by cross-validation (see `Classifier`).
    budget : int
        Settings that tuning tries.
    random_state : int, optional
    """

    gamma: Literal["auto", "scale"] = "auto"
    standardise: bool = False

    def _estimator(self, seed: int | None) -> Any:
        return SVC(gamma=self.gamma, random_state=seed)

    def _grid(self, X: npt.NDArray[Any], n_training: int) -> Grid:
        scale = 1.0 / (X.shape[1] * (float(X.var(dtype=np.float64)) or 1.0))
        return crossed(C=[0.1, 1.0, 10.0, 100.0], gamma=[m * scale for m in (1 / 16, 1 / 4, 1, 4)])


class KNeighbors(Classifier):
    """k nearest neighbours.

    Parameters
    ----------
    n_neighbors : int
        k, at most the number of rows.
    standardise : bool
    tune : bool
        Choose k from 1 to 101, equal weights or the inverse distances, and whether to
        standardise, by cross-validation (see `Classifier`).
    budget : int
        Settings that tuning tries.
    random_state : int, optional
    """

    n_neighbors: PositiveInt = field(default=3, kw_only=False)
    standardise: bool = False

    def _estimator(self, seed: int | None) -> Any:
        del seed
        return KNeighborsClassifier(min(self.n_neighbors, self._rows))

    def _min_rows(self) -> int:
        return self.n_neighbors

    def _grid(self, X: npt.NDArray[Any], n_training: int) -> Grid:
        ks = [k for k in (1, 3, 5, 7, 11, 15, 21, 31, 51, 101) if k <= n_training]
        return crossed(n_neighbors=ks, weights=["uniform", "distance"])


class Mlp(Classifier):
    """Neural network with one hidden layer.

    Parameters
    ----------
    hidden : int
        Units of the layer.
    max_iter : int
    standardise : bool
    tune : bool
        Choose the number of units, the penalty alpha from 1e-4 to 10, and whether to
        standardise, by cross-validation (see `Classifier`).
    budget : int
        Settings that tuning tries.
    random_state : int, optional
    """

    _most_repeats = 2

    hidden: PositiveInt = 100
    max_iter: PositiveInt = 500
    standardise: bool = False

    def _estimator(self, seed: int | None) -> Any:
        return MLPClassifier((self.hidden,), max_iter=self.max_iter, random_state=seed)

    def _grid(self, X: npt.NDArray[Any], n_training: int) -> Grid:
        sizes = [(max(1, self.hidden // 4),), (self.hidden,), (4 * self.hidden,)]
        return crossed(alpha=[1e-4, 1e-2, 1.0, 10.0], hidden_layer_sizes=sizes)


class GradientBoosting(Classifier):
    """Gradient boosted trees on histograms.

    Parameters
    ----------
    max_iter : int
        Trees.
    tune : bool
        Choose the learning rate, the leaves of a tree and the rows of a leaf by
        cross-validation (see `Classifier`).
    budget : int
        Settings that tuning tries.
    random_state : int, optional
    """

    _scales = False
    _most_repeats = 2

    max_iter: PositiveInt = 100

    def _estimator(self, seed: int | None) -> Any:
        return HistGradientBoostingClassifier(max_iter=self.max_iter, random_state=seed)

    def _grid(self, X: npt.NDArray[Any], n_training: int) -> Grid:
        return crossed(
            learning_rate=[0.03, 0.1, 0.3], max_leaf_nodes=[3, 8, 31], min_samples_leaf=[2, 20]
        )
