"""Which columns a forest uses, and which depend on others: against permuted copies of them."""

from __future__ import annotations

import math
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
from sklearn.base import clone

if TYPE_CHECKING:
    from geoforest_cli.estimators.forests.unsupervised import UnsupervisedForest

Floats = npt.NDArray[np.float64]


_TREES_AT_ONCE = 10  # that see the same half of the columns


@dataclass(frozen=True)
class Importance:
    """How often a forest cuts each column, and whether other columns know about it.

    A column is judged by trees that never saw it, and so is a permuted copy of it, which has the
    same values and no relation to any other column. Trees that cut on a column are smooth over
    it, copy or not, and tell nothing.

    Attributes
    ----------
    used : (p,)
        Share of the bag rows of all cut nodes of the fitted forest, in equal parts to the columns
        that a node projects.
    explained, explained_by_chance : (p,)
        Share of a column's variance out of the bag, and of its copy's, that the leaves' means in
        the bag predict, in trees of the other columns.
    z : (p,)
        Mean over trees of the difference between these shares, in standard errors.
    """

    used: Floats
    explained: Floats
    explained_by_chance: Floats
    z: Floats


def importance(model: UnsupervisedForest, X: npt.NDArray[Any], seed: int) -> Importance:
    """Judge the columns of X (N, p) by trees like those of the fitted forest on random halves."""
    rng = np.random.default_rng(seed)
    p = X.shape[1]
    gains: list[list[tuple[float, float]]] = [[] for _ in range(p)]
    turn = np.arange(p)
    for h in range(max(2, math.ceil(model.n_estimators / _TREES_AT_ONCE)) if p > 1 else 0):
        # one half, then the other
        turn = rng.permutation(p) if h % 2 == 0 else turn[::-1]
        seen, unseen = turn[: math.ceil(p / 2)], turn[math.ceil(p / 2) :]
        copies = rng.permuted(X[:, unseen], axis=0)
        seen = np.intersect1d(seen, model._screened_columns(p))
        if not len(seen):
            continue
        for column, share, by_chance in _judged(model, X, seen, unseen, copies, seed + h):
            gains[column].append((share, by_chance))
    shares = [np.array(g) if g else np.zeros((1, 2)) for g in gains]
    mean = np.stack([g.mean(axis=0) for g in shares])
    z = np.zeros(p)
    for j, gain in enumerate(shares):
        error = (gain[:, 0] - gain[:, 1]).std() / math.sqrt(len(gain))
        z[j] = (mean[j, 0] - mean[j, 1]) / error if error > 0 else 0.0
    return Importance(_used(model, X), mean[:, 0], mean[:, 1], z)


def _judged(
    model: UnsupervisedForest,
    X: npt.NDArray[Any],
    seen: npt.NDArray[Any],
    unseen: npt.NDArray[Any],
    copies: Floats,
    seed: int,
) -> Iterator[tuple[int, float, float]]:
    """Yield the shares of unseen columns and their copies, tree by tree."""
    rules: dict[str, Any] = {
        "n_estimators": _TREES_AT_ONCE,
        "random_state": seed,
        "bootstrap": True,
    }
    # what a table of half the columns excludes need not be what the whole one does
    rules |= {
        name: value
        for name, value in (("binary_columns", "keep"), ("screen", None))
        if name in model.get_params()
    }
    with warnings.catch_warnings():
        # halves of a table may well have nothing to cut
        warnings.simplefilter("ignore", UserWarning)
        forest = clone(model).set_params(**rules).fit(model._half(X, seen)).forest_
    both = np.concatenate([X[:, unseen], copies], axis=1)
    for leaf, bag in zip(forest.leaf_of, forest.in_bag, strict=True):
        shares = [_explained(column, leaf, bag) for column in both.T]
        for i, column in enumerate(unseen.tolist()):
            yield column, shares[i], shares[i + len(unseen)]


def _used(model: UnsupervisedForest, X: npt.NDArray[Any]) -> Floats:
    rows = np.zeros(X.shape[1])
    for t in range(model.forest_.n_trees):
        rows += _rows_cut(model, t, len(rows))
    return rows / max(float(rows.sum()), 1.0)


def _rows_cut(model: UnsupervisedForest, t: int, p: int) -> Floats:
    """Bag rows of the nodes that cut each column, in equal parts to all that a node projects."""
    forest = model.forest_
    rows, begin = forest.bag_rows(t), int(forest.first_node[t])
    cut = np.zeros(p)
    for node in np.flatnonzero(forest.children[begin : begin + len(rows), 0] >= 0)[::-1]:
        low, high = forest.first[begin + node], forest.first[begin + node + 1]
        columns = model._columns_of(forest.features[low:high])
        np.add.at(cut, columns, rows[node] / len(columns))
    return cut


def _explained(values: Floats, leaf: npt.NDArray[np.int32], bag: npt.NDArray[Any]) -> float:
    known = ~np.isnan(values)
    out, weight = known & (bag == 0), np.where(known, bag, 0)
    size = int(leaf.max()) + 1
    rows = np.bincount(leaf, weight, size)
    sums = np.bincount(leaf, weight * np.where(known, values, 0.0), size)
    out &= rows[leaf] > 0
    spread = float(((values[out] - values[out].mean()) ** 2).sum()) if out.any() else 0.0
    if not spread > 0:
        return 0.0
    lost = float(((values[out] - (sums / np.maximum(rows, 1))[leaf[out]]) ** 2).sum())
    return 1.0 - lost / spread
