"""Numbers that are text: codes such as 007, whose zeros must not be lost, and 1,234 or 12%."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Iterable, Sequence
from decimal import Decimal
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from geoforest_cli.core.errors import DataError
from geoforest_cli.core.escaping import quoted

__all__ = [
    "MISSING_WORDS",
    "has_leading_zeros",
    "numbers_of",
    "require_one_spelling",
    "text_kind",
    "typed",
]

# the texts that pandas takes for missing values in CSV files
MISSING_WORDS = [
    "", "#N/A", "#N/A N/A", "#NA", "-1.#IND", "-1.#QNAN", "-NaN", "-nan", "1.#IND", "1.#QNAN",
    "<NA>", "N/A", "NA", "NULL", "NaN", "None", "n/a", "nan", "null",
]  # fmt: skip

_CODE = re.compile(r"^\s*[+-]?0\d+\s*$", re.ASCII)
_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d{1,5})?", re.ASCII)
_FORMATTED = re.compile(
    r"\s*[+-]?[$€£¥]?\s?[+-]?\d+([,.'\u2019 \u00a0\u202f]\d{3})*([.,]\d+)?\s?[%$€£¥]?\s*"
)
_CLOCK = r"\d{1,2}:\d{2}(:\d{2}(\.\d+)?)?"
_YEAR = r"(1[5-9]|2[01])\d\d"
_DAY = rf"({_YEAR}([-/.]\d{{1,2}}){{1,2}}|(\d{{1,2}}[-/.]){{1,2}}{_YEAR}|\d{{1,2}}/\d{{1,2}}/\d\d)"
_TIME = re.compile(rf"\s*({_DAY}([ T]{_CLOCK}(Z|[+-]\d\d:?\d\d)?)?|{_CLOCK})\s*")
_MEASURED = re.compile(r"\s*[+-]?(?:\d+(?:\.\d*)?|\.\d+)\s*([^\s\d]{1,8})\s*")
_BOOLEANS = {pa.bool_(): pd.BooleanDtype()}


def has_leading_zeros(words: pd.Series[Any]) -> bool:
    """Return whether any text is digits with a leading zero, such as 007, -01 or 00.

    Parameters
    ----------
    words : pandas.Series
        Of text; other values do not count.

    Examples
    --------
    >>> has_leading_zeros(pd.Series(["7", "007"]))
    True
    >>> has_leading_zeros(pd.Series(["0", "0.5", "01.02", "1e05", 10, None]))
    False
    """
    return bool(words.astype(object).map(_is_code).any())


def text_kind(values: pd.Series[Any], decimal: str = ".") -> str:
    """Return what a column that is no number is: "formatted" numbers, "date", "unit" or "text".

    Parameters
    ----------
    values : pandas.Series
    decimal : str
        The decimal mark: where it is a comma, a point stands between thousands.

    Examples
    --------
    >>> text_kind(pd.Series(["1,234.5", "-7", "12 %", "$3", None]))
    'formatted'
    >>> text_kind(pd.Series(["2024-01-31", "2024-02-01 12:30", None]))
    'date'
    >>> text_kind(pd.Series(["5.1 mg", "7 mg"]))
    'unit'
    >>> text_kind(pd.Series(["12 Elm Street", "A1"])), text_kind(pd.Series(["12", "7.5"]))
    ('text', 'text')
    """
    kind = values.dtype
    if pd.api.types.is_datetime64_any_dtype(kind) or pd.api.types.is_timedelta64_dtype(kind):
        return "date"
    texts = [value for value in values.dropna() if isinstance(value, str)]
    numbers = [text.strip() for text in texts if _FORMATTED.fullmatch(text)]
    plain = all(_NUMBER.fullmatch(number) for number in numbers)
    plain = plain and not (decimal == "," and any("." in number for number in numbers))
    if not plain and 2 * len(numbers) > len(texts) and not has_leading_zeros(values):
        return "formatted"
    if not texts or len(texts) < values.count():
        return "text"
    if all(map(_TIME.fullmatch, texts)):
        return "date"
    units = {match and match[1] for match in map(_MEASURED.fullmatch, texts)}
    return "unit" if len(units) == 1 and None not in units else "text"


def _is_code(value: object) -> bool:
    return isinstance(value, str) and _CODE.fullmatch(value) is not None


def typed(
    words: pa.ChunkedArray, decimal: str = ".", missing: Sequence[str] = MISSING_WORDS
) -> pd.Series[Any] | npt.NDArray[Any]:
    """Return a column of texts as numbers or truth values, if all are; others as text.

    Parameters
    ----------
    words : pyarrow.ChunkedArray
    decimal : str
        Their decimal mark.
    missing : sequence of str
        The texts that are missing values.

    Examples
    --------
    >>> typed(pa.chunked_array([["1.5", " NA", "7 "]])).tolist()
    [1.5, nan, 7.0]
    >>> typed(pa.chunked_array([["007", "7"]])).tolist()
    ['007', '7']
    >>> typed(pa.chunked_array([["TRUE", "false"]])).tolist()
    [True, False]
    """
    if (numbers := _all_numbers(words, decimal)) is not None:
        return numbers
    words = pc.utf8_trim_whitespace(words)
    words = pc.if_else(pc.is_in(words, pa.array(missing)), None, words)
    if (numbers := _all_numbers(words, decimal)) is not None:
        return numbers
    truth = pc.is_in(pc.utf8_lower(words), pa.array(["true", "false"]))
    if pc.sum(truth).as_py() == len(words) - words.null_count:
        words = pc.equal(pc.utf8_lower(words), "true")
    column: pd.Series[Any] = words.to_pandas(types_mapper=_BOOLEANS.get)
    return column


def _all_numbers(words: pa.ChunkedArray, decimal: str) -> npt.NDArray[Any] | None:
    """Return texts as numbers, whole ones if they are written so; None if any is none or a code."""
    if decimal == ",":
        if pc.any(pc.match_substring(words, ".")).as_py():
            return None
        words = pc.replace_substring(words, ",", ".", max_replacements=1)
    try:
        numbers = words.cast(pa.float64())
    except pa.ArrowInvalid:
        return None
    with np.errstate(invalid="ignore"):
        whole = numbers.to_numpy() % 1 == 0
    # codes are whole
    if whole.any() and pc.any(pc.match_substring_regex(words, _CODE.pattern)).as_py():
        return None
    if whole.all():
        with contextlib.suppress(pa.ArrowInvalid):
            numbers = words.cast(pa.int64())
    values: npt.NDArray[Any] = numbers.to_numpy()
    return values


def numbers_of(words: pd.Series[Any], decimal: str = ".") -> pd.Series[Any]:
    """Return texts as numbers, NaN where they are none.

    Examples
    --------
    >>> numbers_of(pd.Series(["1,5", "1.5", "x", "-inf", None]), ",").tolist()
    [1.5, nan, nan, -inf, nan]
    """
    if decimal == ",":
        words = words.map(lambda word: "" if "." in word else word.replace(",", ".", 1), "ignore")
    return pd.to_numeric(words, errors="coerce").astype(np.float64)


def require_one_spelling(words: Iterable[str], what: str, decimal: str = ".") -> None:
    """Refuse different texts that are one number.

    Parameters
    ----------
    words : iterable of str
    what : str
        What messages call them.
    decimal : str
        Their decimal mark.

    Raises
    ------
    DataError

    Examples
    --------
    >>> require_one_spelling(["1", "2.0", "x"], "the label 'code'")
    >>> require_one_spelling(["01", "2", "1"], "the label 'code'")
    Traceback (most recent call last):
    geoforest_cli.core.errors.DataError: the label 'code' has '01' and '1', which are one number \
spelt in two ways; use one of them
    """
    spelt: dict[Decimal, str] = {}
    for word in sorted(words):
        number = word.strip().replace(decimal, ".")
        if _NUMBER.fullmatch(number) is None:
            continue
        first = spelt.setdefault(Decimal(number), word)
        if first != word:
            raise DataError(
                f"{what} has {quoted(first)} and {quoted(word)}, which are one number spelt in two "
                "ways; use one of them"
            )
