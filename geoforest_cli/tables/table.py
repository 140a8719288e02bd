"""The numeric table that the methods compute on."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from geoforest_cli.tables.messages import Note, as_argument, format_names
from geoforest_cli.tables.profiles import Points, is_category
from geoforest_cli.tables.row_order import row_order_note

__all__ = ["Points", "UserTable"]

_FEW_ROWS = 10  # fewer may be in order by chance
_MOST_CLASSES = 5  # columns that are named, of which most have few values
_SHARE_OF_AN_ID = 0.9  # of the rows
_ID = re.compile(r"(.*[ _.-])?(id|ids|index|idx|nr|no|number|row|key)", re.IGNORECASE)
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
        n = len(self.rows)
        if n < _FEW_ROWS:
            return self
        order = row_order_note(self.points, self.sources) if classes and self._in_turn() else []
        if not looked_at:
            return replace(self, notes=(*self.notes, *order))
        with np.errstate(invalid="ignore"):
            start = self.points[:_START]
            whole = ((start == np.floor(start)) | np.isnan(start)).all(axis=0)
            steps = np.diff(start, axis=0)
            in_order = (steps > 0).all(axis=0) | (steps < 0).all(axis=0)
        found = _Looks(self.rows)
        for column in np.flatnonzero(whole | in_order):
            found.add(self.points[:, column], self.sources[column], classes=classes)
        notes = found.notes(len(dict.fromkeys(self.sources)), named=named)
        if _are_distances(self.points):
            notes.append(
                "The table is square, symmetric and zero on its diagonal, as distances are: its "
                "rows are taken for points."
            )
        return replace(self, notes=(*self.notes, *notes, *order))

    def _in_turn(self) -> bool:
        """Tell whether most rows stand next to each other in the user's table."""
        return bool(2 * (np.diff(self.rows) == 1).sum() >= len(self.rows) - 1)

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
            rows=self.rows[kept], notes=(*self.notes, note),
        )  # fmt: skip

    def select_columns(self, selected: npt.NDArray[np.bool_]) -> UserTable:
        """Return the table of some of its columns."""
        numbers = np.flatnonzero(selected)
        columns, sources = (
            tuple(names[number] for number in numbers) for names in (self.columns, self.sources)
        )
        return replace(self, points=self.points[:, numbers], columns=columns, sources=sources)


class _Looks:
    """Features by what they look like, if they look like something else.

    Parameters
    ----------
    rows : (N,) int64
        Numbers of the rows in the table.
    """

    def __init__(self, rows: npt.NDArray[np.int64]) -> None:
        self._rows = rows
        self._numbers: list[str] = []
        self._ordered: list[str] = []
        self._ranks: list[str] = []
        self._ids: list[str] = []
        self._classes: dict[str, None] = {}

    def add(self, values: npt.NDArray[np.floating], name: str, *, classes: bool) -> None:
        """Sort a column in, by its values in the order of the rows."""
        n = len(values)
        steps = np.diff(values)
        in_order = bool((steps > 0).all() or (steps < 0).all())
        present = np.unique(values[~np.isnan(values)])
        once = (
            len(present) == n and (present == np.floor(present)).all() and np.ptp(present) == n - 1
        )
        if in_order:
            numbers = once or np.ptp(values - self._rows) == 0
            (self._numbers if numbers else self._ordered).append(name)
        elif once:
            self._ranks.append(name)
        elif _is_id(present, steps, n, name):
            self._ids.append(name)
        elif classes and (present == np.floor(present)).all() and is_category(present.tolist(), n):
            self._classes[name] = None

    def notes(self, total: int, *, named: bool) -> list[str]:
        """Return a sentence for each kind that there is."""
        exclude = as_argument("exclude")
        naming = f"{as_argument('identifier')} names the rows by a column, " if named else ""
        away = f"{naming}{exclude} leaves it out"
        notes: list[str] = [
            Note(f"Used as features, though {what}: {format_names(names)}; {away}.", kind)
            for what, names, kind in (
                ("the values are row numbers", self._numbers, "id"),
                ("the values rise or fall with the rows, as times may", self._ordered, "order"),
                (
                    "they are whole numbers of which each comes once, as ids or ranks",
                    self._ranks,
                    "id",
                ),
                ("they are whole numbers that count or name rows, as ids do", self._ids, "id"),
            )
            if names
        ]
        count = len(self._classes)
        if count > max(_MOST_CLASSES, total // 2):
            notes.append(
                f"{count} of {total} columns have few whole values: counts are features, classes "
                f"are none ({exclude} leaves them out)."
            )
        elif count:
            notes.append(
                "Used as features, though they may be classes (text or few whole values): "
                f"{format_names(list(self._classes))}; {exclude} leaves them out."
            )
        return notes


def _is_id(different: Points, steps: Points, n: int, name: str) -> bool:
    """Tell whether whole numbers are called an id and nearly all differ, or mostly rise by one."""
    if (different != np.floor(different)).any():
        return False
    called = _ID.fullmatch(name) is not None and len(different) >= _SHARE_OF_AN_ID * n
    return called or bool((steps == 1).mean() >= _SHARE_OF_AN_ID)


def _are_distances(points: Points) -> bool:
    n, p = points.shape
    return n == p and not points.diagonal().any() and bool(np.allclose(points, points.T))
