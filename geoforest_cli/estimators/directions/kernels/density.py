"""Log density of points and its gradient, each point judged by the others: the slow loop."""

from __future__ import annotations

import math

import numpy as np

from geoforest_cli.core.jit import kernel

__all__ = ["FAR", "leave_one_out", "sum_over_references"]

FAR = 16.0  # half a squared distance in bandwidths: exp(-16) is 1e-7 of a point at the centre
_PART = -1.0 / 32.0  # exp(x) is exp(x / 32) to the power of 32
# the Taylor series of exp, from the tenth power down: 1e-9 at exp(-16), 1e-15 at exp(-4)
_SERIES = tuple(1.0 / math.factorial(power) for power in range(10, -1, -1))


@kernel
def leave_one_out(columns, bandwidth, density, gradient):
    """Write the sums of a Gaussian kernel over all other points, and the gradients of these sums.

    Points that are farther apart than `FAR` add nothing, so that sorted points need not all be
    compared. The loops over the others of a point are simple ones over contiguous memory, which
    the compiler turns into vector instructions.

    Parameters
    ----------
    columns : (q, n) float64
        Points, sorted by their first coordinate.
    bandwidth : float
    density : (n,) float64, zeros
        Sum of exp(-|d|^2 / 2) over the other points, d in bandwidths.
    gradient : (q, n) float64, zeros
        Sum of exp(-|d|^2 / 2) d, d from the point to the other, in bandwidths.
    """
    n = columns.shape[1]
    inverse = 1.0 / bandwidth
    reach = bandwidth * math.sqrt(2.0 * FAR)
    work = np.empty(n)
    end = 0
    for i in range(n):
        while end < n and columns[0, end] - columns[0, i] <= reach:
            end += 1
        weights = work[: end - i - 1]
        weights[:] = 0.0
        for k in range(len(columns)):
            _add_half_squares(columns[k, i], columns[k, i + 1 : end], inverse, weights)
        _weigh(weights)
        density[i] += _add(weights, density[i + 1 : end])
        for k in range(len(columns)):
            others, slopes = columns[k, i + 1 : end], gradient[k, i + 1 : end]
            gradient[k, i] += _pull(columns[k, i], others, inverse, weights, slopes)


@kernel
def sum_over_references(columns, references, bandwidth, density, gradient):
    """Write, for each point, the sums of a Gaussian kernel over references, and their gradients.

    Parameters
    ----------
    columns, references : (q, n), (q, m) float64
        Each sorted by its first coordinate.
    bandwidth : float
    density, gradient : (n,), (q, n) float64
        As in `leave_one_out`; a point that is a reference adds its own 1.
    """
    inverse = 1.0 / bandwidth
    reach = bandwidth * math.sqrt(2.0 * FAR)
    work, unused = np.empty(references.shape[1]), np.empty(references.shape[1])
    first, end = 0, 0
    for i in range(columns.shape[1]):
        while end < len(work) and references[0, end] - columns[0, i] <= reach:
            end += 1
        while first < end and columns[0, i] - references[0, first] > reach:
            first += 1
        weights = work[: end - first]
        weights[:] = 0.0
        for k in range(len(columns)):
            _add_half_squares(columns[k, i], references[k, first:end], inverse, weights)
        _weigh(weights)
        density[i] = weights.sum()
        for k in range(len(columns)):
            others = references[k, first:end]
            gradient[k, i] = _pull(columns[k, i], others, inverse, weights, unused)


@kernel
def _add_half_squares(at, others, inverse, halves):
    """Add half a squared difference in bandwidths for each of the others."""
    for j in range(len(halves)):
        apart = (others[j] - at) * inverse
        halves[j] += 0.5 * apart * apart


@kernel
def _weigh(weights):
    """Put exp(-h) in the place of every h, or 0 where h is larger than `FAR`."""
    for j in range(len(weights)):
        half = weights[j]
        part = min(half, FAR) * _PART
        value = 0.0
        for coefficient in _SERIES:
            value = value * part + coefficient
        for _ in range(5):
            value *= value
        weights[j] = value if half <= FAR else 0.0


@kernel
def _add(weights, density):
    """Add the weights to the others' density; return their sum."""
    total = 0.0
    for j in range(len(weights)):
        density[j] += weights[j]
        total += weights[j]
    return total


@kernel
def _pull(at, others, inverse, weights, slopes):
    """Take what the others pull at a point from their slopes in one coordinate; return its sum."""
    total = 0.0
    for j in range(len(weights)):
        pull = weights[j] * (others[j] - at) * inverse
        slopes[j] -= pull
        total += pull
    return total
