"""What is said of the values of columns: of whole tables, and of a sample of one in parts."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from geoforest_cli.tables.missing_values import missing_code_notes
from geoforest_cli.tables.outliers import outlier_note
from geoforest_cli.tables.same_order import same_order_note

__all__ = ["column_notes"]


def column_notes(
    points: npt.NDArray[np.floating],
    names: Sequence[str],
    rows: npt.NDArray[np.int64],
    *,
    codes_only: bool = False,
) -> list[str]:
    """Return notes on codes for missing values, values far from all others, and equal orders.

    Parameters
    ----------
    points : (N, p) array
    names : sequence of str
    rows : (N,) int64
        Numbers of the rows in the user's table.
    codes_only : bool
        Only those on codes, for a classifier or an image.

    Examples
    --------
    >>> ages = np.array([[41.0], [35], [-999], [52], [29]])
    >>> column_notes(ages, ["age"], np.arange(5))
    ['-999 lies far from all other values of age: if it stands for a missing value, empty its \
cells.']
    """
    notes = missing_code_notes(points, names)
    if codes_only:
        return notes
    return [*notes, *outlier_note(points, names, rows), *same_order_note(points, names)]
