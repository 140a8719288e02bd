"""Maps of methods x grid values with numbers in the cells: for more methods than lines can show."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import matplotlib as mpl
import numpy as np
import numpy.typing as npt
import pandas as pd
from matplotlib.figure import Figure

from geoforest_cli.core.figure_files import mark
from geoforest_cli.study.figures.context import Context, NothingToDraw, ordered
from geoforest_cli.study.figures.facets import (
    Facets,
    axis_label,
    label_panels,
    title_height,
)
from geoforest_cli.study.figures.options import VARIANT_WORDS, Curves
from geoforest_cli.study.frames import within

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["draw_heat", "print_numbers"]

Floats = npt.NDArray[np.float64]
Masks = npt.NDArray[np.bool_]

# inches: of a method, below all, between rows and between columns of panels
_ROW, _FOOT, _BETWEEN, _GAP = 0.185, 0.48, 0.3, 0.07
_LETTER, _SMALL_LETTER = 0.066, 0.055


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
    ours = within(context.rows, options.where)
    facets = Facets(context, options, ours)
    metrics = {(spot.row, spot.column): facets.metrics(spot) for spot in facets.spots}
    tables = {}
    for spot in facets.spots:
        place = spot.row, spot.column
        table = _table(context, options, facets.pick(ours, spot), metrics[place])
        if not table.empty:
            tables[place] = table
    if not tables:
        raise NothingToDraw(f"there is no finite value of {' or '.join(options.y)} to draw")
    names = {row: _names(context, tables, row) for row in range(len(facets.rows))}
    words = {row: [_name(context, options, name, listed) for name in listed]
             for row, listed in names.items()}  # fmt: skip
    left = 0.15 + _LETTER * max(len(word) for listed in words.values() for word in listed)
    left += 0.35 if len(facets.rows) > 1 else 0.0
    wide = (options.width - left - 0.1) / len(facets.columns)
    above = title_height(options, facets, wide - _GAP)
    heights = {row: _ROW * len(listed) for row, listed in names.items()}
    columns = [options.word(value) for table in tables.values() for value in table.columns]
    upright = _crowded(columns, wide - _GAP, max(len(table.columns) for table in tables.values()))
    foot = _FOOT + (_SMALL_LETTER * max(map(len, columns)) if upright else 0.0)
    height = above + sum(heights.values()) + _BETWEEN * (len(heights) - 1) + foot
    figure = Figure(figsize=(options.width, height))
    found = {}
    for (i, j), table in tables.items():
        top = above + sum(heights[row] + _BETWEEN for row in range(i))
        axes = figure.add_axes(
            ((left + j * wide) / options.width, 1 - (top + heights[i]) / height,
             (wide - _GAP) / options.width, heights[i] / height)
        )  # fmt: skip
        same = [other for place, other in tables.items() if metrics[place] == metrics[i, j]]
        shade = mpl.colors.Normalize(*_ends(options, metrics[i, j][0], same))
        whole = table.reindex(index=pd.MultiIndex.from_tuples(names[i]))
        _paint(axes, whole, options, shade, words[i], upright=upright)
        first = not any((i, before) in found for before in range(j))
        axes.set_yticks(range(len(names[i])), words[i] if first else [""] * len(words[i]))
        found[i, j] = axes
    label_panels(options, facets, found)
    label = axis_label(options)
    if len(facets.rows) == 1:
        for axes in found.values():
            axes.set_ylabel("")
        if options.columns != "metric":
            label += f" (numbers: {options.y_label or options.word(options.y[0])})"
    middle = (left + options.width - 0.1) / 2 / options.width
    figure.text(middle, 0.12 / height, label, ha="center", va="center", fontsize=8)
    return figure


def _names(
    context: Context, tables: Mapping[tuple[int, int], pd.DataFrame], row: int
) -> list[tuple[str, str]]:
    """Methods and variants of a row of panels, chance in the end."""
    listed = [name for (i, _), table in tables.items() if i == row for name in table.index]
    order = [*context.methods, ""]
    return sorted(dict.fromkeys(listed), key=lambda name: order.index(name[0]))


def _table(
    context: Context, options: Curves, rows: pd.DataFrame, metrics: Sequence[str]
) -> pd.DataFrame:
    """Means by (method, variant) and value of x; chance is the method without a name."""
    mine: pd.DataFrame = rows[rows["metric"].isin(list(metrics)) & np.isfinite(rows["value"])]
    if mine.empty:
        return mine
    if "variant" in (options.rows, options.columns):
        mine = mine.assign(variant="")
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
    arranged: pd.DataFrame = table[ordered(table.columns, wanted)]
    return arranged


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
    return f"{label} ({VARIANT_WORDS.get(variant, variant)})" if several else label


def _crowded(words: Sequence[str], inches: float, columns: int) -> bool:
    """Whether words do not fit below the columns of a panel side by side."""
    return max(map(len, words)) * _LETTER > inches / columns


def _paint(
    axes: Axes,
    table: pd.DataFrame,
    options: Curves,
    shade: Any,
    rows: Sequence[str],
    *,
    upright: bool,
) -> None:
    values = table.to_numpy(float)
    axes.imshow(values, aspect="auto", cmap="Blues", norm=shade, interpolation="none")
    words = [options.word(value) for value in table.columns]
    dark = np.asarray(shade(values)) > 0.55
    print_numbers(axes, values, dark, _number, 6.5, rows, words)
    axes.set_xticks(range(len(words)), words, rotation=90 if upright else 0)
    axes.grid(visible=False)
    axes.tick_params(length=0, labelsize=7)
    for spine in axes.spines.values():
        spine.set_visible(False)


def print_numbers(
    axes: Axes,
    values: Floats,
    dark: Masks,
    form: Callable[[float], str],
    size: float,
    rows: Sequence[str],
    columns: Sequence[str],
) -> None:
    """Write the numbers of an image into its cells, white where they are dark."""
    for (i, j), value in np.ndenumerate(values):
        if math.isfinite(value):
            color = "white" if dark[i, j] else "black"
            text = axes.text(
                j, i, form(value), ha="center", va="center", fontsize=size, color=color
            )
            mark(text, "cells", [f"{rows[i]}, {columns[j]}: {value:.3g}"])


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
