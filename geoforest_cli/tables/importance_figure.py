"""The picture of what a classifier looked at."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from geoforest_cli.core.figure_files import save_as
from geoforest_cli.core.plot_style import VERMILION, any_letters, style
from geoforest_cli.tables.writers import require_picture

__all__ = ["draw_importances", "write_picture"]

_MOST_NAMES = 30


def draw_importances(importances: pd.Series[float], shape: tuple[int, int] | None = None) -> Figure:
    """Draw the importance of every column.

    Parameters
    ----------
    importances : pandas.Series
        Indexed by the columns' names.
    shape : tuple of int, optional
        Height and width if the columns are pixels; height 1 for a series.

    Returns
    -------
    matplotlib.figure.Figure
        An image, or bars, with names if they are few.
    """
    values = importances.to_numpy(np.float64)
    if shape is not None and shape[0] > 1:
        figure = Figure(figsize=(3.6, 3.2))
        axes: Axes = figure.subplots()
        image = axes.imshow(values.reshape(shape), cmap="viridis")
        figure.colorbar(image, label="share of the decrease of impurity")
        axes.axis("off")
    else:
        figure = Figure(figsize=(6.0, 2.6))
        axes = figure.subplots()
        axes.bar(range(len(values)), values, color=VERMILION, width=0.9)
        axes.set_ylabel("share of the decrease of impurity")
        if len(values) <= _MOST_NAMES and shape is None:
            axes.set_xticks(
                range(len(values)), list(importances.index), rotation=45, ha="right",
                parse_math=False,
            )  # fmt: skip
        else:
            axes.set_xlabel("column")
    with any_letters():
        figure.tight_layout()
    return figure


def write_picture(
    importances: pd.Series[float], shape: tuple[int, int] | None, path: Path, *others: object
) -> Path:
    """Write `draw_importances` as PNG, SVG or PDF of the same bytes every day.

    Parameters
    ----------
    importances, shape
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
        save_as(draw_importances(importances, shape), file)
    return file
