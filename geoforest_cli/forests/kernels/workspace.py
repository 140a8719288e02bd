"""Buffers of trees, allocated once: no kernel allocates in its inner loop."""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from geoforest_cli._jit import inner_kernel, kernel
from geoforest_cli.forests.kernels.bound import MOST_BINS
from geoforest_cli.forests.kernels.project import ROWS_TOGETHER
from geoforest_cli.forests.kernels.rules import AXIS, MIXED

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int32]
Longs = npt.NDArray[np.int64]


# whole values are counted rather than sorted while their range, times the classes, is at most this
VALUES_PER_ROW, LEAST_VALUES, MOST_CELLS = 2, 64, 1 << 20
# columns of a node are copied side by side while they fit into a processor's cache
MOST_COPIED = 1 << 18
# values of a table that a processor's caches may hold: those of a larger one are copied for all of
# a node's candidates together, where each column serves more than one of them
MOST_CACHED = 1 << 21
# candidates of the mixed sampler drawn at once, of which one may end the search
DRAWN_AT_ONCE = 32


class Workspace(NamedTuple):
    """Scratch arrays of length N (sums and squares: N + 1) for judging one projection.

    by_value counts the classes at every whole value; it is zero between uses. copied holds the
    node's rows of those columns whose stamp in copied_for is the node's; the histogram is that of
    `bound`, at_least its scores of the node's candidates. together has all their projections, by
    way of block; it is empty where they are not made together.
    """

    z: Floats
    spare_z: Floats
    scratch: Floats
    sums: Floats
    squares: Floats
    order: Integers
    spare_order: Integers
    bucket: Integers
    bucket_first: Integers
    w: Integers
    label: Integers
    left: Floats
    right: Floats
    totals: Floats
    spare_rows: Integers
    bits: npt.NDArray[np.uint64]
    whole: Integers
    by_value: Integers
    sorted_w: Integers
    sorted_label: Integers
    row_w: Integers
    copied: Floats
    copied_for: Longs
    bins: Longs
    counted: Longs
    added: Floats
    squared: Floats
    at_least: Floats
    together: Floats
    block: Floats


class Tables(NamedTuple):
    """What all trees of a forest share and none changes.

    logs[i] = ln i for i up to N; mantissas serve rough logarithms; ranks hold the rank of
    each row in every column, equal values by row, or no column at all where they would not fit;
    distinct tells which columns have no two equal values; dense has ranks that equal values share,
    and is `ranks` where there are none; largest is the largest size of a column's values;
    roundings the variance within a step of a column that is recorded in steps, else 0; shortlist
    the most clustered columns.
    """

    logs: Floats
    mantissas: Floats
    ranks: npt.NDArray[np.uint16]
    distinct: npt.NDArray[np.bool_]
    dense: npt.NDArray[np.uint16]
    largest: Floats
    roundings: Floats
    shortlist: Longs


class Candidates(NamedTuple):
    """The projections drawn for one node, and what their samplers remember.

    permutation and shortlist are the columns, all or those on the list, in the order drawn.
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

    children: npt.NDArray[np.int32]
    threshold: Floats
    begin: Longs
    length: Integers
    stack: Longs


@inner_kernel
def values_that_fit(n_points, n_classes):
    """How many whole values a node of n_points rows counts rather than sorts."""
    return min(VALUES_PER_ROW * n_points + LEAST_VALUES, MOST_CELLS // n_classes)


@kernel
def new_workspace(n_points, n_classes, whole, n_copied=0, n_candidates=0, n_nonzeros=0):
    """Allocate the scratch arrays for a tree on n_points rows.

    n_copied columns may be copied, and the candidates of a node projected together if they have
    n_nonzeros in all.
    """
    dense = n_nonzeros > n_copied and n_copied * n_points > MOST_CACHED
    blocks = -(-n_points // ROWS_TOGETHER) if dense else 0
    counted = n_points if whole == 1 else 0
    cells = values_that_fit(n_points, n_classes) * n_classes if whole == 1 else 0
    return Workspace(
        np.empty(n_points, np.float64),
        np.empty(n_points, np.float64),
        np.empty(n_points, np.float64),
        np.empty(n_points + 1, np.float64),
        np.empty(n_points + 1, np.float64),
        np.empty(n_points, np.int32),
        np.empty(n_points, np.int32),
        np.empty(n_points, np.int32),
        np.empty(n_points + 1, np.int32),
        np.empty(n_points, np.int32),
        np.zeros(n_points, np.int32),
        np.zeros(n_classes, np.float64),
        np.zeros(n_classes, np.float64),
        np.zeros(n_classes, np.float64),
        np.empty(n_points, np.int32),
        np.zeros(n_points // 64 + 1, np.uint64),
        np.empty(counted, np.int32),
        np.zeros(cells, np.int32),
        np.empty(counted, np.int32),
        np.empty(counted, np.int32),
        np.empty(n_points, np.int32),
        np.empty(min(n_copied * n_points, MOST_COPIED), np.float64),
        np.full(n_copied, -1, np.int64),
        np.empty(MOST_BINS, np.int64),
        np.empty(MOST_BINS + 1, np.int64),
        np.empty(MOST_BINS + 1, np.float64),
        np.empty(MOST_BINS + 1, np.float64),
        np.empty(n_candidates, np.float64),
        np.empty((n_candidates if dense else 0, blocks * ROWS_TOGETHER), np.float64),
        np.empty(n_copied * ROWS_TOGETHER if dense else 0, np.float64),
    )


@kernel
def new_candidates(p, d, n_nonzeros, sampler, table_size, shortlist):
    """Allocate room for d candidates with n_nonzeros entries in all."""
    if sampler == MIXED:
        d, n_nonzeros = DRAWN_AT_ONCE, 2 * DRAWN_AT_ONCE
    most = max(n_nonzeros, d)
    return Candidates(
        np.empty(d + 1, np.int64),
        np.empty(most, np.int32),
        np.empty(most, np.float32),
        np.empty(p if sampler == AXIS or sampler == MIXED else 1, np.int64),
        np.empty(shortlist.shape[0], np.int64),
        np.empty(table_size, np.int64),
        np.zeros(table_size, np.int32),
        np.empty(most, np.int64),
        np.empty(d, np.uint64),
        np.empty(d, np.int64),
    )


@kernel
def forget(cand, work, tables):
    """Undo what the samplers and the workspace remember of the tree before."""
    for i in range(cand.permutation.shape[0]):
        cand.permutation[i] = i
    cand.shortlist[:] = tables.shortlist
    cand.stamps[:] = 0
    work.copied_for[:] = -1


@kernel
def new_winner(cand):
    """Allocate room for any one of the candidates."""
    size = cand.features.shape[0]
    return Winner(np.empty(size, np.int32), np.empty(size, np.float32))


@inner_kernel
def keep(cand, c, winner):
    """Copy candidate c; return the number of its non-zeros."""
    low, high = cand.first[c], cand.first[c + 1]
    for k in range(low, high):
        winner.features[k - low] = cand.features[k]
        winner.weights[k - low] = cand.weights[k]
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
def enlarged(array, size):
    """Copy `array` into a longer one."""
    bigger = np.empty(size, array.dtype)
    bigger[: array.shape[0]] = array
    return bigger
