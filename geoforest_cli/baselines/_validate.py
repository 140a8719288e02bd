"""Checks of a table of points, shared by the baselines."""

from typing import Any

import numpy as np
import numpy.typing as npt

from geoforest_cli.errors import DataError


def check_points(X: npt.ArrayLike) -> npt.NDArray[Any]:
    """Return X as an (N, p) float array; float32 stays float32.

    Raises
    ------
    DataError
        For text, NaN, infinities, the wrong number of axes, an empty table, one point.

    Examples
    --------
    >>> check_points([[1, 2], [3, 4]]).dtype
    dtype('float64')
    """
    points = np.asarray(X)
    if points.dtype != np.float32:
        try:
            points = points.astype(np.float64)
        except (TypeError, ValueError):
            raise DataError("the table holds text where numbers are needed") from None
    if points.ndim != 2:
        raise DataError(f"a table of points has 2 axes, this one has {points.ndim}")
    n, p = points.shape
    if n < 2 or p < 1:
        raise DataError(f"at least 2 points with 1 column are needed, not {n} with {p}")
    bad = ~np.isfinite(points)
    if bad.any():
        row, column = np.argwhere(bad)[0]
        what = "NaN" if np.isnan(points[row, column]) else "an infinity"
        raise DataError(f"row {row + 1}, column {column + 1} holds {what}")
    return points
