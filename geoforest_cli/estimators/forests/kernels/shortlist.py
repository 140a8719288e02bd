"""Clustering of single columns, each on its own, by which a shortlist is drawn up."""

import numpy as np

from geoforest_cli.core.jit import kernel
from geoforest_cli.estimators.forests.kernels.fast_bic import fast_bic
from geoforest_cli.estimators.forests.kernels.rules import Limits, Sorted


@kernel
def clusteredness(ordered, counts, share, floor, logs, roundings):
    """Return the delta-BIC of each column's best cut, per row that has a value.

    Parameters
    ----------
    ordered : (q, N) float64 array
        The values of each column from the least on, NaN last.
    counts : (q,) int64 array
        How many of them are numbers.
    share : float
        Smallest side of a cut, as a share of a column's values.
    floor : float
        Floor of the variances, relative to the column's.
    logs : Logs
    roundings : (q,) float64 array
        Variance within a step of each column.

    Returns
    -------
    (q,) float64 array
        Smaller is more clustered. Infinite with fewer than three different values: of two the
        score tells how often each is used, and nothing about clusters.
    """
    q, n = ordered.shape
    scores = np.full(q, np.inf)
    order, once = np.empty(0, np.int32), np.ones(n, np.int32)
    centred, sums, squares = np.empty(n), np.empty(n), np.empty(n)
    for j in range(q):
        m = counts[j]
        different = 1
        for i in range(1, m):
            if ordered[j, i] > ordered[j, i - 1]:
                different += 1
        if different > 2:
            values = Sorted(ordered[j], order, once, m, m, centred, sums, squares)
            limits = Limits(max(1, int(np.ceil(share * m))), floor, roundings[j], np.inf)
            scores[j] = fast_bic(values, limits, logs, True)[0] / m
    return scores
