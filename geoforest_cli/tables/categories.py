"""Text of few values, as columns of numbers."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from geoforest_cli.core.errors import DataError
from geoforest_cli.core.escaping import quoted
from geoforest_cli.tables.messages import format_names

__all__ = ["Points", "is_category", "is_number", "one_per_source", "with_categories"]

Points = npt.NDArray[np.floating[Any]]

_MOST_VALUES = 20  # of a category


def is_number(values: pd.Series[Any]) -> bool:
    """Return whether a column holds real numbers or truth values."""
    kind = values.dtype
    return pd.api.types.is_numeric_dtype(kind) and not pd.api.types.is_complex_dtype(kind)


def is_category(values: Sequence[object], rows: int) -> bool:
    """Return whether different values are few enough, and come again."""
    return 2 <= len(values) <= min(_MOST_VALUES, rows // 2)


def with_categories(
    frame: pd.DataFrame, wanted: Sequence[str], name: str, *, codes: bool
) -> tuple[pd.DataFrame, dict[str, str], list[str], list[str]]:
    """Return the frame with indicators for categories, its usable columns, and other text.

    Usable columns come with their sources, and the notes on categories are the last.
    """
    origin: dict[str, str] = {}
    text: list[str] = []
    categories: dict[int, list[str]] = {}
    indicators: list[pd.DataFrame] = []
    for column in wanted:
        if is_number(frame[column]):
            origin[column] = column
            continue
        words = frame[column].astype(object).map(_word, na_action="ignore")
        values = _in_order(frame[column].dtype, words.dropna().unique())
        if not is_category(values, len(frame)) or _holds_lists(frame[column]):
            text.append(column)
            continue
        kinds = pd.Series(pd.Categorical(words, values), index=words.index)
        marks = pd.get_dummies(kinds, prefix=column, prefix_sep="=", dtype=float)
        marks[words.isna()] = np.nan
        for mark, value in zip(marks, values, strict=True):
            if mark in frame.columns:
                raise DataError(
                    f"{name}: the column {quoted(mark)} has the name that the value "
                    f"{quoted(value)} of the category {quoted(column)} needs; give it another"
                )
            origin[str(mark)] = column
        indicators.append(marks)
        categories.setdefault(len(values), []).append(column)
    frame = pd.concat([frame, *indicators], axis=1)
    how = "as one column" if codes else "as zeros and ones"
    notes = [
        f"Category of {count} values, {how}: {format_names(names)}."
        for count, names in categories.items()
    ]
    return frame, origin, text, notes


def _word(value: object) -> str:
    """Return a value as text; blanks around it are no part of it."""
    text = str(value)
    return text.strip() or text


def _holds_lists(values: pd.Series[Any]) -> bool:
    found: npt.NDArray[Any] = values.astype(object).to_numpy()
    return any(isinstance(value, list | dict | set | np.ndarray) for value in found)


def _in_order(kind: Any, present: Iterable[str]) -> list[str]:
    """Return values in their order: that of an ordered or numeric category, else the alphabet's.

    Their numbers are what a screen sees.
    """
    values = sorted(present)
    if not isinstance(kind, pd.CategoricalDtype):
        return values
    declared = kind.categories
    if not kind.ordered:
        if not pd.api.types.is_numeric_dtype(declared.dtype):
            return values
        declared = declared.sort_values()
    place = {_word(value): number for number, value in enumerate(declared)}
    return sorted(values, key=place.__getitem__)


def one_per_source(points: Points, sources: Sequence[str]) -> tuple[Points, tuple[str, ...]]:
    """Make a category one column again, of the numbers of its values.

    Parameters
    ----------
    points : (N, p) array
        Zeros and ones where several neighbouring columns have one source.
    sources : sequence of str
        The source of each column.

    Returns
    -------
    (N, q) array
    tuple of str
        The q sources. A missing category is NaN.

    Examples
    --------
    >>> points = np.array([[0.5, 0, 1], [1.5, 1, 0], [2.5, np.nan, np.nan]])
    >>> codes, names = one_per_source(points, ["x", "colour", "colour"])
    >>> codes.tolist(), names
    ([[0.5, 1.0], [1.5, 0.0], [2.5, nan]], ('x', 'colour'))
    """
    names = tuple(dict.fromkeys(sources))
    if len(names) == len(sources):
        return points, names
    numbers = {name: number for number, name in enumerate(names)}
    owner = np.array([numbers[source] for source in sources])
    first = np.searchsorted(owner, np.arange(len(names)))
    columns = points[:, first].copy()
    for number in np.flatnonzero(np.bincount(owner) > 1):
        marks = points[:, owner == number]
        columns[:, number] = np.where(np.isnan(marks[:, 0]), np.nan, marks.argmax(axis=1))
    return columns, names
