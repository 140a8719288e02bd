"""Columns whose distance from the middle goes with that of other columns."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from geoforest_cli.estimators.screening.autocorrelation import autocorrelated_columns
from geoforest_cli.estimators.screening.columns import MOST_PAIRED
from geoforest_cli.estimators.screening.correlation import CorrelationScreen, Scores
from geoforest_cli.estimators.screening.row_order import dependent_rows_allowed

__all__ = ["columns_of_related_sizes", "size_support"]

Numbers = npt.NDArray[np.int64]
_MIN_COLUMNS = 3  # two that depend on each other alone show it in pairs
_MANY_COLUMNS = 20  # among fewer, one that is dropped wrongly costs more than noise that is kept


def columns_of_related_sizes(
    table: npt.NDArray[Any], level: float = 0.001, n_jobs: int | None = None
) -> Numbers:
    """Return the columns that are far from their median where another one is far, or is near.

    Coordinates of a sphere in five dimensions are an example: none rises or falls with another
    one, and a table of counts hardly shows that they depend on each other, but where one is large
    all others are small. Columns that depend on several of these together are returned as well
    (`autocorrelated_columns`) if the table has no missing value. The array is empty if fewer than
    three are found, or if the table has fewer than twenty columns, or more than 20,000.

    Parameters
    ----------
    table : (n, p) array
        May hold NaN.
    level : float
        Bound on the probability that any column that is independent of all others is found.
    n_jobs : int, optional
        Threads.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(500, 5))
    >>> X /= np.linalg.norm(X, axis=1)[:, None]
    >>> columns_of_related_sizes(np.c_[X, rng.lognormal(size=(500, 20))]).tolist()
    [0, 1, 2, 3, 4]
    """
    none = np.empty(0, np.int64)
    if not _MANY_COLUMNS <= table.shape[1] <= MOST_PAIRED:
        return none
    related = np.flatnonzero(size_support(table, level, n_jobs)).astype(np.int64)
    if len(related) < _MIN_COLUMNS:
        return none
    if np.isnan(table).any():
        return related
    # which rows are looked at, where they are many, is the same in every fit
    return autocorrelated_columns(table, related, np.random.default_rng(0))


def size_support(
    table: npt.NDArray[Any], level: float, n_jobs: int | None = None
) -> npt.NDArray[np.bool_]:
    """Return whether the size of each column correlates with that of another one.

    Sizes are absolute values of the columns' normal scores, so that no increasing transformation
    matters; `CorrelationScreen` tests them.
    """
    sizes = np.abs(Scores.of(table).values.T)
    sizes[np.isnan(table)] = np.nan
    with dependent_rows_allowed():
        screen = CorrelationScreen(level=level, n_jobs=n_jobs).fit(sizes)
    support: npt.NDArray[np.bool_] = screen.support_
    return support
