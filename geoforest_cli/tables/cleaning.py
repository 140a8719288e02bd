"""From a raw table to numbers: which columns are used, and which rows."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import pandas as pd

from geoforest_cli.core.errors import DataError
from geoforest_cli.core.escaping import quoted
from geoforest_cli.estimators.base.validation import LARGEST_VALUE, constant_columns
from geoforest_cli.tables.categories import one_per_source, with_categories
from geoforest_cli.tables.codes import are_formatted_numbers, has_leading_zeros, text_kind
from geoforest_cli.tables.column_notes import column_notes
from geoforest_cli.tables.header import refuse_both, require_columns_of
from geoforest_cli.tables.messages import format_names, format_row
from geoforest_cli.tables.missing_values import (
    complete_rows,
    missing_value_remedies,
    replace_invalid_values,
    require_finite,
)
from geoforest_cli.tables.reading import RawTable
from geoforest_cli.tables.table import UserTable

__all__ = ["CleanOptions", "clean_table", "require_known_columns"]

_UNNAMED = "without a name, and the numbers of the rows or empty"
_FORMATTED = "text because of thousands separators, currency or percent signs"
_WORDS = "not numeric"
_EMPTY, _CONSTANT = "no value in any row", "the same in every row"


@dataclass(frozen=True)
class CleanOptions:
    """Which columns and rows of a table are used.

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
    wanted = {*hidden, *options.columns}
    unnamed = [name for name in raw.unnamed if name not in wanted]
    unused = {*hidden, *unnamed, *raw.annotations}
    columns = list(dict.fromkeys(options.columns)) or [
        column for column in raw.frame.columns if column not in unused
    ]
    frame, invalid_notes = replace_invalid_values(
        raw.frame, columns, raw.name, missing=options.missing,
        remedies=missing_value_remedies(options.remedies), decimal=raw.decimal,
    )  # fmt: skip
    frame, sources, text, notes = with_categories(
        frame, columns, raw.name, codes=options.category_codes
    )
    notes = [*raw.notes, *invalid_notes, *notes]
    if options.columns:
        _refuse_text(frame, text, raw.name)
        unnamed = []
    constant = [] if options.keep_constant else [name for name in text if _is_one(frame[name])]
    others = [name for name in text if name not in constant]
    left_out = {_UNNAMED: unnamed, **_texts(frame[others], raw.decimal), _EMPTY: []}
    complete = np.ones(len(frame), bool)
    if options.missing == "drop":
        left_out[_EMPTY] = _remove(frame, sources, _is_empty)
        complete, row_notes = complete_rows(frame, sources, raw.name)
        frame = frame[complete]
        notes += row_notes
    rows = np.flatnonzero(complete)
    frame = frame.set_axis(rows)
    _require_comparable(frame, sources, raw, options)
    if not options.keep_constant and len(frame) > 1:
        left_out[_EMPTY] += _remove(frame, sources, _is_empty)
        constant += _remove(frame, sources, _is_constant)
    left_out[_CONSTANT] = constant
    notes += [_left_out_note(reason, names) for reason, names in left_out.items() if names]
    if not sources:
        raise DataError(f"{raw.name}: no column is left to compare. {' '.join(notes)}".rstrip())
    single = all(frame[column].dtype == np.float32 for column in sources)
    points = frame[list(sources)].to_numpy(np.float32 if single else np.float64, na_value=np.nan)
    # constants are kept for a classifier, and of images
    notes += column_notes(points, list(sources), rows, codes_only=options.keep_constant)
    ids = pd.Series(rows)
    if raw.row_names is not None:
        ids = raw.row_names[complete].reset_index(drop=True)
    if options.identifier is not None:
        ids = _of_one_kind(raw.as_in_file(options.identifier)[complete]).reset_index(drop=True)
        notes += _check_identifiers(ids, options.identifier, raw.name)
    column_names, column_sources = tuple(sources), tuple(sources.values())
    if options.category_codes:
        points, column_sources = one_per_source(points, column_sources)
        column_names = column_sources
    return UserTable(
        points, ids, column_names, column_sources, tuple(notes), raw.name, raw.path, rows=rows,
        left_out={name: reason for reason, names in left_out.items() for name in names},
        count=len(raw.frame.columns),
    )  # fmt: skip


def _texts(frame: pd.DataFrame, decimal: str) -> dict[str, list[str]]:
    """Return the columns of text by what they are."""
    found: dict[str, list[str]] = {_WORDS: [], _FORMATTED: []}
    for name in map(str, frame.columns):
        formatted = are_formatted_numbers(frame[name], decimal)
        reason = _FORMATTED if formatted else text_kind(frame[name]) or _WORDS
        found.setdefault(reason, []).append(name)
    return found


def require_known_columns(raw: RawTable, options: CleanOptions) -> None:
    """Refuse columns that the table does not have, or that are both used and left out.

    Raises
    ------
    DataError
    """
    names = list(raw.frame.columns)
    identifiers = () if options.identifier is None else (options.identifier,)
    arguments = {
        "columns": options.columns,
        "identifier": identifiers,
        "exclude": options.exclude,
    }
    require_columns_of(names, raw.name, arguments)
    refuse_both(options.columns, options.exclude, raw.name)


def _refuse_text(frame: pd.DataFrame, text: Sequence[str], name: str) -> None:
    for column in text:
        why = f" ({quoted(frame[column].iloc[0])} in its first row)"
        if has_leading_zeros(frame[column]):
            why = ", because of leading zeros"
        what = "has too many different values for a category"
        if _is_one(frame[column]):
            what = "is the same in every row"
        raise DataError(f"{name}: the column {quoted(column)} is not numeric{why}, and {what}")


def _remove(
    frame: pd.DataFrame, sources: dict[str, str], unwanted: Callable[[pd.Series[Any]], bool]
) -> list[str]:
    """Take the unwanted columns out of `sources`, and return them."""
    names = [column for column in sources if unwanted(frame[column])]
    for column in names:
        del sources[column]
    return names


def _require_comparable(
    frame: pd.DataFrame, sources: Mapping[str, str], raw: RawTable, options: CleanOptions
) -> None:
    """Refuse missing and infinite values, and those whose squares a float64 cannot hold."""
    require_finite(
        frame, sources, raw.name, keep_missing=options.missing == "keep",
        remedies=options.remedies, as_in_file=raw.as_in_file if raw.as_written else None,
    )  # fmt: skip
    for column, source in sources.items():
        values = frame[column].to_numpy(np.float64, na_value=np.nan)
        if not len(values) or np.isnan(values).all():
            continue
        place = int(np.nanargmax(np.abs(values)))
        if abs(values[place]) > LARGEST_VALUE:
            row = format_row(frame.index[place])
            raise DataError(
                f"{raw.name}: the column {quoted(source)} holds {values[place]:g} in {row}; values "
                f"up to {LARGEST_VALUE:g} are allowed: use other units, or the logarithm"
            )


def _is_empty(values: pd.Series[Any]) -> bool:
    return bool(values.isna().all())


def _is_one(words: pd.Series[Any]) -> bool:
    return len(words) > 1 and len(set(words.map(str))) == 1


def _is_constant(values: pd.Series[Any]) -> bool:
    numbers = values.to_numpy(np.float64, na_value=np.nan)
    return bool(constant_columns(numbers[:, None])[0])


def _left_out_note(reason: str, names: Sequence[str]) -> str:
    shown = [repr(name) for name in names] if reason == _UNNAMED else names
    return f"Left out, {reason}: {format_names(shown)}."


def _of_one_kind(ids: pd.Series[Any]) -> pd.Series[Any]:
    """Numbers among texts are texts: Parquet has one kind a column."""
    mixed = pd.api.types.infer_dtype(ids, skipna=True).startswith("mixed")
    return ids.map(str, na_action="ignore") if mixed else ids


def _check_identifiers(ids: pd.Series[Any], identifier: str, name: str) -> list[str]:
    """Refuse empty names of rows; return a note on names that repeat."""
    if ids.isna().any():
        raise DataError(
            f"{name}: the column {quoted(identifier)} has empty cells and cannot name rows"
        )
    repeated = int(ids.duplicated().sum())
    shown = format_names([identifier])
    return [f"{repeated} rows repeat a name of the column {shown}."] if repeated else []
