"""The named tuples that kernels take: the rules of a forest, a node, a search, a projection."""

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int32]
Longs = npt.NDArray[np.int64]


class Rules(NamedTuple):
    """Sampler and limits of all trees; switches are 0 or 1.

    A node draws n_projections candidates at a time, with n_nonzeros entries in all; table_size,
    patch and poisson_mean are what single samplers need. While no candidate scores below
    stop_score, more are drawn, up to most_projections, per_turn of them in turn from all columns
    and from those on the shortlist; with one_by_one, each is judged before the next. Where none
    scores below, the node's children draw at most child_search_fraction of its number. Nodes of
    fewer than min_parent bag rows, or at max_depth, are leaves; sides of fewer than min_leaf, or of
    less than least_share of a node, are not cut off. Nodes of more than max_search distinct rows
    choose on as many of them (0: on all). sums: every projection is a sum, even one of a single
    column. whole: all projections are whole numbers of 32 bits. missing: which columns lack values,
    where the table has copies of all columns, see `sides`; else empty. together: the candidates of
    a node are projected together. full_credit: the gain of a cut goes to each of its features.
    """

    sampler: int
    one_by_one: int
    sums: int
    n_projections: int
    n_nonzeros: int
    table_size: int
    patch: Longs
    poisson_mean: float
    min_parent: int
    min_leaf: int
    max_depth: int
    floor: float
    bootstrap: int
    max_search: int
    whole: int
    missing: npt.NDArray[np.bool_]
    together: int
    least_share: float
    most_projections: int
    per_turn: int
    child_search_fraction: float
    stop_score: float
    full_credit: int


class Logs(NamedTuple):
    """exact[i] = ln i; rough is the table of `rough_log`."""

    exact: Floats
    rough: Floats


class Tables(NamedTuple):
    """Arrays that all trees of a forest share and none changes.

    ranks hold the rank of each row in every column, equal values by row, or no column at all where
    they would not fit; distinct tells which columns have no two equal values; dense has ranks that
    equal values share, and is `ranks` where there are none; largest is the largest size of a
    column's values; roundings the variance within a step of a column that is recorded in steps,
    else 0; shortlist the most clustered columns. row is the row at each place where the kernels see
    rows in another order than the table has, else empty.
    """

    logs: Logs
    ranks: npt.NDArray[np.uint16]
    distinct: npt.NDArray[np.bool_]
    dense: npt.NDArray[np.uint16]
    largest: Floats
    roundings: Floats
    shortlist: Longs
    row: Integers


class Points(NamedTuple):
    """Data of a criterion without a target: columns (p, N), and the tables of the forest."""

    columns: Floats
    tables: Tables


class TreeNode(NamedTuple):
    """The distinct bag rows rows[start:stop] of a node; n of them with their bag counts."""

    rows: Integers
    start: int
    stop: int
    n: int
    counts: Integers


class Projection(NamedTuple):
    """The sum of weights[k] * columns[features[k]] over k from low to high."""

    features: Integers
    weights: npt.NDArray[np.float32]
    low: int
    high: int


class Sorted(NamedTuple):
    """A sorted projection z[:m] of the rows order[:m], w their bag counts, n the sum of these.

    centred, sums and squares are scratch of length m, n + 1 and n + 1.
    """

    z: Floats
    order: Integers
    w: Integers
    m: int
    n: int
    centred: Floats
    sums: Floats
    squares: Floats


class Limits(NamedTuple):
    """Cuts of a projection that are allowed and of interest.

    Sides have min_leaf bag rows at least. Variances are clamped below at floor times the node's;
    with 0, cuts with a side of zero variance are skipped. rounding is the variance within a step
    where values are recorded in steps, else 0. Only scores below best are of interest.
    """

    min_leaf: int
    floor: float
    rounding: float
    best: float


class Search(NamedTuple):
    """The candidates of a node, of which only scores below best count, and scratch arrays."""

    candidates: Any
    n_candidates: int
    rules: Rules
    min_leaf: int
    best: float
    work: Any
    scratch: Any
