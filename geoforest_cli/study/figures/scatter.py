"""Points that cells yield, coloured by group: one panel per method or grid value."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from matplotlib.figure import Figure

from geoforest_cli.core import suggestions
from geoforest_cli.core.plot_style import BLUE, GREY, SKY, VERMILION
from geoforest_cli.study.figures import legend
from geoforest_cli.study.figures.context import Context, NothingToDraw, ordered, pick
from geoforest_cli.study.figures.facets import wrapped
from geoforest_cli.study.figures.options import Scatter, word

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["draw_scatter"]

_GROUP, _POINT = "group", "point"  # columns of detail
_LOOKS = (
    (BLUE, "o"), (VERMILION, "^"), ("#009E73", "s"), ("#CC79A7", "D"),
    ("#E69F00", "v"), (SKY, "P"), ("#000000", "X"), (GREY, "p"),
)  # fmt: skip


def draw_scatter(context: Context, options: Scatter) -> Figure:
    """Draw the points of the first repetition.

    Parameters
    ----------
    context : Context
    options : Scatter

    Returns
    -------
    matplotlib.figure.Figure

    Raises
    ------
    NothingToDraw
        If no point is left, or no column of the rows is called so.
    """
    points = _points(context, options)
    values = context.facet_values(options.columns, points)
    down, across = wrapped(len(values))
    figure = Figure(figsize=(options.width, 1.0))
    grid: Any = figure.subplots(
        down, across, squeeze=False, sharex=options.equal, sharey=options.equal
    )
    axes: list[Any] = list(grid.ravel())
    groups = ordered(points[_GROUP], options.labels)
    handles = {}
    for panel, value in zip(axes, values, strict=False):
        here = pick(points, options.columns, value)
        for number, group in enumerate(groups):
            mine = here[here[_GROUP] == group]
            (handles[group],) = panel.plot(
                mine["value_x"], mine["value_y"], label=word(group, options.labels),
                **_style(number, options, joined=group in options.lines),
            )  # fmt: skip
        if value is not None:
            is_method = options.columns == "method"
            panel.set_title(context.label(value) if is_method else word(value, options.labels))
        if options.equal:
            panel.set_aspect("equal")
    for panel in axes[len(values) :]:
        panel.remove()
    for panel in axes[: len(values)][-across:]:
        panel.set_xlabel(options.x_label)
        panel.xaxis.set_tick_params(labelbottom=True)
    for panel in grid[:, 0]:
        panel.set_ylabel(options.y_label)
    entries = [*handles.values(), *legend.lost(context.failed)]
    legend.finish(figure, down * options.row_height, entries)
    return figure


def _points(context: Context, options: Scatter) -> pd.DataFrame:
    """One row per point: its place as value_x and value_y beside what else is known of it."""
    x, y = (context.metric_rows(metric, options.where) for metric in ("x", "y"))
    for column in (_GROUP, _POINT, options.columns):
        if column is not None and column not in x.columns:
            raise NothingToDraw(suggestions.unknown("column of the rows", column, x.columns))
    keys = [name for name in x.columns if name not in {"metric", "value"}]
    both = x.merge(y, on=keys, suffixes=("_x", "_y"))
    first = both[both["repetition"] == both["repetition"].min()]
    numbered: pd.DataFrame = first[first[_GROUP].notna()].sort_values(_POINT)
    if numbered.empty:
        raise NothingToDraw("there are no points to draw")
    return numbered


def _style(number: int, options: Scatter, *, joined: bool) -> dict[str, Any]:
    color, marker = _LOOKS[number % len(_LOOKS)]
    if joined:
        return {"color": color, "linewidth": 1.1, "zorder": 2}
    return {
        "color": color, "marker": marker, "linestyle": "none", "markersize": options.size,
        "markeredgewidth": 0.3, "markeredgecolor": "white", "zorder": 3,
    }  # fmt: skip
