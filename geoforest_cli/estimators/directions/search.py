"""The search for the direction whose scores are farthest from normal, towards light tails."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

__all__ = ["Direction", "contrast", "strongest"]

Floats = npt.NDArray[np.float64]

_MEAN = 1.0 / math.sqrt(2.0)  # of exp(-y^2 / 2), y standard normal
# its deviation, given that the sample has mean 0 and variance 1: Var - Cov(., y^2)^2 / Var(y^2)
_DEVIATION = math.sqrt(1.0 / math.sqrt(3.0) - 0.5 - (0.5**1.5 - 0.5**0.5) ** 2 / 2.0)
_STEP = 0.15
_RANDOM = 1000  # starts of each of two kinds
_STAGES = ((3, 300), (8, 30), (40, 30))  # steps, and how many of the best go on
_MOST_IN_DOUBLE = 10_000  # rows: of more, directions move in single precision
_BLOCK = 256  # directions at a time: their scores stay in the cache of the processor


class Direction(NamedTuple):
    """A unit vector (r,) in whitened space and its contrast."""

    vector: Floats
    z: float


def contrast(scores: Floats) -> Floats:
    r"""Return how far columns of scores (n, m) of mean 0 and variance 1 are from normal: z (m,).

    .. math:: z = \sqrt n\, (2^{-1/2} - \overline{\exp(-y^2/2)}) / \sigma

    with the deviation sigma of normal scores, given their variance. It is positive for light tails
    and clusters, negative for heavy tails.

    Examples
    --------
    >>> y = np.linspace(-1, 1, 1001)[:, None]
    >>> contrast(y / y.std()).round(1).tolist()
    [11.4]
    """
    z: Floats = (
        math.sqrt(len(scores)) / _DEVIATION * (_MEAN - np.exp(-0.5 * scores**2).mean(axis=0))
    )
    return z


def strongest(whitened: Floats, rng: np.random.Generator) -> Direction:
    """Return the direction of the largest contrast that the search finds.

    Starts are the axes, the axes of two matrices of fourth moments, random directions and
    differences of rows; the best go on.

    Parameters
    ----------
    whitened : (n, r) float64
        Uncorrelated columns of mean 0 and variance 1.
    rng : numpy.random.Generator

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> Z = rng.normal(size=(500, 5))
    >>> Z[:, 2] = rng.choice([-1.0, 1.0], 500)
    >>> from geoforest_cli.estimators.directions.whitening import whiten
    >>> found = strongest(whiten(Z).scores, rng)
    >>> found.z > 17
    True
    """
    vectors = _starts(whitened, rng)
    (first, second, third) = _STAGES
    rows: Any = whitened if len(whitened) <= _MOST_IN_DOUBLE else whitened.astype(np.float32)
    vectors = vectors.astype(rows.dtype)
    vectors, z = _ascend(rows, vectors, first[0])
    vectors, z = _ascend(rows, _best(vectors, z, first[1]), second[0])
    vectors, z = _ascend(rows, _best(vectors, z, second[1]), third[0])
    best = vectors[:, int(np.argmax(z))].astype(np.float64)
    best /= np.linalg.norm(best)
    return Direction(best, float(contrast(whitened @ best[:, None])[0]))


def _best(vectors: Floats, z: Floats, count: int) -> Floats:
    return vectors[:, np.argsort(-z, kind="stable")[:count]]


def _starts(whitened: Floats, rng: np.random.Generator) -> Floats:
    """Return unit vectors as columns (r, m)."""
    n, r = whitened.shape
    lengths = (whitened**2).sum(axis=1)
    fourth = np.linalg.eigh((whitened * lengths[:, None]).T @ whitened / n)[1]
    weights = 1.0 / np.maximum(lengths, np.finfo(float).tiny)
    tyler = np.linalg.eigh((whitened * weights[:, None]).T @ whitened)[1]
    random = rng.normal(size=(r, _RANDOM))
    first, second = rng.integers(n, size=(2, _RANDOM))
    apart = (whitened[first] - whitened[second]).T
    starts = np.hstack([np.eye(r), fourth, tyler, random, apart])
    norms = np.linalg.norm(starts, axis=0)
    kept: Floats = starts[:, norms > 0] / norms[norms > 0]
    return kept


def _ascend(whitened: Floats, vectors: Floats, steps: int) -> tuple[Floats, Floats]:
    """Move unit vectors (r, m) uphill; return them with their contrasts (m,)."""
    moved, z = np.empty_like(vectors), np.empty(vectors.shape[1])
    for start in range(0, vectors.shape[1], _BLOCK):
        part = slice(start, start + _BLOCK)
        moved[:, part], z[part] = _ascend_block(whitened, vectors[:, part], steps)
    return moved, z


def _ascend_block(whitened: Floats, vectors: Floats, steps: int) -> tuple[Floats, Floats]:
    n = len(whitened)
    for _ in range(steps):
        scores = whitened @ vectors
        scores *= np.exp(-0.5 * scores**2)
        vectors = whitened.T @ scores / n - _STEP * vectors
        vectors /= np.maximum(np.linalg.norm(vectors, axis=0), np.finfo(float).tiny)
    return vectors, contrast(whitened @ vectors)
