"""Forests of other packages, that ours are timed against."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Annotated, Any, Self

import numpy as np
import numpy.typing as npt
from pydantic import Field
from sklearn.ensemble import RandomForestClassifier
from sklearn.manifold import Isomap

from geoforest_cli.errors import Unavailable

__all__ = ["ScikitForest", "ScikitIsomap", "TreepleMorf", "TreepleSporf", "YdfOblique"]

Positive = Annotated[int, Field(ge=1)]


class _Peer(ABC):
    """A classifier of another package on one thread."""

    random_state: int | None = None

    @abstractmethod
    def _estimator(self, seed: int, shape: tuple[int, int]) -> Any: ...

    def fit(self, X: npt.ArrayLike, y: npt.ArrayLike) -> Self:
        """Fit on X (N, p) and classes y (N,)."""
        points = np.asarray(X, np.float32)
        seed = 0 if self.random_state is None else int(self.random_state) % 2**31
        self.model_ = self._estimator(seed, points.shape)
        self.model_.fit(points, np.asarray(y))
        return self

    def predict(self, X: npt.ArrayLike) -> npt.NDArray[Any]:
        """Return the class of each row."""
        found: npt.NDArray[Any] = self.model_.predict(np.asarray(X, np.float32))
        return found


class ScikitForest(_Peer):
    """scikit-learn's random forest."""

    def __init__(
        self,
        n_estimators: Positive = 100,
        *,
        max_features: Positive | None = None,
        random_state: int | None = None,
    ) -> None:
        self.n_estimators = n_estimators
        self.max_features = max_features
        self.random_state = random_state

    def _estimator(self, seed: int, shape: tuple[int, int]) -> Any:
        most = min(self.max_features, shape[1]) if self.max_features else "sqrt"
        return RandomForestClassifier(
            self.n_estimators, max_features=most, random_state=seed, n_jobs=1
        )


class TreepleSporf(_Peer):
    """treeple's oblique forest."""

    def __init__(
        self,
        n_estimators: Positive = 100,
        *,
        max_features: Positive = 10,
        random_state: int | None = None,
    ) -> None:
        self.n_estimators = n_estimators
        self.max_features = max_features
        self.random_state = random_state

    def _estimator(self, seed: int, shape: tuple[int, int]) -> Any:
        del shape
        return _treeple().ObliqueRandomForestClassifier(
            self.n_estimators, max_features=self.max_features, feature_combinations=1.5,
            random_state=seed, n_jobs=1,
        )  # fmt: skip


class TreepleMorf(_Peer):
    """treeple's patch forest."""

    def __init__(
        self,
        n_estimators: Positive = 100,
        *,
        image_shape: tuple[Positive, Positive],
        patch_height: tuple[Positive, Positive] = (1, 1),
        patch_width: tuple[Positive, Positive] = (1, 5),
        max_features: Positive = 10,
        random_state: int | None = None,
    ) -> None:
        self.n_estimators = n_estimators
        self.image_shape = image_shape
        self.patch_height = patch_height
        self.patch_width = patch_width
        self.max_features = max_features
        self.random_state = random_state

    def _estimator(self, seed: int, shape: tuple[int, int]) -> Any:
        del shape
        return _treeple().PatchObliqueRandomForestClassifier(
            self.n_estimators, max_features=self.max_features, random_state=seed, n_jobs=1,
            min_patch_dims=[self.patch_height[0], self.patch_width[0]],
            max_patch_dims=[self.patch_height[1], self.patch_width[1]],
            data_dims=list(self.image_shape),
        )  # fmt: skip


class YdfOblique:
    """Yggdrasil's sparse oblique forest, its trees grown to the end as ours are."""

    def __init__(
        self,
        n_estimators: Positive = 100,
        *,
        max_features: Positive = 10,
        random_state: int | None = None,
    ) -> None:
        self.n_estimators = n_estimators
        self.max_features = max_features
        self.random_state = random_state

    def fit(self, X: npt.ArrayLike, y: npt.ArrayLike) -> Self:
        """Fit on X (N, p) and classes y (N,)."""
        try:
            import ydf
        except ImportError as error:
            raise Unavailable("ydf is not installed: pip install ydf") from error
        ydf.verbose(0)
        self.classes_ = np.unique(np.asarray(y))
        seed = 0 if self.random_state is None else int(self.random_state) % 2**31
        learner = ydf.RandomForestLearner(
            label="y", num_trees=self.n_estimators, split_axis="SPARSE_OBLIQUE",
            sparse_oblique_num_projections_exponent=1.0,
            sparse_oblique_max_num_projections=self.max_features, max_depth=-1, min_examples=1,
            random_seed=seed, num_threads=1, compute_oob_performances=False,
        )  # fmt: skip
        self.model_ = learner.train({"x": np.asarray(X, np.float32), "y": np.asarray(y)})
        return self

    def predict(self, X: npt.ArrayLike) -> npt.NDArray[Any]:
        """Return the class of each row."""
        proba = self.model_.predict({"x": np.asarray(X, np.float32)})
        best = (proba > 0.5).astype(int) if proba.ndim == 1 else proba.argmax(axis=1)
        found: npt.NDArray[Any] = self.classes_[best]
        return found


def _treeple() -> Any:
    try:
        import treeple
    except (ImportError, ValueError) as error:
        # built against another scikit-learn it fails with a ValueError
        raise Unavailable(
            f"treeple cannot be imported ({error}): pip install treeple 'scikit-learn==1.6.1'"
        ) from error
    return treeple


class ScikitIsomap:
    """scikit-learn's Isomap: its graph distances, the layout included in the time."""

    def __init__(self, n_neighbors: Positive = 15) -> None:
        self.n_neighbors = n_neighbors

    def fit(self, X: npt.ArrayLike, y: Any = None) -> Self:
        """Fit on points X (N, p)."""
        self.model_ = Isomap(n_neighbors=self.n_neighbors).fit(np.asarray(X))
        return self

    def distances(self) -> npt.NDArray[np.float64]:
        """Return the graph distances (N, N)."""
        found: npt.NDArray[np.float64] = self.model_.dist_matrix_
        return found
