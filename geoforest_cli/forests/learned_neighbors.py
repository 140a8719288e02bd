"""Prediction from the nearest neighbours under a distance that SMERF learns from the response."""

from __future__ import annotations

from typing import Annotated, Any, Literal, Self

import numpy as np
import numpy.typing as npt
from pydantic import Field

from geoforest_cli.forests.smerf import Smerf, response_distances

__all__ = ["LearnedNeighbors"]

Floats = npt.NDArray[np.float64]
Positive = Annotated[int, Field(ge=1)]


class LearnedNeighbors:
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
    random_state : int, optional

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> X = rng.uniform(size=(120, 6))
    >>> y = (X[:, 0] > 0.5).astype(int)
    >>> learned = LearnedNeighbors(n_estimators=60, random_state=0).fit(X[:80], y[:80])
    >>> float((learned.predict(X[80:]) == y[80:]).mean()) > 0.9
    True
    """

    def __init__(
        self,
        n_neighbors: Positive = 5,
        *,
        n_estimators: Positive = 200,
        max_features: Positive | Literal["sqrt"] = "sqrt",
        min_parent: Annotated[int, Field(ge=2)] = 4,
        loss: Literal["squared", "absolute"] = "squared",
        vote: Literal["neighbors", "leaves"] = "neighbors",
        random_state: int | None = None,
    ) -> None:
        self.n_neighbors = n_neighbors
        self.n_estimators = n_estimators
        self.max_features = max_features
        self.min_parent = min_parent
        self.loss = loss
        self.vote = vote
        self.random_state = random_state

    def fit(self, X: npt.ArrayLike, y: npt.ArrayLike) -> Self:
        """Learn from points X (N, p) and responses y (N,): whole numbers or text are classes."""
        self._X, response = np.asarray(X, np.float64), np.asarray(y)
        if response.dtype.kind == "f":
            self.classes_ = None
            self._targets: Floats = response.astype(np.float64)[:, None]
            distances = response_distances(response, self.loss)
        else:
            self.classes_, codes = np.unique(response, return_inverse=True)
            self._targets = np.eye(len(self.classes_))[codes]
            distances = response_distances(codes, "class")
        self.forest_ = Smerf(
            self.n_estimators, projection="axis", max_features=self.max_features,
            min_parent=self.min_parent, random_state=self.random_state,
        ).fit(self._X, distances)  # fmt: skip
        return self

    def predict(self, X: npt.ArrayLike) -> npt.NDArray[Any]:
        """Return the most frequent class, or the mean response, for each row."""
        points = np.asarray(X, np.float64)
        shares = self._leaves(points) if self.vote == "leaves" else self._nearest(points)
        if self.classes_ is None:
            return shares[:, 0]
        found: npt.NDArray[Any] = self.classes_[shares.argmax(axis=1)]
        return found

    def _nearest(self, points: Floats) -> Floats:
        k = min(self.n_neighbors, len(self._X))
        _, rows = self.forest_.kneighbors(points, self._X, k)
        found: Floats = self._targets[rows].mean(axis=1)
        return found

    def _leaves(self, points: Floats) -> Floats:
        forest = self.forest_.forest_
        return forest.mean_over_trees(forest.leaf_means(self._targets), forest.drop(points))
