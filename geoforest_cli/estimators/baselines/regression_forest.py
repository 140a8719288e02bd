"""scikit-learn's regression forest, with its trees' single predictions."""

from dataclasses import field
from typing import Annotated, Literal, Self

import numpy as np
import numpy.typing as npt
from pydantic import Field
from sklearn.base import RegressorMixin
from sklearn.ensemble import RandomForestRegressor
from sklearn.utils.validation import check_is_fitted, validate_data

from geoforest_cli.estimators.base.estimator import Estimator
from geoforest_cli.estimators.base.parameters import PositiveInt, Seed, TwoOrMore, seed_31_bits

__all__ = ["RegressionForest"]


class RegressionForest(RegressorMixin, Estimator):
    """Regression trees on bootstrap samples.

    Parameters
    ----------
    n_estimators : int
    max_features : int
        Columns tried per node.
    leaf : {"full", "five"}
        Grown to single values, or to leaves of five as R's default.
    bag_exponent : float
        Each tree's bag draws N to this power rows; below 1 the share of a tree shrinks with N, as
        the theory of consistent forests asks for.

    Examples
    --------
    >>> X = np.random.default_rng(0).uniform(size=(50, 2))
    >>> RegressionForest(10).fit(X, X[:, 0]).tree_values(X[:3]).shape
    (10, 3)
    """

    n_estimators: TwoOrMore = field(default=1000, kw_only=False)
    max_features: PositiveInt = 1
    leaf: Literal["full", "five"] = "full"
    bag_exponent: Annotated[float, Field(gt=0, le=1)] = 1.0
    random_state: Seed = None

    def fit(self, X: npt.ArrayLike, y: npt.ArrayLike) -> Self:
        """Grow the trees on X (N, p) and responses y (N,)."""
        points, response = validate_data(self, X, y, dtype=[np.float64, np.float32], y_numeric=True)
        seed = seed_31_bits(self.random_state) or 0
        rows = len(points)
        self.forest_ = RandomForestRegressor(
            self.n_estimators,
            max_features=min(self.max_features, points.shape[1]),
            min_samples_leaf=1 if self.leaf == "full" else 5,
            max_samples=None if self.bag_exponent == 1 else max(2, int(rows**self.bag_exponent)),
            random_state=seed,
            n_jobs=1,
        ).fit(points, response)
        return self

    def tree_values(self, X: npt.ArrayLike) -> npt.NDArray[np.float64]:
        """Return every tree's prediction (T, n)."""
        check_is_fitted(self)
        points = validate_data(self, X, reset=False, dtype=np.float32)
        return np.stack([tree.predict(points) for tree in self.forest_.estimators_])

    def predict(self, X: npt.ArrayLike) -> npt.NDArray[np.float64]:
        """Return the mean of the trees' predictions (n,)."""
        means: npt.NDArray[np.float64] = self.tree_values(X).mean(axis=0)
        return means
