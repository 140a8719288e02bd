"""Chi-square of the bins of many columns against the leaves of a tree."""

import numpy as np

from geoforest_cli._jit import kernel
from geoforest_cli.screening.kernels.bits import measure


@kernel
def scores(codes, columns, leaf, most, size, found):
    """Write (chi-square - mean) / deviation of each column's bins against the leaves."""
    table = np.empty((size, most))
    rows, bins = np.empty(size), np.empty(most)
    for k in range(len(columns)):
        table[:, :] = 0.0
        for i in range(len(leaf)):
            code = codes[columns[k], i]
            if code >= 0:
                table[leaf[i], code] += 1.0
        value, mean, deviation = measure(table, size, most, rows, bins)
        found[k] = (value - mean) / deviation if deviation > 0.0 else 0.0
