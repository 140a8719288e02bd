"""Euclidean distance after a projection: principal components, correlation, cosine, ranks."""

from __future__ import annotations

from dataclasses import field
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.special import ndtri
from sklearn.decomposition import PCA

from geoforest_cli.core.errors import DataError
from geoforest_cli.estimators.base.parameters import PositiveInt, seed_31_bits
from geoforest_cli.estimators.baselines.euclidean import Euclidean

__all__ = ["Correlation", "Cosine", "FirstComponents", "NormalScores", "PrincipalComponents"]

Floats = npt.NDArray[np.float64]
_QUANTILE = 0.95


class PrincipalComponents(Euclidean):
    """Euclidean distance in the first principal components, as many as parallel analysis keeps.

    A component is kept if its variance, and that of all before it, is above the 95 % quantile of
    the variances at its rank in tables whose columns have been shuffled one by one, so that none
    depends on another. If none is, all are kept.

    Parameters
    ----------
    shuffles : int
        Shuffled tables.
    rescale : {"none", "standardise", "min_max"}
        Scale of the columns before anything is measured, see `Scaling`.
    random_state : int, optional
        Of the shuffles, and of draws among rows that are copies of one another.

    Attributes
    ----------
    n_components_ : int
    components_ : (p, n_components_) array
        Directions of unit length.

    References
    ----------
    Horn, A rationale and test for the number of factors in factor analysis, Psychometrika 30, 1965.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> factor = rng.normal(size=(200, 1))
    >>> X = np.hstack([factor + 0.3 * rng.normal(size=(200, 3)), rng.normal(size=(200, 4))])
    >>> PrincipalComponents(random_state=0).fit(X).n_components_
    1
    """

    shuffles: PositiveInt = 20

    def _fit_points(self, X: npt.ArrayLike) -> npt.NDArray[Any]:
        points = super()._fit_points(X)
        self._centre = points.mean(axis=0, dtype=np.float64)
        centred = points - self._centre
        _, sizes, directions = np.linalg.svd(centred, full_matrices=False)
        rng = np.random.default_rng(seed_31_bits(self.random_state))
        shuffled = [
            np.linalg.svd(rng.permuted(centred, axis=0), compute_uv=False)
            for _ in range(self.shuffles)
        ]
        small = sizes <= np.quantile(shuffled, _QUANTILE, axis=0)
        kept = int(np.argmax(small)) if small.any() else len(sizes)
        self.n_components_ = kept or len(sizes)
        self.components_: Floats = directions[: self.n_components_].T
        return self._projected(points)

    def _new_points(self, X: npt.ArrayLike) -> npt.NDArray[Any]:
        return self._projected(super()._new_points(X))

    def _projected(self, points: npt.NDArray[Any]) -> npt.NDArray[Any]:
        placed: Floats = (points - self._centre) @ self.components_
        return placed.astype(points.dtype)


class FirstComponents(Euclidean):
    """Euclidean distance in a given number of principal components, by scikit-learn's `PCA`.

    Parameters
    ----------
    n_components : int
        At most as many as the table has rows or columns.
    rescale : {"none", "standardise", "min_max"}
        Scale of the columns before anything is measured, see `Scaling`.
    random_state : int, optional
        Of the approximate decomposition of large tables, and of draws among copies.

    Examples
    --------
    >>> X = np.random.default_rng(0).normal(size=(50, 8))
    >>> FirstComponents(2).fit(X).points_.shape
    (50, 2)
    """

    n_components: PositiveInt = field(default=10, kw_only=False)

    def _fit_points(self, X: npt.ArrayLike) -> npt.NDArray[Any]:
        points = super()._fit_points(X)
        if self.n_components > (most := min(points.shape)):
            rows, columns = points.shape
            raise DataError(
                f"n_components = {self.n_components}, but a table of {rows} rows and "
                f"{columns} columns has at most {most}"
            )
        self.pca_ = PCA(self.n_components, random_state=seed_31_bits(self.random_state))
        placed: npt.NDArray[Any] = self.pca_.fit_transform(points)
        return placed

    def _new_points(self, X: npt.ArrayLike) -> npt.NDArray[Any]:
        placed: npt.NDArray[Any] = self.pca_.transform(super()._new_points(X))
        return placed


class NormalScores(Euclidean):
    """Euclidean distance between normal scores: every column by its ranks, as a normal one.

    A value of rank r among N becomes the quantile (r - 1/2) / N of the normal distribution; equal
    values share the mean of their ranks. New values are placed among the fitted ones. No
    increasing transformation of a column matters.

    Parameters
    ----------
    rescale : {"none", "standardise", "min_max"}
        Scale of the columns before they are ranked, which makes no difference.
    random_state : int, optional
        Draws among rows that are copies of one another.

    Examples
    --------
    >>> NormalScores().fit([[1.0], [10.0], [100.0]]).distances().round(2).tolist()[0]
    [0.0, 0.97, 1.93]
    """

    def _fit_points(self, X: npt.ArrayLike) -> npt.NDArray[Any]:
        points = super()._fit_points(X)
        self._sorted = np.sort(points, axis=0)
        return self._scores(points)

    def _new_points(self, X: npt.ArrayLike) -> npt.NDArray[Any]:
        return self._scores(super()._new_points(X))

    def _scores(self, points: npt.NDArray[Any]) -> npt.NDArray[Any]:
        n = len(self._sorted)
        scores = np.empty(points.shape)
        for j, fitted in enumerate(self._sorted.T):
            below = np.searchsorted(fitted, points[:, j], "left")
            middle = (below + np.searchsorted(fitted, points[:, j], "right")) / 2
            scores[:, j] = ndtri(np.clip(middle, 0.5, n - 0.5) / n)
        return scores.astype(points.dtype)


class Correlation(Euclidean):
    """Distance by the correlation r of two rows: sqrt(2 (1 - r)), between 0 and 2.

    It is the Euclidean distance between rows that have been centred and brought to length 1; its
    order is that of 1 - r. A row whose values are all equal correlates with no other.

    Parameters
    ----------
    rescale : {"none", "standardise", "min_max"}
        Scale of the columns before anything is measured, see `Scaling`.
    random_state : int, optional
        Draws among rows that are copies of one another.

    Examples
    --------
    >>> D = Correlation().fit([[0, 1, 2], [5, 7, 9], [2, 1, 0]]).distances()
    >>> D.round(6).tolist()[0]
    [0.0, 0.0, 2.0]
    """

    def _fit_points(self, X: npt.ArrayLike) -> npt.NDArray[Any]:
        return _profiles(super()._fit_points(X))

    def _new_points(self, X: npt.ArrayLike) -> npt.NDArray[Any]:
        return _profiles(super()._new_points(X))


class Cosine(Euclidean):
    """Distance by the angle a between two rows: sqrt(2 (1 - cos a)), between 0 and 2.

    It is the Euclidean distance between rows that have been brought to length 1; its order is that
    of 1 - cos a. A row of zeros has no direction: it stays where it is.

    Parameters
    ----------
    rescale : {"none", "standardise", "min_max"}
        Scale of the columns before anything is measured, see `Scaling`.
    random_state : int, optional
        Draws among rows that are copies of one another.

    Examples
    --------
    >>> D = Cosine().fit([[1, 0], [5, 0], [0, 2]]).distances()
    >>> D.round(3).tolist()[0]
    [0.0, 0.0, 1.414]
    """

    def _fit_points(self, X: npt.ArrayLike) -> npt.NDArray[Any]:
        return _directions(super()._fit_points(X))

    def _new_points(self, X: npt.ArrayLike) -> npt.NDArray[Any]:
        return _directions(super()._new_points(X))


def _of_moderate_size(points: npt.NDArray[Any]) -> Floats:
    """Return every row (p,) in units of its largest value, whose square may leave the range."""
    wide = points.astype(np.float64)
    wide /= np.maximum(np.abs(wide).max(axis=1, keepdims=True), np.finfo(float).tiny)
    return wide


def _directions(points: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Return every row (p,) brought to length 1; one of zeros stays."""
    wide = _of_moderate_size(points)
    lengths = np.linalg.norm(wide, axis=1, keepdims=True)
    directions: Floats = wide / np.where(lengths > 0, lengths, 1.0)
    return directions.astype(points.dtype)


def _profiles(points: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Return every row (p,) centred and brought to length 1; one of equal values becomes 0."""
    wide = _of_moderate_size(points)
    centred = wide - wide.mean(axis=1, keepdims=True)
    flat = np.ptp(points, axis=1) == 0
    lengths = np.where(flat, 1.0, np.linalg.norm(centred, axis=1))
    centred[flat] = 0.0
    profiles: Floats = centred / lengths[:, None]
    return profiles.astype(points.dtype)
