"""Regression forests of the one engine."""

from __future__ import annotations

from typing import Literal, Self

import numpy as np
import numpy.typing as npt
from sklearn.base import RegressorMixin
from sklearn.metrics import r2_score
from sklearn.utils.validation import validate_data

from geoforest_cli.estimators.forests.growth import Growth
from geoforest_cli.estimators.forests.sizes import n_scattered
from geoforest_cli.estimators.forests.supervised import (
    MaxFeatures,
    Missing,
    SupervisedForest,
)

__all__ = ["RandomForestRegressor"]

Floats = npt.NDArray[np.float64]


class RandomForestRegressor(RegressorMixin, SupervisedForest):
    """Random forest for numbers: the variance of the response decides.

    Parameters
    ----------
    n_estimators : int
        Trees.
    projection : {"axis", "oblique"}
        Single columns, or 1.5 non-zeros +-1 per candidate scattered over all of them.
    max_features : int, float, "sqrt" or "all"
        Candidates tried at each node; a float is a share of the columns.
    min_parent, min_leaf, max_depth, bootstrap, missing, n_jobs, random_state, verbose
        As for `RandomForestClassifier`.
    oob_score : bool or callable
        Compute `oob_prediction_`, and `oob_score_` by a function of responses and predictions, by
        default R^2. Rows of weight 0 do not count.

    Attributes
    ----------
    forest_ : Forest
    feature_importances_ : (p,)
        Decrease of the variance, as in scikit-learn.
    projection_shares_ : (p,)
        Share of each column in all chosen projections, counted.
    oob_prediction_ : (N,)
    oob_score_ : float

    References
    ----------
    Breiman, Random forests, Machine Learning 45, 2001.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> X = rng.uniform(size=(300, 4))
    >>> forest = RandomForestRegressor(60, oob_score=True, random_state=0).fit(X, X[:, 0] ** 2)
    >>> forest.oob_score_ > 0.9
    True
    """

    _criterion = "variance"

    projection: Literal["axis", "oblique"] = "axis"
    max_features: MaxFeatures = 1.0
    missing: Missing = "best"

    def fit(
        self, X: npt.ArrayLike, y: npt.ArrayLike, sample_weight: npt.ArrayLike | None = None
    ) -> Self:
        """Grow the forest.

        Parameters
        ----------
        X : (N, p) array
        y : (N,) array
        sample_weight : (N,) array, optional
            Each tree's bag draws rows in proportion to it; needs ``bootstrap=True``.

        Raises
        ------
        ValueError
            For NaN, infinities, text, or parameters that do not suit the data.
        """
        points, response = validate_data(
            self, X, y, dtype=[np.float64, np.float32], y_numeric=True,
            ensure_all_finite=self._finite,
        )  # fmt: skip
        response = response.astype(np.float64)
        targets = response[:, None]
        self._grow(points, targets, sample_weight, response)
        self._means = self.forest_.leaf_means(targets)
        if self.oob_score:
            predicted, counted = self._out_of_bag(self._means)
            self.oob_prediction_: Floats = predicted[:, 0]
            score = self.oob_score if callable(self.oob_score) else r2_score
            left = response[counted]
            varies = len(left) > 0 and np.ptp(left) > 0
            self.oob_score_ = float(score(left, predicted[counted, 0]) if varies else np.nan)
        return self

    def _growth(self, p: int) -> Growth:
        if self.projection == "oblique":
            d = self._candidates(p)
            return self._rules("oblique", d, n_nonzeros=n_scattered(1.5, d))
        return self._rules("axis", self._columns_tried(p))

    def predict(self, X: npt.ArrayLike) -> Floats:
        """Return the mean of the trees' predictions (n,)."""
        leaves = self.apply(X)
        return self.forest_.mean_over_trees(self._means, leaves)[:, 0]

    def tree_values(self, X: npt.ArrayLike) -> Floats:
        """Return every tree's prediction (T, n)."""
        leaves = self.apply(X)
        values: Floats = self._means[self.forest_.first_node[:-1] + leaves, 0].T
        return values
