"""Columns that depend on several kept ones together, though on none of them alone."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array
from scipy.special import ndtri
from scipy.stats import norm, rankdata
from sklearn.neighbors import NearestNeighbors

__all__ = ["autocorrelated_columns", "moran_pvalues", "normal_scores"]

Floats = npt.NDArray[np.float64]
Columns = npt.NDArray[np.int64]

_LEVEL = 1e-6  # the null is skewed: at .001 false columns come back
_PASSES = 3
_COLUMNS_AT_ONCE = 2000
_NEIGHBORS = 10
_MIN_ROWS, _MAX_ROWS = 100, 5000  # with fewer nothing is done, of more some are drawn


def autocorrelated_columns(points: Floats, kept: Columns, rng: np.random.Generator) -> Columns:
    """Return the kept columns, and others whose values are alike where the kept ones are near.

    A sphere in six dimensions is an example: its columns are all but independent in pairs, but the
    size of each is known from all others. The neighbours are those in the kept columns' normal
    scores; a dropped column x comes back if Moran's I of its scores, or of those of the distance
    from its median, says so at level 1e-6 over all that are dropped.

    Parameters
    ----------
    points : (N, p) array
        Columns that vary.
    kept : (q,) int64
    rng : numpy.random.Generator
        Draws 5,000 rows where there are more.
    """
    n, p = points.shape
    if n < _MIN_ROWS:
        return kept
    if n > _MAX_ROWS:
        points = points[np.sort(rng.choice(n, _MAX_ROWS, replace=False))]
    for _ in range(_PASSES):
        dropped = np.setdiff1d(np.arange(p), kept)
        if not len(dropped):
            break
        search = NearestNeighbors(n_neighbors=_NEIGHBORS).fit(normal_scores(points[:, kept]))
        neighbors = search.kneighbors(return_distance=False).astype(np.int64)
        pvalues = np.empty(len(dropped))
        for start in range(0, len(dropped), _COLUMNS_AT_ONCE):
            part = dropped[start : start + _COLUMNS_AT_ONCE]
            pvalues[start : start + _COLUMNS_AT_ONCE] = np.minimum(
                moran_pvalues(normal_scores(points[:, part]), neighbors),
                moran_pvalues(normal_scores(_away(points[:, part])), neighbors),
            )
        back = dropped[2 * pvalues * len(dropped) <= _LEVEL]
        if not len(back):
            break
        kept = np.sort(np.concatenate([kept, back]))
    return kept


def moran_pvalues(values: Floats, neighbors: Columns) -> Floats:
    """Return p-values of Moran's I of columns (n, q), by the normal approximation of Cliff and Ord.

    Parameters
    ----------
    values : (n, q) array
        A constant column has the p-value 1.
    neighbors : (n, k) int64
        Neighbours of each row, with weight 1.

    References
    ----------
    Cliff and Ord, Spatial Processes: Models and Applications, 1981: the variance under permutation.

    Examples
    --------
    >>> place = np.arange(40)
    >>> near = np.c_[np.maximum(place - 1, 0), np.minimum(place + 1, 39)]
    >>> (moran_pvalues(np.c_[place, (place * 7) % 40], near) < 0.01).tolist()
    [True, False]
    """
    n, k = neighbors.shape
    ones = (np.ones(n * k), neighbors.ravel(), np.arange(0, n * k + 1, k))
    weights = csr_array(ones, shape=(n, n))
    total = float(n * k)
    both = weights + weights.T
    s1 = float((both.data**2).sum()) / 2
    s2 = float((np.asarray(both.sum(axis=1)) ** 2).sum())
    centred = values - values.mean(axis=0)
    squares = (centred**2).mean(axis=0)
    varies = squares > 0
    squares = np.where(varies, squares, 1.0)
    statistic = (centred * (weights @ centred)).sum(axis=0) / (total * squares)
    expected = -1 / (n - 1)
    kurtosis = (centred**4).mean(axis=0) / squares**2
    first = n * ((n**2 - 3 * n + 3) * s1 - n * s2 + 3 * total**2)
    second = kurtosis * ((n**2 - n) * s1 - 2 * n * s2 + 6 * total**2)
    variance = (first - second) / ((n - 1) * (n - 2) * (n - 3) * total**2) - expected**2
    pvalues = norm.sf((statistic - expected) / np.sqrt(np.maximum(variance, 1e-300)))
    return np.where(varies, pvalues, 1.0)


def _away(table: Floats) -> Floats:
    """Return the distances of values from their columns' medians."""
    away: Floats = np.abs(table - np.median(table, axis=0))
    return away


def normal_scores(table: Floats) -> Floats:
    """Return normal scores of the columns' mid-ranks."""
    scores: Floats = ndtri((rankdata(table, axis=0) - 0.5) / len(table))
    return scores
