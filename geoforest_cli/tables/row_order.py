"""Whether rows that follow one another are alike, as in a time series."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
import pandas as pd

from geoforest_cli.tables.messages import format_names

__all__ = ["row_order_note"]

_ALIKE = 0.4  # lag-one correlation from which p-values of two such columns are too small
_SURE = 4.5  # standard errors
_MOST_COLUMNS = 1000


def row_order_note(points: npt.NDArray[np.floating], names: Sequence[str]) -> list[str]:
    """Return a note if in two columns or more each row is like the one before it.

    By the lag-one correlation of ranks, of the first thousand columns.

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
    Rows are like those before them in a, b: p-values hold for independent rows, and are too small \
if the table is a time series or follows a path (not if it is only sorted).
    """
    ranks = pd.DataFrame(points[:, :_MOST_COLUMNS]).rank()
    before, after = ranks.iloc[:-1].reset_index(drop=True), ranks.iloc[1:].reset_index(drop=True)
    both = (before.notna() & after.notna()).sum()
    with np.errstate(invalid="ignore", divide="ignore"):
        lagged = before.corrwith(after)
    alike = ((lagged > _ALIKE) & (lagged * np.sqrt(both) > _SURE)).to_numpy()
    if alike.sum() < 2:
        return []
    found = format_names([names[int(column)] for column in np.flatnonzero(alike)])
    note = (
        f"Rows are like those before them in {found}: p-values hold for independent rows, and are "
        "too small if the table is a time series or follows a path (not if it is only sorted)."
    )
    return [note]
