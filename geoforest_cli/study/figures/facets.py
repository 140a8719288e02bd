"""Which rows stand in which panel, and the panels themselves."""

from __future__ import annotations

import textwrap
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from geoforest_cli.study.figures.context import Context, NothingToDraw, lost_cells, ordered
from geoforest_cli.study.figures.options import Curves
from geoforest_cli.study.frames import plain, within

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = [
    "Facets",
    "PanelPosition",
    "axis_label",
    "facet_word",
    "failures",
    "label_panels",
    "left_margin",
    "panels",
    "title_height",
]

_SAMPLES = {"as_run": "sample as run", "as_written": "sample as written"}
_COMPUTED = ("metric", "method", "variant", "sample")
_TITLE, _LINE = 0.28, 0.15  # inches above the panels; of each further line of a title
_UNTITLED = 0.1
_LETTER, _CAPITAL = 0.074, 0.07  # inches of a letter of a label, of a title on its own line


@dataclass(frozen=True)
class PanelPosition:
    """A panel: where it stands and what it shows."""

    row: int
    column: int
    row_value: Any
    column_value: Any


class Facets:
    """The values that make rows and columns of panels.

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

    def _values(self, context: Context, facet: str | None, rows: pd.DataFrame) -> list[Any]:
        if facet is None:
            return [None]
        if facet == "metric":
            return [metric for metric in self._options.y if (rows["metric"] == metric).any()]
        if facet == "sample":
            return [s for s in ("as_written", "as_run") if s in set(_column(rows, facet))]
        if facet == "variant":
            return ordered(rows["variant"], ("as_written", "as_run", "recommended"))
        if facet == "method":
            return ordered(rows["method"], context.methods)
        return ordered(rows[facet], context.config.grid_values.get(facet, ()))

    @property
    def spots(self) -> list[PanelPosition]:
        """All panels, row by row."""
        return [
            PanelPosition(i, j, row, column)
            for i, row in enumerate(self.rows)
            for j, column in enumerate(self.columns)
        ]

    def metrics(self, spot: PanelPosition) -> tuple[str, ...]:
        """The metrics of a panel's lines."""
        for facet, value in self._pairs(spot):
            if facet == "metric":
                return (value,)
        return self._options.y

    def pick(self, frame: pd.DataFrame, spot: PanelPosition) -> pd.DataFrame:
        """The rows of a panel, whatever their metric."""
        for facet, value in self._pairs(spot):
            if facet in (None, "metric") or frame.empty:
                continue
            values = _column(frame, str(facet))
            keep = values == value
            if facet not in _COMPUTED:
                keep |= values.isna()
            frame = frame[keep]
        return frame

    def _pairs(self, spot: PanelPosition) -> tuple[tuple[str | None, Any], ...]:
        return (
            (self._options.rows, spot.row_value), (self._options.columns, spot.column_value)
        )  # fmt: skip


def _column(frame: pd.DataFrame, facet: str) -> pd.Series[Any]:
    if facet == "sample":
        return frame["variant"].map(lambda v: "as_run" if v == "as_run" else "as_written")
    if facet not in frame.columns:
        return pd.Series(np.nan, index=frame.index, dtype=object)
    return frame[facet]


def failures(context: Context, options: Curves, facets: Facets, spot: PanelPosition) -> str:
    """Why a panel has no rows, in words; empty if nothing was to be run there."""
    lost = within(context.failed, options.where)
    lost = facets.pick(lost, spot)
    return "" if lost.empty else lost_cells(lost)


def panels(
    options: Curves, facets: Facets, wanted: set[tuple[int, int]], foot: float, left: float
) -> tuple[Figure, dict[tuple[int, int], Axes]]:
    """Make the panels that are wanted; the others stay blank paper."""
    rows, columns = len(facets.rows), len(facets.columns)
    by_column = options.columns == "metric" and columns > 1
    apart = by_column and len({_axis_of(options, metric) for metric in options.y}) > 1
    shared: Any = "col" if apart else "row" if options.rows == "metric" else True
    gap = 0.09 + (0.4 if apart else 0.0)
    width = (options.width - left - 0.1 - gap * (columns - 1)) / columns
    above = title_height(options, facets, width)
    height = rows * options.row_height + foot + above
    figure = Figure(figsize=(options.width, height))
    axes = figure.subplots(rows, columns, sharex=True, sharey=shared, squeeze=False)
    figure.subplots_adjust(
        left=left / options.width,
        right=1 - 0.1 / options.width,
        top=1 - above / height,
        bottom=foot / height,
        wspace=gap / width,
        hspace=0.14,
    )
    for place, panel in np.ndenumerate(axes):
        if place not in wanted:
            panel.remove()
    for i, j in wanted:
        axes[i][j].tick_params(
            labelbottom=not any((below, j) in wanted for below in range(i + 1, rows)),
            labelleft=apart or not any((i, before) in wanted for before in range(j)),
        )
    return figure, {(i, j): axes[i][j] for i, j in wanted}


def _axis_of(options: Curves, metric: str) -> tuple[Any, ...]:
    return options.scale_of(metric), options.limits_of(metric), options.range_of(metric)


def label_panels(options: Curves, facets: Facets, found: dict[tuple[int, int], Axes]) -> None:
    """Write a title above the first panel of a column, a label beside the first of a row."""
    for spot in facets.spots:
        axes = found.get((spot.row, spot.column))
        if axes is None:
            continue
        if not any((above, spot.column) in found for above in range(spot.row)):
            width = axes.get_position().width * options.width
            title = _title(options, spot.column_value, width)
            if title:
                axes.set_title(title, pad=5)
        if not any((spot.row, before) in found for before in range(spot.column)):
            axes.set_ylabel(_row_label(options, spot.row_value), linespacing=1.3)


def _title(options: Curves, value: Any, width: float) -> str:
    if value is None:
        return ""
    word = facet_word(options, options.columns, value)
    return "\n".join(
        textwrap.wrap(word, max(8, int((width + 0.06) / _CAPITAL)), break_long_words=False)
    )


def title_height(options: Curves, facets: Facets, width: float) -> float:
    """Inches above panels of a width."""
    lines = max(len(_title(options, value, width).splitlines()) for value in facets.columns)
    return _TITLE + _LINE * (lines - 1) if lines else _UNTITLED


def axis_label(options: Curves) -> str:
    """The words below the panels."""
    return options.x_label or options.word(options.x)


def _row_label(options: Curves, row: Any) -> str:
    room = max(10, int(options.row_height / _LETTER))
    y = options.y_label or " / ".join(options.word(name) for name in options.y)
    if options.columns == "metric" and not options.y_label:
        y = ""
    if row is not None and options.rows == "metric":
        y = options.word(row)
    parts = [y] if row is None or options.rows == "metric" else [
        facet_word(options, options.rows, row), y
    ]  # fmt: skip
    lines = [line for part in parts for line in part.splitlines()]
    return "\n".join(text for line in lines for text in textwrap.wrap(line, room))


def left_margin(options: Curves, facets: Facets, letters: int) -> float:
    """Inches beside the panels: lines of labels, and the longest tick label."""
    lines = max(len(_row_label(options, row).splitlines()) for row in facets.rows)
    return 0.16 + 0.16 * lines + 0.062 * letters


def facet_word(options: Curves, facet: str | None, value: Any) -> str:
    """What a facet's value is called."""
    if facet == "sample" and str(value) not in options.labels:
        return _SAMPLES[str(value)]
    if isinstance(value, bool | np.bool_) and facet:
        words = (options.word(facet), f"not {options.word(facet)}")
        return options.labels.get(str(value), words[not value])
    if isinstance(plain(value), int | float) and facet and str(value) not in options.labels:
        return f"{options.word(facet)} = {options.word(plain(value))}"
    return options.word(value)
