"""The patch sampler of MORF: rectangles of an image, as corners of a summed-area table."""

import numpy as np

from geoforest_cli.core.jit import inner_kernel
from geoforest_cli.estimators.forests.kernels.rng import random_below

CORNER_FIRST, SIZE_FIRST = 0, 1


@inner_kernel
def _add_corner(candidates, at, entry, weight):
    candidates.features[at] = entry
    candidates.weights[at] = weight
    return at + 1


@inner_kernel
def patch(rules, draws, candidates):
    """Draw rectangles; each is the sum of its pixels.

    rules.patch: width, height, least and most width, least and most height of a patch, wrap around
    (0 or 1), order, width of the table. Corner first draws the corner, then a size that fits; size
    first the other way round.
    """
    state, shape, first = draws.state, rules.patch, candidates.first
    width, height = shape[0], shape[1]
    w_min, w_max, h_min, h_max = shape[2], shape[3], shape[4], shape[5]
    wrap, row = shape[6] == 1, shape[8]
    end = np.int64(0)
    for c in range(rules.n_projections):
        first[c] = end
        if shape[7] == SIZE_FIRST:
            h = h_min + random_below(state, h_max - h_min + 1)
            w = w_min + random_below(state, w_max - w_min + 1)
            u = random_below(state, width if wrap else width - w + 1)
            v = random_below(state, height if wrap else height - h + 1)
        else:
            u = random_below(state, width if wrap else width - w_min + 1)
            v = random_below(state, height if wrap else height - h_min + 1)
            most_w = w_max if wrap else min(w_max, width - u)
            most_h = h_max if wrap else min(h_max, height - v)
            w = w_min + random_below(state, most_w - w_min + 1)
            h = h_min + random_below(state, most_h - h_min + 1)
        end = _add_corner(candidates, end, (v + h) * row + u + w, 1.0)
        # the table's first row and column are zero
        if v > 0:
            end = _add_corner(candidates, end, v * row + u + w, -1.0)
        if u > 0:
            end = _add_corner(candidates, end, (v + h) * row + u, -1.0)
        if u > 0 and v > 0:
            end = _add_corner(candidates, end, v * row + u, 1.0)
    first[rules.n_projections] = end
    return rules.n_projections
