"""Kernel density and regression on geodesic distances, tuned by leave-one-out.

The kernel is exp(-d^2 / h), without the factor 2 (Li and Dunson 2019, Algorithms 6 and 7).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

__all__ = ["Tuned", "log_density", "regression", "tune_density", "tune_regression"]

Floats = npt.NDArray[np.float64]
X_STEPS = np.geomspace(0.05, 50.0, 14)
Y_STEPS = np.geomspace(0.001, 2.0, 12)


@dataclass(frozen=True)
class Tuned:
    """Bandwidths chosen by leave-one-out.

    Attributes
    ----------
    h1, h2 : float
        Of the distances, and of the response (NaN in regression).
    score : float
        Log-likelihood summed over the points, or minus the mean squared error.
    at_edge : bool
        The best value lies at an end of the grid.
    """

    h1: float
    h2: float
    score: float
    at_edge: bool


def _weights(squares: Floats, h: float) -> tuple[Floats, npt.NDArray[np.bool_]]:
    """Normalised kernel weights of each row, its largest scaled to 1; and which rows have any."""
    nearest = squares.min(axis=1, initial=np.inf)
    reached = np.isfinite(nearest)
    shifted = squares - np.where(reached, nearest, 0.0)[:, None]
    with np.errstate(over="ignore", under="ignore"):
        weights = np.exp(-shifted / h)
    weights[~reached] = 1.0
    return weights, reached


def log_density(distances: Floats, y: Floats, y_new: Floats, h1: float, h2: float) -> Floats:
    """Return ln f(y_new | x), the conditional density estimate at new points.

    f(y|x) = (pi h2)^(-1/2) sum_i exp(-d_i^2/h1) exp(-(y - y_i)^2/h2) / sum_i exp(-d_i^2/h1).

    Parameters
    ----------
    distances : (m, n)
        From the new points to the training points; inf has no weight, and a row without a finite
        distance weighs all alike.
    y : (n,), y_new : (m,)
    h1, h2 : float

    Returns
    -------
    (m,) array
        Finite and very negative far from all y_i.
    """
    weights, _ = _weights(distances**2, h1)
    return _log_density(weights, (y_new[:, None] - y[None, :]) ** 2, h2)


def _log_density(weights: Floats, gaps: Floats, h2: float) -> Floats:
    with np.errstate(divide="ignore"):
        exponent = np.log(weights) - gaps / h2
    top = exponent.max(axis=1)
    inner = np.log(np.exp(exponent - top[:, None]).sum(axis=1))
    log_density: Floats = top + inner - np.log(weights.sum(axis=1)) - 0.5 * np.log(np.pi * h2)
    return log_density


def regression(distances: Floats, y: Floats, h: float) -> Floats:
    """Return m(x) = sum_i exp(-d_i^2/h) y_i / sum_i exp(-d_i^2/h) at new points (m,)."""
    weights, _ = _weights(distances**2, h)
    means: Floats = weights @ y / weights.sum(axis=1)
    return means


def _scale(distances: Floats) -> float:
    """Median over points of the squared distance to the fifth neighbour."""
    fifth = min(5, distances.shape[1] - 1)
    squares = np.partition(distances, fifth, axis=1)[:, fifth] ** 2
    finite = squares[np.isfinite(squares)]
    scale = float(np.median(finite)) if len(finite) else 1.0
    return scale if scale > 0 else float(np.mean(finite)) or 1.0


def _spread(y: Floats) -> float:
    # the variance of equal numbers is not always 0 to the last digit
    return float(y.var()) if np.ptp(y) > 0 else 1.0


def _left_out(distances: Floats) -> Floats:
    squares = distances**2
    np.fill_diagonal(squares, np.inf)
    return squares


def tune_density(distances: Floats, y: Floats) -> Tuned:
    """Choose h1 and h2 by the leave-one-out log-likelihood on training distances (n, n).

    The point left out stays in the graph as a stepping stone; its response is not used. A
    constant response has no spread to choose h2 from: the grid is laid about 1 then.
    """
    squares, gaps = _left_out(distances), (y[:, None] - y[None, :]) ** 2
    h1s, h2s = _scale(distances) * X_STEPS, _spread(y) * Y_STEPS
    with np.errstate(under="ignore"):
        by_y = [np.exp(-gaps / h2) for h2 in h2s]
    scores = np.empty((len(h1s), len(h2s)))
    for a, h1 in enumerate(h1s):
        weights, _ = _weights(squares, h1)
        np.fill_diagonal(weights, 0.0)
        total = np.log(weights.sum(axis=1))
        for b, h2 in enumerate(h2s):
            inner = np.einsum("ij,ij->i", weights, by_y[b])
            lost = inner < 1e-290
            with np.errstate(divide="ignore"):
                logs = np.log(inner) - total - 0.5 * np.log(np.pi * h2)
            if lost.any():
                logs[lost] = _log_density(weights[lost], gaps[lost], h2)
            scores[a, b] = logs.sum()
    a, b = divmod(int(np.argmax(scores)), len(h2s))
    edge = a in (0, len(h1s) - 1) or b in (0, len(h2s) - 1)
    return Tuned(float(h1s[a]), float(h2s[b]), float(scores[a, b]), bool(edge))


def tune_regression(distances: Floats, y: Floats) -> Tuned:
    """Choose h by the leave-one-out squared error on training distances (n, n)."""
    squares = _left_out(distances)
    h1s = _scale(distances) * X_STEPS
    errors = []
    for h in h1s:
        weights, _ = _weights(squares, h)
        np.fill_diagonal(weights, 0.0)
        predicted = weights @ y / weights.sum(axis=1)
        errors.append(float(np.mean((predicted - y) ** 2)))
    best = int(np.argmin(errors))
    return Tuned(float(h1s[best]), float("nan"), -errors[best], best in (0, len(h1s) - 1))
