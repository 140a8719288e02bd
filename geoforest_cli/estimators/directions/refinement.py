"""Refinement: turn the space of a family to where its density is least normal, and prune it."""

from __future__ import annotations

import functools
import math
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from geoforest_cli.estimators.directions.kernels.density import (
    leave_one_out,
    sum_over_references,
)

__all__ = ["Gain", "density_gain", "prune", "refine"]

Floats = npt.NDArray[np.float64]
_SCALES = (1.5, 1.0, 0.7, 0.4, 0.25)
_STEPS = 8  # at each scale, at most
_LENGTHS = (1.0, 0.6, 0.35, 0.15)  # of a step: smoothing makes the full one too long
_LEAST_RISE = 1e-3  # of the gain
_RIDGE = 0.02
_MOST_COMPARED, _REFERENCES = 4000, 1500  # rows: of more, all are compared with references
_NORMAL_SHARE = 1e-3  # share of a normal density in every estimate: no point is impossible


class Gain(NamedTuple):
    """Leave-one-out gain per row over a normal density, and the gradient of the log density."""

    gain: float
    gradient: Floats


def density_gain(scores: Floats, scale: float) -> Gain:
    """Estimate the density of scores (n, q) by a Gaussian kernel, leaving out each point in turn.

    Of more than 4,000 points the kernel sums over 1,500 of them, always the same ones.

    Parameters
    ----------
    scores : (n, q) float64
    scale : float
        Bandwidth in units of m^(-1 / (q + 4)), m the number of points in the sums.

    Returns
    -------
    Gain
        Mean of log f(y) - log phi(y), phi the standard normal density; gradient of log f (n, q).
    """
    n, q = scores.shape
    m = n if n <= _MOST_COMPARED else _REFERENCES
    bandwidth = scale * m ** (-1.0 / (q + 4))
    order = np.argsort(scores[:, 0], kind="stable")
    density, gradient = np.zeros(n), np.zeros((q, n))
    columns, others = np.ascontiguousarray(scores[order].T), np.full(n, m - 1.0)
    if m == n:
        leave_one_out(columns, bandwidth, density, gradient)
    else:
        is_reference = np.isin(order, _references(n), assume_unique=True)
        references = np.ascontiguousarray(columns[:, is_reference])
        sum_over_references(columns, references, bandwidth, density, gradient)
        density -= is_reference
        others = m - is_reference.astype(float)
    back = np.empty(n, np.int64)
    back[order] = np.arange(n)
    ratio_of_normal = others[back] * bandwidth**q
    # relative to the normal density, whose constant is the kernel's too
    normal = np.exp(-0.5 * (scores**2).sum(axis=1))
    kernel_part = (1.0 - _NORMAL_SHARE) * density[back] / ratio_of_normal
    mixed = np.maximum(kernel_part + _NORMAL_SHARE * normal, 1e-300)
    slopes = (1.0 - _NORMAL_SHARE) * gradient.T[back] / (ratio_of_normal * bandwidth)[:, None]
    slopes = (slopes - _NORMAL_SHARE * normal[:, None] * scores) / mixed[:, None]
    gain = float(np.mean(np.log(mixed) + 0.5 * (scores**2).sum(axis=1)))
    return Gain(gain, slopes)


@functools.cache
def _references(n: int) -> npt.NDArray[np.int64]:
    return np.random.default_rng(0).choice(n, _REFERENCES, replace=False)


def best_gain(scores: Floats) -> float:
    """Return the largest leave-one-out gain over the scales."""
    return max(density_gain(scores, scale).gain for scale in _SCALES)


def refine(whitened: Floats, basis: Floats) -> tuple[Floats, float]:
    """Turn the span of a basis (r, q) uphill in likelihood; return the basis and its best gain.

    The model is a density in the span, estimated by a kernel, times a normal density outside. Each
    step is one of Fisher scoring, shortened until the gain rises; the scales go from coarse to
    fine.
    """
    if basis.shape[1] == whitened.shape[1]:
        return basis, best_gain(whitened @ basis)
    best, gain = basis, -math.inf
    for scale in _SCALES:
        current, judged = best, density_gain(whitened @ best, scale)
        for _ in range(_STEPS):
            moved, its = _uphill(whitened, current, judged, scale)
            if its.gain - judged.gain < _LEAST_RISE:
                break
            current, judged = moved, its
        if judged.gain > gain:
            best, gain = current, judged.gain
    return best, gain


def _uphill(whitened: Floats, basis: Floats, at: Gain, scale: float) -> tuple[Floats, Gain]:
    """Return the first of ever shorter steps that has a higher gain; the basis if none has."""
    toward = _step(whitened, basis, at.gradient)
    for length in _LENGTHS:
        moved = np.linalg.qr(basis + length * toward)[0]
        its = density_gain(whitened @ moved, scale)
        if its.gain > at.gain:
            return moved, its
    return basis, at


def _step(whitened: Floats, basis: Floats, gradient: Floats) -> Floats:
    """Return the step of Fisher scoring (r, q), orthogonal to the span."""
    tilt = gradient + whitened @ basis
    information = tilt.T @ tilt / len(tilt)
    ridge = _RIDGE * max(float(np.trace(information)) / len(information), 1e-12)
    toward = whitened.T @ tilt / len(tilt)
    toward -= basis @ (basis.T @ toward)
    step: Floats = toward @ np.linalg.inv(information + ridge * np.eye(len(information)))
    return step


def prune(whitened: Floats, basis: Floats, gain: float) -> tuple[Floats, float]:
    """Drop a dimension of the span while those that are left have a higher gain.

    The dimension that is dropped is tried along each principal axis of the information.
    """
    while basis.shape[1] > 1:
        scores = whitened @ basis
        tilt = density_gain(scores, 1.0).gradient + scores
        axes = np.linalg.eigh(tilt.T @ tilt / len(tilt))[1]
        smaller, its_gain = refine(whitened, basis @ axes[:, 1:])
        if its_gain <= gain:
            break
        basis, gain = smaller, its_gain
    return basis, gain
