"""The rows of a user's table with the class of each, by the names that the file has."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from geoforest_cli.core.errors import DataError
from geoforest_cli.core.escaping import quoted
from geoforest_cli.core.suggestions import unknown
from geoforest_cli.tables.arrays import values_of
from geoforest_cli.tables.cleaning import CleanOptions, clean_table
from geoforest_cli.tables.codes import require_one_spelling
from geoforest_cli.tables.cross_validation import Labels
from geoforest_cli.tables.kinds import TEXTS, kind_of_file
from geoforest_cli.tables.messages import as_argument, format_names, format_row
from geoforest_cli.tables.profiles import is_number
from geoforest_cli.tables.reading import RawTable
from geoforest_cli.tables.table import UserTable

__all__ = ["class_names", "labelled_rows", "majority_share", "numbered_classes", "rare_classes"]

_MOST_CLASSES = 20  # numbers that may be names of classes, however they repeat


def class_names(raw: RawTable, label: str) -> pd.Series[Any]:
    """Return the class of each row as text, missing where it is missing in the table.

    Parameters
    ----------
    raw : RawTable
    label : str
        The column with the classes.

    Raises
    ------
    DataError
        If a number is spelt in two ways, such as 01 and 1, or 1 and 1.0.
    """
    values = raw.frame[label]
    present = values.notna()
    words = values.astype(object).map(str)
    if is_number(values):
        written = raw.as_in_file(label).astype(object).map(str).str.strip()
        # true and TRUE are one truth value
        truth = pd.api.types.is_bool_dtype(values.dtype)
        words = written if not truth or written[present].nunique() <= 2 else words
    # blanks around a class are no part of it
    stripped = words.astype(object).map(lambda word: word.strip() or word)
    names = stripped.astype(object).where(present, None)
    what = f"{raw.name}: the label {quoted(label)}"
    require_one_spelling(names[present].unique(), what, raw.decimal)
    return names


def numbered_classes(
    raw: RawTable, label: str, columns: Sequence[str]
) -> tuple[tuple[str, ...], npt.NDArray[np.int64]]:
    """Return the names of the classes in order, and the number of each row's class.

    Parameters
    ----------
    raw : RawTable
    label : str
    columns : sequence of str
        The features: the label must not be among them.

    Raises
    ------
    DataError
        For a label that is unknown, missing in a row, or has one value or too many.
    """
    values = _label_column(raw, label, columns)
    _require_present(raw, label, values, "")
    names, classes = np.unique(class_names(raw, label).to_numpy(str), return_inverse=True)
    if not 2 <= len(names) <= len(values) / 2:
        raise DataError(
            f"{raw.name}: the label {quoted(label)} has {len(names)} different values in "
            f"{len(values)} rows; classes are at least 2, and at most half as many as rows"
        )
    return tuple(map(str, names)), classes.astype(np.int64)


def labelled_rows(
    raw: RawTable, label: str | npt.ArrayLike, options: CleanOptions, *, images: bool = False
) -> tuple[UserTable, Labels]:
    """Return the table and the class of each of its rows, as text.

    Parameters
    ----------
    raw : RawTable
    label : str or (N,) array
        The column with the classes, or the classes.
    options : CleanOptions
        The label is left out besides.
    images : bool
        Rows are images or series.

    Raises
    ------
    DataError
        For a table that cannot be used, missing labels, or one class only.
    """
    if isinstance(label, str):
        values, what = _label_column(raw, label, options.columns), f"the label {quoted(label)}"
        options = replace(options, exclude=(*options.exclude, label))
    else:
        values, what = _label_array(raw, label), "the label"
    if options.missing != "drop":
        _require_present(
            raw, label, values, f"; leave such rows out ({as_argument('missing', 'drop')})"
        )
    table = clean_table(raw, options)
    table = table.select_rows(values.notna().to_numpy(), f"{what} is missing")
    table = table.with_feature_notes(
        named=options.identifier is None, classes=not images, looked_at=not options.columns
    )
    _refuse_measurements(values.iloc[table.rows], f"{raw.name}: {what}")
    if isinstance(label, str):
        names = class_names(raw, label)
    else:
        names = values.astype(object).map(str).map(lambda word: word.strip() or word)
    labels = names.iloc[table.rows].to_numpy(str)
    if len(np.unique(labels)) < 2:
        raise DataError(f"{raw.name}: {what} has one class only")
    return table, labels


def _label_column(raw: RawTable, label: str, columns: Sequence[str]) -> pd.Series[Any]:
    if label not in raw.frame.columns:
        raise DataError(f"{raw.name}: {unknown('column', label, list(raw.frame.columns))}")
    if label in columns:
        argument = as_argument("columns")
        raise DataError(
            f"{raw.name}: {quoted(label)} is the label and cannot be one of the {argument}"
        )
    return raw.frame[label]


def _label_array(raw: RawTable, label: npt.ArrayLike) -> pd.Series[Any]:
    shape = np.shape(label)
    if shape != (n := len(raw.frame),):
        raise DataError(f"{raw.name}: {n} rows, but labels of the shape {shape}")
    if isinstance(label, pd.Series):
        _require_same_order(label.index, raw.frame.index, raw.name)
    return values_of(label)


def _require_same_order(labels: pd.Index[Any], rows: pd.Index[Any], name: str) -> None:
    """Refuse the names of all rows in another order: labels go by place, as in scikit-learn."""
    named = labels.nlevels == rows.nlevels and labels.is_unique and rows.is_unique
    if named and not labels.equals(rows) and labels.isin(rows).all():
        raise DataError(
            f"{name}: the labels name the rows in another order; bring them in that of the rows "
            "(labels.loc[table.index])"
        )


def _require_present(
    raw: RawTable, label: str | npt.ArrayLike, values: pd.Series[Any], advice: str
) -> None:
    """Refuse a row without a class; name what the file has there."""
    missing = values.isna().to_numpy()
    if not missing.any():
        return
    row = int(np.argmax(missing))
    what, where = "the label", format_row(row)
    if isinstance(label, str):
        what = f"the label {quoted(label)}"
        word = raw.as_in_file(label).iloc[row]
        if isinstance(word, str):
            where += f": {quoted(word)} counts as missing"
            if raw.path is not None and kind_of_file(raw.path) in TEXTS:
                advice += f", or keep the word as a class ({as_argument('not_missing', word)})"
    raise DataError(f"{raw.name}: {what} is missing in {where}{advice}")


def _refuse_measurements(values: pd.Series[Any], what: str) -> None:
    """Refuse a label that is a measurement: many numbers with fractions, or that hardly repeat."""
    if not is_number(values):
        return
    counts = values.value_counts()
    fractions = bool((values.astype(np.float64) % 1 != 0).any())
    if len(counts) > _MOST_CLASSES and (fractions or 2 * len(counts) > len(values)):
        raise DataError(
            f"{what} has {len(counts)} different numbers in {len(values)} rows, which "
            f"are no classes, and {as_argument('cross_validate')} does no regression; make classes "
            "of them, low and high say, or use geoforest_cli.RandomForestRegressor from Python"
        )


def majority_share(labels: Labels, label: str | npt.ArrayLike, folds: int, table: str) -> float:
    """Return the share of the most frequent class, if two classes have a row for each fold.

    Errors name the table.
    """
    classes, counts = np.unique(labels, return_counts=True)
    second = int(np.sort(counts)[-2])
    if second < 2:
        rare = quoted(str(classes[counts.argmin()]))
        raise DataError(
            f"{table}: the class {rare} has one row only, so that one class is left when it is "
            "tested"
        )
    if not isinstance(folds, int | np.integer) or not 2 <= folds <= second:
        column = repr(label) if isinstance(label, str) else "the labels"
        raise DataError(
            f"{table}: the second largest class of {column} has {second} rows: "
            f"{as_argument('folds')} is 2 to {second}, not {folds!r}"
        )
    return float(counts.max() / len(labels))


def rare_classes(labels: Labels, folds: int) -> str:
    """Return a note on the classes that have fewer rows than there are folds; empty for none.

    Examples
    --------
    >>> print(rare_classes(np.array(["a"] * 9 + ["b"] * 8 + ["c"]), 5))
    Classes with fewer rows than 5 folds, which are not in each of them: c (1). A single row of a \
class is never predicted right: no other row shows the class.
    """
    classes, counts = np.unique(labels, return_counts=True)
    rare = [
        f"{name} ({count})" for name, count in zip(classes, counts, strict=True) if count < folds
    ]
    if not rare:
        return ""
    note = f"Classes with fewer rows than {folds} folds, which are not in each of them"
    single = ""
    if counts.min() == 1:
        single = " A single row of a class is never predicted right: no other row shows the class."
    return f"{note}: {format_names(rare)}.{single}"
