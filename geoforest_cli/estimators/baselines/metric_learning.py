"""Linear metric learning: Mahalanobis and bilinear forms with a positive semidefinite matrix."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Self

import numpy as np
import numpy.typing as npt
from pydantic import Field
from scipy.linalg import LinAlgError, eigh
from sklearn.utils.validation import check_is_fitted

from geoforest_cli.core.errors import DataError
from geoforest_cli.estimators.base.estimator import Estimator
from geoforest_cli.estimators.base.parameters import PositiveInt
from geoforest_cli.estimators.base.validation import require_all_pairs, require_memory, table_of

__all__ = ["Bilinear", "Mahalanobis", "nearest_psd"]

Floats = npt.NDArray[np.float64]
_BLOCK_NUMBERS = 1_000_000


def nearest_psd(matrix: Floats) -> Floats:
    """Return the nearest positive semidefinite matrix in Frobenius norm.

    Examples
    --------
    >>> nearest_psd(np.diag([2.0, -1.0])).tolist()
    [[2.0, 0.0], [0.0, 0.0]]
    """
    values, vectors = np.linalg.eigh((matrix + matrix.T) / 2)
    projected: Floats = (vectors * np.maximum(values, 0.0)) @ vectors.T
    return projected


def _form_fits(p: int) -> None:
    require_memory(8 * 4 * p * p, f"a form of {p} columns, {p} x {p} numbers,")


def _given_distances(Z: npt.ArrayLike, n: int) -> Floats:
    distances = np.asarray(Z, np.float64)
    if distances.shape != (n, n):
        raise DataError(f"{n} points have {n} x {n} distances, not the shape {distances.shape}")
    for rows in _blocks(n):
        if not np.isfinite(distances[rows]).all():
            raise DataError("a distance is NaN or infinite")
        if not np.allclose(distances[rows], distances[:, rows].T):
            raise DataError("the distances are not symmetric")
    return distances


def _blocks(n: int) -> Iterator[slice]:
    size = max(1, _BLOCK_NUMBERS // n)
    return (slice(start, start + size) for start in range(0, n, size))


class Bilinear(Estimator):
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

    def fit(self, X: npt.ArrayLike, Z: npt.ArrayLike) -> Self:
        """Fit on points X (N, p) and distances Z (N, N)."""
        points = table_of(self, X, reset=True).astype(np.float64)
        _form_fits(points.shape[1])
        similarity = 1.0 - _given_distances(Z, len(points))
        left, sizes, right = np.linalg.svd(points, full_matrices=False)
        kept = sizes > sizes[0] * 1e-12 * max(points.shape)
        left, sizes, right = left[:, kept], sizes[kept], right[kept]
        if not kept.any():
            self.W_: Floats = np.zeros((points.shape[1], points.shape[1]))
            return self
        core = nearest_psd(left.T @ similarity @ left) / np.outer(sizes, sizes)
        self.W_ = right.T @ core @ right
        return self

    def pairwise_distances(self, X: npt.ArrayLike) -> Floats:
        """Return 1 - x'W y for all pairs of rows of X."""
        check_is_fitted(self)
        points = table_of(self, X, reset=False).astype(np.float64)
        require_all_pairs(len(points), len(points))
        distances: Floats = 1.0 - points @ self.W_ @ points.T
        return distances


class Mahalanobis(Estimator):
    """Minimise the squared errors of (x - y)'W(x - y) over W positive semidefinite.

    Accelerated projected gradient from W = 0. The points are whitened first: V = T W T' is
    semidefinite with W, and the problem in V is so well conditioned that some dozens of steps do.
    The gradient is a product of the points with the matrix of residuals, taken in blocks of its
    rows: no table of pairs of columns is built. Where there are fewer pairs than unknowns the
    minimiser is not unique; starting from 0 leads to one of small norm.

    Parameters
    ----------
    iterations : int
        At most.
    tolerance : float
        Largest change of V, relative to its size, at the end.

    Attributes
    ----------
    W_ : (p, p)
    objective_ : float
        Sum of squared errors over pairs i < j.
    n_iter_ : int

    Examples
    --------
    >>> X = np.random.default_rng(0).normal(size=(30, 2))
    >>> gaps = X[:, None] - X
    >>> W = np.array([[2.0, 1.0], [1.0, 1.0]])
    >>> Z = np.einsum("ijk,kl,ijl->ij", gaps, W, gaps)
    >>> bool(np.allclose(Mahalanobis().fit(X, Z).W_, W))
    True
    """

    iterations: PositiveInt = 20_000
    tolerance: Annotated[float, Field(gt=0)] = 1e-9

    def fit(self, X: npt.ArrayLike, Z: npt.ArrayLike) -> Self:
        """Fit on points X (N, p) and distances Z (N, N).

        Raises
        ------
        DataError
            If the distances are not finite and symmetric, or W does not fit in the memory.
        """
        points = table_of(self, X, reset=True).astype(np.float64)
        n, p = points.shape
        _form_fits(p)
        distances = _given_distances(Z, n)
        left, sizes, right = np.linalg.svd(points - points.mean(axis=0), full_matrices=False)
        kept = sizes > sizes[0] * 1e-12 * max(n, p)
        whitened = _Pairs(np.sqrt(n) * left[:, kept], distances)
        V, self.n_iter_ = self._minimise(whitened, int(kept.sum()))
        back = np.sqrt(n) * right[kept].T / sizes[kept]
        self.W_: Floats = back @ V @ back.T
        self.objective_ = whitened.objective(V)
        return self

    def _minimise(self, pairs: _Pairs, r: int) -> tuple[Floats, int]:
        factor = ahead = np.zeros((r, r))
        if r == 0:
            return factor, 0
        bound, momentum, steps = pairs.curvature_bound(), 1.0, 0
        while steps < self.iterations:
            steps += 1
            fresh = nearest_psd(ahead - pairs.gradient(ahead) / bound)
            change = fresh - factor
            if float(np.vdot(ahead - fresh, change)) > 0:
                momentum = 1.0
                fresh = nearest_psd(factor - pairs.gradient(factor) / bound)
                change = fresh - factor
            following = (1 + np.sqrt(1 + 4 * momentum**2)) / 2
            ahead = fresh + (momentum - 1) / following * change
            factor, momentum = fresh, following
            if np.abs(change).max() <= self.tolerance * max(np.abs(factor).max(), 1e-300):
                break
        return factor, steps

    def pairwise_distances(self, X: npt.ArrayLike) -> Floats:
        """Return (x - y)'W(x - y) for all pairs of rows of X."""
        check_is_fitted(self)
        points = table_of(self, X, reset=False).astype(np.float64)
        require_all_pairs(len(points), len(points), copies=3)
        inner = points @ self.W_ @ points.T
        norms = np.diag(inner)
        squares: Floats = norms[:, None] + norms[None, :] - 2 * inner
        return np.maximum(squares, 0.0)


class _Pairs:
    """Errors of (x - y)'V(x - y) against given distances, over pairs of points."""

    def __init__(self, points: Floats, distances: Floats) -> None:
        self._points = points
        self._distances = distances

    def gradient(self, V: Floats) -> Floats:
        """Return half the gradient, the sum of e_ij (x_i - x_j)(x_i - x_j)' over i < j."""
        return self._pulled_back(V, self._distances)

    def objective(self, V: Floats) -> float:
        """Return the sum of squared errors over i < j."""
        errors = self._errors(V, self._distances)
        return sum(float(np.vdot(error, error)) for _, error in errors) / 2

    def curvature_bound(self) -> float:
        """Return a bound on the largest eigenvalue of the gradient's linear part, 2 % wide.

        That part, A, maps semidefinite matrices onto such ones: with A(V) <= t V for a definite V
        no eigenvalue is beyond t. The powers of A bring V, and t with it, to the largest one.
        """
        V = np.eye(self._points.shape[1])
        bound = np.inf
        for _ in range(100):
            image = self._pulled_back(V, None)
            try:
                ratio = float(eigh(image, V, eigvals_only=True)[-1])
            except LinAlgError:
                break
            bound = min(bound, ratio)
            size = float(np.vdot(V, image)) / float(np.vdot(V, V))
            if bound <= 1.02 * size:
                break
            V = image / np.abs(image).max()
        return bound

    def _pulled_back(self, V: Floats, distances: Floats | None) -> Floats:
        points = self._points
        total = np.zeros_like(V)
        for rows, error in self._errors(V, distances):
            part = points[rows]
            total += part.T @ (error.sum(axis=1)[:, None] * part - error @ points)
        symmetric: Floats = (total + total.T) / 2
        return symmetric

    def _errors(self, V: Floats, distances: Floats | None) -> Iterator[tuple[slice, Floats]]:
        points = self._points
        seen = points @ V
        lengths = np.einsum("ij,ij->i", seen, points)
        for rows in _blocks(len(points)):
            error = lengths[rows, None] + lengths - 2.0 * (seen[rows] @ points.T)
            if distances is not None:
                error -= distances[rows]
            at = np.arange(len(error))
            error[at, at + rows.start] = 0.0
            yield rows, error
