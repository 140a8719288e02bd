"""Tables that all trees of a forest share: ranks, logarithms, steps, columns on the shortlist."""

import functools
import math

import numpy as np
import numpy.typing as npt

from geoforest_cli.core.threads import mapped
from geoforest_cli.estimators.forests.kernels.fast_bic import mantissa_logs
from geoforest_cli.estimators.forests.kernels.rules import Logs, Tables
from geoforest_cli.estimators.forests.kernels.shortlist import clusteredness

Floats = npt.NDArray[np.float64]

_MOST_BYTES_OF_RANKS = 1_000_000_000
_MOST_RANKED_ROWS = 1 << 16  # ranks are 16 bits wide
_SAME = 1e-9  # of a column's range: values as near are one
_OFF = 0.01  # of a step: how far off its multiples may be
_VALUES_PER_BLOCK = 1 << 16


def logarithms(n: int) -> Floats:
    """Return ln i for i up to n, with 0 for ln 0."""
    return _logarithms(1 << n.bit_length())[: n + 1]


@functools.lru_cache(maxsize=1)
def _logarithms(n: int) -> Floats:
    return np.array([0.0, *map(math.log, range(1, n + 1))])


def ranks_of(
    columns: npt.NDArray[np.float64],
) -> tuple[npt.NDArray[np.uint16], npt.NDArray[np.bool_], npt.NDArray[np.uint16]]:
    """Return the ranks of the rows of (p, N) columns, which columns have no ties, and dense ranks.

    Ranks of equal values are in the order of the rows, dense ones the same; where there are no
    ties at all both are one array. All are empty where ranks would not fit.
    """
    p, n = columns.shape
    fits = n <= _MOST_RANKED_ROWS and 2 * p * n <= _MOST_BYTES_OF_RANKS
    ranks = np.empty((p if fits else 0, n), np.uint16)
    distinct = np.empty(len(ranks), np.bool_)
    dense = ranks
    places = np.arange(n, dtype=np.uint16)
    for j in range(len(ranks)):
        order = np.argsort(columns[j])
        ordered = columns[j, order]
        rises = ordered[1:] > ordered[:-1]
        distinct[j] = bool(rises.all())
        if not distinct[j]:
            if dense is ranks:
                dense = np.empty_like(ranks)
                dense[:j] = ranks[:j]
            groups = np.concatenate([[0], np.cumsum(rises)])
            # this sort leaves the order of ties to the processor, but a stable one is slower than
            # to sort them by row
            order = np.sort(groups * n + order) - groups * n
            dense[j, order] = groups
        elif dense is not ranks:
            dense[j, order] = places
        ranks[j, order] = places
    return ranks, distinct, dense


def shared_tables(
    columns: npt.NDArray[np.float64], *, ranked: bool, stepped: float | None = None,
    shortlist: int = 0, min_share: float = 0.0, variance_floor: float = 0.0,
    n_jobs: int | None = None,
) -> Tables:  # fmt: skip
    """Return what all trees on these columns share.

    Parameters
    ----------
    columns : (p, N) array
    ranked : bool
        Nodes are sorted by the ranks of their rows.
    stepped : float, optional
        Variance within a step of every column; by default each is looked at.
    shortlist : int
        How many columns are on the shortlist, at most: those of the smallest delta-BIC per row.
    min_share, variance_floor : float
        Of the cuts by which columns get on the shortlist.
    n_jobs : int, optional
        Threads.
    """
    p, n = columns.shape
    ranks, distinct, dense = ranks_of(columns if ranked else columns[:0])
    largest = np.maximum(np.nanmax(columns, axis=1), -np.nanmin(columns, axis=1))
    logs = Logs(logarithms(n), mantissa_logs())
    roundings = np.full(p, 0.0 if stepped is None else stepped)
    scores = np.full(p, np.inf)

    def look(here: slice) -> None:
        ordered = np.sort(columns[here], axis=1)  # NaN last
        counts = n - np.isnan(ordered).sum(axis=1)
        if stepped is None:
            roundings[here] = _roundings(ordered, counts)
        if shortlist:
            scores[here] = clusteredness(
                ordered, counts, min_share, variance_floor, logs, roundings[here]
            )

    if stepped is None or shortlist:
        width = max(1, _VALUES_PER_BLOCK // n)
        list(mapped(look, [slice(start, start + width) for start in range(0, p, width)], n_jobs))
    shortlisted = np.argsort(scores, kind="stable")[: min(shortlist, np.isfinite(scores).sum())]
    here = np.empty(0, np.int32)
    return Tables(logs, ranks, distinct, dense, largest, roundings, shortlisted, here)


def renumbered(
    columns: npt.NDArray[np.float64], tables: Tables, leaf_of: npt.NDArray[np.int32]
) -> tuple[npt.NDArray[np.float64], Tables]:
    """Return the columns (p, N) with the rows of one leaf side by side, and their tables.

    Most rows of a node then lie near each other in memory, in other trees too. leaf_of (N,) are the
    leaves of one tree: those with near numbers have a near ancestor.
    """
    row = np.argsort(leaf_of, kind="stable").astype(np.int32)
    return np.take(columns, row, axis=1), tables._replace(row=row)


def _roundings(ordered: Floats, counts: npt.NDArray[np.int64]) -> Floats:
    """Return h^2 / 12, the variance within a step, of each column recorded in steps h, else 0.

    It is if its values repeat (twice each on average) and all their differences are multiples of
    the smallest one, h.
    """
    roundings = np.zeros(len(ordered))
    last = ordered[np.arange(len(ordered)), np.maximum(counts, 1) - 1]
    gaps = np.diff(ordered, axis=1)
    apart = gaps > (_SAME * (last - ordered[:, 0]))[:, None]
    different = apart.sum(axis=1)
    for j in np.flatnonzero((different > 0) & (2 * (different + 1) <= counts)).tolist():
        steps = gaps[j, apart[j]]
        step = float(steps.min())
        multiples = steps / step
        if np.abs(multiples - np.rint(multiples)).max() < _OFF:
            roundings[j] = step * step / 12.0
    return roundings
