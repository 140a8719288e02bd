"""Invalid, missing and infinite values of a table: refused, kept, or dropped with their rows."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal

import numpy as np
import numpy.typing as npt
import pandas as pd

from geoforest_cli.core.errors import DataError
from geoforest_cli.core.escaping import quoted, shortened
from geoforest_cli.tables.arrays import with_columns
from geoforest_cli.tables.categories import is_category
from geoforest_cli.tables.codes import has_leading_zeros
from geoforest_cli.tables.messages import as_argument, as_exclude, format_names, format_row

__all__ = [
    "CODES",
    "complete_rows",
    "missing_code_notes",
    "missing_value_remedies",
    "replace_invalid_values",
    "require_finite",
    "uncompared_note",
]

_ENOUGH = 0.9  # of the rows: so many are nearly all
_SHOWN = 5  # names of costly columns
# numbers that stand for a missing value where they lie far from all others
_WORDS = ["9" * digits for digits in range(2, 7)]
_WORDS += ["97", "98", "77", "88", "997", "998", "777", "888", "9997", "9998"]
CODES = {sign * float(word) for word in _WORDS for sign in (-1, 1)} | {-7.0, -8.0, -9.0}
_AT_ONCE = 512  # columns
# stands for a missing value in a column of few numbers, which else is a category
_MISSING = re.compile(
    r"\W*|n\W?a\W?n?|n\.? ?d\.?|nil|none|null|missing|unknown|undefined", re.IGNORECASE
)

_MINUS = re.compile(r"\u2212(?=[\d.])")
_IN_BRACKETS = re.compile(r"^\(([\d.,]+)\)$")  # as accounts write negative numbers
_REWRITTEN = re.compile(rf"{_MINUS.pattern}|{_IN_BRACKETS.pattern}")
_DIGIT = re.compile(r"\d")


def missing_value_remedies(allowed: Sequence[str]) -> str:
    """Return what can be done about missing values, where ``missing`` may be one of `allowed`.

    Examples
    --------
    >>> print(missing_value_remedies(["drop"]))
    fill them, leave the column out (columns) or leave these rows out (missing='drop')
    """
    fill, drop = (
        f" ({as_argument('missing', value)})" if value in allowed else ""
        for value in ("impute", "drop")
    )
    columns = f"leave the column out ({as_argument('columns')})"
    return f"fill them{fill}, {columns} or leave these rows out{drop}"


def replace_invalid_values(
    frame: pd.DataFrame,
    columns: Sequence[str],
    name: str,
    *,
    missing: Literal["refuse", "drop", "keep"],
    remedies: str,
    decimal: str = ".",
) -> tuple[pd.DataFrame, list[str]]:
    """Make text columns that are mostly numbers numeric, and what is no number in them missing.

    A text column of few values is a category, unless what is no number looks like a mark for a
    missing value. Numbers with leading zeros are codes: such a column stays text, and so do
    numbers that are all kept as text. Numbers in brackets are negative. What has a digit and is no
    number (``5 mg``, ``<0.1``, ``1D3``, ``1:30``) is known in part, and no missing value.

    Parameters
    ----------
    frame : pandas.DataFrame
    columns : sequence of str
        The columns to look at.
    name : str
        What messages call the table.
    missing : {"refuse", "drop", "keep"}
        What becomes of missing values.
    remedies : str
        What can be done where they may not.
    decimal : {".", ","}
        The decimal mark of the text.

    Returns
    -------
    pandas.DataFrame
    list of str
        A note on each such column, and one on columns of codes.

    Raises
    ------
    DataError
        For such a column where no values may be missing, and for what has a digit and is no number
        unless its rows are dropped.

    Examples
    --------
    >>> frame = pd.DataFrame({"x": ["1.5", "?", "2"], "word": ["a", "b", "c"]})
    >>> cleaned, notes = replace_invalid_values(
    ...     frame, ["x", "word"], "t", missing="keep", remedies=""
    ... )
    >>> cleaned["x"].tolist(), notes
    ([1.5, nan, 2.0], ["Missing in the column 'x': 1 value that is no number, '?' in row 1."])
    >>> replace_invalid_values(frame, ["x"], "t", missing="refuse", remedies="leave it out")
    Traceback (most recent call last):
    geoforest_cli.core.errors.DataError: t: the column 'x' has 1 value that is no number, '?' in \
row 1 (rows count from 0); leave it out
    """
    changed, notes, codes = {}, [], []
    partly: dict[str, str] = {}
    for column in columns:
        if (found := _mostly_numbers(frame[column], decimal)) is None:
            continue
        words, numbers = found
        if has_leading_zeros(words):
            codes.append(column)
            continue
        invalid = (words.notna() & numbers.isna()).to_numpy(bool)
        if not invalid.any() and _is_rewritten(frame[column]):
            changed[column] = numbers
        if not invalid.any() or _is_category(words, invalid, column):
            continue
        rows = np.flatnonzero(invalid)
        first = rows[words.iloc[rows].str.contains(_DIGIT).to_numpy(bool)]
        if len(first) and missing != "drop":
            word = str(frame[column].iloc[first[0]])
            partly[column] = f"{quoted(word)} in {format_row(int(first[0]))}"
            continue
        values = _count_invalid(len(rows), str(frame[column].iloc[rows[0]]))
        if missing == "refuse":
            place = format_row(int(rows[0]))
            raise DataError(
                f"{name}: the column {quoted(column)} has {values} in {place}; {remedies}"
            )
        notes.append(f"Missing in the column {quoted(column)}: {values} in row {rows[0]}.")
        changed[column] = numbers
    if partly:
        raise DataError(_more_than_numbers(name, partly))
    bracketed = [name for name in changed if _is_rewritten(frame[name], _IN_BRACKETS)]
    for what, names in (
        ("Numbers in brackets are negative", bracketed),
        ("Text, not numbers, because of leading zeros", codes),
    ):
        notes += [f"{what}: {format_names(names)}."] if names else []
    return with_columns(frame, changed), notes


def _more_than_numbers(name: str, columns: Mapping[str, str]) -> str:
    column, first = next(iter(columns.items()))
    return (
        f"{name}: {shortened(first)} of the column {quoted(column)}, whose values are mostly "
        "numbers, is neither a number nor missing: write a plain number (of <0.1 the limit, or "
        f"half of it), or leave the column out ({as_exclude([*columns])})"
    )


def _mostly_numbers(
    values: pd.Series[Any], decimal: str
) -> tuple[pd.Series[Any], pd.Series[Any]] | None:
    """Return the words of a text column and its numbers, NaN for others; None if these are many."""
    words = _stripped(values)
    if words is None:
        return None
    numbers = pd.to_numeric(words.map(_with_point) if decimal == "," else words, errors="coerce")
    numbers = numbers.astype(np.float64)
    valid = int(numbers.notna().sum())
    return (words, numbers) if valid and 2 * valid > int(words.notna().sum()) else None


def _stripped(values: pd.Series[Any]) -> pd.Series[Any] | None:
    """Return the values of a text column, missing ones as None; None for other columns."""
    kind = values.dtype
    if not (pd.api.types.is_object_dtype(kind) or pd.api.types.is_string_dtype(kind)):
        return None
    present = values.notna()
    words = values.where(present, "").astype(str).str.strip().str.replace(_MINUS, "-", regex=True)
    words = words.str.replace(_IN_BRACKETS, r"-\1", regex=True)
    return words.astype(object).where(present, None)


def _is_rewritten(values: pd.Series[Any], how: re.Pattern[str] = _REWRITTEN) -> bool:
    return any(how.search(word.strip()) for word in values.dropna().astype(str))


def _with_point(word: str | None) -> str | None:
    """A number with a decimal comma as one with a point; one with a point is none."""
    return None if word is None or "." in word else word.replace(",", ".", 1)


def _is_category(words: pd.Series[Any], invalid: npt.NDArray[np.bool_], column: str) -> bool:
    """Whether a column has few values, and what is no number in it is no mark for missing.

    Nor is it the name of the column: then the first line stands once more within the table.
    """
    others = words[invalid].unique().tolist()
    few = is_category(words.dropna().unique().tolist(), len(words))
    return few and column not in others and not all(map(_MISSING.fullmatch, others))


def _count_invalid(count: int, first: str) -> str:
    if count > 1:
        return f"{count} values that are no numbers, the first is {quoted(first)}"
    return f"1 value that is no number, {quoted(first)}"


def require_finite(
    frame: pd.DataFrame,
    sources: Mapping[str, str],
    name: str,
    *,
    keep_missing: bool,
    remedies: Sequence[str],
    as_in_file: Callable[[str], pd.Series[Any]] | None = None,
) -> None:
    """Refuse infinite values, and missing ones without `keep_missing`.

    Parameters
    ----------
    frame : pandas.DataFrame
        Its index numbers the table's rows.
    sources : mapping
        The columns to look at, and the user's column that each of them comes from.
    name : str
        What messages call the table.
    keep_missing : bool
    remedies : sequence of str
        As for `missing_value_remedies`.
    as_in_file : callable, optional
        Returns a column of the user's as it is written.

    Raises
    ------
    DataError
    """
    for column, source in sources.items():
        values = frame[column].to_numpy(np.float64, na_value=np.nan)
        for kind, bad in (("missing", np.isnan(values)), ("infinite", np.isinf(values))):
            if not bad.any() or (keep_missing and kind == "missing"):
                continue
            count, row = int(bad.sum()), frame.index[int(np.argmax(bad))]
            where = f"in {format_row(row)}"
            if kind == "infinite" and as_in_file is not None:
                where = f"{quoted(str(as_in_file(source).iloc[row]))} {where}"
            plural = "values, the first" if count > 1 else "value,"
            advice = missing_value_remedies(remedies if kind == "missing" else ())
            raise DataError(
                f"{name}: the column {quoted(source)} has {count} {kind} {plural} {where}"
                f"{_others(frame, sources, source, kind)}; {advice}"
            )


def _others(frame: pd.DataFrame, sources: Mapping[str, str], source: str, kind: str) -> str:
    """Return how many other columns of the user's have missing values too."""
    if kind != "missing":
        return ""
    names = {own for column, own in sources.items() if frame[column].isna().any()}
    if not (count := len(names - {source})):
        return ""
    return f", and {count} more column{'s have' if count > 1 else ' has'} missing values too"


def complete_rows(
    frame: pd.DataFrame, sources: Mapping[str, str], name: str
) -> tuple[npt.NDArray[np.bool_], list[str]]:
    """Return which rows have a value in all columns, and notes on the others.

    The notes name the columns that cost rows, those that cost most first, and what would be kept
    without them.

    Parameters
    ----------
    frame, sources, name
        As for `require_finite`.

    Raises
    ------
    DataError
        Where no row has.
    """
    empty = frame[list(sources)].isna()
    missing = empty.any(axis=1).to_numpy(bool)
    if not missing.any():
        return ~missing, []
    if missing.all():
        worst = str(empty.sum().idxmax())
        raise DataError(
            f"{name}: no row is complete; the column {quoted(sources[worst])} misses most values, "
            f"{int(empty[worst].sum())} of {len(frame)}: leave it out ({as_argument('columns')})"
        )
    count, row = int(missing.sum()), format_row(int(np.argmax(missing)))
    verb = "rows miss values" if count > 1 else "rows misses a value"
    left_out = f"Left out, {count} of {len(frame)} {verb}; the first is {row}."
    return ~missing, [left_out, _costly_columns(empty, sources)]


def _costly_columns(empty: pd.DataFrame, sources: Mapping[str, str]) -> str:
    """Return a note on the columns that miss values (N, p), in the order of how many.

    Examples
    --------
    >>> empty = pd.DataFrame({"a": [True, True, False], "b": [False, True, False], "c": False})
    >>> print(_costly_columns(empty, {"a": "a", "b": "b", "c": "c"}))
    Rows without a value: a 2, b 1. Without the column a, 2 of 3 rows would stay (exclude='a'). \
Without the columns a, b, 3 of 3 rows would stay.
    """
    by_source = empty.T.groupby([sources[column] for column in empty.columns], sort=False).any().T
    counts = by_source.sum().sort_values(ascending=False, kind="stable")
    costly = counts[counts > 0]
    said = format_names([f"{name} {count}" for name, count in costly.items()], _SHOWN)
    sentences = [f"Rows without a value: {said}."]
    for n_columns in range(1, min(len(costly), by_source.shape[1] - 1) + 1):
        names = [str(name) for name in costly.index[:n_columns]]
        stays = int((~by_source.drop(columns=names).any(axis=1)).sum())
        enough = stays >= _ENOUGH * len(empty)
        if n_columns == 1 or enough:
            one = n_columns == 1
            which = f"column{'' if one else 's'} {format_names(names, _SHOWN)}"
            way = f" ({as_exclude(names)})" if one else ""
            sentences.append(f"Without the {which}, {stays} of {len(empty)} rows would stay{way}.")
        if enough:
            break
    return " ".join(sentences)


def missing_code_notes(points: npt.NDArray[np.floating], names: Sequence[str]) -> list[str]:
    """Return a note for each number, such as -999, that may stand for a missing value.

    It is written in nines, sevens or eights, as in 99, 98 or -8, and further from all values of the
    column that are no such number than these are from each other.

    Parameters
    ----------
    points : (N, p) array
    names : sequence of str

    Examples
    --------
    >>> table = np.array([[-999, 90], [20, 97], [21, 98], [-999, 99], [23, 96]])
    >>> missing_code_notes(table, ["temperature", "age"])
    ['-999 lies far from all other values of temperature: if it stands for a missing value, empty \
its cells.']
    """
    columns: dict[float, list[str]] = {}
    for values, name in zip(points.T, names, strict=True):
        if CODES & {float(np.fmin.reduce(values)), float(np.fmax.reduce(values))}:
            for code in _far_codes(np.unique(values[~np.isnan(values)])):
                columns.setdefault(code, []).append(name)
    return [
        f"{code:.0f} lies far from all other values of {format_names(found)}: if it stands for a "
        "missing value, empty its cells."
        for code, found in sorted(columns.items())
    ]


def _far_codes(different: npt.NDArray[np.floating]) -> list[float]:
    """Return which of the different values are codes, and far from those that are none."""
    coded, far = np.isin(different, [*CODES]), list[float]()
    for code in sorted(different[coded].tolist(), key=abs):
        others = different[(~coded | (np.abs(different) < abs(code))) & ~np.isin(different, far)]
        if len(others) > 1 and max(others[0] - code, code - others[-1]) > np.ptp(others):
            far.append(code)
    return far


def uncompared_note(points: npt.NDArray[np.floating], names: Sequence[str]) -> str:
    """Return how many pairs of columns share too few rows to be compared; empty for none.

    Parameters
    ----------
    points : (N, p) array
    names : sequence of str

    Examples
    --------
    >>> table = np.ones((16, 3))
    >>> table[:8, 0] = table[10:, 1] = np.nan
    >>> uncompared_note(table, ["before", "after", "age"])
    '1 pair of columns has values in fewer than 6 common rows, and is not compared: before with \
after.'
    """
    from geoforest_cli.estimators.screening.moments import MIN_ROWS

    missing = np.isnan(points)
    if not missing.any():
        return ""
    known = (~missing).astype(np.float32)
    count, first = 0, ""
    for start in range(0, len(names), _AT_ONCE):
        shared = known[:, start : start + _AT_ONCE].T @ known[:, start:]
        few = np.triu(shared < MIN_ROWS, 1)
        if not count and few.any():
            one, other = np.argwhere(few)[0] + start
            first = f"{format_names([names[one]])} with {format_names([names[other]])}"
        count += int(few.sum())
    if not count:
        return ""
    pairs, verb, what = ("pair", "has", "is") if count == 1 else ("pairs", "have", "are")
    given = "" if count == 1 else "such as "
    return (
        f"{count:,} {pairs} of columns {verb} values in fewer than {MIN_ROWS} common rows, and "
        f"{what} not compared: {given}{first}."
    )
