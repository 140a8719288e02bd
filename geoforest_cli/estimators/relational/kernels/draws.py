"""Random variables of the relational samplers; all take a numpy Generator."""

import math

import numpy as np

from geoforest_cli.core.jit import kernel

TINY = 2.2251e-308  # least normal double, the programs' realmin
_LEAST_SHAPE = 1e-300
_LEAST_RATE = 1e-300
MOST_LOG = -math.log(TINY)


@kernel
def gamma(rng, shape, rate):
    """Gamma variable with a mean of shape / rate; 0 for the shape 0."""
    if shape <= 0.0:
        return 0.0
    return rng.standard_gamma(max(shape, _LEAST_SHAPE)) / rate


@kernel
def crt(rng, m, r):
    """Tables of m customers in a Chinese restaurant of concentration r.

    The first customer always opens one; the mean is r (psi(r + m) - psi(r)).
    """
    if m <= 0:
        return 0
    tables = 1
    for t in range(1, m):
        if rng.random() * (r + t) < r:
            tables += 1
    return tables


@kernel
def truncated_poisson(rng, rate):
    """Poisson variable given that it is positive; the mean is rate / (1 - exp(-rate))."""
    rate = max(rate, _LEAST_RATE)
    if rate > 1.0:
        while True:
            count = rng.poisson(rate)
            if count > 0:
                return count
    while True:
        count = 1 + rng.poisson(rate)
        if rng.random() * count < 1.0:
            return count


@kernel
def pick(rng, cumulative):
    """Draw an index with the weights whose running sums are given; the last if all are zero."""
    size = cumulative.shape[0]
    target = rng.random() * cumulative[size - 1]
    low, high = 0, size - 1
    while low < high:
        middle = (low + high) // 2
        if cumulative[middle] > target:
            high = middle
        else:
            low = middle + 1
    return low


@kernel
def minus_log_share(theta, rate):
    """-ln(rate / (rate + theta)), at most -ln of the least normal number."""
    return min(math.log1p(theta / rate), MOST_LOG)


@kernel
def permutation(rng, size):
    """Random order of range(size)."""
    order = np.arange(size)
    for i in range(size - 1, 0, -1):
        j = rng.integers(0, i + 1)
        order[i], order[j] = order[j], order[i]
    return order
