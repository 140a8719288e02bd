"""Growth: directions in the complement of a family that depend on it."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from geoforest_cli.estimators.directions.gumbel import gumbel_of

__all__ = ["complement", "grow"]

Floats = npt.NDArray[np.float64]
_PERMUTATIONS = 20


def complement(basis: Floats) -> Floats:
    """Return an orthonormal basis (r, r - q) of what is orthogonal to a basis (r, q).

    Examples
    --------
    >>> complement(np.eye(3)[:, :1]).shape
    (3, 2)
    """
    r, q = basis.shape
    full = np.linalg.qr(basis, mode="complete")[0]
    rest: Floats = full[:, q:r]
    return rest


class _Statistic(NamedTuple):
    value: float
    vector: Floats


def grow(scores: Floats, others: Floats, rng: np.random.Generator, level: float) -> Floats | None:
    """Return a direction of the complement that depends on a family, or None.

    With the family's scores as response: means (as in sliced inverse regression) and second
    moments (as in SAVE) of the complement, weighted by h = y_i and h = y_i y_j. The norm of
    E[h w] and the extreme eigenvalue of E[h w w'] are compared with those of permuted rows, at
    half the level each.

    Parameters
    ----------
    scores : (n, q) float64
        Of the family: uncorrelated, unit variance.
    others : (n, m) float64
        Of the complement, the same.
    rng : numpy.random.Generator
    level : float

    Returns
    -------
    (m,) float64 or None
        A unit vector.

    References
    ----------
    Li, Sliced inverse regression for dimension reduction, JASA 86, 1991; Cook and Weisberg's
    discussion of it (SAVE).
    """
    responses = _responses(scores)
    observed = _statistics(responses, others)
    permuted = [
        [each.value for each in _statistics(responses[rng.permutation(len(responses))], others)]
        for _ in range(_PERMUTATIONS)
    ]
    tails = [
        gumbel_of(draws).tail(statistic.value)
        for statistic, draws in zip(observed, zip(*permuted, strict=True), strict=True)
    ]
    best = int(np.argmin(tails))
    return observed[best].vector if tails[best] <= level / 2.0 else None


def _responses(scores: Floats) -> Floats:
    """Return the standardised columns y_i, y_i y_j."""
    q = scores.shape[1]
    products = [scores[:, i] * scores[:, j] for i in range(q) for j in range(i, q)]
    columns = np.column_stack([scores, *products])
    columns = columns - columns.mean(axis=0)
    widths = columns.std(axis=0)
    kept: Floats = columns[:, widths > 1e-9] / widths[widths > 1e-9]
    return kept


def _statistics(responses: Floats, others: Floats) -> tuple[_Statistic, _Statistic]:
    """Return the largest norm of E[h w] and the largest |eigenvalue| of E[h w w']."""
    n = len(others)
    means = others.T @ responses / n
    norms = np.linalg.norm(means, axis=0)
    most = int(np.argmax(norms))
    by_mean = _Statistic(float(norms[most]), means[:, most] / max(norms[most], 1e-300))
    by_spread = _Statistic(-1.0, by_mean.vector)
    for column in responses.T:
        values, vectors = np.linalg.eigh((others * column[:, None]).T @ others / n)
        end = 0 if -values[0] > values[-1] else -1
        if abs(values[end]) > by_spread.value:
            by_spread = _Statistic(float(abs(values[end])), vectors[:, end])
    return by_mean, by_spread
