"""Panels, and the rows that stand in each."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from geoforest_cli.study.figures.context import Context, NothingToDraw, ordered
from geoforest_cli.study.figures.options import Curves
from geoforest_cli.study.frames import plain

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = [
    "Facets", "PanelPosition", "facet_word", "label_panels", "panels", "wrapped",
]  # fmt: skip

_SAMPLES = {"as_run": "sample as run", "as_written": "sample as written"}
_LETTER = 0.074  # inches of a letter of a label or a title
_MOST_IN_A_ROW = 5


@dataclass(frozen=True)
class PanelPosition:
    """A panel: where it stands and what it shows."""

    row: int
    column: int
    row_value: Any
    column_value: Any


class Facets:
    """The values that make rows and columns of panels.

    Attributes
    ----------
    columns, rows : list
    down, across : int
        Panels below and beside each other: many columns without rows stand in several rows.

    Raises
    ------
    NothingToDraw
        If there are no rows.
    """

    def __init__(self, context: Context, options: Curves, rows: pd.DataFrame) -> None:
        self._options = options
        shown = rows[rows["metric"].isin(options.y)]
        if shown.empty:
            raise NothingToDraw(f"there are no rows of {' or '.join(options.y)} to draw")
        self.columns = self._values(context, options.columns, shown)
        self.rows = self._values(context, options.rows, shown)
        self.down, self.across = len(self.rows), len(self.columns)
        if self.down == 1:
            self.down, self.across = wrapped(self.across)

    def _values(self, context: Context, facet: str | None, rows: pd.DataFrame) -> list[Any]:
        if facet is None:
            return [None]
        listed = {
            "metric": self._options.y,
            "method": context.methods,
            "variant": ("as_written", "as_run", "recommended"),
            "sample": ("as_written", "as_run"),
        }.get(facet, context.config.grid_values.get(facet, ()))
        return ordered(_column(rows, facet), listed)

    @property
    def spots(self) -> list[PanelPosition]:
        """All panels, row by row."""
        pairs = [(row, column) for row in self.rows for column in self.columns]
        return [
            PanelPosition(number // self.across, number % self.across, row, column)
            for number, (row, column) in enumerate(pairs)
        ]

    def metrics(self, spot: PanelPosition) -> tuple[str, ...]:
        """The metrics of a panel's lines."""
        metric = dict(self._pairs(spot)).get("metric")
        return (metric,) if metric else self._options.y

    def pick(self, frame: pd.DataFrame, spot: PanelPosition) -> pd.DataFrame:
        """The rows of a panel, whatever their metric."""
        for facet, value in self._pairs(spot):
            if facet == "sample" or (facet != "metric" and facet in frame):
                values = _column(frame, str(facet))
                frame = frame[(values == value) | values.isna()]
        return frame

    def _pairs(self, spot: PanelPosition) -> tuple[tuple[str | None, Any], ...]:
        return (self._options.rows, spot.row_value), (self._options.columns, spot.column_value)


def wrapped(count: int) -> tuple[int, int]:
    """Return how many rows and columns of panels show so many of them.

    Examples
    --------
    >>> [wrapped(count) for count in (1, 4, 5, 6, 7, 8, 9)]
    [(1, 1), (1, 4), (1, 5), (2, 3), (2, 4), (2, 4), (3, 3)]
    """
    down = 1 if count <= _MOST_IN_A_ROW else math.ceil(count / 4)
    return down, math.ceil(count / down)


def _column(frame: pd.DataFrame, facet: str) -> pd.Series[Any]:
    if facet == "sample":
        return frame["variant"].map(lambda v: "as_run" if v == "as_run" else "as_written")
    return frame[facet]


def panels(
    options: Curves, facets: Facets, wanted: set[tuple[int, int]], heights: Sequence[float] = ()
) -> tuple[Figure, dict[tuple[int, int], Axes]]:
    """Make the panels that are wanted; the others stay blank paper.

    The height of the figure follows with its legend; see `legend.finish`.
    """
    figure = Figure(figsize=(options.width, 1.0))
    per_column = options.columns == "metric" and not heights  # an axis for each column
    shared: Any = not per_column or (len(facets.rows) > 1 and "col")
    if options.rows == "metric" or heights:
        shared = "row"
    grid = figure.subplots(
        facets.down, facets.across, sharex="col" if heights else True, sharey=shared, squeeze=False,
        height_ratios=heights or None,
    )  # fmt: skip
    axes = {cell: panel for cell, panel in np.ndenumerate(grid) if cell in wanted}
    for index, panel in np.ndenumerate(grid):
        if index not in wanted:
            panel.remove()
    for (i, j), panel in axes.items():
        panel.tick_params(
            labelbottom=not any((below, j) in axes for below in range(i + 1, facets.down)),
            labelleft=per_column or not any((i, before) in axes for before in range(j)),
        )
    return figure, axes


def label_panels(options: Curves, facets: Facets, axes: dict[tuple[int, int], Axes]) -> None:
    """Write titles of columns, labels of rows, and the label of the horizontal axis."""
    width = 0.85 * options.width / facets.across
    for spot in facets.spots:
        panel = axes.get((spot.row, spot.column))
        if panel is None:
            continue
        above = any((row, spot.column) in axes for row in range(spot.row))
        if spot.column_value is not None and (not above or facets.down > len(facets.rows)):
            title = facet_word(options, options.columns, spot.column_value)
            panel.set_title(_folded(title, width))
        if not any((spot.row, before) in axes for before in range(spot.column)):
            label = _row_label(options, spot.row_value)
            panel.set_ylabel(_folded(label, options.row_height), linespacing=1.3)
    # below the middle, or between the two panels in the middle
    middle = (facets.across - 1) // 2
    last = axes[max(cell for cell in axes if cell[1] == min(middle, max(axes)[1]))]
    label = options.x_label or options.word(options.x)
    last.set_xlabel(label, x=0.5 if facets.across % 2 else 1.05)


def _folded(text: str, inches: float) -> str:
    width = max(10, int(inches / _LETTER))
    lines = [textwrap.fill(line, width, break_long_words=False) for line in text.splitlines()]
    return "\n".join(lines)


def _row_label(options: Curves, row: Any) -> str:
    if row is not None and options.rows == "metric":
        return options.word(row)
    y = options.y_label or " / ".join(options.word(name) for name in options.y)
    if options.columns == "metric" and not options.y_label:
        y = ""
    return y if row is None else f"{facet_word(options, options.rows, row)}\n{y}"


def facet_word(options: Curves, facet: str | None, value: Any) -> str:
    """Return a facet's value in words."""
    if str(value) in options.labels:
        return options.word(value)
    if facet == "sample":
        return _SAMPLES[str(value)]
    if isinstance(value, bool | np.bool_) and facet:
        return options.word(facet) if value else f"not {options.word(facet)}"
    if isinstance(plain(value), int | float) and facet:
        return f"{options.word(facet)} = {options.word(plain(value))}"
    return options.word(value)
