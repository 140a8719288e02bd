"""The map of lists of neighbours: their layout in two dimensions, as a picture or a page."""

from __future__ import annotations

import threading
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from matplotlib.axes import Axes
from matplotlib.cm import ScalarMappable
from matplotlib.colors import Normalize
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from scipy.sparse.csgraph import connected_components

from geoforest_cli.core.escaping import escape_control_characters, without_middle
from geoforest_cli.core.files import write_atomically
from geoforest_cli.tables.figures.colors import COLOR_MAP, ONE_COLOR, MapColors, RowMap, map_colors
from geoforest_cli.tables.figures.page import map_page
from geoforest_cli.tables.figures.results import write_figure
from geoforest_cli.tables.header import require_color_among
from geoforest_cli.tables.neighbor_lists import Neighbors

__all__ = ["draw_map", "lay_out", "row_map", "write_map"]

_MIN_ROWS_FOR_SPECTRAL = 4  # UMAP's start from eigenvectors needs more rows than dimensions
_TOTAL_AREA, _MIN_AREA, _MAX_AREA = 9000.0, 1.0, 36.0  # square points: of all rows, of one
_CROWD = 4000  # rows: vectors of more are a large and slow file
_LONG = 22  # letters of a name
_MISSING = "#C8C8C8"


def write_map(
    neighbors: Neighbors, path: str | Path, color: str | None = None, seed: int = 0
) -> Path:
    """Write a map: the rows in two dimensions, neighbours near each other.

    Parameters
    ----------
    neighbors : Neighbors
    path : path
        PNG, SVG or PDF, or an HTML page that works offline: it shows what each row is, zooms,
        and hides classes.
    color : str, optional
        A column of the table; by default the label.
    seed : int
        The same seed gives the same map, on one kind of processor.

    Returns
    -------
    Path
        The file.

    Raises
    ------
    DataError
        For a column that the table does not have.
    """
    path, colors = Path(path), _colors(neighbors, color)
    places, parts = lay_out(neighbors.distances, neighbors.indices, seed)
    rows = row_map(neighbors, places, parts, colors)
    if path.suffix.lower() != ".html":
        return write_figure(path, draw_map, rows)
    write_atomically(path, map_page(rows))
    return path


def _colors(neighbors: Neighbors, color: str | None) -> MapColors:
    label = neighbors.label if color is None else color
    if label is None or neighbors.table is None:
        return MapColors(texts=[""] * len(neighbors.indices))
    require_color_among(list(neighbors.table.columns), "the table", label)
    column = neighbors.table[label].iloc[neighbors.rows]
    return map_colors(column, label=label == neighbors.label)


def lay_out(
    distances: npt.NDArray[np.float64], indices: npt.NDArray[np.int64], seed: int
) -> tuple[npt.NDArray[np.float64], int]:
    """Return places (N, 2) of rows in the plane, and how many parts no neighbours connect.

    The layout is UMAP's, of the graph of these neighbours: the columns of the table are not looked
    at again.

    Parameters
    ----------
    distances, indices : (N, k) arrays
        Of the neighbours of each row, nearest first; infinite where there is no way to one.
    seed : int
        The same seed gives the same layout, on one kind of processor.
    """
    from geoforest_cli.estimators.baselines.umap import keep_compiled

    n, k = indices.shape
    # a row is the first of its own neighbours, as UMAP counts, and -1 is no row
    listed = np.c_[np.arange(n), np.where(np.isfinite(distances), indices, -1)].astype(np.int32)
    lengths = np.c_[np.zeros(n), distances].astype(np.float32)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from tqdm import tqdm
        from umap import UMAP

        keep_compiled()
        tqdm.set_lock(threading.RLock())  # its own lock is a semaphore of the system
        umap = UMAP(
            n_neighbors=k + 1,
            precomputed_knn=(listed, lengths),
            init="spectral" if n >= _MIN_ROWS_FOR_SPECTRAL else "random",
            random_state=seed % 2**32,
            n_jobs=1,
        )
        places = umap.fit_transform(np.zeros((n, 1), np.float32)).astype(np.float64)
    parts, _ = connected_components(umap.graph_, directed=False)
    # a row that no neighbours reach has no place: it stands at the edge
    return np.where(np.isfinite(places), places, np.nanmin(places, axis=0)), int(parts)


def row_map(
    neighbors: Neighbors, places: npt.NDArray[np.float64], parts: int, colors: MapColors
) -> RowMap:
    """Return what the map of lists of neighbours shows."""
    n, k = neighbors.indices.shape
    p = len(neighbors.columns)
    name = "" if neighbors.source is None else f" of {neighbors.source.name}"
    title = (
        f"{n:,} rows{name}: {k} neighbour{'s' if k > 1 else ''} each, "
        f"by {p} column{'s' if p > 1 else ''}"
    )
    caption = "UMAP's layout of the neighbours. Axes and long distances have no meaning."
    if parts > 1:
        caption += f" No neighbours connect its {parts:,} parts."
    if colors.name in {name.partition("=")[0] for name in neighbors.columns}:
        caption += " The colour is one of the columns compared."
    title = escape_control_characters(title, one_line=True)
    return RowMap(title, caption, neighbors.ids, places, colors)


def draw_map(rows: RowMap) -> Figure:
    """Draw a point for every row.

    Points of more rows are smaller and fainter, and rows are drawn in a random order, so that no
    class covers another one.
    """
    colors = rows.colors
    figure = Figure(figsize=(6.8, 5.4), layout="constrained")
    axes: Axes = figure.subplots()
    n = len(rows.places)
    order = np.random.default_rng(0).permutation(n)
    x, y = rows.places[order].T
    look: dict[str, Any] = {
        "s": float(np.clip(_TOTAL_AREA / n, _MIN_AREA, _MAX_AREA)),
        "alpha": float(np.clip(1.25 - 0.2 * np.log10(n), 0.35, 0.95)),
        "linewidths": 0,
        "rasterized": n > _CROWD,
    }
    if colors.values is not None:
        values, scale = colors.values[order], Normalize(*colors.limits)
        missing = np.isnan(values)
        axes.scatter(x[missing], y[missing], color=_MISSING, **look)
        axes.scatter(
            x[~missing], y[~missing], c=values[~missing], cmap=COLOR_MAP, norm=scale, **look
        )
        _add_scale(figure, axes, colors, scale)
    elif colors.entries:
        palette = np.array([entry.color for entry in colors.entries])
        axes.scatter(x, y, c=palette[colors.codes[order]], **look)
        _add_legend(figure, colors)
    else:
        axes.scatter(x, y, color=ONE_COLOR, **look)
    axes.set_aspect("equal", adjustable="datalim")
    axes.margins(0.05)
    axes.set_axis_off()
    axes.set_title(rows.title, loc="left", parse_math=False)
    figure.supxlabel(rows.caption, x=0.02, ha="left", fontsize=7.5, parse_math=False)
    return figure


def _add_scale(figure: Figure, axes: Axes, colors: MapColors, scale: Normalize) -> None:
    assert colors.values is not None
    present = colors.values[~np.isnan(colors.values)]
    beyond = bool((present != present.clip(*colors.limits)).any())
    # of its own, because that of the points is as faint as they are
    bar = figure.colorbar(
        ScalarMappable(scale, COLOR_MAP), ax=axes, extend="both" if beyond else "neither",
        shrink=0.6, aspect=24,
    )  # fmt: skip
    missing = len(colors.values) - len(present)
    text = without_middle(colors.name, _LONG)
    bar.set_label(f"{text} (grey: {missing} missing)" if missing else text, parse_math=False)


def _add_legend(figure: Figure, colors: MapColors) -> None:
    keys = [
        Line2D([], [], linestyle="", marker="o", markersize=5, color=entry.color)
        for entry in colors.entries
    ]
    names = [f"{without_middle(entry.name, _LONG)} ({entry.rows})" for entry in colors.entries]
    title = without_middle(colors.name, _LONG)
    legend = figure.legend(keys, names, title=title, loc="outside right upper", alignment="left")
    for text in (legend.get_title(), *legend.get_texts()):
        text.set_parse_math(False)
