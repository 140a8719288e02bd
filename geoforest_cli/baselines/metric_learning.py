"""Linear metric learning: Mahalanobis and bilinear forms with a positive semidefinite matrix."""

from __future__ import annotations

from typing import Annotated, Self

import numpy as np
import numpy.typing as npt
from pydantic import Field

from geoforest_cli.baselines._validate import check_points

__all__ = ["Bilinear", "Mahalanobis", "nearest_psd"]

Floats = npt.NDArray[np.float64]


def nearest_psd(matrix: Floats) -> Floats:
    """Return the nearest positive semidefinite matrix in Frobenius norm.

    Examples
    --------
    >>> nearest_psd(np.diag([2.0, -1.0])).tolist()
    [[2.0, 0.0], [0.0, 0.0]]
    """
    values, vectors = np.linalg.eigh((matrix + matrix.T) / 2)
    found: Floats = (vectors * np.maximum(values, 0.0)) @ vectors.T
    return found


class Bilinear:
    """Minimise |X W X' - (1 - Z)|_F over W positive semidefinite; distance 1 - x'W y.

    In closed form: with X = U S V', W = V S^-1 P(U' Q U) S^-1 V', P clipping negative
    eigenvalues. This is exact, since R = S V' maps semidefinite matrices onto semidefinite ones;
    clipping W itself is not.

    Attributes
    ----------
    W_ : (p, p)
        Of minimum norm where there are fewer points than columns.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> X = rng.uniform(size=(30, 3))
    >>> Z = 1 - X @ np.diag([1.0, 0, 0]) @ X.T
    >>> np.allclose(Bilinear().fit(X, Z).W_, np.diag([1.0, 0, 0]))
    True
    """

    def __init__(self) -> None:
        pass

    def fit(self, X: npt.ArrayLike, Z: npt.ArrayLike) -> Self:
        """Fit on points X (N, p) and distances Z (N, N)."""
        points = check_points(X).astype(np.float64)
        similarity = 1.0 - np.asarray(Z, np.float64)
        left, sizes, right = np.linalg.svd(points, full_matrices=False)
        kept = sizes > sizes[0] * 1e-12 * max(points.shape)
        left, sizes, right = left[:, kept], sizes[kept], right[kept]
        core = nearest_psd(left.T @ similarity @ left) / np.outer(sizes, sizes)
        self.W_: Floats = right.T @ core @ right
        return self

    def pairwise_distances(self, X: npt.ArrayLike) -> Floats:
        """Return 1 - x'W y for all pairs of rows of X."""
        points = np.asarray(X, np.float64)
        found: Floats = 1.0 - points @ self.W_ @ points.T
        return found


class Mahalanobis:
    """Minimise the squared errors of (x - y)'W(x - y) over W positive semidefinite.

    Accelerated projected gradient from W = 0 on the Gram matrix of the half-vectorised outer
    products of differences. Where there are fewer pairs than unknowns the minimiser is not
    unique; starting from 0 leads to one of small norm.

    Parameters
    ----------
    iterations : int
        At most.
    tolerance : float
        Largest change of W, relative to its size, at the end.

    Attributes
    ----------
    W_ : (p, p)
    objective_ : float
        Sum of squared errors over pairs i < j.
    """

    def __init__(
        self,
        *,
        iterations: Annotated[int, Field(ge=1)] = 20_000,
        tolerance: Annotated[float, Field(gt=0)] = 1e-9,
    ) -> None:
        self.iterations = iterations
        self.tolerance = tolerance

    def fit(self, X: npt.ArrayLike, Z: npt.ArrayLike) -> Self:
        """Fit on points X (N, p) and distances Z (N, N)."""
        points = check_points(X).astype(np.float64)
        n, p = points.shape
        distances = np.asarray(Z, np.float64)
        gram, linear, constant = np.zeros((p * p, p * p)), np.zeros(p * p), 0.0
        for i in range(n - 1):
            steps = points[i] - points[i + 1 :]
            outer = (steps[:, :, None] * steps[:, None, :]).reshape(len(steps), -1)
            z = distances[i, i + 1 :]
            gram += outer.T @ outer
            linear += outer.T @ z
            constant += float(z @ z)
        self.W_ = self._minimise(gram, linear, p)
        w = self.W_.ravel()
        self.objective_ = float(w @ gram @ w - 2 * linear @ w + constant)
        return self

    def _minimise(self, gram: Floats, linear: Floats, p: int) -> Floats:
        step = 1.0 / float(np.linalg.eigvalsh(gram)[-1])
        w = ahead = np.zeros(p * p)
        momentum = 1.0
        for _ in range(self.iterations):
            gradient = gram @ ahead - linear
            fresh = nearest_psd((ahead - step * gradient).reshape(p, p)).ravel()
            change = fresh - w
            if float((ahead - fresh) @ change) > 0:
                momentum, ahead = 1.0, w.copy()
                gradient = gram @ ahead - linear
                fresh = nearest_psd((ahead - step * gradient).reshape(p, p)).ravel()
                change = fresh - w
            following = (1 + np.sqrt(1 + 4 * momentum**2)) / 2
            ahead = fresh + (momentum - 1) / following * change
            w, momentum = fresh, following
            if np.abs(change).max() <= self.tolerance * max(np.abs(w).max(), 1e-12):
                break
        found: Floats = w.reshape(p, p)
        return found

    def pairwise_distances(self, X: npt.ArrayLike) -> Floats:
        """Return (x - y)'W(x - y) for all pairs of rows of X."""
        points = np.asarray(X, np.float64)
        inner = points @ self.W_ @ points.T
        own = np.diag(inner)
        found: Floats = own[:, None] + own[None, :] - 2 * inner
        return np.maximum(found, 0.0)
