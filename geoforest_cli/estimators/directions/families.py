"""Families of directions: found, grown, refined and pruned, one after another."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from geoforest_cli.estimators.directions.growth import complement, grow
from geoforest_cli.estimators.directions.null import null_of
from geoforest_cli.estimators.directions.refinement import prune, refine
from geoforest_cli.estimators.directions.search import Direction, strongest

__all__ = ["Family", "find_families"]

Floats = npt.NDArray[np.float64]
# each with random starts of its own; one p-value is multiplied by their number (Bonferroni), which
# costs little: near the threshold a factor of e is about .1 in z
_SEARCHES = 4
_MAX_DIRECTIONS = 8  # directions of a family: a density in more has no rows to be estimated from


class Family(NamedTuple):
    """A span of directions in whitened space.

    Attributes
    ----------
    basis : (r, q) float64
        Orthonormal.
    z : float
        Contrast of the direction that the family began with.
    p_value : float
        How often the search finds as large a contrast in normal noise.
    gain : float
        Leave-one-out log likelihood per row over a normal density.
    """

    basis: Floats
    z: float
    p_value: float
    gain: float


def find_families(whitened: Floats, level: float, rng: np.random.Generator) -> list[Family]:
    """Return the families of a whitened table (n, r), in the order in which they are found.

    The search goes on in the complement of what it has found, until none of four searches
    has a direction at the level.
    """
    families: list[Family] = []
    space = np.eye(whitened.shape[1])  # what is orthogonal to all families
    while space.shape[1] > 0:
        part = whitened @ space
        first, p_value = _seed(part, level, rng)
        if p_value > level:
            break
        basis, gain = _family(part, first.vector[:, None], level, rng)
        families.append(Family(space @ basis, first.z, p_value, gain))
        space = space @ complement(basis)
    return families


def _seed(whitened: Floats, level: float, rng: np.random.Generator) -> tuple[Direction, float]:
    """Search until a direction is found at the level; return the best with its p-value.

    The p-value of one search times the number of searches bounds that of the best of them.
    """
    null = null_of(*whitened.shape)
    best = strongest(whitened, rng)
    for _ in range(_SEARCHES - 1):
        if _SEARCHES * null.tail(best.z) <= level:
            break
        best = max(best, strongest(whitened, rng), key=lambda direction: direction.z)
    return best, min(_SEARCHES * null.tail(best.z), 1.0)


def _family(
    whitened: Floats, basis: Floats, level: float, rng: np.random.Generator
) -> tuple[Floats, float]:
    """Grow, refine, grow once more, refine again if it grew, and prune."""
    basis = _grown(whitened, basis, level, rng)
    basis, gain = refine(whitened, basis)
    wider = _grown(whitened, basis, level, rng)
    if wider.shape[1] > basis.shape[1]:
        basis, gain = refine(whitened, wider)
    return prune(whitened, basis, gain)


def _grown(whitened: Floats, basis: Floats, level: float, rng: np.random.Generator) -> Floats:
    while basis.shape[1] < min(_MAX_DIRECTIONS, whitened.shape[1]):
        others = complement(basis)
        added = grow(whitened @ basis, whitened @ others, rng, level)
        if added is None:
            break
        basis = np.column_stack([basis, others @ added])
    return basis
