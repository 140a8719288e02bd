"""The axis sampler: single columns."""

from geoforest_cli.core.jit import inner_kernel
from geoforest_cli.estimators.forests.kernels.rng import random_below


@inner_kernel
def axis(rules, draws, candidates):
    """Draw distinct columns, weight +1 each; the permutation keeps its shuffled state.

    The first draws.seen of it were drawn for this node before; no more than the others are left.
    """
    permutation, state = candidates.permutation, draws.state
    p = permutation.shape[0]
    d = min(rules.n_projections, p - draws.seen)
    for c in range(d):
        i = draws.seen + c
        j = i + random_below(state, p - i)
        permutation[i], permutation[j] = permutation[j], permutation[i]
        candidates.first[c] = c
        candidates.features[c] = permutation[i]
        candidates.weights[c] = 1.0
        candidates.swaps[c] = j
    candidates.first[d] = d
    return d
