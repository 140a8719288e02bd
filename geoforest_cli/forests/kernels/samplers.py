"""Projection samplers: each fills the candidate list of one node.

Candidate c has the non-zeros features[first[c]:first[c+1]] with the weights at the
same places. A sampler returns how many candidates it made.
"""

import math

import numpy as np

from geoforest_cli._jit import inner_kernel
from geoforest_cli.forests.kernels.rng import next_bits, random_below
from geoforest_cli.forests.kernels.rules import AXIS, MIXED, OBLIQUE, POISSON

MOST_POISSON = 16  # non-zeros of one candidate; more have a chance below 1e-10 up to a mean of 3
CORNER_FIRST, SIZE_FIRST = 0, 1


@inner_kernel
def axis(state, d, seen, permutation, first, features, weights):
    """Draw d distinct columns, weight +1 each (permutation keeps its shuffled state).

    The first `seen` of the permutation were drawn for this node before; no more than the others
    are left to draw.
    """
    p = permutation.shape[0]
    d = min(d, p - seen)
    for c in range(d):
        i = seen + c
        j = i + random_below(state, p - i)
        permutation[i], permutation[j] = permutation[j], permutation[i]
        first[c] = c
        features[c] = permutation[i]
        weights[c] = 1.0
    first[d] = d
    return d


@inner_kernel
def mixed(state, d, seen, permutation, first, features, weights, states, swaps):
    """Draw d candidates: new columns, or sums or differences of two, with equal chances.

    All are columns of the permutation. states and swaps remember what `take_back` needs.
    """
    p = permutation.shape[0]
    first[0], place = 0, 0
    for c in range(d):
        swaps[c] = -1
        if p == 1 or (seen < p and next_bits(state) & np.uint64(1)):
            if seen == p:
                return c
            j = seen + random_below(state, p - seen)
            permutation[seen], permutation[j] = permutation[j], permutation[seen]
            features[place], weights[place] = permutation[seen], 1.0
            swaps[c] = j
            seen += 1
            place += 1
        else:
            i = random_below(state, p)
            j = random_below(state, p - 1)
            features[place], weights[place] = permutation[i], 1.0
            features[place + 1] = permutation[j if j < i else j + 1]
            weights[place + 1] = 1.0 if next_bits(state) & np.uint64(1) else -1.0
            place += 2
        states[c] = state[0]
        first[c + 1] = place
    return d


@inner_kernel
def take_back(state, used, d, seen, permutation, states, swaps):
    """Undo all but the first `used` of d candidates of `mixed`; return the columns seen then."""
    for c in range(d):
        seen += 1 if swaps[c] >= 0 else 0
    for c in range(d - 1, used - 1, -1):
        if swaps[c] >= 0:
            seen -= 1
            j = swaps[c]
            permutation[seen], permutation[j] = permutation[j], permutation[seen]
    if used < d:
        state[0] = states[used - 1]
    return seen


@inner_kernel
def _unseen(table, stamps, stamp, cell):
    """Enter `cell` into an open-addressing set; False if it was there."""
    mask = table.shape[0] - 1
    slot = np.int64((np.uint64(cell) * np.uint64(0x9E3779B97F4A7C15)) >> np.uint64(20)) & mask
    while stamps[slot] == stamp:
        if table[slot] == cell:
            return False
        slot = (slot + 1) & mask
    stamps[slot] = stamp
    table[slot] = cell
    return True


@inner_kernel
def oblique(state, p, d, n_nonzeros, stamp, table, stamps, cells, first, features, weights):
    """Scatter n_nonzeros entries +-1 over distinct cells of a p x d matrix.

    Empty columns are dropped, as in the authors' program.
    """
    for c in range(d + 1):
        first[c] = 0
    for k in range(n_nonzeros):
        cell = random_below(state, p * d)
        while not _unseen(table, stamps, stamp, cell):
            cell = random_below(state, p * d)
        cells[k] = cell
        first[cell // p + 1] += 1
    for c in range(d):
        first[c + 1] += first[c]
    for k in range(n_nonzeros):
        column = cells[k] // p
        place = first[column]
        first[column] = place + 1
        features[place] = cells[k] % p
        weights[place] = 1.0 if next_bits(state) & np.uint64(1) else -1.0
    kept = 0
    begin = np.int64(0)
    for c in range(d):
        end = first[c]
        if end > begin:
            first[kept] = begin
            kept += 1
        begin = end
    first[kept] = n_nonzeros
    return kept


@inner_kernel
def poisson(state, p, d, parameter, first, features, weights):
    """Draw d combinations of Poisson(parameter) distinct columns, at least one, signs +-1."""
    bound = math.exp(-parameter)
    place = 0
    for c in range(d):
        first[c] = place
        count, product = 0, 1.0
        while True:
            product *= np.float64(next_bits(state) >> np.uint64(11)) * (1.0 / 9007199254740992.0)
            if product <= bound:
                break
            count += 1
        count = min(max(count, 1), p, MOST_POISSON)
        begin = place
        while place < begin + count:
            feature = random_below(state, p)
            new = True
            for k in range(begin, place):
                if features[k] == feature:
                    new = False
            if new:
                features[place] = feature
                weights[place] = 1.0 if next_bits(state) & np.uint64(1) else -1.0
                place += 1
    first[d] = place
    return d


@inner_kernel
def patch(state, d, shape, first, features, weights):
    """Draw d rectangles; each is the sum of its pixels, as corners of a summed-area table.

    Parameters
    ----------
    shape : int64 array: width, height, least and most width, least and most height of a patch,
        wrap around (0 or 1), order, width of the table
        Corner first draws the corner, then a size that fits; size first the other way round.
    """
    width, height = shape[0], shape[1]
    w_min, w_max, h_min, h_max = shape[2], shape[3], shape[4], shape[5]
    wrap, order, row = shape[6] == 1, shape[7], shape[8]
    place = 0
    for c in range(d):
        first[c] = place
        if order == SIZE_FIRST:
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
        features[place] = (v + h) * row + u + w
        weights[place] = 1.0
        place += 1
        # the table's first row and column are zero
        if v > 0:
            features[place] = v * row + u + w
            weights[place] = -1.0
            place += 1
        if u > 0:
            features[place] = (v + h) * row + u
            weights[place] = -1.0
            place += 1
            if v > 0:
                features[place] = v * row + u
                weights[place] = 1.0
                place += 1
    first[d] = place
    return d


@inner_kernel
def draw(rules, state, p, visit, seen, most, among, cand):
    """Fill `cand` with candidates of a node that has `seen` columns before; return how many.

    The mixed sampler draws several at once, of the columns `among`, but no more than `most`.
    """
    d, first, features, weights = rules.n_projections, cand.first, cand.features, cand.weights
    if rules.sampler == AXIS:
        return axis(state, d, seen, cand.permutation, first, features, weights)
    if rules.sampler == MIXED:
        return mixed(
            state, max(1, min(most, cand.states.shape[0])), seen, among, first, features, weights,
            cand.states, cand.swaps,
        )  # fmt: skip
    if rules.sampler == POISSON:
        return poisson(state, p, d, rules.poisson_mean, first, features, weights)
    if rules.sampler != OBLIQUE:
        return patch(state, d, rules.patch, first, features, weights)
    return oblique(
        state, p, d, rules.n_nonzeros, visit, cand.table, cand.stamps, cand.cells,
        first, features, weights,
    )  # fmt: skip


def poisson_parameter(mean: float) -> float:
    """Return the Poisson parameter for which the larger of a draw and 1 has this mean.

    Examples
    --------
    >>> round(poisson_parameter(1.5), 4), poisson_parameter(1.0)
    (1.1983, 0.0)
    """
    if mean <= 1:
        return 0.0
    found = mean
    for _ in range(60):
        found -= (found + math.exp(-found) - mean) / (1.0 - math.exp(-found))
    return found


def table_size(n_nonzeros: int) -> int:
    """Return the size of the set that `oblique` needs: a power of two, half empty."""
    return 1 << max(4, int(2 * n_nonzeros - 1).bit_length())
