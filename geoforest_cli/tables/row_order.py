"""Whether rows depend on those before them, as in a time series."""

from __future__ import annotations

import warnings
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
import pandas as pd

from geoforest_cli.tables.messages import format_names

__all__ = ["row_order_note"]

_BLOCK = 20  # rows; a table that is sorted by classes is in disorder within most blocks
_FEWEST_PAIRS = 10  # of neighbouring rows with values in a block
_LARGE = 0.25  # lag-one correlation in half of the blocks, from which p-values are too small
_SURE = 4.5  # standard errors
_OF_MEDIAN = 1.25  # standard error of a median over that of a mean
_MOST_COLUMNS = 1000


def row_order_note(points: npt.NDArray[np.floating], names: Sequence[str]) -> list[str]:
    """Return a note if in two columns or more a row depends on the one before it.

    By the median over blocks of twenty rows of the lag-one correlation of ranks, of the first
    thousand columns.

    Parameters
    ----------
    points : (N, p) array
    names : sequence of str

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> steps = rng.normal(size=(200, 2))
    >>> row_order_note(steps, ["a", "b"])
    []
    >>> print(*row_order_note(steps.cumsum(axis=0), ["a", "b"]))
    Rows depend on those before them in a, b: p-values hold for independent rows, and are too \
small if the table is a time series or follows a path (not if it is only sorted).
    """
    ranks = pd.DataFrame(points[:, :_MOST_COLUMNS]).rank().to_numpy()
    blocks = len(ranks) // _BLOCK
    if not blocks:
        return []
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
    dependent = (size > _LARGE) & (size > _SURE * error)
    if dependent.sum() < 2:
        return []
    found = format_names([names[int(column)] for column in np.flatnonzero(dependent)])
    note = (
        f"Rows depend on those before them in {found}: p-values hold for independent rows, and are "
        "too small if the table is a time series or follows a path (not if it is only sorted)."
    )
    return [note]
