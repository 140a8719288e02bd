"""The picture of what a classifier looked at."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from geoforest_cli.core.escaping import escape_control_characters, without_middle
from geoforest_cli.core.figure_files import save_as
from geoforest_cli.core.plot_style import VERMILION, any_letters, style
from geoforest_cli.tables.writers import require_picture

__all__ = ["draw_importances", "write_picture"]

_MOST_NAMES = 30
_BAR = 0.17  # inches
_LONG_NAME = 30
_MEANING = {
    "permutation": "drop of the accuracy when the column is permuted in rows not trained on"
}
_SHARE = "share of the decrease of impurity"


def draw_importances(
    importances: pd.Series[float],
    shape: tuple[int, int] | None = None,
    bounds: pd.DataFrame | None = None,
) -> Figure:
    """Draw the importance of every column.

    Parameters
    ----------
    importances : pandas.Series
        Indexed by the columns' names; its own name is "permutation" if it is such.
    shape : tuple of int, optional
        Height and width if the columns are pixels; height 1 for a series.
    bounds : pandas.DataFrame, optional
        low and high of each column, drawn as a line without a `shape`.

    Returns
    -------
    matplotlib.figure.Figure
        An image, bars in the order of a series, or else the 30 largest by name, largest first.
    """
    values = importances.to_numpy(np.float64)
    what = _MEANING.get(str(importances.name), _SHARE)
    if shape is None:
        figure = _draw_largest(importances, bounds, what)
    elif shape[0] > 1:
        figure = Figure(figsize=(3.6, 3.2))
        axes: Axes = figure.subplots()
        image = axes.imshow(values.reshape(shape), cmap="viridis")
        figure.colorbar(image, label=what)
        axes.axis("off")
    else:
        figure = Figure(figsize=(6.0, 2.6))
        axes = figure.subplots()
        axes.bar(range(len(values)), values, color=VERMILION, width=0.9)
        axes.set_ylabel(what)
        axes.set_xlabel("column")
    with any_letters():
        figure.tight_layout()
    return figure


def _draw_largest(importances: pd.Series[float], bounds: pd.DataFrame | None, what: str) -> Figure:
    shown = importances.sort_values(ascending=False, kind="stable").head(_MOST_NAMES)
    figure = Figure(figsize=(6.4, _BAR * len(shown) + 1.1))
    axes: Axes = figure.subplots()
    places = np.arange(len(shown))
    axes.barh(places, shown.to_numpy(np.float64), color=VERMILION, height=0.72)
    if bounds is not None:
        low, high = bounds.loc[shown.index, ["low", "high"]].to_numpy(np.float64).T
        axes.hlines(places, low, high, color="#303030", linewidth=1.0)
        what += "\n(lines: nine in ten of the drops, over folds and permutations)"
    axes.axvline(0, color="#808080", linewidth=0.8)
    axes.set_yticks(
        places,
        [
            without_middle(escape_control_characters(str(name), one_line=True), _LONG_NAME)
            for name in shown.index
        ],
        parse_math=False,
    )
    axes.tick_params(axis="y", length=0)
    axes.set_ylim(len(shown) - 0.4, -0.6)
    axes.grid(visible=False, axis="y")
    axes.set_xlabel(what)
    if len(shown) < len(importances):
        axes.set_title(f"the {len(shown)} largest of {len(importances)} columns", loc="left")
    return figure


def write_picture(
    importances: pd.Series[float],
    shape: tuple[int, int] | None,
    path: Path,
    *others: object,
    bounds: pd.DataFrame | None = None,
) -> Path:
    """Write `draw_importances` as PNG, SVG or PDF of the same bytes every day.

    Parameters
    ----------
    importances, shape, bounds
        As for `draw_importances`.
    path : Path
        As for `geoforest_cli.tables.writers.require_picture`, and so are `others`.

    Returns
    -------
    Path
        The file, which has an ending.

    Examples
    --------
    >>> import tempfile
    >>> shares = pd.Series([0.75, 0.25], index=["height", "width"])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_picture(shares, None, Path(folder) / "shares").name
    'shares.png'
    """
    file = require_picture(path, *others)
    with style("geoforest-classify"), any_letters():
        save_as(draw_importances(importances, shape, bounds), file)
    return file
