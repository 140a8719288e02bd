"""Buffers of trees, allocated once: no kernel allocates in its inner loop."""

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from geoforest_cli.core.jit import inner_kernel, kernel
from geoforest_cli.estimators.forests.kernels.rules import Floats, Integers, Longs

# values of a table that a processor's caches may hold: those of a larger one are copied for all of
# a node's candidates together, where each column serves more than one of them
MOST_CACHED = 1 << 21
MOST_BINS = 128  # of the histogram that bounds Fast-BIC
ROWS_TOGETHER = 8  # a cache line of each column


class Workspace(NamedTuple):
    """Scratch arrays of length N (sums and squares: N + 1) for judging one projection.

    The first seven are what sorting takes; bits are zero between uses.
    """

    z: Floats
    order: Integers
    spare_z: Floats
    spare_order: Integers
    bucket: Integers
    bucket_first: Integers
    bits: npt.NDArray[np.uint64]
    w: Integers
    scratch: Floats
    sums: Floats
    squares: Floats
    spare_rows: Integers


class Histogram(NamedTuple):
    """Scratch of `bound.lowest`: bins, sums over those before each border, steps of the values."""

    bins: Longs
    counted: Longs
    added: Floats
    squared: Floats
    step: Integers


class BoundScratch(NamedTuple):
    """Scratch of criteria that may be bounded.

    at_least has the bounds of the node's candidates; together all their projections, by way of
    block, and is empty where they are not made together.
    """

    histogram: Histogram
    row_w: Integers
    at_least: Floats
    together: Floats
    block: Floats


class Candidates(NamedTuple):
    """The projections drawn for one node, and what their samplers remember.

    Candidate c has the non-zeros features[first[c]:first[c + 1]]. permutation and shortlist are
    the columns, all or those on the list, in the order drawn; swaps[c] is how a single column was
    brought forward there, else -1, and states[c] the random state after candidate c.
    """

    first: Longs
    features: Integers
    weights: npt.NDArray[np.float32]
    permutation: Longs
    shortlist: Longs
    table: Longs
    stamps: Integers
    cells: Longs
    states: npt.NDArray[np.uint64]
    swaps: Longs


class Winner(NamedTuple):
    """The best candidate of a node so far."""

    features: Integers
    weights: npt.NDArray[np.float32]


class Nodes(NamedTuple):
    """Nodes of a growing tree; non-zeros in visiting order, found by begin and length.

    stack has those to visit, see `trees.push`.
    """

    children: Integers
    threshold: Floats
    begin: Longs
    length: Integers
    stack: Longs


class Buffers(NamedTuple):
    """All that trees on the same data use one after the other; scratch is the criterion's."""

    candidates: Candidates
    work: Workspace
    scratch: Any
    winner: Winner
    nodes: Nodes


@kernel
def new_workspace(n_points):
    """Allocate the scratch arrays for trees on n_points rows."""
    return Workspace(
        np.empty(n_points, np.float64),
        np.empty(n_points, np.int32),
        np.empty(n_points, np.float64),
        np.empty(n_points, np.int32),
        np.empty(n_points, np.int32),
        np.empty(n_points + 1, np.int32),
        np.zeros(n_points // 64 + 1, np.uint64),
        np.empty(n_points, np.int32),
        np.empty(n_points, np.float64),
        np.empty(n_points + 1, np.float64),
        np.empty(n_points + 1, np.float64),
        np.empty(n_points, np.int32),
    )


@kernel
def new_histogram(n_points):
    """Allocate the scratch arrays of the bound."""
    return Histogram(
        np.empty(MOST_BINS, np.int64),
        np.empty(MOST_BINS + 1, np.int64),
        np.empty(MOST_BINS + 1, np.float64),
        np.empty(MOST_BINS + 1, np.float64),
        np.empty(n_points, np.int32),
    )


@kernel
def new_bound_scratch(p, n_points, rules):
    """Allocate what the search for a bounded criterion needs."""
    n_candidates = rules.n_projections if rules.together == 1 else 0
    blocks = -(-n_points // ROWS_TOGETHER)
    return BoundScratch(
        new_histogram(n_points),
        np.empty(n_points, np.int32),
        np.empty(rules.n_projections + 1, np.float64),
        np.empty((n_candidates, blocks * ROWS_TOGETHER), np.float64),
        np.empty(p * ROWS_TOGETHER if rules.together == 1 else 0, np.float64),
    )


@kernel
def new_candidates(p, rules, n_listed):
    """Allocate the arrays for the candidates that are drawn at once."""
    d = rules.n_projections
    most = max(rules.n_nonzeros, d)
    n_copies = rules.missing.shape[0]
    sides = 2 if n_copies > 0 else 1
    return Candidates(
        np.empty(sides * d + 1, np.int64),
        np.empty(sides * most, np.int32),
        np.empty(sides * most, np.float32),
        np.empty(p - n_copies, np.int64),
        np.empty(n_listed, np.int64),
        np.empty(rules.table_size, np.int64),
        np.zeros(rules.table_size + 1, np.int32),
        np.empty(most, np.int64),
        np.empty(d, np.uint64),
        np.full(d, -1, np.int64),
    )


@kernel
def forget(buffers, shortlist):
    """Undo what the samplers remember of the tree before."""
    permutation = buffers.candidates.permutation
    for i in range(permutation.shape[0]):
        permutation[i] = i
    buffers.candidates.shortlist[:] = shortlist
    buffers.candidates.stamps[:] = 0


@inner_kernel
def keep(candidates, c, winner):
    """Copy candidate c; return the number of its non-zeros."""
    low, high = candidates.first[c], candidates.first[c + 1]
    for k in range(low, high):
        winner.features[k - low] = candidates.features[k]
        winner.weights[k - low] = candidates.weights[k]
    return high - low


@kernel
def new_nodes(max_nodes):
    """Allocate the node arrays; a node without children is a leaf."""
    return Nodes(
        np.full((max_nodes, 2), -1, np.int32),
        np.empty(max_nodes, np.float64),
        np.empty(max_nodes, np.int64),
        np.empty(max_nodes, np.int32),
        np.empty((max_nodes, 7), np.int64),
    )


@kernel
def new_buffers(columns, rules, shortlist, scratch):
    """Allocate all buffers for trees on these columns."""
    p, n_points = columns.shape
    candidates = new_candidates(p, rules, shortlist.shape[0])
    most = candidates.features.shape[0]
    return Buffers(
        candidates,
        new_workspace(n_points),
        scratch,
        Winner(np.empty(most, np.int32), np.empty(most, np.float32)),
        new_nodes(2 * n_points + 1),
    )


@kernel
def enlarged(array, size):
    """Copy `array` into a longer one."""
    bigger = np.empty(size, array.dtype)
    bigger[: array.shape[0]] = array
    return bigger
