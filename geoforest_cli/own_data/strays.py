"""Numbers with something else among them: ?, - or a word where a value is missing."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd

from geoforest_cli.errors import DataError
from geoforest_cli.own_data.categories import is_category
from geoforest_cli.own_data.wording import in_row

__all__ = ["without_strays"]

# what stands for a missing value in a column of few numbers, which else is a category
_MARK = re.compile(
    r"\W*|n\W?a\W?n?|n\.? ?d\.?|nil|none|null|missing|unknown|undefined", re.IGNORECASE
)


def without_strays(
    frame: pd.DataFrame, wanted: Sequence[str], name: str, *, allowed: bool, way_out: str
) -> tuple[pd.DataFrame, list[str]]:
    """Make a column that is mostly numbers one of numbers, what is none a missing value.

    A text column of few values is a category, unless what is no number looks like a mark for a
    missing value.

    Parameters
    ----------
    frame : pandas.DataFrame
    wanted : sequence of str
        The columns to look at.
    name : str
        What messages call the table.
    allowed : bool
        Whether values may be missing.
    way_out : str
        What can be done where they may not.

    Returns
    -------
    pandas.DataFrame
    list of str
        A note on each such column.

    Raises
    ------
    DataError
        For such a column where no values may be missing.

    Examples
    --------
    >>> frame = pd.DataFrame({"x": ["1.5", "?", "2"], "word": ["a", "b", "c"]})
    >>> found, notes = without_strays(frame, ["x", "word"], "t", allowed=True, way_out="")
    >>> found["x"].tolist(), notes
    ([1.5, nan, 2.0], ["Missing in the column 'x': 1 value that is no number, '?' in row 1."])
    >>> without_strays(frame, ["x"], "t", allowed=False, way_out="leave it out")
    Traceback (most recent call last):
    geoforest_cli.errors.DataError: t: the column 'x' has 1 value that is no number, '?' in row 1 \
(rows count from 0); leave it out
    """
    changed, notes = {}, []
    for column in wanted:
        found = _numbers(frame[column])
        if found is None:
            continue
        numbers, strays = found
        count, first = int(strays.sum()), int(np.argmax(strays))
        word = str(frame[column].iloc[first])
        many = (
            "values that are no numbers, the first is" if count > 1 else "value that is no number,"
        )
        told = f"{count} {many} {word!r} in "
        if not allowed:
            raise DataError(f"{name}: the column {column!r} has {told}{in_row(first)}; {way_out}")
        notes.append(f"Missing in the column {column!r}: {told}row {first}.")
        changed[column] = numbers
    return (frame.assign(**changed) if changed else frame), notes


def _numbers(values: pd.Series[Any]) -> tuple[pd.Series[float], Any] | None:
    """Return the numbers of a text column and where it has others; None where it is all text."""
    kind = values.dtype
    if not (pd.api.types.is_object_dtype(kind) or pd.api.types.is_string_dtype(kind)):
        return None
    there = values.notna()
    words = values.where(there, "").astype(str).str.strip()
    numbers = pd.to_numeric(words, errors="coerce").astype(np.float64)
    strays = (there & numbers.isna()).to_numpy(bool)
    good = int(numbers.notna().sum())
    if not good or 2 * good <= int(there.sum()) or not strays.any():
        return None
    different = words[there].unique().tolist()
    few = is_category(different, len(values))
    if few and not all(_MARK.fullmatch(word) for word in words[strays].unique()):
        return None
    return numbers, strays
