"""Dependence of rows on those before them, as in a time series: p-values are too small then."""

from __future__ import annotations

import contextlib
import warnings
from collections.abc import Iterator, Sequence
from contextvars import ContextVar
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from geoforest_cli.estimators.base.validation import names_of

__all__ = [
    "DependentRowsWarning",
    "columns_of_dependent_rows",
    "dependent_rows_allowed",
    "warn_of_dependent_rows",
]

_BLOCK = 20  # rows; a table that is sorted by classes is in disorder within most blocks
_FEWEST_PAIRS = 10  # of neighbouring rows with values in a block
_LARGE_LAG = 0.25  # lag-one correlation in half of the blocks: from it on p-values are too small
_SURE, _LIKELY = 4.5, 2.0  # standard errors: of two columns at least, and of the others then
_OF_MEDIAN = 1.25  # standard error of a median over that of a mean
_MOST_COLUMNS = 1000
_ALLOWED = ContextVar("dependent_rows_allowed", default=False)


class DependentRowsWarning(UserWarning):
    """Rows depend on those before them."""


@contextlib.contextmanager
def dependent_rows_allowed() -> Iterator[None]:
    """Do not look for dependent rows: where a screen only chooses columns, or a note names them."""
    before = _ALLOWED.set(True)
    try:
        yield
    finally:
        _ALLOWED.reset(before)


def warn_of_dependent_rows(table: npt.NDArray[Any], names: Sequence[str] | None = None) -> None:
    """Warn where rows of a table (n, p) depend on those before them.

    Warns
    -----
    DependentRowsWarning
    """
    if _ALLOWED.get():
        return
    columns = columns_of_dependent_rows(table)
    if len(columns):
        warnings.warn(
            f"rows depend on those before them in {names_of(columns, names)}: p-values hold for "
            "independent rows, and are too small if the table is a time series or follows a path "
            "(not if it is only sorted)",
            DependentRowsWarning,
            stacklevel=4,
        )


def columns_of_dependent_rows(points: npt.NDArray[Any]) -> npt.NDArray[np.intp]:
    """Return the columns in which a row depends on the one before it; none if fewer than two.

    By the median over blocks of twenty rows of the lag-one correlation of ranks, of the first
    thousand columns. Two have to be beyond doubt, by 4.5 standard errors; others need two.

    Parameters
    ----------
    points : (N, p) array
        May hold NaN.

    Examples
    --------
    >>> steps = np.random.default_rng(0).normal(size=(200, 2))
    >>> columns_of_dependent_rows(steps).tolist()
    []
    >>> columns_of_dependent_rows(steps.cumsum(axis=0)).tolist()
    [0, 1]
    """
    none = np.empty(0, np.intp)
    ranks = pd.DataFrame(points[:, :_MOST_COLUMNS]).rank().to_numpy()
    blocks = len(ranks) // _BLOCK
    if not blocks:
        return none
    inside = ranks[: blocks * _BLOCK].reshape(blocks, _BLOCK, -1)
    pairs = ~np.isnan(inside[:, 1:] * inside[:, :-1])
    with warnings.catch_warnings(), np.errstate(invalid="ignore", divide="ignore"):
        warnings.filterwarnings("ignore", "Mean of empty slice|All-NaN slice", RuntimeWarning)
        centred = inside - np.nanmean(inside, axis=1, keepdims=True)
        lagged = np.nanmean(centred[:, 1:] * centred[:, :-1], axis=1)
        lagged /= np.nanmean(centred**2, axis=1)
        lagged[pairs.sum(axis=1) < _FEWEST_PAIRS] = np.nan
        middle = np.nanmedian(lagged, axis=0)
    error = _OF_MEDIAN / np.sqrt(np.maximum(pairs.sum(axis=(0, 1)), 1))
    # the mean of a block is taken from its own rows
    size = np.abs(middle + 1 / _BLOCK)
    if ((size > _LARGE_LAG) & (size > _SURE * error)).sum() < 2:
        return none
    return np.flatnonzero((size > _LARGE_LAG) & (size > _LIKELY * error))
