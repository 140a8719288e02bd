"""The table of projection samplers, and the kernels that are the same for all of them.

A sampler `draw(rules, draws, candidates)` fills `Candidates` for one node and returns how many it
made. A sampler of single columns also sets `swaps`, so that none is drawn twice.
"""

import math
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from numba.extending import overload

from geoforest_cli.core.jit import inner_kernel
from geoforest_cli.estimators.forests.kernels.axis import axis
from geoforest_cli.estimators.forests.kernels.dispatch import NUMBERS_ONLY, by_number
from geoforest_cli.estimators.forests.kernels.mixed import mixed
from geoforest_cli.estimators.forests.kernels.oblique import oblique
from geoforest_cli.estimators.forests.kernels.patch import patch
from geoforest_cli.estimators.forests.kernels.poisson import MOST_POISSON, poisson
from geoforest_cli.estimators.forests.kernels.rules import Longs


class Draws(NamedTuple):
    """Columns and numbers that a sampler draws from.

    p columns are there, and those of `columns` are the ones to choose from for samplers that know
    a shortlist; the first `seen` of them were drawn for this node before. `most` candidates are
    left to draw.
    """

    state: npt.NDArray[np.uint64]
    p: int
    seen: int
    most: int
    columns: Longs


class Sampler(NamedTuple):
    """A sampler, and what the search has to know about it.

    Attributes
    ----------
    draw : kernel
    most_nonzeros : int, optional
        Most non-zeros of one candidate; else as many are drawn in all as asked for.
    possible : callable, optional
        How many different candidates there are for p columns, where that may be few.
    at_once : int, optional
        Candidates drawn at once; else as many as asked for.
    one_by_one : bool
        Each candidate is judged before the next: one may end the search.
    single : bool
        Many candidates are single columns of the table: ranks make sorting quick.
    sums : bool
        Every candidate is a sum of pixels, even where it has a single non-zero.
    """

    draw: Any
    most_nonzeros: int | None = None
    possible: Callable[[int], float] = lambda _p: math.inf
    at_once: int | None = None
    one_by_one: bool = False
    single: bool = True
    sums: bool = False


SAMPLERS = {
    "axis": Sampler(axis, 1, possible=lambda p: p),
    "oblique": Sampler(oblique),
    "poisson": Sampler(poisson, MOST_POISSON),
    "patch": Sampler(patch, 4, single=False, sums=True),
    "mixed": Sampler(mixed, 2, lambda p: p * p, at_once=32, one_by_one=True, single=False),
}


def draw(rules, draws, candidates):
    """Let the sampler of the forest, by its place in the table, draw candidates."""
    return list(SAMPLERS.values())[rules.sampler].draw(rules, draws, candidates)


@overload(draw, jit_options=NUMBERS_ONLY)
def _compiled_draw(rules, draws, candidates):
    return by_number([sampler.draw for sampler in SAMPLERS.values()])


@inner_kernel
def take_back(draws, used, d, candidates):
    """Undo all but the first `used` of d candidates; return the single columns drawn till then."""
    seen, swaps, columns = draws.seen, candidates.swaps, draws.columns
    for c in range(d):
        seen += 1 if swaps[c] >= 0 else 0
    for c in range(d - 1, used - 1, -1):
        if swaps[c] >= 0:
            seen -= 1
            j = swaps[c]
            columns[seen], columns[j] = columns[j], columns[seen]
    if used < d:
        draws.state[0] = candidates.states[used - 1]
    return seen
