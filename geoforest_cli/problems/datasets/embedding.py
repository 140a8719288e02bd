"""Adjacency spectral embedding of a directed graph."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import numpy.typing as npt

from geoforest_cli.core.portable import singular_vectors

__all__ = ["adjacency_spectral_embedding", "elbows"]

_LEADING = 50


def elbows(values: npt.NDArray[np.float64], n_elbows: int = 3) -> list[int]:
    """Return elbows of a decreasing sequence by profile likelihood.

    The first elbow q maximises the likelihood of two Gaussians with a common variance, one
    for values 1..q and one for the rest; the next one is sought behind it.

    Source: Zhu and Ghodsi, Automatic dimensionality selection from the scree plot, 2006.

    Examples
    --------
    >>> elbows(np.array([9.0, 8.9, 1.0, 0.9, 0.8]), 1)
    [2]
    """
    positions: list[int] = []
    start = 0
    while len(positions) < n_elbows and len(values) - start > 1:
        rest = values[start:]
        likelihood = [_profile(rest, q) for q in range(1, len(rest))]
        start += int(np.argmax(likelihood)) + 1
        positions.append(start)
    return positions


def _profile(values: npt.NDArray[np.float64], q: int) -> float:
    left, right = values[:q], values[q:]
    n = len(values)
    within = float(np.sum((left - left.mean()) ** 2) + np.sum((right - right.mean()) ** 2))
    variance = max(within / max(n - 2, 1), np.finfo(float).tiny)
    return -0.5 * n * math.log(2 * math.pi * variance) - within / (2 * variance)


def adjacency_spectral_embedding(
    weights: npt.NDArray[Any], n_components: int | None = None
) -> npt.NDArray[np.float64]:
    """Embed the vertices of a directed graph.

    The graph is taken without weights and loops; its diagonal is set to (in-degree +
    out-degree) / (N - 1). With the singular value decomposition U S V', the features are
    [U sqrt(S), V sqrt(S)] over the d largest singular values, d the second elbow of the 50
    largest. A singular vector's sign is arbitrary; here the first vertex's entry in U is
    negative. Distances do not depend on it, but a criterion that is not invariant to
    reflection, such as the authors' legacy Fast-BIC after min-max scaling, does.

    Parameters
    ----------
    weights : (N, N) array
    n_components : int, optional
        d; by default the second elbow.

    Returns
    -------
    (N, 2 d) float64

    Source: Geodesic Forests, section 4.4; Priebe et al., arXiv 1705.03297.
    """
    graph = (np.asarray(weights) > 0).astype(np.float64)
    np.fill_diagonal(graph, 0.0)
    degrees = graph.sum(axis=0) + graph.sum(axis=1)
    np.fill_diagonal(graph, degrees / (len(graph) - 1))
    (u,), (s,), (v,) = singular_vectors(graph[None])
    d = n_components or elbows(s[:_LEADING], 2)[-1]
    u, s, v = u[:, :d], s[:d], v[:, :d]
    signs = np.where(u[0] > 0, -1.0, 1.0)
    features: npt.NDArray[np.float64] = np.hstack([u * signs, v * signs]) * np.tile(np.sqrt(s), 2)
    return features
