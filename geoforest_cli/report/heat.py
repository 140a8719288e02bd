"""Maps of methods x grid values with numbers in the cells: for more methods than lines can show."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

import matplotlib as mpl
import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from geoforest_cli.report import facets as facets_
from geoforest_cli.report.context import Context, ordered
from geoforest_cli.report.facets import Facets
from geoforest_cli.report.options import Curves

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["draw_heat"]

_ROW, _FOOT, _BETWEEN = 0.185, 0.5, 0.5  # inches: of a method, below all, between rows of panels
_LETTER = 0.066
_SAYS = {"as_run": "as run", "as_written": "as written"}


def draw_heat(context: Context, options: Curves) -> Figure:
    """Draw the mean over repetitions of every method, variant and grid value.

    Parameters
    ----------
    context : Context
    options : Curves
        Facets, filters, words and width as for lines; the height follows from the methods.

    Returns
    -------
    matplotlib.figure.Figure
        A row per method and variant, chance in the last one; a column per value of ``x``. Darker
        is larger; one scale of colours per metric.

    Raises
    ------
    NothingToDraw
        If no row is left.
    """
    ours = facets_.kept(context.rows, options)
    facets = Facets(context, options, ours)
    tables = {
        (spot.row, spot.column): _table(
            context, options, facets.pick(ours, spot), facets.metrics(spot)
        )
        for spot in facets.spots
    }
    tables = {place: table for place, table in tables.items() if not table.empty}
    metrics = {(spot.row, spot.column): facets.metrics(spot)[0] for spot in facets.spots}
    names = list(dict.fromkeys(name for table in tables.values() for name in table.index))
    names = sorted(names, key=lambda name: name[0] == "")
    words = [_name(context, options, name, names) for name in names]
    left = 0.15 + _LETTER * max(map(len, words)) + (0.2 if len(facets.rows) > 1 else 0.0)
    high = _ROW * len(names)
    height = len(facets.rows) * (high + _BETWEEN) + _FOOT - 0.15
    figure = Figure(figsize=(options.width, height))
    wide = (options.width - left - 0.1) / len(facets.columns)
    found = {}
    for (i, j), table in tables.items():
        bottom = height - (i + 1) * (high + _BETWEEN) + _BETWEEN - 0.3
        axes = figure.add_axes(
            ((left + j * wide) / options.width, bottom / height,
             (wide - 0.07) / options.width, high / height)
        )  # fmt: skip
        found[i, j] = axes
        metric = metrics[i, j]
        same = [other for place, other in tables.items() if metrics[place] == metric]
        shade = mpl.colors.Normalize(*_ends(options, metric, same))
        _paint(axes, table.reindex(index=pd.MultiIndex.from_tuples(names)), options, shade)
        first = not any((i, before) in found for before in range(j))
        axes.set_yticks(range(len(names)), words if first else [""] * len(words))
    facets_.label_panels(options, facets, found)
    if len(facets.rows) == 1:
        for axes in found.values():
            axes.set_ylabel("")
    middle = (left + options.width - 0.1) / 2 / options.width
    y = options.y_label or options.word(options.y[0])
    label = facets_.axis_label(options)
    label += f" (numbers: {y})" if len(facets.rows) == 1 and len(options.y) == 1 else ""
    figure.text(middle, 0.1 / height, label, ha="center", va="center", fontsize=8)
    return figure


def _table(
    context: Context, options: Curves, rows: pd.DataFrame, metrics: Sequence[str]
) -> pd.DataFrame:
    """Means by (method, variant) and value of x; chance is the method without a name."""
    mine: pd.DataFrame = rows[rows["metric"].isin(list(metrics)) & np.isfinite(rows["value"])]
    if mine.empty:
        return mine
    keys = ["method", "variant", options.x]
    each = mine.groupby([*keys, "repetition"], sort=False)["value"].mean().reset_index()
    table = each.pivot_table(index=keys[:2], columns=options.x, values="value", aggfunc="mean")
    order = [
        (method, variant)
        for method in context.methods
        for variant in ordered(mine.loc[mine["method"] == method, "variant"])
    ]
    table = table.reindex(index=pd.MultiIndex.from_tuples(order))
    for name in dict.fromkeys(options.chance_of(metric) for metric in metrics):
        level = rows[rows["metric"] == name].groupby(options.x)["value"].mean()
        if name and len(level):
            table.loc[("", name), :] = level
    wanted = context.config.grid_values.get(options.x, ())
    found: pd.DataFrame = table[ordered(table.columns, wanted)]
    return found


def _ends(options: Curves, metric: str, tables: Iterable[pd.DataFrame]) -> tuple[float, float]:
    """Where the scale of colours begins and ends."""
    given = options.limits_of(metric)
    values = np.concatenate([table.to_numpy(float).ravel() for table in tables])
    values = values[np.isfinite(values)]
    low, high = given or options.range_of(metric, values)
    if low is None or high is None:
        return float(values.min()), float(values.max()) or 1.0
    return low, high


def _name(
    context: Context, options: Curves, name: tuple[str, str], names: Sequence[tuple[str, str]]
) -> str:
    method, variant = name
    if not method:
        return options.word(variant)
    several = len({v for m, v in names if m == method}) > 1
    label = context.label(method)
    return f"{label} ({_SAYS.get(variant, variant)})" if several else label


def _paint(axes: Axes, table: pd.DataFrame, options: Curves, shade: Any) -> None:
    values = table.to_numpy(float)
    axes.imshow(values, aspect="auto", cmap="Blues", norm=shade, interpolation="none")
    for (i, j), value in np.ndenumerate(values):
        if math.isfinite(value):
            dark = shade(value) > 0.55
            axes.text(
                j, i, _number(value), ha="center", va="center", fontsize=6.5,
                color="white" if dark else "black",
            )  # fmt: skip
    axes.set_xticks(range(len(table.columns)), [options.word(value) for value in table.columns])
    axes.grid(visible=False)
    axes.tick_params(length=0, labelsize=7)
    for spine in axes.spines.values():
        spine.set_visible(False)


def _number(value: float) -> str:
    """Two digits after the point, without a zero before it.

    Examples
    --------
    >>> [_number(v) for v in (0.931, 1.0, 0.0, -0.25, 12.34, 1234.0)]
    ['.93', '1', '0', '-.25', '12', '1.2e+03']
    """
    if abs(value) >= 10:
        return f"{value:.2g}"
    text = f"{value:.2f}"
    if abs(value) < 0.995 and text.strip("-0."):
        return text.replace("0.", ".", 1)
    return f"{value:.1f}".removesuffix(".0").replace("-0", "0")
