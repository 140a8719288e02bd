"""Counter-based random numbers for kernels: splitmix64, one stream per tree."""

import numpy as np

from geoforest_cli.core.jit import inner_kernel

_GOLDEN = np.uint64(0x9E3779B97F4A7C15)
_MIX_1 = np.uint64(0xBF58476D1CE4E5B9)
_MIX_2 = np.uint64(0x94D049BB133111EB)


@inner_kernel
def next_bits(state):
    """Advance `state` (uint64 array of length 1) and return 64 random bits."""
    state[0] = state[0] + _GOLDEN
    x = state[0]
    x = (x ^ (x >> np.uint64(30))) * _MIX_1
    x = (x ^ (x >> np.uint64(27))) * _MIX_2
    return x ^ (x >> np.uint64(31))


@inner_kernel
def random_below(state, bound):
    """Return an integer uniform on 0..bound-1 (bound below 2^40)."""
    unit = np.float64(next_bits(state) >> np.uint64(11)) * (1.0 / 9007199254740992.0)
    return np.int64(unit * bound)


@inner_kernel
def mix(a, b):
    """Hash two integers into 64 bits: the tie-breaking order of neighbours."""
    x = np.uint64(a) * _GOLDEN + np.uint64(b)
    x = (x ^ (x >> np.uint64(30))) * _MIX_1
    x = (x ^ (x >> np.uint64(27))) * _MIX_2
    return x ^ (x >> np.uint64(31))


@inner_kernel
def bootstrap_counts(state, n, cumulative, counts):
    """Draw n of n rows with replacement; counts[i] = how often row i was drawn.

    `cumulative` holds cumulative weights, or nothing where all rows are equally likely.
    """
    counts[:] = 0
    if cumulative.shape[0] > 0:
        total = cumulative[n - 1]
        for _ in range(n):
            unit = np.float64(next_bits(state) >> np.uint64(11)) * (1.0 / 9007199254740992.0)
            counts[min(np.searchsorted(cumulative, unit * total, side="right"), n - 1)] += 1
        return
    for _ in range(n):
        counts[random_below(state, n)] += 1
