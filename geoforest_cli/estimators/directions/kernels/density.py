"""Log density of points and its gradient, each point judged by the others: the slow loop."""

from __future__ import annotations

import math

import numpy as np

from geoforest_cli.core.jit import kernel

__all__ = ["FAR", "leave_one_out"]

FAR = 16.0  # half a squared distance in bandwidths: exp(-16) is 1e-7 of a point at the centre


@kernel
def leave_one_out(points, bandwidth, density, gradient):
    """Write the sums of a Gaussian kernel over all other points, and the gradients of these sums.

    Points that are farther apart than `FAR` add nothing, so that sorted points need not all be
    compared.

    Parameters
    ----------
    points : (n, q) float64
        Sorted by their first column.
    bandwidth : float
    density : (n,) float64, zeros
        Sum of exp(-|d|^2 / 2) over the other points, d in bandwidths.
    gradient : (n, q) float64, zeros
        Sum of exp(-|d|^2 / 2) d, d from the point to the other, in bandwidths.
    """
    n, q = points.shape
    reach = bandwidth * math.sqrt(2.0 * FAR)
    apart = np.empty(q)
    for i in range(n):
        for j in range(i + 1, n):
            if points[j, 0] - points[i, 0] > reach:
                break
            half = 0.0
            for k in range(q):
                apart[k] = (points[j, k] - points[i, k]) / bandwidth
                half += 0.5 * apart[k] * apart[k]
            if half > FAR:
                continue
            weight = math.exp(-half)
            density[i] += weight
            density[j] += weight
            for k in range(q):
                gradient[i, k] += weight * apart[k]
                gradient[j, k] -= weight * apart[k]
