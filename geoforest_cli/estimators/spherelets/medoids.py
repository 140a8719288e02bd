"""k-medoids on a matrix of distances (Park and Jun 2009)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from geoforest_cli.core.errors import DataError

__all__ = ["Clustering", "best_of_random_starts", "k_medoids", "with_reachable"]

Floats = npt.NDArray[np.float64]
_MOST_ROUNDS = 300


@dataclass(frozen=True)
class Clustering:
    """A partition about medoids.

    Attributes
    ----------
    labels : (n,) int64
        Cluster of each point, 0 to K - 1.
    medoids : (K,) int64
        Rows of the medoids.
    cost : float
        Sum of the distances to the own medoid.
    tied : int
        Points equally far from two medoids: their cluster is the lower index's by convention.
    """

    labels: npt.NDArray[np.int64]
    medoids: npt.NDArray[np.int64]
    cost: float
    tied: int


def with_reachable(distances: Floats) -> Floats:
    """Replace infinite distances by one constant above all others, as the program does.

    Examples
    --------
    >>> with_reachable(np.array([[0.0, 2.0], [np.inf, 0.0]])).tolist()
    [[0.0, 2.0], [300.0, 0.0]]
    """
    finite = distances[np.isfinite(distances)]
    far = 100.0 * (float(finite.max(initial=0.0)) + 1.0)
    return np.where(np.isfinite(distances), distances, far)


def k_medoids(
    distances: Floats, n_clusters: int, medoids: npt.NDArray[np.int64] | None = None
) -> Clustering:
    """Alternate between assigning points to medoids and moving medoids (Algorithm 5).

    Parameters
    ----------
    distances : (n, n)
        Finite.
    n_clusters : int
        K.
    medoids : (K,) int, optional
        Where to start; by default the K points with the smallest
        v_j = sum_i d_ij / sum_l d_il. Ties go to the lowest index.

    Raises
    ------
    DataError
        If K is not between 1 and n, or a distance is not finite.

    Examples
    --------
    >>> x = np.array([0.0, 1, 2, 10, 11, 12])
    >>> k_medoids(np.abs(x[:, None] - x), 2).labels.tolist()
    [0, 0, 0, 1, 1, 1]
    """
    n = len(distances)
    if not 1 <= n_clusters <= n:
        raise DataError(f"{n_clusters} clusters of {n} points, but 1 to {n} are possible")
    if not np.isfinite(distances).all():
        raise DataError("k-medoids needs finite distances (see with_reachable)")
    if medoids is None:
        sums = distances.sum(axis=1)
        share = distances / np.where(sums > 0, sums, 1.0)[:, None]
        medoids = np.argsort(share.sum(axis=0), kind="stable")[:n_clusters]
    medoids = np.sort(np.asarray(medoids, np.int64))
    for _ in range(_MOST_ROUNDS):
        labels = np.argmin(distances[:, medoids], axis=1)
        labels[medoids] = np.arange(n_clusters)
        moved = medoids.copy()
        for cluster in range(n_clusters):
            members = np.flatnonzero(labels == cluster)
            within = distances[np.ix_(members, members)].sum(axis=0)
            moved[cluster] = members[np.argmin(within)]
        if np.array_equal(moved, medoids):
            break
        medoids = moved
    to_medoids = distances[:, medoids]
    nearest = np.sort(to_medoids, axis=1)
    tied = int((nearest[:, 0] == nearest[:, 1]).sum()) if n_clusters > 1 else 0
    return Clustering(labels.astype(np.int64), medoids, float(nearest[:, 0].sum()), tied)


def best_of_random_starts(
    distances: Floats, n_clusters: int, starts: int, rng: np.random.Generator
) -> Clustering:
    """Return the cheapest of several runs from random medoids.

    Park and Jun's start is central and often leads to a poor local optimum; a cheaper
    clustering is not always nearer to given labels, though.
    """
    n = len(distances)
    runs = (
        k_medoids(distances, n_clusters, rng.choice(n, n_clusters, replace=False))
        for _ in range(starts)
    )
    return min(runs, key=lambda run: run.cost)
