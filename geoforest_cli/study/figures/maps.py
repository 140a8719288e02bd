"""Shades over two grid parameters: where a thing holds and where it ends."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from matplotlib.colors import LinearSegmentedColormap
from matplotlib.figure import Figure

from geoforest_cli.study.figures.context import Context, NothingToDraw, matching
from geoforest_cli.study.figures.options import Curves

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

__all__ = ["draw"]

_SHADES = LinearSegmentedColormap.from_list("shades", ["#FFFFFF", "#9ECAE1", "#08519C"])
_DARK = 0.7  # above it, words are white
_HEAD, _FOOT, _RIGHT = 0.3, 0.5, 0.1  # inches


def draw(context: Context, options: Curves, against: str) -> Figure:
    """Draw the mean of a metric between 0 and 1 over two grid parameters, in shades and numbers.

    Facets as `Curves` has them: grid columns or the method. A place without rows is left open.

    Raises
    ------
    NothingToDraw
        If no row is left.
    """
    metric = options.y[0]
    rows = matching(context.rows[context.rows["metric"] == metric], options.where)
    if rows.empty:
        raise NothingToDraw(f"there are no rows of {metric} to draw")
    columns = _values(context, options.columns, rows)
    lines = _values(context, options.rows, rows)
    xs = [value for value in context.values(options.x) if value in set(rows[options.x])]
    ys = [value for value in context.values(against) if value in set(rows[against])]
    height = _HEAD + _FOOT + options.row_height * len(lines)
    figure = Figure(figsize=(options.width, height))
    axes = figure.subplots(len(lines), len(columns), squeeze=False, sharex=True, sharey=True)
    for i, line in enumerate(lines):
        for j, column in enumerate(columns):
            part = _pick(_pick(rows, options.rows, line), options.columns, column)
            _panel(axes[i][j], part, (options.x, xs), (against, ys), options)
            if i == 0 and column is not None:
                axes[i][j].set_title(_word(context, options, options.columns, column), pad=4)
            if i == len(lines) - 1:
                axes[i][j].set_xlabel(options.x_label or options.word(options.x))
        word = "" if line is None else _word(context, options, options.rows, line) + "\n"
        axes[i][0].set_ylabel(word + (options.y_label or options.word(against)), linespacing=1.3)
    figure.subplots_adjust(
        left=max(0.75, 0.1 * options.width) / options.width,
        right=1 - _RIGHT / options.width,
        top=1 - _HEAD / height,
        bottom=_FOOT / height,
        wspace=0.06,
        hspace=0.1,
    )
    return figure


def _values(context: Context, facet: str | None, rows: pd.DataFrame) -> list[Any]:
    if facet is None:
        return [None]
    present = set(rows[facet])
    listed = context.methods if facet == "method" else context.values(facet)
    return [value for value in listed if value in present]


def _pick(rows: pd.DataFrame, facet: str | None, value: Any) -> pd.DataFrame:
    return rows if facet is None else rows[rows[facet] == value]


def _word(context: Context, options: Curves, facet: str | None, value: Any) -> str:
    return context.label(str(value)) if facet == "method" else options.word(value)


def _panel(
    axes: Axes,
    rows: pd.DataFrame,
    x: tuple[str, list[Any]],
    y: tuple[str, list[Any]],
    options: Curves,
) -> None:
    means = rows.groupby([y[0], x[0]])["value"].mean()
    shades = np.full((len(y[1]), len(x[1])), np.nan)
    for i, vertical in enumerate(y[1]):
        for j, horizontal in enumerate(x[1]):
            if (vertical, horizontal) in means.index:
                shades[i, j] = means[vertical, horizontal]
                axes.text(
                    j, i, f"{shades[i, j]:.2f}".replace("0.", ".").replace("1.00", "1"),
                    ha="center", va="center", fontsize=6,
                    color="white" if shades[i, j] > _DARK else "black",
                )  # fmt: skip
    axes.imshow(shades, cmap=_SHADES, vmin=0, vmax=1, origin="lower", aspect="auto")
    axes.set_xticks(range(len(x[1])), [options.word(value) for value in x[1]])
    axes.set_yticks(range(len(y[1])), [options.word(value) for value in y[1]])
    axes.tick_params(length=0)
    axes.grid(visible=False)
