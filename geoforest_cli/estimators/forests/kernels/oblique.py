"""The oblique sampler: sparse sums of columns with random signs."""

import numpy as np

from geoforest_cli.core.jit import inner_kernel
from geoforest_cli.estimators.forests.kernels.rng import next_bits, random_below


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
def oblique(rules, draws, candidates):
    """Scatter n_nonzeros entries +-1 over distinct cells of a p x d matrix.

    Empty columns are dropped, as in the authors' program.
    """
    state, p, d, n_nonzeros = draws.state, draws.p, rules.n_projections, rules.n_nonzeros
    first, cells, table = candidates.first, candidates.cells, candidates.table
    # the last stamp is that of the last call
    stamps = candidates.stamps
    stamp = stamps[table.shape[0]] + 1
    stamps[table.shape[0]] = stamp
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
        position = first[column]
        first[column] = position + 1
        candidates.features[position] = cells[k] % p
        candidates.weights[position] = 1.0 if next_bits(state) & np.uint64(1) else -1.0
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


def table_size(n_nonzeros: int) -> int:
    """Return the size of the set that `oblique` needs: a power of two, half empty."""
    return 1 << max(4, int(2 * n_nonzeros - 1).bit_length())
