"""The picture of directions: the rows in the plane of each family."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from geoforest_cli.core.figure_files import save_as
from geoforest_cli.core.plot_style import BLUE, any_letters, style
from geoforest_cli.tables.directions import Directions
from geoforest_cli.tables.writers import require_picture

__all__ = ["draw_directions", "write_directions"]

_MOST = 6  # families that are drawn
_ACROSS = 3
_SIDE = 2.6  # inches
_BINS = 40
_MANY = 3000  # rows; the points of more are smaller


def draw_directions(found: Directions) -> Figure:
    """Draw every family: its first two directions as a plane, a single one as a histogram.

    Parameters
    ----------
    found : Directions
        With one direction at least; of more than six families the first six are drawn.

    Returns
    -------
    matplotlib.figure.Figure
    """
    count = int(found.families.max())
    shown = min(count, _MOST)
    across = min(shown, _ACROSS)
    down = -(-shown // _ACROSS)
    figure = Figure(figsize=(max(_SIDE * across, 5.0) + 0.4, _SIDE * down + 0.8))
    panels = np.ravel(figure.subplots(down, across, squeeze=False))
    for family, axes in enumerate(panels, start=1):
        if family > shown:
            axes.set_visible(False)
        else:
            _draw_family(axes, found, family)
    title = found.summary().removesuffix(".").replace(" (", "\n", 1).removesuffix(")")
    if count > shown:
        title += f"; the first {shown} families"
    figure.suptitle(title, x=0.02, ha="left", fontsize=9, parse_math=False)
    with any_letters():
        figure.tight_layout()
    return figure


def _draw_family(axes: Axes, found: Directions, family: int) -> None:
    numbers = np.flatnonzero(found.families == family)
    size = len(numbers)
    first = found.projected[:, numbers[0]]
    axes.set_xlabel(found.names[numbers[0]])
    if size == 1:
        axes.hist(first, bins=_BINS, color=BLUE)
        axes.set_ylabel("rows")
    else:
        small = 1.0 if len(first) > _MANY else 4.0
        second = found.projected[:, numbers[1]]
        axes.scatter(first, second, s=small, color=BLUE, linewidths=0, alpha=0.7)
        axes.set_ylabel(found.names[numbers[1]])
        axes.set_aspect("equal", adjustable="datalim")
    pvalue = found.pvalues[numbers[0]]
    told = "p < 1e-12" if pvalue < 1e-12 else f"p = {pvalue:.1g}"
    directions = f"{size} direction{'s' if size > 1 else ''}"
    axes.set_title(f"family {family}: {directions}, {told}", fontsize=8)


def write_directions(found: Directions, path: Path, *others: object) -> Path:
    """Write `draw_directions` as PNG, SVG or PDF of the same bytes every day; return its path."""
    file = require_picture(path, *others)
    with style("geoforest-directions"), any_letters():
        save_as(draw_directions(found), file)
    return file
