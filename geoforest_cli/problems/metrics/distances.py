"""Scores of how predicted distances order and meet true ones (SMERF, section 5.1)."""

import numpy as np
import numpy.typing as npt
from scipy.stats import rankdata

__all__ = ["mean_average_precision", "mean_spearman", "pair_rmse"]

Floats = npt.NDArray[np.float64]


def _others(matrix: Floats) -> Floats:
    """Return each row without its diagonal entry."""
    n = len(matrix)
    return matrix[~np.eye(n, dtype=bool)].reshape(n, n - 1)


def mean_average_precision(
    truth: Floats, predicted: Floats, k: int, rng: np.random.Generator, *, truncated: bool = False
) -> float:
    """Return the mean over queries of the average precision at the k truly nearest others.

    Parameters
    ----------
    truth, predicted : (n, n)
        Distances; ties are broken at random.
    k : int
        Relevant items of each query; all n - 1 others where there are fewer.
    rng : numpy.random.Generator
    truncated : bool
        Count only the first k ranks; by default the whole ranking.

    Examples
    --------
    >>> D = np.array([[0, 1, 2, 3], [1, 0, 1, 2], [2, 1, 0, 1], [3, 2, 1, 0.0]])
    >>> mean_average_precision(D, D, 2, np.random.default_rng(0))
    1.0
    """
    true, estimates = _others(truth), _others(predicted)
    n, m = true.shape
    relevant = np.zeros((n, m), bool)
    k = min(k, m)
    nearest = np.lexsort((rng.random((n, m)), true), axis=1)[:, :k]
    np.put_along_axis(relevant, nearest, values=True, axis=1)
    order = np.lexsort((rng.random((n, m)), estimates), axis=1)
    hits = np.take_along_axis(relevant, order, axis=1)
    if truncated:
        hits[:, k:] = False
    precision = np.cumsum(hits, axis=1) / np.arange(1, m + 1)
    return float((precision * hits).sum(axis=1).mean() / k)


def mean_spearman(truth: Floats, predicted: Floats) -> float:
    """Return the mean over queries of Spearman's correlation; 0 for a constant prediction.

    Examples
    --------
    >>> D = np.array([[0, 1, 2], [1, 0, 3], [2, 3, 0.0]])
    >>> mean_spearman(D, -D)
    -1.0
    """
    true, estimates = (rankdata(_others(matrix), axis=1) for matrix in (truth, predicted))
    a, b = (ranks - ranks.mean(axis=1, keepdims=True) for ranks in (true, estimates))
    size = np.sqrt((a**2).sum(axis=1) * (b**2).sum(axis=1))
    with np.errstate(invalid="ignore", divide="ignore"):
        values = np.where(size > 0, (a * b).sum(axis=1) / size, 0.0)
    return float(values.mean())


def pair_rmse(truth: Floats, predicted: Floats) -> float:
    """Return the root mean squared error over pairs i < j."""
    upper = np.triu_indices(len(truth), 1)
    return float(np.sqrt(np.mean((truth[upper] - predicted[upper]) ** 2)))
