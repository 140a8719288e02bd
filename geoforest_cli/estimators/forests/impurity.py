"""How far each cut of a supervised forest lowers the impurity of the response."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from geoforest_cli.estimators.forests.forest import Forest
from geoforest_cli.estimators.forests.kernels import leaves as kernels

__all__ = ["decreases"]

Floats = npt.NDArray[np.float64]


def decreases(forest: Forest, targets: Floats) -> Floats:
    """Return n I - n_L I_L - n_R I_R of every node of a forest, 0 in leaves (nodes,).

    The n are bag rows, and I is the sum of the variances of the target's columns: the variance of
    a response, and of indicators of classes Gini's impurity.

    Parameters
    ----------
    forest : Forest
    targets : (N, K) float64
        The response of the training rows, or the indicators of their classes.
    """
    found = np.zeros(len(forest.threshold))
    # far from zero the squares of sums would drown their differences
    centred = targets - targets.mean(axis=0)
    kernels.decreases(
        forest.first_node, forest.children, forest.leaf_of, forest.in_bag, centred, found
    )
    return found
