"""Profiles of columns: numbers, categories, codes, dates and other text, each by one rule."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pandas as pd

from geoforest_cli.tables.codes import has_leading_zeros, numbers_of, text_kind

__all__ = [
    "ColumnProfile",
    "Points",
    "is_category",
    "is_number",
    "one_per_source",
    "profile_column",
]

Points = npt.NDArray[np.floating[Any]]

_MOST_VALUES = 20  # of a category
_MINUS = re.compile(r"\u2212(?=[\d.])")
_IN_BRACKETS = re.compile(r"^\(([\d.,]+)\)$")  # as accounts write negative numbers
# stands for a missing value in a column of few numbers, which else is a category
_MISSING = re.compile(
    r"\W*|n\W?a\W?n?|n\.? ?d\.?|nil|none|null|missing|unknown|undefined", re.IGNORECASE
)
_NO_ROWS = np.arange(0)


class ColumnProfile(NamedTuple):
    """A column and what it is.

    Attributes
    ----------
    kind : str
        "number", "category", "constant" or "empty" text, or a kind of text that `text_kind` tells.
    values : pandas.Series
        Numbers, a categorical, or words without blanks around them.
    invalid : (m,) int64
        Rows of a column of numbers whose text is none.
    code : bool
        Numbers with leading zeros, which are text.
    bracketed : bool
        Negative numbers were in brackets.
    """

    kind: str
    values: pd.Series[Any]
    invalid: npt.NDArray[np.int64] = _NO_ROWS
    code: bool = False
    bracketed: bool = False


def is_number(values: pd.Series[Any]) -> bool:
    """Return whether a column holds real numbers or truth values."""
    kind = values.dtype
    return pd.api.types.is_numeric_dtype(kind) and not pd.api.types.is_complex_dtype(kind)


def is_category(values: Sequence[object], rows: int) -> bool:
    """Return whether different values are few enough, and come again."""
    return 2 <= len(values) <= min(_MOST_VALUES, rows // 2)


def profile_column(values: pd.Series[Any], name: str, decimal: str = ".") -> ColumnProfile:
    """Return what a column is.

    Text that is mostly numbers is numbers, unless it has few values and what is no number in it
    says more than that a value is missing; so is text that is all numbers, some of them negative
    in brackets or by the sign of typesetters. Numbers with leading zeros are codes, and text; so
    are numbers that are all kept as text.

    Parameters
    ----------
    values : pandas.Series
    name : str
        A value that is the name of the column is a first line within the table.
    decimal : {".", ","}
        The decimal mark of text.

    Examples
    --------
    >>> profile_column(pd.Series(["1.5", "?", "(2)"]), "x")[:3]
    ('number', 0    1.5
    1    NaN
    2   -2.0
    dtype: float64, array([1]))
    >>> profile_column(pd.Series(["a", "b", "a", "b"]), "x").kind
    'category'
    >>> profile_column(pd.Series(["2024-01-31", "2024-02-01"]), "x").kind
    'date'
    """
    if is_number(values):
        return ColumnProfile("number", values)
    words = values.astype(object).map(_word, na_action="ignore")
    code = False
    if pd.api.types.is_string_dtype(values.dtype):
        plain = words.map(_with_plain_sign, na_action="ignore")
        numbers = numbers_of(plain, decimal)
        mostly = 2 * int(numbers.notna().sum()) > int(words.notna().sum())
        code = mostly and has_leading_zeros(words)
        invalid = np.flatnonzero(words.notna() & numbers.isna())
        others = words.iloc[invalid].unique().tolist()
        worded = (
            len(invalid)
            and is_category(words.dropna().unique().tolist(), len(words))
            and not (name in others or all(map(_MISSING.fullmatch, others)))
        )
        if mostly and not code and not worded and (len(invalid) or not words.equals(plain)):
            bracketed = any(map(_IN_BRACKETS.match, words.dropna()))
            return ColumnProfile("number", numbers, invalid, bracketed=bracketed)
    different = _in_order(values.dtype, words.dropna().unique())
    if is_category(different, len(words)) and not values.map(_is_list).any():
        category = pd.Series(pd.Categorical(words, different), words.index)
        return ColumnProfile("category", category, code=code)
    if words.isna().all():
        return ColumnProfile("empty", words)
    constant = len(words) > 1 and len(words.map(str).unique()) == 1
    return ColumnProfile("constant" if constant else text_kind(values, decimal), words, code=code)


def _word(value: object) -> str:
    """Return a value as text; blanks around it are no part of it."""
    text = str(value)
    return text.strip() or text


def _with_plain_sign(word: str) -> str:
    return _IN_BRACKETS.sub(r"-\1", _MINUS.sub("-", word))


def _is_list(value: object) -> bool:
    return isinstance(value, list | dict | set | np.ndarray)


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
    position = {_word(value): number for number, value in enumerate(declared)}
    return sorted(values, key=position.__getitem__)


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
