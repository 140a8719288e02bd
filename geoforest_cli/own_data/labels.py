"""The rows of a user's table with the class of each."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Unpack

import numpy as np
import numpy.typing as npt
import pandas as pd

from geoforest_cli.errors import DataError
from geoforest_cli.hints import unknown
from geoforest_cli.own_data.categories import is_number
from geoforest_cli.own_data.dialect import Reading
from geoforest_cli.own_data.folds import Labels
from geoforest_cli.own_data.reading import TableLike, open_frame
from geoforest_cli.own_data.table import UserTable, table_of
from geoforest_cli.own_data.wording import in_row, spell

__all__ = ["labelled_rows", "largest_share"]

_MOST_CLASSES = 20  # numbers that may be names of classes, however they repeat


def labelled_rows(
    table: TableLike,
    label: str | npt.ArrayLike,
    columns: Sequence[str],
    *,
    drop: bool,
    **how: Unpack[Reading],
) -> tuple[UserTable, Labels]:
    """Return the table and the class of each of its rows, as text.

    Parameters
    ----------
    table : path, DataFrame or (N, p) array
    label : str or (N,) array
        The column with the classes, or the classes.
    columns : sequence of str
        As in `read_table`.
    drop : bool
        Leave rows out that miss a value or their label.
    sep, decimal, encoding, sheet : str, optional
        How a file is read, see `geoforest_cli.own_data.dialect.Reading`.

    Raises
    ------
    DataError
        For a table that cannot be read or used, missing labels, or one class only.
    """
    opened = open_frame(table, **how)
    frame, name = opened.frame, opened.name
    if not isinstance(label, str):
        classes = np.asarray(label)
        if classes.shape != (len(frame),):
            raise DataError(f"{name}: {len(frame)} rows, but labels of the shape {classes.shape}")
        values = pd.Series(classes)
    elif label not in frame.columns:
        raise DataError(f"{name}: {unknown('column', label, list(frame.columns))}")
    elif label in columns:
        place = spell("columns")
        raise DataError(f"{name}: {label!r} is the label and cannot be one of the {place}")
    else:
        values = frame[label]
    the_label = f"the label {label!r}" if isinstance(label, str) else "the label"
    there = values.notna().to_numpy()
    if not there.all() and not drop:
        place = in_row(int(np.argmin(there)))
        way = f"leave such rows out ({spell('missing', 'drop')})"
        raise DataError(f"{name}: {the_label} is missing in {place}; {way}")
    other_than = (label,) if isinstance(label, str) else ()
    # pixels that never vary belong to the image: they stay
    data = table_of(
        opened, columns, other_than=other_than, constant=True, drop=drop, ways=("drop",)
    )
    if not there.all():
        data = data.of_rows(there, f"{the_label} is missing")
    if not columns:
        way = f"{spell('columns')} leaves it out"
        data = replace(data, notes=data.notes + data.numbering(way))
    values = values.iloc[data.rows]
    _refuse_numbers(values, name, the_label)
    labels = values.astype(str).to_numpy(str)
    if len(np.unique(labels)) < 2:
        raise DataError(f"{name}: {the_label} has one class only")
    return data, labels


def _refuse_numbers(values: pd.Series[Any], name: str, the_label: str) -> None:
    """Refuse a label that is a measurement: many numbers with fractions, or that hardly repeat."""
    if not is_number(values):
        return
    counts = values.value_counts()
    fractions = bool((values.astype(np.float64) % 1 != 0).any())
    if len(counts) > _MOST_CLASSES and (fractions or 2 * len(counts) > len(values)):
        raise DataError(
            f"{name}: {the_label} has {len(counts)} different numbers in {len(values)} rows, which "
            f"are no classes, and {spell('cross_validate')} does no regression; make classes of "
            "them, low and high say, or use geoforest_cli.RandomForestRegressor from Python"
        )


def largest_share(labels: Labels, label: str | npt.ArrayLike, folds: int) -> float:
    """Return the share of the most frequent class, if every class has a row for each fold."""
    classes, counts = np.unique(labels, return_counts=True)
    fewest = int(counts.min())
    if fewest < 2:
        rare = str(classes[counts.argmin()])
        raise DataError(f"the class {rare!r} has one row only: none is left to learn it from")
    if not 2 <= folds <= fewest:
        column = repr(label) if isinstance(label, str) else "the labels"
        raise DataError(
            f"the smallest class of {column} has {fewest} rows: "
            f"{spell('folds')} is 2 to {fewest}, not {folds}"
        )
    return float(counts.max() / len(labels))
