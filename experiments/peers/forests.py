"""Methods of other packages, that ours are timed against."""

from __future__ import annotations

import math
from dataclasses import field
from typing import Any, ClassVar, Literal, Self

import numpy as np
import numpy.typing as npt
from sklearn.base import ClassifierMixin
from sklearn.ensemble import RandomForestClassifier
from sklearn.manifold import Isomap
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, validate_data

from geoforest_cli.estimators.base.classifier import Classifier, Grid, crossed
from geoforest_cli.estimators.base.estimator import Estimator
from geoforest_cli.estimators.base.parameters import PositiveInt, Seed, TwoOrMore, seed_31_bits
from geoforest_cli.estimators.base.table import TableEstimator
from geoforest_cli.estimators.base.validation import require_all_pairs, table_of

from .isolated import PeerMethod

__all__ = [
    "ScikitForest",
    "ScikitIsomap",
    "TreepleForest",
    "TreepleMorf",
    "TreepleSporf",
    "YdfOblique",
]


class ScikitForest(Classifier):
    """scikit-learn's random forest.

    Parameters
    ----------
    n_estimators : int
    max_features : int, optional
        Columns tried per node (mtry); by default the root of their number.
    tune : bool
        Choose max_features, at doublings and halvings of that root and at all columns, by
        cross-validation (see `Classifier`).
    budget : int
        Settings that tuning tries.
    random_state : int, optional
    """

    _scales = False
    _most_repeats = 2

    n_estimators: PositiveInt = field(default=100, kw_only=False)
    max_features: PositiveInt | None = None

    def _estimator(self, seed: int | None) -> Any:
        most = min(self.max_features, self.n_features_in_) if self.max_features else "sqrt"
        return RandomForestClassifier(
            self.n_estimators, max_features=most, random_state=seed or 0, n_jobs=1
        )

    def _grid(self, X: npt.NDArray[Any], n_training: int) -> Grid:
        p = X.shape[1]
        root = math.sqrt(p)
        tried = {min(p, max(1, round(root * 2.0**i))) for i in range(-2, 5)} | {p}
        return crossed(max_features=sorted(tried))


class _Peer(PeerMethod, ClassifierMixin, Estimator):  # type: ignore[misc]
    """A classifier of a package in an environment of its own, on one thread, with its defaults."""

    _request: ClassVar[str]

    n_estimators: PositiveInt = field(default=100, kw_only=False)
    max_features: PositiveInt = 10
    random_state: Seed = None

    def _settings(self) -> dict[str, Any]:
        """Return the settings of the peer's forest."""
        seed = seed_31_bits(self.random_state) or 0
        return {"n_estimators": self.n_estimators, "max_features": self.max_features, "seed": seed}

    def fit(self, X: npt.ArrayLike, y: npt.ArrayLike) -> Self:
        """Fit on X (N, p) and classes y (N,)."""
        points, labels = validate_data(self, X, y, dtype=np.float32)
        check_classification_targets(labels)
        self.classes_, codes = np.unique(labels, return_inverse=True)
        self._start(self._request, self._settings(), X=points, y=codes)
        return self

    def predict(self, X: npt.ArrayLike) -> npt.NDArray[Any]:
        """Return the class of each row."""
        check_is_fitted(self)
        points = validate_data(self, X, reset=False, dtype=np.float32)
        codes = self._ask("predict", "classes_of", X=points)
        classes: npt.NDArray[Any] = self.classes_[codes.astype(np.intp)]
        return classes


class TreepleSporf(_Peer):
    """treeple's oblique forest."""

    _package, _request = "treeple", "oblique_forest"


class TreepleMorf(_Peer):
    """treeple's patch forest."""

    _package, _request = "treeple", "patch_forest"

    image_shape: tuple[PositiveInt, PositiveInt]
    patch_height: tuple[PositiveInt, PositiveInt] = (1, 1)
    patch_width: tuple[PositiveInt, PositiveInt] = (1, 5)

    def _settings(self) -> dict[str, Any]:
        return super()._settings() | {
            "smallest": [self.patch_height[0], self.patch_width[0]],
            "largest": [self.patch_height[1], self.patch_width[1]],
            "shape": list(self.image_shape),
        }


class YdfOblique(_Peer):
    """Yggdrasil's sparse oblique forest, its trees grown to the end as ours are."""

    _package, _request = "ydf", "sparse_oblique_forest"


class ScikitIsomap(TableEstimator):
    """scikit-learn's Isomap: its graph distances, the layout included in the time.

    Parameters
    ----------
    n_neighbors : int
        Capped at N - 1.
    rescale : {"none", "standardise", "min_max"}
        Scale of the columns before anything is measured, see `Scaling`.
    """

    n_neighbors: PositiveInt = field(default=15, kw_only=False)

    def fit(self, X: npt.ArrayLike, y: Any = None) -> Self:
        """Fit on points X (N, p)."""
        points = self._fit_points(X)
        require_all_pairs(len(points), len(points))
        k = min(self.n_neighbors, len(points) - 1)
        self.model_ = Isomap(n_neighbors=k, n_components=min(2, len(points))).fit(points)
        return self

    def distances(self) -> npt.NDArray[np.float64]:
        """Return the graph distances (N, N)."""
        check_is_fitted(self)
        lengths: npt.NDArray[np.float64] = self.model_.dist_matrix_
        return lengths


class TreepleForest(PeerMethod, Estimator):
    """treeple's unsupervised oblique forest, in an environment of its own.

    Parameters
    ----------
    n_estimators : int
    criterion : {"fastbic", "twomeans"}
    min_parent : int
        Nodes with fewer rows are leaves.
    random_state : int, optional
    """

    _package = "treeple"

    n_estimators: PositiveInt = field(default=100, kw_only=False)
    criterion: Literal["fastbic", "twomeans"] = "fastbic"
    min_parent: TwoOrMore = 100
    random_state: Seed = None

    def fit(self, X: npt.ArrayLike, y: Any = None) -> Self:
        """Fit on points X (N, p)."""
        points = table_of(self, X, reset=True)
        settings = self.get_params() | {"seed": seed_31_bits(self.random_state) or 0}
        del settings["random_state"]
        self._start("unsupervised_forest", settings, X=points)
        self.n_rows_ = len(points)
        return self

    def distances(self) -> npt.NDArray[np.float64]:
        """Return one minus the share of trees in which two points have one leaf (N, N)."""
        check_is_fitted(self)
        require_all_pairs(self.n_rows_, self.n_rows_)
        return 1.0 - np.asarray(self._ask("distances", "proximity"), np.float64)
