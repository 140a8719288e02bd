"""The exact tail of chi-square where one of two categories is rare."""

import numpy as np

from geoforest_cli.core.jit import kernel

STEPS = 400


@kernel
def rare_tail(k, sizes, value, ways):
    """Return P(sum_b o_b^2 / r_b >= value) for k rows drawn without replacement from bins.

    The distribution is built bin by bin. Values are counted in steps of value / STEPS, rounded up,
    so that the probability is never too small.

    Parameters
    ----------
    k : int
        Rows of the rare category.
    sizes : (c,) int64
        Rows r_b of the bins of the other column.
    value : float
    ways : (n + 1,) float64
        Logarithms of factorials.
    """
    n = sizes.sum()
    # chance[s, v]: s of the k rows lie in the bins so far, with v steps; the last step is "or more"
    chance = np.zeros((k + 1, STEPS + 1))
    chance[0, 0] = 1.0
    share = np.log(k / n)
    rest = np.log1p(-k / n)
    for r in sizes:
        before = chance.copy()
        chance[:, :] = 0.0
        for o in range(min(k, r) + 1):
            log = ways[r] - ways[o] - ways[r - o] + o * share + (r - o) * rest
            mass = np.exp(log)
            step = min(int(np.ceil(o * o / r / value * STEPS - 1e-7)), STEPS)
            for s in range(k + 1 - o):
                for v in range(STEPS + 1):
                    chance[s + o, min(v + step, STEPS)] += before[s, v] * mass
    # binomial bins given their sum are a draw without replacement
    total = np.exp(ways[n] - ways[k] - ways[n - k] + k * share + (n - k) * rest)
    return min(chance[k, STEPS] / total, 1.0)
