"""Noise columns, rotation and rescaling."""

import math

import numpy as np

from geoforest_cli.manifolds.sample import Floats


def add_noise(points: Floats, dims: int, variance: float, rng: np.random.Generator) -> Floats:
    """Append `dims` columns N(0, variance) to points (N, p).

    The 70 of the paper is the variance (Geodesic Forests, section 4).
    """
    noise = rng.normal(0.0, math.sqrt(variance), size=(len(points), dims))
    return np.hstack([points, noise])


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
