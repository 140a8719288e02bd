"""What the supervised forests share: parameters, candidates, dropping rows, importances."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Annotated, Any, Literal

import numpy as np
import numpy.typing as npt
from pydantic import Field
from sklearn.base import BaseEstimator
from sklearn.utils.validation import _check_sample_weight, check_is_fitted, validate_data

from geoforest_cli.forests.forest import Forest
from geoforest_cli.forests.growth import Growth
from geoforest_cli.forests.missing import Draws, Sides
from geoforest_cli.forests.sizes import n_candidates

__all__ = ["MaxFeatures", "Missing", "PositiveInt", "SupervisedForest"]

Floats = npt.NDArray[np.float64]
PositiveInt = Annotated[int, Field(ge=1)]
Missing = Literal["refuse", "random", "best"]
MaxFeatures = PositiveInt | Literal["sqrt", "all"] | Annotated[float, Field(gt=0)]


class SupervisedForest(BaseEstimator, ABC):
    """Trees grown on a response, of any sampler."""

    criterion: str
    n_estimators: int
    max_features: int | float | str
    min_parent: int
    min_leaf: int
    max_depth: int | None
    bootstrap: bool
    oob_score: bool
    missing: Missing = "refuse"
    n_jobs: int | None
    random_state: Any
    forest_: Forest

    @abstractmethod
    def _growth(self, p: int) -> Growth: ...

    def _table(self, points: npt.NDArray[Any], *, fitting: bool) -> npt.NDArray[Any]:
        """What the trees see of the points."""
        if self.missing != "best":
            return points
        if fitting:
            self._sides = Sides.of(points)
        return self._sides.table(points)

    def _draws(self, points: npt.NDArray[Any]) -> Draws | None:
        return Draws.of(points) if self.missing == "random" else None

    @property
    def _finite(self) -> bool | Literal["allow-nan"]:
        return True if self.missing == "refuse" else "allow-nan"

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = self.missing != "refuse"
        return tags

    def _bag_weights(
        self, sample_weight: npt.ArrayLike | None, points: npt.NDArray[Any]
    ) -> Floats | None:
        if self.oob_score and not self.bootstrap:
            raise ValueError("oob_score=True needs bootstrap=True: else no row is out of a bag")
        if sample_weight is None:
            return None
        weights: Floats = _check_sample_weight(sample_weight, points, dtype=np.float64)
        if not self.bootstrap:
            raise ValueError("sample weights need bootstrap=True: bags are drawn by them")
        if not weights.sum() > 0 or (weights < 0).any():
            raise ValueError("sample weights must not be negative, nor all zero")
        return weights

    def _candidates(self, p: int) -> int:
        rule = self.max_features
        if rule == "all":
            return p
        if isinstance(rule, float):
            return max(1, round(rule * p))
        return n_candidates(rule, p)

    def _rules(self, sampler: str, d: int, **more: Any) -> Growth:
        return Growth(
            self.criterion,
            sampler,
            n_projections=d,
            n_nonzeros=more.pop("n_nonzeros", d),
            min_parent=self.min_parent,
            min_leaf=self.min_leaf,
            max_depth=1 << 30 if self.max_depth is None else self.max_depth,
            bootstrap=self.bootstrap,
            **more,
        )

    def apply(self, X: npt.ArrayLike) -> npt.NDArray[np.int32]:
        """Return the (n, T) numbers of the leaves that the rows of X reach."""
        check_is_fitted(self)
        points = validate_data(
            self, X, dtype=[np.float64, np.float32], reset=False, ensure_all_finite=self._finite
        )
        return self.forest_.drop(self._table(points, fitting=False), n_jobs=self.n_jobs)

    def _mean_out_of_bag(self, means: npt.NDArray[Any]) -> tuple[Floats, npt.NDArray[np.int64]]:
        """Mean over the trees whose bag lacks a training row, NaN without any; and their number."""
        forest = self.forest_
        total = np.zeros((forest.leaf_of.shape[1], means.shape[1]))
        seen = np.zeros(len(total), np.int64)
        for t in range(forest.n_trees):
            out = forest.in_bag[t] == 0
            total[out] += means[forest.first_node[t] + forest.leaf_of[t, out]]
            seen += out
        with np.errstate(invalid="ignore"):
            return total / np.where(seen > 0, seen, np.nan)[:, None], seen

    @property
    def feature_importances_(self) -> Floats:
        """Share of each feature in all chosen projections (p,); they add up to 1.

        Counts of split nodes whose projection has a non-zero weight on the feature, not decreases
        of impurity (MORF, section 2.2 of the text).
        """
        check_is_fitted(self)
        counts = self._uses()
        total = counts.sum()
        return counts / total if total > 0 else counts

    def _uses(self) -> Floats:
        features = self.forest_.features
        if self.missing != "best":
            return np.bincount(features, minlength=self.n_features_in_).astype(float)
        size = self.n_features_in_ + len(self._sides.twice)
        return self._sides.fold(np.bincount(features, minlength=size).astype(float))
