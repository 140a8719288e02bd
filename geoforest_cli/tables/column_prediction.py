"""A score without labels: how well the neighbours found in some columns predict the others.

The columns are split in two halves at random, several times; neighbours are found in one half, and
the mean of their values is the prediction of a row in the other half, and vice versa. Values are
ranks, so that no scale and no far value decides.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from scipy.stats import hypergeom, rankdata

from geoforest_cli.tables.standard_errors import influences

__all__ = [
    "SPLITS",
    "column_halves",
    "prediction_by_chance",
    "prediction_by_row",
    "rank_targets",
]

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
    all rows as prediction, and about -1/k for k neighbours drawn at random. A missing value is not
    predicted; where no neighbour has a value, the mean of all rows is the prediction.

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
    n = len(targets)
    shares, influence, alike = np.zeros(n), np.zeros(n), np.full(n, 1.0 / n)
    parts = _parts(targets, sources, splits)
    for part in parts:
        neighbors = find(part.seen)
        errors, changes = _errors(part.targets, part.weights, neighbors)
        known = ~np.isnan(part.targets)
        whole = max((known @ part.weights).mean(), _TINY)
        own = 1.0 - errors / whole
        shares += own
        # the squares of the ranks have a fixed sum: a row far from the middle has larger errors
        squares = np.where(known, part.targets**2, 0.0) @ part.weights
        own += (1.0 - own.mean()) * (squares / whole - 1.0)
        influence += influences(own, alike, neighbors, changes / whole)
    return shares / len(parts), influence / len(parts)


def prediction_by_chance(
    targets: Floats, sources: Sequence[str], splits: Sequence[Halves], k: int
) -> float:
    """Return the mean of `prediction_by_row` where the k neighbours of each row are random.

    Parameters
    ----------
    targets, sources, splits
        As in `prediction_by_row`.
    k : int

    Examples
    --------
    >>> targets = rank_targets(np.arange(22.0).reshape(11, 2))
    >>> round(prediction_by_chance(targets, ["a", "b"], column_halves(["a", "b"], 0), 10), 6)
    -0.21
    """
    scores = []
    for part in _parts(targets, sources, splits):
        counts = (~np.isnan(part.targets)).sum(axis=0)
        different, number = np.unique(counts, return_inverse=True)
        errors = np.array([_random_error(int(one), len(targets), k) for one in different])[number]
        whole = max(part.weights @ counts, _TINY)
        scores.append(1.0 - (part.weights * counts) @ errors / whole)
    return float(np.mean(scores))


def _random_error(known: int, n: int, k: int) -> float:
    """Return the mean square of a value minus the mean of those that are known of k others."""
    if known < 2:
        return 1.0
    with_value = np.arange(1, min(k, known - 1) + 1)
    chances = hypergeom.pmf(with_value, n - 1, known - 1, k)
    far = known**2 / (known - 1) ** 2
    spread = (
        (1 - 1 / (known - 1) ** 2) * (known - 1 - with_value) / (max(known - 2, 1) * with_value)
    )
    # without a value the mean of all, 0, is predicted, whose square error is 1
    return float(chances @ (far + spread) + 1.0 - chances.sum())


class _Part(NamedTuple):
    seen: tuple[str, ...]
    targets: Floats
    weights: Floats


def _parts(targets: Floats, sources: Sequence[str], splits: Sequence[Halves]) -> list[_Part]:
    """Return the columns in which neighbours are found, and those that they predict."""
    names, owners, counts = np.unique(np.array(sources), return_inverse=True, return_counts=True)
    weights = 1.0 / counts[owners]
    parts = []
    for first, second in splits:
        for seen, hidden in ((first, second), (second, first)):
            there = np.isin(names, hidden)[owners]
            parts.append(_Part(seen, targets[:, there], weights[there]))
    return parts


def _errors(targets: Floats, weights: Floats, neighbors: Indices) -> tuple[Floats, Floats]:
    """Return for each row the weighted squares of its errors, where a value is known.

    Returned as well is the derivative (N, k) of minus this sum by the weight of each neighbour.
    """
    known = ~np.isnan(targets)
    filled = np.where(known, targets, 0.0)
    squares, changes = np.empty(len(targets)), np.empty(neighbors.shape)
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
        squares[rows] = errors**2 @ weights
        slopes = 2.0 * errors / count
        for place, neighbor in enumerate(neighbors[rows].T):
            moved = np.where(known[neighbor], filled[neighbor] - means, 0.0)
            changes[rows, place] = (slopes * moved) @ weights
    return squares, changes
