"""The mixed sampler: single columns, and sums and differences of two."""

import numpy as np

from geoforest_cli.core.jit import inner_kernel
from geoforest_cli.estimators.forests.kernels.rng import next_bits, random_below


@inner_kernel
def mixed(rules, draws, candidates):
    """Draw new columns, or sums or differences of two, with equal chances.

    All are from draws.columns. As many as there is room for, but no more than draws.most.
    """
    state, columns, seen = draws.state, draws.columns, draws.seen
    first, features, weights = candidates.first, candidates.features, candidates.weights
    p = columns.shape[0]
    d = max(1, min(draws.most, candidates.states.shape[0]))
    first[0], end = 0, 0
    for c in range(d):
        candidates.swaps[c] = -1
        if p == 1 or (seen < p and next_bits(state) & np.uint64(1)):
            if seen == p:
                return c
            j = seen + random_below(state, p - seen)
            columns[seen], columns[j] = columns[j], columns[seen]
            features[end], weights[end] = columns[seen], 1.0
            candidates.swaps[c] = j
            seen += 1
            end += 1
        else:
            i = random_below(state, p)
            j = random_below(state, p - 1)
            features[end], weights[end] = columns[i], 1.0
            features[end + 1] = columns[j if j < i else j + 1]
            weights[end + 1] = 1.0 if next_bits(state) & np.uint64(1) else -1.0
            end += 2
        candidates.states[c] = state[0]
        first[c + 1] = end
    return d
