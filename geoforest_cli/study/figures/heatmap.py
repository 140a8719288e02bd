"""Maps of methods x grid values with numbers in the cells: for more methods than lines can show."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

import matplotlib as mpl
import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from geoforest_cli.core.figure_files import mark
from geoforest_cli.study.figures import legend
from geoforest_cli.study.figures.context import Context, NothingToDraw, finite, ordered
from geoforest_cli.study.figures.facets import Facets, PanelPosition, label_panels, panels
from geoforest_cli.study.figures.options import VARIANT_WORDS, Curves
from geoforest_cli.study.frames import within

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["draw_heat"]

_ROW, _BETWEEN, _LETTER = 0.185, 0.3, 0.066  # inches of a row, between panels, of a letter


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
        A row per method and variant (or per value of ``lines``), chance in the last one; a column
        per value of ``x``. Darker is larger; one scale of colours per metric.

    Raises
    ------
    NothingToDraw
        If no row is left.
    """
    ours = _named(context, options, within(context.rows, options.where))
    facets = Facets(context, options, ours)
    tables = {spot: _table(options, facets, facets.pick(ours, spot), spot) for spot in facets.spots}
    tables = {spot: table for spot, table in tables.items() if not table.empty}
    if not tables:
        raise NothingToDraw(f"there is no finite value of {' or '.join(options.y)} to draw")
    every = dict.fromkeys([*ours["row"], *(name for t in tables.values() for name in t.index)])
    names = [
        [name for name in every if any(name in t.index for s, t in tables.items() if s.row == row)]
        for row in range(facets.down)
    ]
    heights = [_ROW * max(len(listed), 1) for listed in names]
    figure, axes = panels(options, facets, {(s.row, s.column) for s in tables}, heights)
    left = _LETTER * max(len(name) for listed in names for name in listed) + 0.5
    most = max(len(table.columns) for table in tables.values())
    longest = max(len(options.word(value)) for t in tables.values() for value in t.columns)
    upright = longest * _LETTER > (options.width - left) / facets.across / most
    for spot, table in tables.items():
        metrics = facets.metrics(spot)
        same = [other for cell, other in tables.items() if facets.metrics(cell) == metrics]
        shade = mpl.colors.Normalize(*_ends(options, metrics[0], same))
        # panels below each other share their columns
        present = [value for s, t in tables.items() if s.column == spot.column for value in t]
        wanted = ordered(present, context.config.grid_values.get(options.x, ()))
        here, whole = axes[spot.row, spot.column], table.reindex(names[spot.row], columns=wanted)
        _paint(here, whole, shade, [options.word(value) for value in wanted])
        here.tick_params(axis="x", rotation=90 if upright else 0)
    label_panels(options, facets, axes)
    foot = 0.5 + (_LETTER * longest if upright else 0.0)
    height = sum(heights) + _BETWEEN * facets.down + foot
    legend.finish(figure, height, legend.lost(context.failed))
    return figure


def _named(context: Context, options: Curves, rows: pd.DataFrame) -> pd.DataFrame:
    """The rows in the order of the map, and what each belongs to in words as the column "row"."""
    key = options.lines or "method"
    if key not in rows:
        raise NothingToDraw(f"there are no rows with a value of {key}")
    order = ordered(rows[key], context.config.grid_values.get(key, context.methods))
    rows = rows[rows[key].notna()].sort_values(
        key, key=lambda c: c.map(order.index), ascending=key == "method", kind="stable"
    )
    labels = rows[key].map(context.label if key == "method" else options.word)
    if key == "method" and "variant" not in (options.rows, options.columns):
        has_variants = rows.groupby("method")["variant"].transform("nunique") > 1
        variants = rows["variant"].map(lambda name: VARIANT_WORDS.get(name, name))
        labels = labels.where(~has_variants, labels + " (" + variants + ")")
    return rows.assign(row=labels)


def _table(
    options: Curves, facets: Facets, rows: pd.DataFrame, spot: PanelPosition
) -> pd.DataFrame:
    """Means by row and value of x; those of chance in the end."""
    metrics = facets.metrics(spot)
    means = finite(rows, metrics).groupby(["row", options.x, "repetition"], as_index=False)
    mean = means[["value"]].mean()
    table: pd.DataFrame = mean.pivot_table(index="row", columns=options.x, values="value")
    for name in dict.fromkeys(options.chance_of(metric) for metric in metrics):
        level = rows[rows["metric"] == name].groupby(options.x)["value"].mean()
        if name and len(level) and len(table):
            table.loc[options.word(name)] = level
    return table


def _ends(options: Curves, metric: str, tables: Iterable[pd.DataFrame]) -> tuple[float, float]:
    """Where the scale of colours begins and ends."""
    values = np.concatenate([table.to_numpy(float).ravel() for table in tables])
    values = values[np.isfinite(values)]
    low, high = options.range_of(metric, values)
    return min(values) if low is None else low, max(values) if high is None else high


def _paint(axes: Axes, table: pd.DataFrame, shade: Any, columns: Sequence[str]) -> None:
    values, rows = table.to_numpy(float), list(table.index)
    axes.imshow(values, aspect="auto", cmap="Blues", norm=shade, interpolation="none")
    for (i, j), value in np.ndenumerate(values):
        if math.isfinite(value):
            text = axes.text(
                j, i, _number(value), ha="center", va="center", fontsize=6.5, in_layout=False,
                color="white" if shade(value) > 0.55 else "black",
            )  # fmt: skip
            mark(text, [f"{rows[i]}, {columns[j]}: {value:.3g}"])
    axes.set_xticks(range(len(columns)), columns)
    axes.set_yticks(range(len(rows)), rows)
    axes.grid(visible=False)
    axes.tick_params(length=0, labelsize=7)
    axes.spines[:].set_visible(False)


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
