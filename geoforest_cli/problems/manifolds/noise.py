"""Noise columns, rotation and rescaling."""

import math
from typing import Literal, TypeAlias

import numpy as np

from geoforest_cli.problems.manifolds.sample import Floats

NoiseKind: TypeAlias = Literal["normal", "t3", "uniform", "permuted", "factors"]
_FACTORS = 5


def add_noise(
    points: Floats,
    dims: int,
    variance: float,
    rng: np.random.Generator,
    kind: NoiseKind = "normal",
) -> Floats:
    """Append `dims` columns of noise to points (N, p).

    The 70 of the paper is the variance of normal columns (Geodesic Forests, section 4); the other
    kinds are ours.

    Parameters
    ----------
    points : (N, p)
    dims : int
    variance : float
        Of every noise column; permuted ones have that of the column which they copy.
    rng : numpy.random.Generator
    kind : {"normal", "t3", "uniform", "permuted", "factors"}
        N(0, variance); Student's t with three degrees of freedom; uniform; copies of the columns
        of `points` in turn, each in an order of its own, so that no marginal tells them from the
        signal; or sums of five hidden normal factors, half of the variance, and a normal rest,
        half of it, so that the noise columns depend on one another.

    Examples
    --------
    >>> points = np.array([[1.0, 5.0], [2.0, 6.0], [3.0, 7.0]])
    >>> rng = np.random.default_rng(0)
    >>> np.sort(add_noise(points, 3, 70.0, rng, "permuted"), axis=0)[:, 2:].tolist()
    [[1.0, 5.0, 1.0], [2.0, 6.0, 2.0], [3.0, 7.0, 3.0]]
    """
    return np.hstack([points, _noise(points, dims, variance, rng, kind)])


def _noise(
    points: Floats, dims: int, variance: float, rng: np.random.Generator, kind: NoiseKind
) -> Floats:
    shape = len(points), dims
    if kind == "t3":
        # a t variable with three degrees of freedom has the variance 3
        return math.sqrt(variance / 3.0) * rng.standard_t(3.0, size=shape)
    if kind == "uniform":
        half = math.sqrt(3.0 * variance)
        return rng.uniform(-half, half, size=shape)
    if kind == "permuted":
        return rng.permuted(points[:, np.arange(dims) % points.shape[1]], axis=0)
    if kind == "factors":
        loadings = rng.normal(size=(_FACTORS, dims))
        loadings /= np.linalg.norm(loadings, axis=0)
        shared = rng.normal(size=(len(points), _FACTORS)) @ loadings
        columns: Floats = math.sqrt(variance / 2.0) * (shared + rng.normal(size=shape))
        return columns
    return rng.normal(0.0, math.sqrt(variance), size=shape)


def min_max(points: Floats) -> Floats:
    """Bring every column to [0, 1]; a constant column becomes 0."""
    low = points.min(axis=0)
    span = points.max(axis=0) - low
    scaled: Floats = (points - low) / np.where(span > 0, span, 1.0)
    return scaled


def rotate(points: Floats, rng: np.random.Generator) -> Floats:
    """Turn the space of points (N, p) by an orthogonal matrix drawn from the Haar measure.

    Examples
    --------
    >>> turned = rotate(np.eye(3), np.random.default_rng(0))
    >>> bool(np.allclose(turned @ turned.T, np.eye(3)))
    True
    """
    q, r = np.linalg.qr(rng.normal(size=(points.shape[1], points.shape[1])))
    turned: Floats = points @ (q * np.sign(np.diag(r)))
    return turned
