"""The Poisson sampler of SPORF: sums of a random number of columns."""

import math

import numpy as np

from geoforest_cli.core.jit import inner_kernel
from geoforest_cli.estimators.forests.kernels.rng import next_bits, random_below

MOST_POISSON = 16  # non-zeros of one candidate; more have a chance below 1e-10 up to a mean of 3


@inner_kernel
def poisson(rules, draws, candidates):
    """Draw combinations of Poisson(poisson_mean) distinct columns, at least one, signs +-1."""
    state, p, d = draws.state, draws.p, rules.n_projections
    first, features, weights = candidates.first, candidates.features, candidates.weights
    bound = math.exp(-rules.poisson_mean)
    end = 0
    for c in range(d):
        first[c] = end
        count, product = 0, 1.0
        while True:
            product *= np.float64(next_bits(state) >> np.uint64(11)) * (1.0 / 9007199254740992.0)
            if product <= bound:
                break
            count += 1
        count = min(max(count, 1), p, MOST_POISSON)
        begin = end
        while end < begin + count:
            feature = random_below(state, p)
            new = True
            for k in range(begin, end):
                if features[k] == feature:
                    new = False
            if new:
                features[end] = feature
                weights[end] = 1.0 if next_bits(state) & np.uint64(1) else -1.0
                end += 1
    first[d] = end
    return d


def poisson_parameter(mean: float) -> float:
    """Return the Poisson parameter for which the larger of a draw and 1 has this mean.

    Examples
    --------
    >>> round(poisson_parameter(1.5), 4), poisson_parameter(1.0)
    (1.1983, 0.0)
    """
    if mean <= 1:
        return 0.0
    parameter = mean
    for _ in range(60):
        parameter -= (parameter + math.exp(-parameter) - mean) / (1.0 - math.exp(-parameter))
    return parameter
