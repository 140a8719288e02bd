"""The nearest rows of every row, by a method that is not fitted yet."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from geoforest_cli.core.errors import UserError
from geoforest_cli.problems.metrics.ranking import rank_neighbors
from geoforest_cli.tables.memory import require_memory_for_matrix
from geoforest_cli.tables.messages import as_argument
from geoforest_cli.tables.table import Points

__all__ = ["ADAPTIVE", "FEWEST_COLUMNS", "flat_rows_note", "nearest_rows", "unreached_note"]

Floats = npt.NDArray[np.float64]
Indices = npt.NDArray[np.int64]

ADAPTIVE = "adaptive_neighbors"
# they compute in float32; the distances of some are in the units of the columns
_SINGLE = {"umap", "treeple_forest", "flann"}
_IN_UNITS = {"flann"}
# with fewer all rows are at one of two distances
FEWEST_COLUMNS = {"correlation": 3, "cosine": 2}


def nearest_rows(
    unfitted: Any, method: str, points: Points, columns: Sequence[str], k: int, seed: int
) -> tuple[Floats, Indices]:
    """Return the k nearest rows of each row, nearest first; copies of one another are drawn.

    Parameters
    ----------
    unfitted : object
        With ``kneighbors`` or ``distances``.
    method : str
        Its name.
    points : (N, p) array
    columns : sequence of str
    k, seed : int

    Raises
    ------
    UserError
        If the method has neither.
    """
    if method not in _SINGLE:
        return _nearest(unfitted, method, points, columns, k, seed)
    moved, exponent = _in_range_of_float32(points)
    distances, indices = _nearest(unfitted, method, moved, columns, k, seed)
    return np.ldexp(distances, exponent if method in _IN_UNITS else 0), indices


def _nearest(
    unfitted: Any, method: str, points: Points, columns: Sequence[str], k: int, seed: int
) -> tuple[Floats, Indices]:
    if hasattr(unfitted, "kneighbors"):
        table: Any = points
        if method == ADAPTIVE:  # it names the columns that it has chosen
            table = pd.DataFrame(points, columns=list(columns))
        nearest: tuple[Floats, Indices] = unfitted.fit(table).kneighbors(n_neighbors=k)
        return nearest
    if not hasattr(unfitted, "distances"):
        raise UserError(f"{as_argument('method', method)}: it has neither kneighbors nor distances")
    require_memory_for_matrix(method, len(points))
    matrix: Floats = unfitted.fit(points).distances()
    indices = rank_neighbors(matrix, k, "random", np.random.default_rng(seed))
    return np.take_along_axis(matrix, indices, axis=1), indices


def _in_range_of_float32(points: Points) -> tuple[Points, int]:
    """Return points about 0 and between -1 and 1, and by what power of two they are too small.

    In float32 an offset costs the digits that tell rows apart, and squares of 1e-23 are 0. A power
    of two changes no digit.
    """
    centred = points - points.mean(axis=0, dtype=np.float64)
    _, exponent = np.frexp(np.abs(centred).max())
    small: Points = np.ldexp(centred, -exponent)
    return small, int(exponent)


def unreached_note(distances: Floats) -> str:
    """Return what is said of neighbours at an infinite distance; empty where there are none.

    Examples
    --------
    >>> unreached_note(np.array([[0.5, 2.0]]))
    ''
    """
    count = int(np.isinf(distances).sum())
    if not count:
        return ""
    return (
        f"{count:,} of {distances.size:,} neighbours are infinitely far, as no path leads to them, "
        f"and in no order: ask for fewer ({as_argument('k')}), or for paths over more neighbours "
        "(the method's n_neighbors)."
    )


def flat_rows_note(method: str, points: Points) -> str:
    """Return what cosine and correlation make of rows that have no direction; empty for none.

    Examples
    --------
    >>> counts = np.array([[0.0, 0.0, 0.0], [1.0, 0.0, 2.0]])
    >>> print(flat_rows_note("cosine", counts))
    cosine: rows that are zero in all columns, 1 of 2, have no direction; their distance to every \
other row is that of a cosine of .5, so that they are neighbours of many: leave such rows out.
    >>> flat_rows_note("euclidean", counts)
    ''
    """
    if method == "cosine":
        flat, what = ~points.any(axis=1), "zero in all columns"
    elif method == "correlation":
        flat, what = np.ptp(points, axis=1) == 0, "the same in all columns"
    else:
        return ""
    if not flat.any():
        return ""
    return (
        f"{method}: rows that are {what}, {int(flat.sum()):,} of {len(points):,}, have no "
        f"direction; their distance to every other row is that of a {method} of .5, so that they "
        "are neighbours of many: leave such rows out."
    )
