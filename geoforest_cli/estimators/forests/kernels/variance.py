"""Variance of a response: the criterion of regression trees."""

from typing import NamedTuple

import numpy as np

from geoforest_cli.core.jit import inlined_kernel, inner_kernel
from geoforest_cli.estimators.forests.kernels.criterion import is_divisible, scan
from geoforest_cli.estimators.forests.kernels.rules import Floats, Tables
from geoforest_cli.estimators.forests.kernels.search import all_equal
from geoforest_cli.estimators.forests.kernels.two_means import middle


class Variance(NamedTuple):
    """Data of the variance: the response of the rows."""

    columns: Floats
    tables: Tables
    response: Floats


@is_divisible.register(Variance)
@inner_kernel
def _has_responses(data, node, search):
    return not all_equal(data.response, node)


@scan.register(Variance)
@inlined_kernel
def variance(data, values, limits):
    """Cut with the smallest sum of squared deviations from the sides' means.

    The score is minus the decrease of the sum; (inf, inf, nan) if no cut separates the node.
    """
    z, w, n, response = values.z, values.w, values.n, values.sums
    mean = 0.0
    for i in range(values.m):
        response[i] = data.response[values.order[i]]
        mean += w[i] * response[i]
    mean /= n
    best, cut, n1, left = np.inf, -1, 0, 0.0
    for i in range(values.m - 1):
        # about the mean the two sides' sums differ in sign only
        left += w[i] * (response[i] - mean)
        n1 += w[i]
        n2 = n - n1
        if z[i] == z[i + 1] or n1 < limits.min_leaf or n2 < limits.min_leaf:
            continue
        score = -left * left * n / (np.float64(n1) * n2)
        if score < best:
            best, cut = score, i
    if cut < 0:
        return np.inf, np.inf, np.nan
    return best, best, middle(z[cut], z[cut + 1])
