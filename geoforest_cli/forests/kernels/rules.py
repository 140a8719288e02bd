"""What the trees of a forest go by: one tuple for every grower."""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

TWO_MEANS = 0
FAST_BIC = 1
DELTA_BIC = 2
FAST_BIC_LEGACY = 3
MCLUST_BIC = 4
MCLUST_BIC_LEGACY = 5
GINI = 6
VARIANCE = 7
PAIRWISE = 8
MEAN_BIC = 9

AXIS = 0
OBLIQUE = 1
POISSON = 2
PATCH = 3
MIXED = 4


class Rules(NamedTuple):
    """Sampler, criterion and limits; switches are 0 or 1.

    n_projections candidates have n_nonzeros entries in all, drawn without repetition by means
    of a set of table_size slots; patch is what `samplers.patch` needs. While none scores below
    `good`, more are drawn, up to most_projections, by the mixed sampler in turns of `turn` from all
    columns and from those on the shortlist. Where none does, the node's children draw at most
    `patience` of its number. Nodes of fewer than min_parent bag rows, or at max_depth, are
    leaves; sides of fewer than min_leaf, or of less than least_share of a node, are not cut off.
    Nodes of more than max_search distinct rows choose on as many of them (0: on all). whole: all
    projections are whole numbers of 32 bits. full_credit: the gain of a cut goes to each of its
    features.
    """

    criterion: int
    sampler: int
    n_projections: int
    n_nonzeros: int
    table_size: int
    patch: npt.NDArray[np.int64]
    poisson_mean: float
    min_parent: int
    min_leaf: int
    max_depth: int
    floor: float
    bootstrap: int
    max_search: int
    whole: int
    least_share: float
    most_projections: int
    turn: int
    patience: float
    good: float
    full_credit: int
