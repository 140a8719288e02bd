"""From a raw table to numbers: which columns are used, and which rows."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import pandas as pd

from geoforest_cli.core.errors import DataError
from geoforest_cli.core.escaping import quoted, shortened
from geoforest_cli.estimators.base.validation import constant_columns
from geoforest_cli.tables.column_notes import column_notes
from geoforest_cli.tables.header import refuse_both, require_columns_of
from geoforest_cli.tables.messages import Note, as_exclude, format_names, format_row
from geoforest_cli.tables.missing_values import (
    complete_rows,
    missing_value_remedies,
    require_comparable,
)
from geoforest_cli.tables.profiles import ColumnProfile, Points, one_per_source, profile_column
from geoforest_cli.tables.reading import RawTable
from geoforest_cli.tables.table import UserTable

__all__ = ["CleanOptions", "clean_table", "require_known_columns"]

_REASONS = {
    "unnamed": "without a name, and the numbers of the rows or empty",
    "text": "not numeric",
    "formatted": "text because of thousands separators, currency or percent signs",
    "date": "dates or times, which would be numbers as days or years since the first",
    "unit": "numbers with a unit, which would be numbers without it",
    "empty": "no value in any row",
    "constant": "the same in every row",
}
_DIGIT = re.compile(r"\d")


@dataclass(frozen=True)
class CleanOptions:
    """Columns and rows of a table that are used.

    Attributes
    ----------
    columns : sequence of str
        Columns to use; by default all numeric ones but the identifier.
    identifier : str, optional
        Column that names the rows.
    exclude : sequence of str
        Columns to leave out, without a note.
    keep_constant : bool
        Keep columns that are the same in every row.
    missing : {"refuse", "drop", "keep"}
        Missing values are an error; their rows are left out; or they are kept, as NaN.
    category_codes : bool
        Make a category one column, of its values' numbers in alphabetical order.
    remedies : sequence of str
        What ``missing`` may be where the caller has it: a sentence on missing values names them.
    """

    columns: Sequence[str] = ()
    identifier: str | None = None
    exclude: Sequence[str] = ()
    keep_constant: bool = False
    missing: Literal["refuse", "drop", "keep"] = "refuse"
    category_codes: bool = False
    remedies: Sequence[str] = ()


def clean_table(raw: RawTable, options: CleanOptions) -> UserTable:
    """Return the columns of numbers and categories of a table that are not constant.

    Raises
    ------
    DataError
        For unknown columns, missing or infinite values, text in a column asked for that is no
        category, or no column that is left.
    """
    require_known_columns(raw, options)
    hidden = {options.identifier, *options.exclude}
    unnamed = [name for name in raw.unnamed if name not in hidden and not options.columns]
    columns = list(dict.fromkeys(options.columns)) or [
        name for name in raw.frame.columns if name not in {*hidden, *unnamed, *raw.annotations}
    ]
    profiles = {name: profile_column(raw.frame[name], name, raw.decimal) for name in columns}
    how = "as one column" if options.category_codes else "as zeros and ones"
    notes = [
        *raw.notes, *_invalid_notes(profiles, raw, options), *_text_notes(profiles, how)
    ]  # fmt: skip
    left_out: dict[str, list[str]] = {kind: [] for kind in _REASONS} | {"unnamed": unnamed}
    for name, profile in profiles.items():
        if profile.kind not in {"number", "category"}:
            _refuse_text(profile, name, raw, options)
            kept = profile.kind == "constant" and options.keep_constant
            left_out["text" if kept else profile.kind].append(name)
    points, sources = _points(profiles, raw)
    names, rows = np.array([*sources], object), np.arange(len(points))
    if options.missing == "drop":
        empty = np.isnan(points).all(axis=0)
        left_out["empty"] = names[empty].tolist()
        points, names = points[:, ~empty], names[~empty]
        complete, row_notes = complete_rows(points, [sources[name] for name in names], raw.name)
        points, rows = points[complete], np.flatnonzero(complete)
        notes += row_notes
    require_comparable(
        points, [sources[name] for name in names], rows, raw.name, remedies=options.remedies,
        keep_missing=options.missing == "keep",
        as_in_file=raw.as_in_file if raw.as_written else None,
    )  # fmt: skip
    if not options.keep_constant and len(points) > 1:
        empty = np.isnan(points).all(axis=0)
        same = constant_columns(points.astype(np.float64, copy=False))
        left_out["empty"] += names[empty].tolist()
        left_out["constant"] += names[same].tolist()
        points, names = points[:, ~(empty | same)], names[~(empty | same)]
    notes += [_left_out_note(kind, away) for kind, away in left_out.items() if away]
    if not len(names):
        raise DataError(f"{raw.name}: no column is left to compare. {' '.join(notes)}".rstrip())
    # constants are kept for a classifier, and of images
    notes += column_notes(points, names.tolist(), rows, codes_only=options.keep_constant)
    ids, id_notes = _identifiers(raw, options.identifier, rows)
    columns, owners = names.tolist(), tuple(sources[name] for name in names)
    if options.category_codes:
        points, owners = one_per_source(points, owners)
        columns = [*owners]
    return UserTable(
        points, ids, tuple(columns), owners, (*notes, *id_notes), raw.name, raw.path,
        rows=rows, count=len(raw.frame.columns), kinds=_kinds(profiles, left_out),
        left_out={name: _REASONS[kind] for kind, away in left_out.items() for name in away},
    )  # fmt: skip


def _kinds(
    profiles: Mapping[str, ColumnProfile], left_out: Mapping[str, Sequence[str]]
) -> dict[str, str]:
    kinds = {name: "code" if column.code else column.kind for name, column in profiles.items()}
    for kind, names in left_out.items():
        kinds |= {name: kind for name in names if kinds.get(name) != "code"}
    return kinds


def require_known_columns(raw: RawTable, options: CleanOptions) -> None:
    """Refuse columns that the table does not have, or that are both used and left out.

    Raises
    ------
    DataError
    """
    identifiers = () if options.identifier is None else (options.identifier,)
    arguments = {
        "columns": options.columns,
        "identifier": identifiers,
        "exclude": options.exclude,
    }
    require_columns_of(list(raw.frame.columns), raw.name, arguments)
    refuse_both(options.columns, options.exclude, raw.name)


def _invalid_notes(
    profiles: Mapping[str, ColumnProfile], raw: RawTable, options: CleanOptions
) -> list[Note]:
    """Return notes on text among numbers that counts as missing, or refuse it.

    What has a digit and is no number (``5 mg``, ``<0.1``, ``1D3``, ``1:30``) is known in part.
    """
    notes: list[Note] = []
    partly: dict[str, str] = {}
    for column, profile in profiles.items():
        if not len(profile.invalid):
            continue
        words = raw.frame[column].iloc[profile.invalid].map(str).tolist()
        digits = [number for number, word in enumerate(words) if _DIGIT.search(word)]
        if digits and options.missing != "drop":
            row = format_row(int(profile.invalid[digits[0]]))
            partly[column] = f"{quoted(words[digits[0]])} in {row}"
        else:
            first_row = int(profile.invalid[0])
            values = f"{len(words)} values that are no numbers, the first is {quoted(words[0])}"
            if len(words) == 1:
                values = f"1 value that is no number, {quoted(words[0])}"
            if options.missing == "refuse":
                remedies = missing_value_remedies(options.remedies)
                raise DataError(
                    f"{raw.name}: the column {quoted(column)} has {values} in "
                    f"{format_row(first_row)}; {remedies}"
                )
            sentence = f"Missing in the column {quoted(column)}: {values} in row {first_row}."
            notes.append(Note(sentence, "missing", [column]))
    if partly:
        column, first = next(iter(partly.items()))
        raise DataError(
            f"{raw.name}: {shortened(first)} of the column {quoted(column)}, whose values are "
            "mostly numbers, is neither a number nor missing: write a plain number (of <0.1 the "
            f"limit, or half of it), or leave the column out ({as_exclude([*partly])})"
        )
    return notes


def _text_notes(profiles: Mapping[str, ColumnProfile], how: str) -> list[Note]:
    """Return notes on numbers in brackets, codes and categories."""
    columns: dict[tuple[str, str], list[str]] = {}
    for column, profile in profiles.items():
        if profile.bracketed:
            columns.setdefault(("bracketed", "Numbers in brackets are negative"), []).append(column)
        if profile.code:
            sentence = "Text, not numbers, because of leading zeros"
            columns.setdefault(("code", sentence), []).append(column)
        if profile.kind == "category":
            sentence = f"Category of {len(profile.values.cat.categories)} values, {how}"
            columns.setdefault(("category", sentence), []).append(column)
    return [
        Note(f"{sentence}: {format_names(names)}.", kind, names)
        for (kind, sentence), names in columns.items()
    ]


def _refuse_text(profile: ColumnProfile, name: str, raw: RawTable, options: CleanOptions) -> None:
    """Refuse a column of text that is asked for."""
    if not options.columns:
        return
    why = f" ({quoted(str(raw.frame[name].iloc[0]))} in its first row)"
    if profile.code:
        why = ", because of leading zeros"
    what = "has too many different values for a category"
    if profile.kind == "constant":
        what = "is the same in every row"
    if profile.kind == "empty":
        raise DataError(f"{raw.name}: the column {quoted(name)} has {_REASONS['empty']}")
    raise DataError(f"{raw.name}: the column {quoted(name)} is not numeric{why}, and {what}")


def _points(profiles: Mapping[str, ColumnProfile], raw: RawTable) -> tuple[Points, dict[str, str]]:
    """Return the values of all usable columns, zeros and ones of categories, and their sources."""
    values: list[Any] = []
    sources: dict[str, str] = {}
    for column, profile in profiles.items():
        if profile.kind == "number":
            single = profile.values.dtype == np.float32
            kind = np.float32 if single else np.float64
            values.append(profile.values.to_numpy(kind, na_value=np.nan))
            sources[column] = column
        elif profile.kind == "category":
            numbers = profile.values.cat.codes.to_numpy()
            for number, value in enumerate(profile.values.cat.categories):
                mark = f"{column}={value}"
                if mark in raw.frame.columns:
                    raise DataError(
                        f"{raw.name}: the column {quoted(mark)} has the name that the value "
                        f"{quoted(value)} of the category {quoted(column)} needs; give it another"
                    )
                values.append(np.where(numbers < 0, np.nan, numbers == number))
                sources[mark] = column
    if not values:
        return np.empty((len(raw.frame), 0)), {}
    return np.column_stack(values), sources


def _left_out_note(kind: str, names: Sequence[str]) -> Note:
    shown = [repr(name) for name in names] if kind == "unnamed" else names
    return Note(f"Left out, {_REASONS[kind]}: {format_names(shown)}.", kind, names)


def _identifiers(
    raw: RawTable, identifier: str | None, rows: Any
) -> tuple[pd.Series[Any], list[str]]:
    """Return the names of rows, and a note on names that repeat; refuse empty ones."""
    if identifier is None:
        names = pd.Series(rows)
        if raw.row_names is not None:
            names = raw.row_names.iloc[rows].reset_index(drop=True)
        return names, []
    ids = raw.as_in_file(identifier).iloc[rows].reset_index(drop=True)
    if pd.api.types.infer_dtype(ids, skipna=True).startswith("mixed"):
        ids = ids.map(str, na_action="ignore")  # Parquet has one kind a column
    if ids.isna().any():
        raise DataError(
            f"{raw.name}: the column {quoted(identifier)} has empty cells and cannot name rows"
        )
    repeated = int(ids.duplicated().sum())
    shown = format_names([identifier])
    sentence = f"{repeated} rows repeat a name of the column {shown}."
    return ids, [Note(sentence, "repeated", [identifier])] if repeated else []
