"""Geodesic precision and recall (Geodesic Forests, section 4)."""

from collections.abc import Sequence
from typing import Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from geoforest_cli.problems.manifolds.sample import AnyTruth, Components, SampleKind
from geoforest_cli.problems.metrics.ranking import Indices, Ties, rank_neighbors

# equal geodesics of a grid differ in their last digits: rounded, they are ties
_DIGITS = 9


class Score(NamedTuple):
    """Precision and recall at k, averaged over the queries, and precision by chance."""

    k: int | str
    precision: float
    recall: float
    chance: float


def precision_recall(
    truth: AnyTruth,
    neighbors: Indices,
    ks: Sequence[int | Literal["component"]],
    kind: SampleKind,
    rng: np.random.Generator,
) -> list[Score]:
    """Score lists of retrieved neighbours.

    With a geodesic distance, the relevant points M_i are the k true nearest and
    precision = recall = |M_i n R_i| / k. With components, M_i are all others of the own
    component: precision is their share among the k retrieved, recall their share of n_c - 1
    (of n_c as run, where the query is counted among its own relevant points).

    Parameters
    ----------
    truth : Curve, Straight, GreatCircle or Components
    neighbors : (N, K) integers
        Retrieved points by rank, the query itself left out.
    ks : sequence of int or "component"
        "component" retrieves n_c - 1 points for each query (discrete truth only).
    kind : {"as_written", "as_run"}
        As run, ties among true distances are broken by row number.
    rng : numpy.random.Generator

    Raises
    ------
    ValueError
        If a k exceeds the retrieved lists, or "component" meets a geodesic distance.
    """
    if isinstance(truth, Components):
        return [_discrete(truth.labels, neighbors, k, kind) for k in ks]
    numbers = [k for k in ks if isinstance(k, int)]
    if len(numbers) < len(ks):
        raise ValueError('k = "component" needs a truth of components')
    _require(max(numbers), neighbors.shape[1])
    ties: Ties = "index" if kind == "as_run" else "random"
    true = rank_neighbors(truth.distances().round(_DIGITS), max(numbers), ties, rng)
    return [_continuous(true, neighbors, k) for k in numbers]


def _require(k: int, width: int) -> None:
    if k > width:
        raise ValueError(f"k = {k}, but only {width} neighbours were retrieved")


def _continuous(true: Indices, neighbors: Indices, k: int) -> Score:
    n = len(true)
    relevant = np.zeros((n, n), np.bool_)
    np.put_along_axis(relevant, true[:, :k], values=True, axis=1)
    hits = np.take_along_axis(relevant, neighbors[:, :k], axis=1).sum()
    share = float(hits / (n * k))
    return Score(k, share, share, k / (n - 1))


def _discrete(
    labels: npt.NDArray[np.int64],
    neighbors: Indices,
    k: int | Literal["component"],
    kind: SampleKind,
) -> Score:
    n = len(labels)
    _, classes, sizes = np.unique(labels, return_inverse=True, return_counts=True)
    others = sizes[classes] - 1
    same = np.cumsum(classes[neighbors] == classes[:, None], axis=1)
    retrieved = others if k == "component" else np.full(n, k)
    _require(int(retrieved.max()), neighbors.shape[1])
    # a component of one has nothing to retrieve and is left out of the mean
    asked = (others > 0) & (retrieved > 0)
    hits = same[np.arange(n), np.maximum(retrieved, 1) - 1][asked]
    relevant = sizes[classes] if kind == "as_run" else others
    precision = float(np.mean(hits / retrieved[asked]))
    recall = float(np.mean(hits / relevant[asked]))
    return Score(k, precision, recall, float(np.mean(others[asked] / (n - 1))))
