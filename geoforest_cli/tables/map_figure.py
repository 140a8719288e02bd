"""The map of a table's rows as a picture: PNG, SVG or PDF."""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.cm import ScalarMappable
from matplotlib.colors import Normalize
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patheffects import withStroke

from geoforest_cli.core.escaping import without_middle
from geoforest_cli.core.figure_files import save_as
from geoforest_cli.core.plot_style import any_letters, style
from geoforest_cli.tables.map_colors import ONE_COLOR, MapColors
from geoforest_cli.tables.map_layout import MapLayout

__all__ = ["COLOR_MAP", "RowMap", "draw_map", "write_figure"]

COLOR_MAP = "viridis"
_AREA, _LEAST, _MOST = 9000.0, 1.0, 36.0  # square points: of all rows, of one
_CROWD = 4000  # rows: vectors of more are a large and slow file
_FEW = 100  # rows: names would hide fewer
_LONG = 22  # letters of a name
_MISSING = "#C8C8C8"


class RowMap(NamedTuple):
    """All that a map shows.

    Attributes
    ----------
    title : str
    ids : pandas.Series
        The names of the rows.
    layout : MapLayout
    colors : MapColors
    caption : str
        What the places mean, in a sentence.
    """

    title: str
    ids: pd.Series[Any]
    layout: MapLayout
    colors: MapColors
    caption: str


def draw_map(rows: RowMap) -> Figure:
    """Draw a point for every row, the classes named where they lie if there are rows enough.

    Points of more rows are smaller and fainter, and rows are drawn in a random order, so that no
    class covers another one.

    Parameters
    ----------
    rows : RowMap

    Returns
    -------
    matplotlib.figure.Figure
    """
    colors = rows.colors
    figure = Figure(figsize=(6.8, 5.4))
    axes: Axes = figure.subplots()
    n = len(rows.layout.places)
    order = np.random.default_rng(0).permutation(n)
    x, y = rows.layout.places[order].T
    drawn: dict[str, Any] = {
        "s": float(np.clip(_AREA / n, _LEAST, _MOST)),
        "alpha": float(np.clip(1.25 - 0.2 * np.log10(n), 0.35, 0.95)),
        "linewidths": 0,
        "rasterized": n > _CROWD,
    }
    if colors.values is not None:
        values = colors.values[order]
        missing = np.isnan(values)
        axes.scatter(x[missing], y[missing], color=_MISSING, **drawn)
        low, high = colors.limits
        axes.scatter(
            x[~missing], y[~missing], c=values[~missing], cmap=COLOR_MAP, vmin=low, vmax=high,
            **drawn,
        )  # fmt: skip
        _add_scale(figure, axes, colors)
    else:
        palette = np.array([entry.color for entry in colors.entries] or [ONE_COLOR])
        codes = colors.codes[order] if colors.entries else np.zeros(n, int)
        axes.scatter(x, y, c=palette[codes], **drawn)
        if colors.entries:
            _add_legend(axes, colors)
        if len(colors.entries) > 1 and n >= _FEW:
            _name_classes(axes, rows)
    axes.set_aspect("equal", adjustable="datalim")
    axes.margins(0.05)
    axes.set_xticks([])
    axes.set_yticks([])
    axes.grid(visible=False)
    axes.spines[:].set_visible(False)
    axes.set_title(rows.title, loc="left", parse_math=False)
    figure.text(0.02, 0.015, rows.caption, ha="left", va="bottom", fontsize=7.5, parse_math=False)
    with any_letters():
        figure.tight_layout(rect=(0, 0.045, 1, 1))
    return figure


def _add_scale(figure: Figure, axes: Axes, colors: MapColors) -> None:
    assert colors.values is not None
    low, high = colors.limits
    values = colors.values[~np.isnan(colors.values)]
    below, above = bool((values < low).any()), bool((values > high).any())
    beyond = {(True, True): "both", (True, False): "min", (False, True): "max"}
    # of its own, because that of the points is as faint as they are
    scale = ScalarMappable(Normalize(low, high), COLOR_MAP)
    bar = figure.colorbar(
        scale, ax=axes, extend=beyond.get((below, above), "neither"), shrink=0.6, aspect=24
    )
    text = without_middle(colors.name, _LONG)
    missing = int(np.isnan(colors.values).sum())
    bar.set_label(f"{text} (grey: {missing} missing)" if missing else text, parse_math=False)


def _add_legend(axes: Axes, colors: MapColors) -> None:
    keys = [
        Line2D(
            [], [], linestyle="", marker="o", markersize=5, color=entry.color,
            label=f"{without_middle(entry.name, _LONG)} ({entry.rows})",
        )
        for entry in colors.entries
    ]  # fmt: skip
    legend = axes.legend(
        handles=keys, title=without_middle(colors.name, _LONG), loc="upper left",
        bbox_to_anchor=(1.01, 1.0),
        borderaxespad=0.0, fontsize=7.5, title_fontsize=8, alignment="left",
    )  # fmt: skip
    for text in (legend.get_title(), *legend.get_texts()):
        text.set_parse_math(False)


def _name_classes(axes: Axes, rows: RowMap) -> None:
    """Write the name of each class beside the one of its rows that is nearest to their median."""
    halo = [withStroke(linewidth=2.2, foreground="white", alpha=0.85)]
    for code, entry in enumerate(rows.colors.entries):
        if entry.pooled:
            continue
        places = rows.layout.places[rows.colors.codes == code]
        x, y = places[_nearest(places, np.median(places, axis=0))]
        axes.annotate(
            without_middle(entry.name, _LONG), (x, y), ha="center", va="center", fontsize=8.5,
            weight="bold",
            color="#202020", path_effects=halo, parse_math=False, zorder=5,
        )  # fmt: skip


def _nearest(places: npt.NDArray[np.float64], place: npt.NDArray[np.float64]) -> int:
    return int(np.argmin(((places - place) ** 2).sum(axis=1)))


def write_figure(rows: RowMap, file: Path) -> None:
    """Write `draw_map` as PNG, SVG or PDF of the same bytes every day."""
    with style("geoforest-map"), any_letters():
        save_as(draw_map(rows), file)
