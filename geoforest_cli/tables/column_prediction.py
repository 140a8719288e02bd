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

from geoforest_cli.tables.standard_errors import influences

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
) -> tuple[Floats, Floats]:
    """Return for each row the share of the columns' variance that its neighbours predict.

    The mean over rows is 1 where neighbours have the very values of their row, 0 for the mean of
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
    shares : (N,) float64
    influences : (N,) float64
        Of each row on their mean, see `geoforest_cli.tables.standard_errors`.
    """
    names, owners, counts = np.unique(np.array(sources), return_inverse=True, return_counts=True)
    weights = 1.0 / counts[owners]
    parts = [pair for first, second in splits for pair in ((first, second), (second, first))]
    n = len(targets)
    total, influence, alike = np.zeros(n), np.zeros(n), np.full(n, 1.0 / n)
    for seen, hidden in parts:
        there = np.isin(names, hidden)[owners]
        neighbors = find(seen)
        shares, changes = _shares(targets[:, there], weights[there], neighbors)
        total += shares
        # ranks have a fixed variance: a row far from the middle has larger errors, and has to
        own = shares + (1.0 - shares.mean()) * _squares(targets[:, there], weights[there])
        influence += influences(own, alike, neighbors, changes)
    return total / len(parts), influence / len(parts)


def _squares(targets: Floats, weights: Floats) -> Floats:
    """Return for each row how much larger its squares are than the variance, which is 1."""
    known = ~np.isnan(targets)
    larger: Floats = np.where(known, targets**2 - 1.0, 0.0) @ weights
    return larger / np.maximum(known @ weights, _TINY)


def _shares(targets: Floats, weights: Floats, neighbors: Indices) -> tuple[Floats, Floats]:
    """Return for each row 1 minus the squared errors, which are 1 on average for the mean.

    Returned as well is the derivative (N, k) of this share by the weight of each neighbour.
    """
    known = ~np.isnan(targets)
    filled = np.where(known, targets, 0.0)
    shares, changes = np.empty(len(targets)), np.empty(neighbors.shape)
    step = max(1, _BLOCK // targets.shape[1])
    for start in range(0, len(targets), step):
        rows = slice(start, start + step)
        near, count = np.zeros_like(filled[rows]), np.zeros_like(filled[rows])
        for neighbor in neighbors[rows].T:
            near += filled[neighbor]
            count += known[neighbor]
        count = np.maximum(count, 1.0)
        means = near / count
        errors = np.where(known[rows], filled[rows] - means, 0.0)
        whole = np.maximum(known[rows] @ weights, _TINY)
        shares[rows] = 1.0 - errors**2 @ weights / whole
        slopes = 2.0 * errors / count
        for place, neighbor in enumerate(neighbors[rows].T):
            moved = np.where(known[neighbor], filled[neighbor] - means, 0.0)
            changes[rows, place] = (slopes * moved) @ weights / whole
    return shares, changes
