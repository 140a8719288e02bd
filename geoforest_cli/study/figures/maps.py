"""Shades over two grid parameters: where a thing holds and where it ends."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from matplotlib.colors import LinearSegmentedColormap
from matplotlib.figure import Figure

from geoforest_cli.study.figures.context import Context, pick
from geoforest_cli.study.figures.heatmap import print_numbers
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
    rows = context.metric_rows(options.y[0], options.where)
    columns = context.facet_values(options.columns, rows)
    lines = context.facet_values(options.rows, rows)
    xs, ys = context.facet_values(options.x, rows), context.facet_values(against, rows)
    height = _HEAD + _FOOT + options.row_height * len(lines)
    figure = Figure(figsize=(options.width, height))
    axes = figure.subplots(len(lines), len(columns), squeeze=False, sharex=True, sharey=True)
    for i, line in enumerate(lines):
        for j, column in enumerate(columns):
            part = pick(pick(rows, options.rows, line), options.columns, column)
            means = part.pivot_table(index=against, columns=options.x, values="value")
            _panel(axes[i][j], means.reindex(index=ys, columns=xs), options)
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


def _word(context: Context, options: Curves, facet: str | None, value: Any) -> str:
    return context.label(str(value)) if facet == "method" else options.word(value)


def _panel(axes: Axes, means: pd.DataFrame, options: Curves) -> None:
    shades = means.to_numpy(float)
    columns, rows = ([options.word(v) for v in part] for part in (means.columns, means.index))
    print_numbers(axes, shades, shades > _DARK, _number, 6, rows, columns)
    axes.imshow(shades, cmap=_SHADES, vmin=0, vmax=1, origin="lower", aspect="auto")
    axes.set_xticks(range(len(columns)), columns)
    axes.set_yticks(range(len(rows)), rows)
    axes.tick_params(length=0)
    axes.grid(visible=False)


def _number(value: float) -> str:
    return f"{value:.2f}".replace("0.", ".").replace("1.00", "1")
