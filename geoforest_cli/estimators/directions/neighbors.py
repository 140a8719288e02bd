"""Euclidean distance in a projection that knows no labels: directions, and their baselines."""

from __future__ import annotations

import warnings
from dataclasses import field
from typing import Any, Literal

import numpy as np
import numpy.typing as npt
from sklearn.decomposition import FastICA
from sklearn.exceptions import ConvergenceWarning

from geoforest_cli.estimators.base.parameters import PositiveInt, Seed, seed_31_bits
from geoforest_cli.estimators.baselines.euclidean import Euclidean
from geoforest_cli.estimators.directions.screen import DirectionScreen
from geoforest_cli.estimators.directions.search import contrast
from geoforest_cli.estimators.directions.whitening import own_metric, standardised, whiten
from geoforest_cli.estimators.screening.base import Level
from geoforest_cli.estimators.screening.row_order import dependent_rows_allowed

__all__ = ["ProjectedNeighbors", "Projection"]

Floats = npt.NDArray[np.float64]
Projection = Literal["directions", "fast_ica", "fobi", "ics", "random"]
_TYLER_STEPS = 100


class ProjectedNeighbors(Euclidean):
    """Euclidean distance after a projection to directions that are not normal.

    Parameters
    ----------
    projection : {"directions", "fast_ica", "fobi", "ics", "random"}
        `DirectionScreen`; components of scikit-learn's FastICA, the least normal first; axes of the
        fourth moments (FOBI), or of Tyler's scatter against the covariance (ICS), those with the
        most unusual eigenvalues first; or random directions.
    n_components : int
        Of all but "directions", which says itself how many there are.
    level : float
        Of "directions".
    rescale : {"none", "standardise", "min_max"}
        Scale of the columns before anything is measured, see `Scaling`.
    random_state : int, optional

    Attributes
    ----------
    components_ : (k, p) float64
        All columns, unprojected, where no direction is found.
    n_directions_ : int
        0 where none is found.

    References
    ----------
    Cardoso, Source separation using higher order moments, ICASSP 1989 (FOBI). Tyler, Critchley,
    Duembgen and Oja, Invariant co-ordinate selection, JRSS B 71, 2009.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> t = rng.uniform(0, 6, 500)
    >>> X = np.c_[np.cos(t), np.sin(t), rng.normal(size=(500, 8))] @ rng.normal(size=(10, 10))
    >>> ProjectedNeighbors(random_state=0).fit(X).n_directions_
    2
    """

    projection: Projection = field(default="directions", kw_only=False)
    n_components: PositiveInt = 3
    level: Level = 0.01

    def _fit_points(self, X: npt.ArrayLike) -> npt.NDArray[Any]:
        points = super()._fit_points(X)
        self._centre = points.mean(axis=0, dtype=np.float64)
        components = self._directions(points)
        self.n_directions_ = len(components)
        self.components_ = components if len(components) else np.eye(points.shape[1])
        return self._projected(points)

    def _new_points(self, X: npt.ArrayLike) -> npt.NDArray[Any]:
        return self._projected(super()._new_points(X))

    def _projected(self, points: npt.NDArray[Any]) -> npt.NDArray[Any]:
        placed: Floats = (points - self._centre) @ self.components_.T
        return placed.astype(points.dtype)

    def _directions(self, points: npt.NDArray[Any]) -> Floats:
        seed = seed_31_bits(self.random_state)
        if self.projection == "directions":
            with dependent_rows_allowed(), warnings.catch_warnings():
                warnings.filterwarnings("ignore", ".*rows per column", UserWarning)
                return DirectionScreen(level=self.level, random_state=seed).fit(points).components_
        if self.projection == "random":
            rng = np.random.default_rng(seed)
            count = min(self.n_components, points.shape[1])
            turned: Floats = np.linalg.qr(rng.normal(size=(points.shape[1], count)))[0].T
            return turned
        whitened = whiten(points)
        if not whitened.scores.shape[1]:
            return np.empty((0, points.shape[1]))
        axes = _axes(self.projection, whitened.scores, seed)[:, : self.n_components]
        return own_metric(axes, whitened, standardised(points)[0], whitened.width)


def _axes(projection: Projection, whitened: Floats, seed: Seed) -> Floats:
    """Return orthonormal axes (r, r) of whitened space, the most unusual first."""
    if projection == "fast_ica":
        ica = FastICA(whiten=False, random_state=seed, max_iter=400)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            ica.fit(whitened)
        axes: Floats = np.linalg.qr(ica.components_.T)[0]
        unusual = np.abs(contrast(whitened @ axes))
    else:
        scatter = _fourth(whitened) if projection == "fobi" else _tyler(whitened)
        values, axes = np.linalg.eigh(scatter)
        unusual = np.abs(values - np.median(values))
    ordered: Floats = axes[:, np.argsort(-unusual, kind="stable")]
    return ordered


def _fourth(whitened: Floats) -> Floats:
    """Return E[|z|^2 z z'] (r, r)."""
    lengths = (whitened**2).sum(axis=1)
    moments: Floats = (whitened * lengths[:, None]).T @ whitened / len(whitened)
    return moments


def _tyler(whitened: Floats) -> Floats:
    """Return Tyler's scatter (r, r) of trace r."""
    r = whitened.shape[1]
    scatter = np.eye(r)
    for _ in range(_TYLER_STEPS):
        sizes = np.einsum("ij,ij->i", whitened @ np.linalg.pinv(scatter), whitened)
        weights = 1.0 / np.maximum(sizes, np.finfo(float).tiny)
        moved = (whitened * weights[:, None]).T @ whitened
        moved *= r / np.trace(moved)
        change = np.abs(moved - scatter).max()
        scatter = moved
        if change < 1e-8:
            break
    shape: Floats = scatter
    return shape
