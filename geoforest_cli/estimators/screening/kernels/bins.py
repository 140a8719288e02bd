"""Cutting a sorted column into bins of about equally many rows."""

import numpy as np

from geoforest_cli.core.jit import kernel


@kernel
def cut(column, order, n_values, wanted, least, codes):
    """Write the bin of each row; return how many bins there are.

    A row of mid-rank r among m is in bin floor(wanted (r - 1/2) / m); empty bins are left out,
    and while there are more than two, one of fewer than `least` rows joins its smaller neighbour.

    Parameters
    ----------
    column : (n,) float
    order : (n,) int
        Sorts the column, what is missing last.
    n_values : int
        m, the number of rows with a value.
    wanted : int
    least : float
    codes : (n,) int8
        -1 where the value is missing.
    """
    sizes = np.zeros(wanted, np.int64)
    codes[:] = -1
    i = 0
    while i < n_values:
        j = i
        while j < n_values and column[order[j]] == column[order[i]]:
            j += 1
        # the mid-rank of places i to j - 1, counted from 1, is (i + j + 1) / 2
        code = (wanted * (i + j)) // (2 * n_values)
        for k in range(i, j):
            codes[order[k]] = code
        sizes[code] += j - i
        i = j
    renumbered = np.zeros(wanted, np.int64)
    used = 0
    for code in range(wanted):
        renumbered[code] = used
        if sizes[code] > 0:
            sizes[used] = sizes[code]
            used += 1
    while used > 2:
        smallest = np.argmin(sizes[:used])
        if sizes[smallest] >= least:
            break
        # the bin that goes is the later of the two
        last = smallest
        if smallest == 0 or (smallest + 1 < used and sizes[smallest + 1] < sizes[smallest - 1]):
            last = smallest + 1
        sizes[last - 1] += sizes[last]
        for code in range(last, used - 1):
            sizes[code] = sizes[code + 1]
        for code in range(wanted):
            if renumbered[code] >= last:
                renumbered[code] -= 1
        used -= 1
    for i in range(n_values):
        codes[order[i]] = renumbered[codes[order[i]]]
    return used
