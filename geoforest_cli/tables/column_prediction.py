"""A score without labels: how well the neighbours found in some columns predict the others.

The columns are split in two halves at random, several times; neighbours are found in one half, and
the mean of their values is the prediction of a row in the other half, and vice versa. Values are
ranks, so that no scale and no far value decides.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import numpy.typing as npt
from scipy.stats import rankdata

__all__ = ["SPLITS", "column_halves", "prediction_by_row", "rank_targets"]

Floats = npt.NDArray[np.float64]
Indices = npt.NDArray[np.int64]
Halves = tuple[tuple[str, ...], tuple[str, ...]]

SPLITS = 3
_TRIES = 50
_BLOCK = 1 << 20  # values that are compared at once
_TINY = 1e-9


def column_halves(sources: Sequence[str], seed: int, splits: int = SPLITS) -> list[Halves]:
    """Return random splits of columns in halves, all different; fewer where there are fewer.

    Parameters
    ----------
    sources : sequence of str
        The user's columns, at least two; a category is one.
    seed : int
    splits : int

    Examples
    --------
    >>> column_halves(["a", "b"], 0)
    [(('a',), ('b',))]
    >>> [len(first) for first, _ in column_halves(list("abcdefg"), 0)]
    [3, 3, 3]
    """
    names = list(dict.fromkeys(sources))
    rng = np.random.default_rng(seed)
    found: dict[frozenset[frozenset[int]], Halves] = {}
    for _ in range(_TRIES):
        order = rng.permutation(len(names))
        parts = [sorted(order[: len(names) // 2]), sorted(order[len(names) // 2 :])]
        first, second = (tuple(names[number] for number in part) for part in parts)
        found.setdefault(frozenset(map(frozenset, parts)), (first, second))
        if len(found) == splits:
            break
    return list(found.values())


def rank_targets(points: npt.NDArray[np.floating]) -> Floats:
    """Return the ranks of each column, with mean 0 and variance 1.

    A missing value is NaN, and so is a constant column.

    Examples
    --------
    >>> rank_targets(np.array([[1.0], [5.0], [700.0]])).round(3).ravel().tolist()
    [-1.225, 0.0, 1.225]
    """
    ranks: Floats = rankdata(points, axis=0, nan_policy="omit").astype(np.float64)
    centred = ranks - np.nanmean(ranks, axis=0)
    spread = np.sqrt(np.nanmean(centred**2, axis=0))
    scaled: Floats = centred / np.where(spread > 0, spread, np.nan)
    return scaled


def prediction_by_row(
    find: Callable[[tuple[str, ...]], Indices],
    targets: Floats,
    sources: Sequence[str],
    splits: Sequence[Halves],
) -> Floats:
    """Return for each row the share of the columns' variance that its neighbours predict.

    Its mean over rows is 1 where neighbours have the very values of their row, 0 for the mean of
    all rows as prediction, and about -1/k for k neighbours drawn at random.

    Parameters
    ----------
    find : callable
        Returns the neighbours (N, k) of each row in some columns.
    targets : (N, p) float64
        As `rank_targets`.
    sources : sequence of str
        The user's column that each of the p comes from: each user's column counts the same.
    splits : sequence of pairs of tuples
        As `column_halves`.

    Returns
    -------
    (N,) float64
    """
    names, owners, counts = np.unique(np.array(sources), return_inverse=True, return_counts=True)
    weights = 1.0 / counts[owners]
    parts = [pair for first, second in splits for pair in ((first, second), (second, first))]
    total = np.zeros(len(targets))
    for seen, hidden in parts:
        there = np.isin(names, hidden)[owners]
        total += _shares(targets[:, there], weights[there], find(seen))
    return total / len(parts)


def _shares(targets: Floats, weights: Floats, neighbors: Indices) -> Floats:
    """Return for each row 1 minus the squared errors, which are 1 on average for the mean."""
    known = ~np.isnan(targets)
    filled = np.where(known, targets, 0.0)
    shares = np.empty(len(targets))
    step = max(1, _BLOCK // targets.shape[1])
    for start in range(0, len(targets), step):
        rows = slice(start, start + step)
        near, count = np.zeros_like(filled[rows]), np.zeros_like(filled[rows])
        for neighbor in neighbors[rows].T:
            near += filled[neighbor]
            count += known[neighbor]
        errors = np.where(known[rows], (filled[rows] - near / np.maximum(count, 1.0)) ** 2, 0.0)
        shares[rows] = 1.0 - errors @ weights / np.maximum(known[rows] @ weights, _TINY)
    return shares
