"""Notes on rows that are copies of one another: what they mean for a result."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from geoforest_cli.estimators.base.copies import number_copies
from geoforest_cli.tables.messages import Note

__all__ = ["copies_note"]

_SHARE_FOR_ACCURACY, _SHARE_FOR_SCORES = 0.1, 1 / 30  # of the rows
_DIFFERENT, _LOOKED_AT = 20, 1000  # values of a column that shows copies, in so many rows
_MEANING = {
    "accuracy": ("the accuracy is too high: a row is predicted by a model that has seen its copy"),
    "p-values": "p-values are too small: they count each copy as a row of its own",
    "score": "scores are too high: a row has its copy for a neighbour",
}


def copies_note(points: npt.NDArray[np.floating], measure: str = "accuracy") -> str:
    """Return what rows that equal others mean for a result; empty where they are few.

    Parameters
    ----------
    points : (N, p) array
    measure : {"accuracy", "p-values", "score"}
        The result. P-values and scores are too good from one row in thirty on, and rows are
        compared only where a column has twenty different values: else they are equal by chance.

    Examples
    --------
    >>> copies_note(np.arange(20.0)[:, None])
    ''
    >>> print(copies_note(np.tile(np.arange(20.0), 2)[:, None], "p-values"))
    40 of 40 rows equal another row. If they are of one thing measured more than once, p-values \
are too small: they count each copy as a row of its own.
    """
    accuracy = measure == "accuracy"
    first = points[:_LOOKED_AT].T
    if not accuracy and not any(len(np.unique(column)) >= _DIFFERENT for column in first):
        return ""
    group = number_copies(points)
    count = int((np.bincount(group) > 1)[group].sum())
    if count < (_SHARE_FOR_ACCURACY if accuracy else _SHARE_FOR_SCORES) * len(points):
        return ""
    return Note(
        f"{count:,} of {len(points):,} rows equal another row. If they are of one thing measured "
        f"more than once, {_MEANING[measure]}.",
        "leak",
    )
