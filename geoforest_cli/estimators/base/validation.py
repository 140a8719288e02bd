"""Checks of a table of points, shared by the baselines."""

import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import psutil
from scipy.sparse import issparse
from sklearn.utils.validation import validate_data

from geoforest_cli.core.errors import DataError

# the squares of larger values, added up over the columns, leave the range of their type
LARGEST_VALUE = 1e150
LARGEST_SINGLE = 1e16
_ROUNDING = 16  # units of the last digit
_MOST_NAMES = 10


class _NotNumbers(DataError, TypeError):
    """Objects where numbers are needed: scikit-learn promises a TypeError."""


def check_points(
    X: npt.ArrayLike, largest: float = LARGEST_VALUE, *, at_least: int = 2
) -> npt.NDArray[Any]:
    """Return X as an (N, p) float array; float32 stays float32.

    Parameters
    ----------
    X : (N, p) array-like
    largest : float
        Values beyond it are refused.
    at_least : int
        Points that are needed.

    Raises
    ------
    DataError
        For text, complex numbers, dates, NaN, infinities, values beyond `largest`, rows of
        unequal length, the wrong number of axes, an empty table, one point.

    Examples
    --------
    >>> check_points([[1, 2], [3, 4]]).dtype
    dtype('float64')
    """
    points = _real_numbers(X)
    if points.ndim != 2:
        what = f"a table of points has 2 axes, this one has {points.ndim}"
        raise DataError(f"{what}. Reshape your data" if points.ndim == 1 else what)
    n, p = points.shape
    if n < at_least or p < 1:
        needed = "2 points" if at_least > 1 else "1 point"
        least = f"at least {needed} with 1 column are needed, not {n} with {p}"
        if p < 1:
            columns = f"{p} feature(s) (shape={points.shape}) while a minimum of 1 is required"
            raise DataError(f"{columns}: {least}")
        raise DataError(f"{least}: n_samples = {n}")
    bad = ~np.isfinite(points)
    if bad.any():
        row, column = np.argwhere(bad)[0]
        what = "NaN" if np.isnan(points[row, column]) else "an infinity"
        raise DataError(f"row {row}, column {column} (both count from 0) holds {what}")
    if max(float(points.max()), -float(points.min())) > largest:
        row, column = np.argwhere(np.abs(points.astype(np.float64)) > largest)[0]
        raise DataError(
            f"row {row}, column {column} (both count from 0) holds {points[row, column]:.3g}; "
            f"values up to {largest:g} are allowed"
        )
    return points


def constant_columns(points: npt.NDArray[Any]) -> npt.NDArray[np.bool_]:
    """Return which columns of points (N, p) are constant up to rounding; NaN do not count.

    Their values differ by at most 16 units of the last digit: more than the rounding of a short
    sum, and less than any measurement resolves.

    Examples
    --------
    >>> constant_columns(np.array([[0.3, 0.3], [0.1 + 0.2, 0.31]])).tolist()
    [True, False]
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)  # columns without any number
        low, high = np.nanmin(points, axis=0), np.nanmax(points, axis=0)
    unit = np.finfo(points.dtype).eps * np.maximum(np.abs(low), np.abs(high))
    with np.errstate(over="ignore", invalid="ignore"):
        constant: npt.NDArray[np.bool_] = high - low <= _ROUNDING * unit
    return constant


def without_rounding(points: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Return points (N, p) where columns that are constant up to rounding hold their least value.

    Scaled to unit variance, or cut by a tree, the rounding would become a feature.

    Examples
    --------
    >>> without_rounding(np.array([[0.3, 1.0], [0.1 + 0.2, 2.0]])).tolist()
    [[0.3, 1.0], [0.3, 2.0]]
    """
    uneven = np.flatnonzero(constant_columns(points) & (points != points[0]).any(axis=0))
    if not len(uneven):
        return points
    level = points.copy()
    for j in uneven:
        level[~np.isnan(points[:, j]), j] = np.nanmin(points[:, j])
    return level


def names_of(columns: npt.NDArray[np.intp], names: Sequence[str] | None) -> str:
    """Return the names of up to ten columns, by default x0, x1, ..., and how many more there are.

    Examples
    --------
    >>> names_of(np.array([0, 2]), None)
    'x0, x2'
    """
    listed = [f"x{j}" if names is None else str(names[j]) for j in columns[:_MOST_NAMES].tolist()]
    more = len(columns) - len(listed)
    return ", ".join(listed) + (f" and {more} more" if more else "")


def require_numeric_columns(X: object) -> None:
    """Refuse a data frame with text, categories or dates, in words.

    Raises
    ------
    DataError

    Examples
    --------
    >>> import pandas as pd
    >>> require_numeric_columns(pd.DataFrame({"x": [1, 2], "kind": ["a", "b"]}))
    Traceback (most recent call last):
    geoforest_cli.core.errors.DataError: the column 'kind' holds text or categories ('a') where \
numbers are needed; pandas.get_dummies makes columns of zeros and ones of it
    """
    if not (hasattr(X, "dtypes") and hasattr(X, "columns") and hasattr(X, "iloc")):
        return
    for column, (name, dtype) in enumerate(zip(X.columns, X.dtypes, strict=True)):
        kind = getattr(dtype, "kind", "O")
        if kind in "mM":
            raise DataError(
                f"the column {name!r} holds dates or durations where numbers are needed, such as "
                "days since the first"
            )
        if kind != "O":
            continue
        values = X.iloc[:, column].dropna()
        text = [value for value in values.unique() if isinstance(value, str)]
        if text:
            raise DataError(
                f"the column {name!r} holds text or categories ({text[0]!r}) where numbers are "
                "needed; pandas.get_dummies makes columns of zeros and ones of it"
            )


def table_of(
    estimator: Any, X: npt.ArrayLike, *, reset: bool, largest: float = LARGEST_VALUE
) -> npt.NDArray[Any]:
    """Return `check_points` of X, its number of columns and their names kept by the estimator.

    Raises
    ------
    DataError
        As `check_points`.
    ValueError
        With `reset=False`, where the columns are not those of the table that was fitted.
    """
    points = check_points(X, largest) if reset else check_points(X, largest, at_least=1)
    validate_data(estimator, X, reset=reset, skip_check_array=True)
    return points


def require_memory(needed: int, what: str, hint: str = "") -> None:
    """Refuse a result that would not fit in the free memory.

    Parameters
    ----------
    needed : int
        Bytes.
    what : str
        The sentence's subject.
    hint : str
        Its end: what needs less.

    Examples
    --------
    >>> require_memory(8 * 10**18, "a matrix of distances")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    geoforest_cli.core.errors.DataError: a matrix of distances needs 8000000000.0 GB, but ...
    """
    free = psutil.virtual_memory().available
    if needed > free:
        sizes = f"needs {needed / 1e9:.1f} GB, but {free / 1e9:.1f} GB are free"
        raise DataError(f"{what} {sizes}{hint}")


def require_all_pairs(m: int, n: int, copies: int = 2) -> None:
    """Refuse a dense m x n matrix of distances that would not fit, with its working copies."""
    require_memory(8 * copies * m * n, f"a dense {m} x {n} matrix of distances")


def _real_numbers(X: npt.ArrayLike) -> npt.NDArray[Any]:
    if issparse(X):
        raise DataError("the table is sparse where a dense one is needed")
    try:
        points = np.asarray(X)
    except ValueError:
        raise DataError("the rows of the table differ in length") from None
    kind = points.dtype.kind
    if kind in "SUT" or (kind == "O" and any(isinstance(v, str | bytes) for v in points.flat)):
        raise DataError("the table holds text where numbers are needed")
    if kind == "c":
        raise DataError(f"Complex data not supported: the table holds {points.dtype}")
    if kind not in "biufO":
        raise DataError(f"the table holds {points.dtype} where real numbers are needed")
    if points.dtype == np.float32:
        return points
    try:
        return points.astype(np.float64)
    except (TypeError, ValueError, OverflowError) as error:
        raise _NotNumbers(f"the table cannot be read as numbers: {error}") from None
