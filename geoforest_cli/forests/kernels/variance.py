"""Variance of a response: the criterion of regression trees."""

import numpy as np

from geoforest_cli._jit import inner_kernel
from geoforest_cli.forests.kernels.fast_bic import middle


@inner_kernel
def variance(z, w, response, m, n, min_leaf):
    """Cut with the smallest sum of squared deviations from the sides' means.

    Parameters
    ----------
    response : float64 array, of the sorted entries

    Returns
    -------
    score, threshold
        The score is minus the decrease of the sum; (inf, nan) if no cut separates the node.
    """
    mean = 0.0
    for i in range(m):
        mean += w[i] * response[i]
    mean /= n
    best, cut, n1, left = np.inf, -1, 0, 0.0
    for i in range(m - 1):
        # about the mean the two sides' sums differ in sign only
        left += w[i] * (response[i] - mean)
        n1 += w[i]
        n2 = n - n1
        if z[i] == z[i + 1] or n1 < min_leaf or n2 < min_leaf:
            continue
        score = -left * left * n / (np.float64(n1) * n2)
        if score < best:
            best, cut = score, i
    if cut < 0:
        return np.inf, np.nan
    return best, middle(z[cut], z[cut + 1])
