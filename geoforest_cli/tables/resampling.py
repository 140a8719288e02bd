"""Intervals of means over the rows of a table, by drawing rows anew."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

__all__ = ["interval", "resampled_means"]

Floats = npt.NDArray[np.float64]
Indices = npt.NDArray[np.int64]

RESAMPLES = 2000
_TAILS = (2.5, 97.5)


def resampled_means(
    values: Floats, weights: Floats, strata: Indices, seed: int, resamples: int = RESAMPLES
) -> Floats:
    """Return weighted sums over rows that are drawn with replacement within each stratum.

    All lines of `values` see the same draws, so that their differences are paired.

    Parameters
    ----------
    values : (m, N) float64
    weights : (N,) float64
        The same for all rows of a stratum.
    strata : (N,) int64
        Numbers from 0.
    seed : int
    resamples : int

    Returns
    -------
    (resamples, m) float64

    Examples
    --------
    >>> values = np.array([[0.0, 1.0, 1.0, 5.0]])
    >>> means = resampled_means(values, np.full(4, 0.25), np.array([0, 0, 0, 1]), 0)
    >>> means.shape, float(means.min()), float(means.max())
    ((2000, 1), 1.25, 2.0)
    """
    order = np.argsort(strata, kind="stable")
    sizes = np.bincount(strata)[strata[order]]
    starts = np.searchsorted(strata[order], strata[order])
    weighted = np.ascontiguousarray((values * weights)[:, order].T)
    rng = np.random.default_rng(seed)
    n = len(order)
    means = np.empty((resamples, len(values)))
    for number in range(resamples):
        drawn = starts + (rng.random(n) * sizes).astype(np.int64)
        means[number] = np.bincount(drawn, minlength=n) @ weighted
    return means


def interval(means: Floats) -> Floats:
    """Return the 95 % percentile interval (2, m) of resampled means (resamples, m)."""
    ends: Floats = np.percentile(means, _TAILS, axis=0)
    return ends
