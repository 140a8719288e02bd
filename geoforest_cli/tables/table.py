"""The numeric table that the methods compute on."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from geoforest_cli.tables.categories import Points, is_category
from geoforest_cli.tables.messages import as_argument, format_names

__all__ = ["Points", "UserTable"]

_FEW_ROWS = 10  # fewer may be in order by chance
_START = 100  # rows that show for most columns of measurements that they are no whole numbers


@dataclass(frozen=True, eq=False)
class UserTable:
    """The numeric columns of a table.

    Attributes
    ----------
    points : (N, p) float64 or float32
    ids : pandas.Series
        The identifier column, or row numbers from 0.
    columns : tuple of str
        Names of the columns of `points`.
    sources : tuple of str
        The user's column that each of these comes from: several come from one category.
    notes : tuple of str
        One sentence for everything that was left out.
    name : str
        What messages call the table: its file, or what it is.
    path : Path, optional
        The file that was read.
    rows : (N,) int64
        Numbers of the rows that are left, from 0.
    left_out : mapping
        The columns that are not used, with the reason.
    count : int
        Of all columns that the table has.
    """

    points: Points = field(repr=False)
    ids: pd.Series[Any] = field(repr=False)
    columns: tuple[str, ...] = field(repr=False)
    sources: tuple[str, ...] = field(repr=False)
    notes: tuple[str, ...]
    name: str
    path: Path | None = None
    rows: npt.NDArray[np.int64] = field(default_factory=lambda: np.arange(0), repr=False)
    left_out: Mapping[str, str] = field(default_factory=dict, repr=False)
    count: int = 0

    def used(self) -> str:
        """Return which columns are used, in a sentence."""
        names = list(dict.fromkeys(self.sources))
        return f"Used, {len(names)} of {self.count} columns: {format_names(names)}."

    def with_feature_notes(self, *, named: bool, classes: bool) -> UserTable:
        """Return the table with notes on features that look like row numbers or classes.

        Parameters
        ----------
        named : bool
            Whether the caller has an option for the column that names the rows.
        classes : bool
            Whether to look for classes too: the pixels of an image may have few values.
        """
        n = len(self.rows)
        if n < _FEW_ROWS:
            return self
        with np.errstate(invalid="ignore"):
            start = self.points[:_START]
            whole = ((start == np.floor(start)) | np.isnan(start)).all(axis=0)
        numbers, labels = [], []
        for column in np.flatnonzero(whole):
            values = np.unique(self.points[:, column])
            values = values[~np.isnan(values)]
            if (values != np.floor(values)).any():
                continue
            in_order = len(values) == n and np.ptp(self.points[:, column] - self.rows) == 0
            if in_order or (len(values) == n and np.ptp(values) == n - 1):
                numbers.append(self.sources[column])
            elif classes and is_category(values.tolist(), n):
                labels.append(self.sources[column])
        exclude = as_argument("exclude")
        naming = f"{as_argument('identifier')} names the rows by a column, " if named else ""
        notes = list(self.notes)
        if numbers:
            notes.append(
                "Used as features, though the values are row numbers: "
                f"{format_names(numbers)}; {naming}{exclude} leaves it out."
            )
        if labels:
            names = format_names(list(dict.fromkeys(labels)))
            notes.append(
                "Used as features, though they may be classes (text or few whole values): "
                f"{names}; {exclude} leaves them out."
            )
        return replace(self, notes=tuple(notes))

    def select_rows(self, selected: npt.NDArray[np.bool_], reason: str) -> UserTable:
        """Return the table without some rows, and a note on how many are left out and why.

        Parameters
        ----------
        selected : (rows of the whole table,) bool
        reason : str
        """
        kept = selected[self.rows]
        if kept.all():
            return self
        note = f"Left out, {int((~kept).sum())} more of {len(selected)} rows: {reason}."
        return replace(
            self, points=self.points[kept], ids=self.ids[kept].reset_index(drop=True),
            rows=self.rows[kept], notes=(*self.notes, note),
        )  # fmt: skip

    def select_columns(self, selected: npt.NDArray[np.bool_]) -> UserTable:
        """Return the table of some of its columns."""
        numbers = np.flatnonzero(selected)
        columns, sources = (
            tuple(names[number] for number in numbers) for names in (self.columns, self.sources)
        )
        return replace(self, points=self.points[:, numbers], columns=columns, sources=sources)
