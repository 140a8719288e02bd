"""Kernels that a split criterion consists of, chosen by the class of its data.

The data of a criterion is a named tuple of its own, whose first fields are those of `Points`. Its
module registers `find_cut` for that class, or only `scan` where all it needs is a sorted
projection.
"""

import numpy as np

from geoforest_cli.core.jit import inner_kernel, kernel
from geoforest_cli.estimators.forests.kernels.dispatch import by_class
from geoforest_cli.estimators.forests.kernels.workspace import new_bound_scratch

_numbers_by_class = by_class(inner_kernel, _nrt=False)


@_numbers_by_class
def is_divisible(data, node, search):
    """Return whether a cut of these rows could gain anything; prepares the search for it."""
    return True


@_numbers_by_class
def find_cut(data, node, search):
    """Return the best candidate below search.best: (number, cut, score, stop score, used).

    The first of equal ones; -1 if there is none. The stop score, the smallest of all candidates,
    is what `stop_score` is compared with. `used` is the number of candidates judged.
    """
    raise NotImplementedError


@_numbers_by_class
def scan(data, values, limits):
    """Return the best cut of a `Sorted` projection: its (score, stop score, threshold).

    It may be (inf, inf, nan) where no score is below limits.best.
    """
    raise NotImplementedError


@_numbers_by_class
def is_bounded(data):
    """Return whether `least_scores` follow from the bound of Fast-BIC."""
    return False


@_numbers_by_class
def least_scores(data, lowest, n, variance, projection):
    """Return what (stop score, score) are at least if Fast-BIC is, but for a constant, `lowest`."""
    return np.nan, np.nan


@by_class(kernel)
def new_scratch(data, rules):
    """Allocate the scratch arrays that this criterion alone needs."""
    return new_bound_scratch(data.columns.shape[0], data.columns.shape[1], rules)
