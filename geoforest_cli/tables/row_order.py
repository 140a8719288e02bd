"""Whether rows depend on those before them, as in a time series."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from geoforest_cli.estimators.screening.row_order import columns_of_dependent_rows
from geoforest_cli.tables.messages import Note, format_names

__all__ = ["row_order_note"]


def row_order_note(points: npt.NDArray[np.floating], names: Sequence[str]) -> list[str]:
    """Return a note if in two columns or more a row depends on the one before it.

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
    Rows depend on those before them in a, b: p-values and scores hold for independent \
rows, and are too good if the table is a time series or follows a path (not if it is only sorted).
    """
    dependent = columns_of_dependent_rows(points)
    if not len(dependent):
        return []
    said = format_names([names[column] for column in dependent])
    note = (
        f"Rows depend on those before them in {said}: p-values and scores hold for independent "
        "rows, and are too good if the table is a time series or follows a path (not if it is "
        "only sorted)."
    )
    return [Note(note, "order")]
