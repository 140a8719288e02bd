"""The numeric table that the methods compute on."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from geoforest_cli.tables.column_notes import feature_notes, row_order_note
from geoforest_cli.tables.messages import Note, format_names
from geoforest_cli.tables.profiles import Points

__all__ = ["Points", "UserTable"]

_MIN_ROWS = 10  # fewer may be in order by chance


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
    kinds : mapping
        What each column is: "number", "category", "code", "constant", "empty", "date" and others.
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
    kinds: Mapping[str, str] = field(default_factory=dict, repr=False)

    def used(self) -> str:
        """Return which columns are used, in a sentence."""
        names = list(dict.fromkeys(self.sources))
        return f"Used, {len(names)} of {self.count} columns: {format_names(names)}."

    def with_feature_notes(
        self, *, named: bool, classes: bool, looked_at: bool = True
    ) -> UserTable:
        """Return the table with notes on rows in order of time, and on ids or classes as features.

        Parameters
        ----------
        named : bool
            Whether the caller has an option for the column that names the rows.
        classes : bool
            Whether to look for classes too: the pixels of an image may have few values.
        looked_at : bool
            False where the user names the columns: they are meant to be features.
        """
        if len(self.rows) < _MIN_ROWS:
            return self
        notes: list[Note] = []
        if looked_at:
            notes = feature_notes(
                self.points, self.sources, self.rows, named=named, classes=classes
            )
        # most rows stand next to each other in the user's table
        if classes and 2 * (np.diff(self.rows) == 1).sum() >= len(self.rows) - 1:
            notes += row_order_note(self.points, self.sources)
        return replace(self, notes=(*self.notes, *notes))

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
        more = " more" if len(self.rows) < len(selected) else ""
        note = f"Left out, {int((~kept).sum())}{more} of {len(selected)} rows: {reason}."
        return replace(
            self, points=self.points[kept], ids=self.ids[kept].reset_index(drop=True),
            rows=self.rows[kept], notes=(*self.notes, Note(note, "dropped")),
        )  # fmt: skip

    def select_columns(self, selected: npt.NDArray[np.bool_]) -> UserTable:
        """Return the table of some of its columns."""
        numbers = np.flatnonzero(selected)
        columns, sources = (
            tuple(names[number] for number in numbers) for names in (self.columns, self.sources)
        )
        return replace(self, points=self.points[:, numbers], columns=columns, sources=sources)
