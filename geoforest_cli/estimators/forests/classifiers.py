"""Supervised forests of the one engine: random forest, SPORF, MORF."""

from __future__ import annotations

from typing import Annotated, Any, Literal, Self

import numpy as np
import numpy.typing as npt
from pydantic import Field
from sklearn.base import ClassifierMixin
from sklearn.metrics import accuracy_score
from sklearn.utils.class_weight import compute_sample_weight
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import _check_sample_weight, validate_data

from geoforest_cli.estimators.base.parameters import PositiveInt
from geoforest_cli.estimators.forests.growth import Growth
from geoforest_cli.estimators.forests.patches import Images, Order, Patches, sides_of
from geoforest_cli.estimators.forests.sizes import n_scattered
from geoforest_cli.estimators.forests.supervised import (
    Missing,
    SupervisedForest,
)

__all__ = ["MorfClassifier", "RandomForestClassifier", "SporfClassifier"]

Floats = npt.NDArray[np.float64]
Voting = Literal["mean", "majority"]


class ForestClassifier(ClassifierMixin, SupervisedForest):
    """Base of the three classifiers."""

    _criterion = "gini"

    voting: Voting = "mean"
    class_weight: dict[Any, float] | Literal["balanced"] | None = None

    def fit(
        self, X: npt.ArrayLike, y: npt.ArrayLike, sample_weight: npt.ArrayLike | None = None
    ) -> Self:
        """Grow the forest.

        Parameters
        ----------
        X : (N, p) array
        y : (N,) array
            Classes of any type.
        sample_weight : (N,) array, optional
            Each tree's bag draws rows in proportion to it, times `class_weight`; needs
            ``bootstrap=True``.

        Raises
        ------
        ValueError
            For NaN (unless `missing` allows it), infinities, text, one class only, or parameters
            that do not suit the data.
        """
        points, labels = validate_data(
            self, X, y, dtype=[np.float64, np.float32], ensure_all_finite=self._finite
        )
        check_classification_targets(labels)
        self.classes_, codes = np.unique(labels, return_inverse=True)
        self.n_classes_ = len(self.classes_)
        if self.n_classes_ < 2:
            raise ValueError("a classifier needs at least two classes, this y has one class")
        if self.class_weight is not None:
            weight = compute_sample_weight(self.class_weight, labels)
            given_weight = _check_sample_weight(sample_weight, points, dtype=np.float64)
            sample_weight = weight * given_weight
        indicators = np.eye(self.n_classes_)[codes]
        self._grow(points, indicators, sample_weight, codes.astype(np.int32))
        shares = self.forest_.leaf_means(indicators).astype(np.float32)
        self._shares = _majority(shares) if self.voting == "majority" else shares
        if self.oob_score:
            self.oob_decision_function_, counted = self._out_of_bag(self._shares)
            score = self.oob_score if callable(self.oob_score) else accuracy_score
            predicted = self.classes_[self.oob_decision_function_[counted].argmax(axis=1)]
            self.oob_score_ = float(score(labels[counted], predicted) if len(predicted) else np.nan)
        return self

    def predict_proba(self, X: npt.ArrayLike) -> Floats:
        """Return the mean class shares of the leaves, or the shares of votes (n, K)."""
        leaves = self.apply(X)
        return self.forest_.mean_over_trees(self._shares, leaves)

    def predict_log_proba(self, X: npt.ArrayLike) -> Floats:
        """Return the logarithms of `predict_proba` (n, K)."""
        with np.errstate(divide="ignore"):
            logs: Floats = np.log(self.predict_proba(X))
        return logs

    def predict(self, X: npt.ArrayLike) -> npt.NDArray[Any]:
        """Return the most likely class of each row (n,); of equals the first."""
        proba = self.predict_proba(X)
        labels: npt.NDArray[Any] = self.classes_[proba.argmax(axis=1)]
        return labels


def _majority(shares: npt.NDArray[np.float32]) -> npt.NDArray[np.float32]:
    votes = np.zeros_like(shares)
    votes[np.arange(len(shares)), shares.argmax(axis=1)] = 1.0
    return votes


class RandomForestClassifier(ForestClassifier):
    """Random forest: single columns, Gini.

    Parameters
    ----------
    n_estimators : int
        Trees.
    max_features : int, float, "sqrt" or "all"
        Columns tried at each node (mtry); a float is a share of all, at most 1.
    min_parent : int
        Nodes with fewer bag rows are leaves.
    min_leaf : int
        Fewest bag rows on each side of a cut.
    max_depth : int, optional
    bootstrap : bool
    voting : {"mean", "majority"}
        Average the leaves' class shares, or let each tree vote (the papers).
    class_weight : dict, "balanced" or None
        Weight of each class, 1 where the dict has none; "balanced" is N / (K n_c). Bags draw rows
        in proportion to it, where scikit-learn weights them in the impurity; needs
        ``bootstrap=True``. There is no "balanced_subsample": with
        "balanced" each tree's bag has as many rows of each class, but for chance.
    oob_score : bool or callable
        Compute `oob_decision_function_`, and `oob_score_` by a function of classes and predictions,
        by default the accuracy. Rows of weight 0 do not count.
    missing : {"best", "refuse"}
        best: NaN goes to the side of each cut that scores better, as in scikit-learn; where no row
        of the node lacked the value in training, to the side with more rows. In a sum of columns
        it counts as one range below the smallest value, or above the largest. refuse: NaN is
        an error.
    n_jobs : int, optional
        Threads; the result does not depend on it.
    random_state : int, RandomState or None
    verbose : bool
        Print how many trees are grown, ten times.

    Attributes
    ----------
    classes_ : (K,)
    n_classes_ : int
    forest_ : Forest
    feature_importances_ : (p,)
        Decrease of Gini's impurity, as in scikit-learn.
    projection_shares_ : (p,)
        Share of each column in all chosen projections, counted: the importance of MORF's paper.
    oob_score_ : float

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> forest = RandomForestClassifier(50, oob_score=True, random_state=0).fit(X, y)
    >>> forest.oob_score_ > 0.9
    True
    """

    missing: Missing = "best"

    def _growth(self, p: int) -> Growth:
        return self._rules("axis", self._columns_tried(p))


class SporfClassifier(RandomForestClassifier):
    """Sparse projection oblique randomer forest: sparse sums and differences of columns.

    Parameters
    ----------
    nonzeros : "poisson" or "scattered"
        Non-zeros of a candidate: a Poisson number, at least one; or ``density`` times
        max_features of them scattered over all candidates of a node, as the authors' program
        does.
    density : float
        Mean number of non-zeros per candidate, which has at least one.
    n_estimators, max_features, min_parent, min_leaf, max_depth, bootstrap, voting, \
class_weight, oob_score, missing, n_jobs, random_state, verbose
        As for `RandomForestClassifier`; `max_features` may exceed the number of columns.

    References
    ----------
    Tomita et al., Sparse projection oblique randomer forests, JMLR 2020.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(200, 5))
    >>> y = X[:, 0] + X[:, 1] > 0
    >>> SporfClassifier(50, random_state=0).fit(X[:100], y[:100]).score(X[100:], y[100:]) > 0.8
    True
    """

    nonzeros: Literal["poisson", "scattered"] = "scattered"
    density: Annotated[float, Field(gt=0, le=3)] = 1.5

    def _growth(self, p: int) -> Growth:
        d = self._candidates(p)
        if self.nonzeros == "poisson":
            return self._rules("poisson", d, poisson_mean=self.density)
        return self._rules("oblique", d, n_nonzeros=n_scattered(self.density, d))


class MorfClassifier(ForestClassifier):
    """Manifold forest: sums over contiguous patches of an image or a series.

    Parameters
    ----------
    image_shape : (int, int), optional
        Height and width of the images in the rows of X, row by row; by default a series of
        height 1.
    patch_height, patch_width : (int, int)
        Least and most size of a patch.
    wrap : bool
        Patches may continue on the other side: for cyclic data.
    order : {"size_first", "corner_first"}
        Draw a patch's size before its corner (unbiased; the authors' program), or the other way
        round (the text).
    n_estimators, max_features, min_parent, min_leaf, max_depth, bootstrap, voting, \
class_weight, oob_score, n_jobs, random_state, verbose
        As for `RandomForestClassifier`.

    References
    ----------
    Manifold Forests: Closing the Gap on Neural Networks, arXiv 1909.11799, 2019.

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> X, y = load_digits(return_X_y=True)
    >>> morf = MorfClassifier(50, image_shape=(8, 8), patch_height=(1, 3), patch_width=(1, 3),
    ...                       random_state=0).fit(X[:1000], y[:1000])
    >>> morf.score(X[1000:], y[1000:]) > 0.9
    True
    """

    image_shape: tuple[PositiveInt, PositiveInt] | None = None
    patch_height: tuple[PositiveInt, PositiveInt] = (1, 1)
    patch_width: tuple[PositiveInt, PositiveInt] = (1, 5)
    wrap: bool = False
    order: Order = "size_first"

    def _table(self, points: npt.NDArray[Any], *, fitting: bool) -> npt.NDArray[Any]:
        if fitting:
            height, width = sides_of(self.image_shape, points.shape[1])
            # a default that is wider than a short series is cut
            low, high = self.patch_width
            if self.image_shape is None and (low, high) == (1, 5):
                high = min(5, width)
            least, most = self.patch_height
            patches = Patches(height, width, (least, most), (low, high), self.wrap, self.order)
            self._images = Images.of(points, patches)
            self._varies = points.max(axis=0) > points.min(axis=0)
        return self._images.table(points)

    def _growth(self, p: int) -> Growth:
        return self._rules("patch", self._candidates(p), patch=self._images.patches.shape())

    def _credit(self, nodes: slice, worth: Floats) -> Floats:
        patches = self._images.patches
        features, worths, weights = self._entries(nodes, worth)
        covered, gain = (
            patches.spread(np.bincount(features, corners, patches.size).astype(np.float64))
            for corners in (weights, weights * worths)
        )
        # sums of fractions leave rounding errors where no patch lies; a pixel that never changes
        # moves no sum of which it is a part
        return np.where(self._varies & (covered > 0), np.maximum(gain, 0.0), 0.0)
