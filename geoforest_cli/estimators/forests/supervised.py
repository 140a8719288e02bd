"""Base of the supervised forests: parameters, candidates, dropping rows, importances."""

from __future__ import annotations

import itertools
import warnings
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import field
from numbers import Integral
from typing import Annotated, Any, ClassVar, Literal

import numpy as np
import numpy.typing as npt
from pydantic import Field
from sklearn.utils.validation import _check_sample_weight, check_is_fitted, validate_data

from geoforest_cli.core.errors import InvalidParameterError
from geoforest_cli.estimators.base.estimator import Estimator
from geoforest_cli.estimators.base.parameters import Jobs, PositiveInt, TwoOrMore, root_seed
from geoforest_cli.estimators.forests.forest import Forest, reporting
from geoforest_cli.estimators.forests.forest_proximity import ForestProximity
from geoforest_cli.estimators.forests.growth import Growth, grow_forest
from geoforest_cli.estimators.forests.sides import Sides, to_larger_sides
from geoforest_cli.estimators.forests.sizes import n_candidates

__all__ = ["MaxFeatures", "Missing", "SupervisedForest"]

Floats = npt.NDArray[np.float64]
Missing = Literal["refuse", "best"]
MaxFeatures = PositiveInt | Literal["sqrt", "all"] | Annotated[float, Field(gt=0)]


class SupervisedForest(ForestProximity, Estimator, ABC):
    """Trees grown on a response, of any sampler."""

    missing = "refuse"

    _criterion: ClassVar[str]

    n_estimators: PositiveInt = field(default=100, kw_only=False)
    max_features: MaxFeatures = "sqrt"
    min_parent: TwoOrMore = 2
    min_leaf: PositiveInt = 1
    max_depth: PositiveInt | None = None
    bootstrap: bool = True
    oob_score: bool | Callable[..., float] = False
    n_jobs: Jobs = None
    random_state: Any = None
    verbose: bool = False

    @abstractmethod
    def _growth(self, p: int) -> Growth: ...

    @property
    def _finite(self) -> bool | Literal["allow-nan"]:
        return True if self.missing == "refuse" else "allow-nan"

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = self.missing != "refuse"
        return tags

    def _grow(
        self,
        points: npt.NDArray[Any],
        targets: Floats,
        sample_weight: npt.ArrayLike | None,
        target: npt.NDArray[Any],
    ) -> None:
        weights = self._bag_weights(sample_weight, points)
        self._weighted = np.ones(len(points), np.bool_) if weights is None else weights > 0
        table = self._table(points, fitting=True)
        copied = self.missing == "best" and self._sides.has_copies
        with reporting(self):
            self.forest_: Forest = grow_forest(
                table, self._growth(points.shape[1]), self.n_estimators,
                root_seed(self.random_state), target=target, sample_weight=weights,
                n_jobs=self.n_jobs, lacking=self._sides.lacking if copied else None,
            )  # fmt: skip
        self._decreases: Floats = self.forest_.decreases(targets)
        self._with_sides: Forest | None = None

    def _table(self, points: npt.NDArray[Any], *, fitting: bool) -> npt.NDArray[Any]:
        """Return what the trees see of the points."""
        if self.missing != "best":
            return points
        if fitting:
            self._sides = Sides.of(points)
        return self._sides.table(points) if self._sides.has_copies else points

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

    def _columns_tried(self, p: int) -> int:
        """Return how many single columns a node tries.

        Raises
        ------
        InvalidParameterError
            For a share of the columns above 1.
        """
        rule = self.max_features
        if isinstance(rule, float) and rule > 1:
            raise InvalidParameterError(
                f"The 'max_features' parameter of {type(self).__name__} must be a float in the "
                f"range (0, 1] where cuts are of single columns. Got {rule!r} instead."
            )
        return min(p, self._candidates(p))

    def _candidates(self, p: int) -> int:
        rule = self.max_features
        if rule == "all":
            return p
        if isinstance(rule, str | Integral):
            return n_candidates(rule, p)
        return max(1, round(rule * p))

    def _rules(self, sampler: str, d: int, **of_sampler: Any) -> Growth:
        return Growth(
            self._criterion,
            sampler,
            n_projections=d,
            n_nonzeros=of_sampler.pop("n_nonzeros", d),
            min_parent=self.min_parent,
            min_leaf=self.min_leaf,
            max_depth=self.max_depth,
            bootstrap=self.bootstrap,
            **of_sampler,
        )

    def apply(self, X: npt.ArrayLike) -> npt.NDArray[np.int32]:
        """Return the (n, T) numbers of the leaves that the rows of X reach."""
        check_is_fitted(self)
        points = validate_data(
            self, X, dtype=[np.float64, np.float32], reset=False, ensure_all_finite=self._finite
        )
        forest, table = self.forest_, self._table(points, fitting=False)
        if self.missing == "best" and np.isnan(table).any():
            # nothing was missing in training
            if self._with_sides is None:
                self._with_sides = to_larger_sides(forest, points.shape[1])
            forest, table = self._with_sides, self._sides.table(points)
        return forest.drop(table, n_jobs=self.n_jobs)

    def _out_of_bag(self, means: npt.NDArray[Any]) -> tuple[Floats, npt.NDArray[np.bool_]]:
        """Return means over the trees whose bag lacks a row, NaN without any; and which rows count.

        Those count that have such a tree, and a weight.

        Warns
        -----
        UserWarning
            If some rows are in the bags of all trees.
        """
        forest = self.forest_
        total = np.zeros((forest.leaf_of.shape[1], means.shape[1]))
        seen = np.zeros(len(total), np.int64)
        for t in range(forest.n_trees):
            out = forest.in_bag[t] == 0
            total[out] += means[forest.first_node[t] + forest.leaf_of[t, out]]
            seen += out
        if lacking := int((seen == 0).sum()):
            warnings.warn(
                f"Some inputs do not have OOB scores: {lacking} of {len(seen)} rows are in the "
                "bags of all trees, and NaN; grow more trees",
                stacklevel=4,
            )
        with np.errstate(invalid="ignore"):
            mean: Floats = total / np.where(seen > 0, seen, np.nan)[:, None]
        return mean, (seen > 0) & self._weighted

    @property
    def feature_importances_(self) -> Floats:
        """Share of each column in the decrease of impurity by all cuts (p,); they add up to 1.

        As in scikit-learn the mean over trees of each tree's shares. A cut of several columns
        counts in full for each of them.
        """
        check_is_fitted(self)
        forest = self.forest_
        total = np.zeros(self.n_features_in_)
        for nodes in itertools.starmap(slice, itertools.pairwise(forest.first_node)):
            total += _shares_of(self._credit(nodes, self._decreases[nodes]))
        return _shares_of(total)

    @property
    def projection_shares_(self) -> Floats:
        """Share of each column in all chosen projections (p,); they add up to 1.

        Counts of the cuts that combine the column with others or take it alone, whatever they are
        good for: the importance of MORF (section 2.2 of its text).
        """
        check_is_fitted(self)
        every = slice(0, len(self.forest_.threshold))
        return _shares_of(self._credit(every, np.ones(every.stop)))

    def _credit(self, nodes: slice, worth: Floats) -> Floats:
        """Return what each column gets (p,): the worth of a cut goes in full to each of its own."""
        features, worths, _ = self._entries(nodes, worth)
        both = self.missing == "best" and self._sides.has_copies
        credit = np.bincount(features, worths, self.n_features_in_ * (1 + both)).astype(np.float64)
        return self._sides.fold(credit) if both else credit

    def _entries(
        self, nodes: slice, worth: Floats
    ) -> tuple[npt.NDArray[np.int32], Floats, npt.NDArray[np.float32]]:
        """Return what some nodes project on, what each node is worth, and the weights there."""
        forest = self.forest_
        first = forest.first[nodes.start : nodes.stop + 1]
        part = slice(first[0], first[-1])
        return forest.features[part], np.repeat(worth, np.diff(first)), forest.weights[part]


def _shares_of(worths: Floats) -> Floats:
    total = worths.sum()
    return worths / total if total > 0 else worths
