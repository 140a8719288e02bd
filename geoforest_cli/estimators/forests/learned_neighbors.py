"""Prediction from the nearest neighbours under a distance that SMERF learns from the response."""

from __future__ import annotations

from dataclasses import field
from typing import Any, Literal, Self

import numpy as np
import numpy.typing as npt
import pandas as pd
from pandas.api.types import is_bool_dtype, is_integer_dtype
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, validate_data

from geoforest_cli.estimators.base.estimator import Estimator
from geoforest_cli.estimators.base.parameters import Jobs, PositiveInt, TwoOrMore
from geoforest_cli.estimators.forests.smerf import Smerf, response_distances

__all__ = ["LearnedNeighbors"]

Floats = npt.NDArray[np.float64]


class LearnedNeighbors(Estimator):
    """k nearest neighbours under SMERF's distance, or the leaves' own vote.

    The forest learns 1 where classes differ, or half the squared (or the absolute) difference of
    the responses; by the paper's propositions its trees are then classification or regression
    trees. Proposed in the paper as future work.

    Parameters
    ----------
    n_neighbors : int
    n_estimators : int
        Trees.
    max_features, min_parent
        As for `Smerf`; the columns are single ones.
    loss : {"squared", "absolute"}
        For numbers: half the squared difference, or the absolute one, which outliers move less.
    vote : {"neighbors", "leaves"}
        Who votes: the nearest neighbours, or in every tree the bag rows of the leaf, as in an
        ordinary forest of the same trees.
    n_jobs : int, optional
    random_state : int, RandomState or None

    Attributes
    ----------
    classes_ : (K,) array, or None for numbers
    smerf_ : Smerf

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> X = rng.uniform(size=(120, 6))
    >>> y = (X[:, 0] > 0.5).astype(int)
    >>> learned = LearnedNeighbors(n_estimators=60, random_state=0).fit(X[:80], y[:80])
    >>> float((learned.predict(X[80:]) == y[80:]).mean()) > 0.9
    True
    """

    n_neighbors: PositiveInt = field(default=5, kw_only=False)
    n_estimators: PositiveInt = 200
    max_features: PositiveInt | Literal["sqrt"] = "sqrt"
    min_parent: TwoOrMore = 4
    loss: Literal["squared", "absolute"] = "squared"
    vote: Literal["neighbors", "leaves"] = "neighbors"
    n_jobs: Jobs = None
    random_state: Any = None

    def fit(self, X: npt.ArrayLike, y: npt.ArrayLike) -> Self:
        """Learn from points X (N, p) and responses y (N,).

        By the type of y: floats are numbers, also whole ones; integers, truth values and text are
        classes, in pandas too.
        """
        if y is None:
            raise ValueError("LearnedNeighbors requires y to be passed, but the target y is None")
        if isinstance(y, pd.Series) and (is_integer_dtype(y.dtype) or is_bool_dtype(y.dtype)):
            if y.hasnans:
                raise ValueError("Input y contains NaN.")
            y = y.to_numpy(np.int64 if is_integer_dtype(y.dtype) else np.bool_)
        points, response = validate_data(self, X, y, dtype=np.float64, ensure_min_samples=2)
        if response.dtype.kind == "f":
            self.classes_ = None
            self._targets: Floats = response.astype(np.float64)[:, None]
            distances = response_distances(response, self.loss)
        else:
            check_classification_targets(response)
            self.classes_, codes = np.unique(response, return_inverse=True)
            self._targets = np.eye(len(self.classes_))[codes]
            distances = response_distances(codes, "class")
        self.smerf_ = Smerf(
            self.n_estimators, projection="axis", max_features=self.max_features,
            min_parent=self.min_parent, n_jobs=self.n_jobs, random_state=self.random_state,
        ).fit(points, distances)  # fmt: skip
        return self

    def predict(self, X: npt.ArrayLike) -> npt.NDArray[Any]:
        """Return the most frequent class, or the mean response, for each row.

        Of equally frequent classes that of the nearest neighbour among them is returned.
        """
        check_is_fitted(self)
        points: Floats = validate_data(self, X, dtype=np.float64, reset=False)
        shares = self._leaves(points) if self.vote == "leaves" else self._nearest(points)
        if self.classes_ is None:
            return shares[:, 0]
        labels: npt.NDArray[Any] = self.classes_[shares.argmax(axis=1)]
        return labels

    def _nearest(self, points: Floats) -> Floats:
        k = min(self.n_neighbors, len(self._targets))
        targets = self._targets[self.smerf_.kneighbors(points, k, return_distance=False)]
        if self.classes_ is None:
            means: Floats = targets.mean(axis=1)
            return means
        # halves of a vote and less decide ties, the nearest first
        votes: Floats = np.einsum("ikc,k->ic", targets, 1 + 0.5 ** (1 + np.arange(k)) / k)
        return votes

    def _leaves(self, points: Floats) -> Floats:
        forest = self.smerf_.forest_
        return forest.mean_over_trees(forest.leaf_means(self._targets), forest.drop(points))
