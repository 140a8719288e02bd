"""The figure of a column screen: the surest columns by name."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Patch
from matplotlib.ticker import FixedLocator, NullLocator, StrMethodFormatter
from scipy.stats import norm

from geoforest_cli.core.escaping import without_middle
from geoforest_cli.core.plot_style import BLUE, SKY
from geoforest_cli.tables.choices import ScreenMethod
from geoforest_cli.tables.columns import ColumnRanking
from geoforest_cli.tables.figures.results import name_bars, titled

__all__ = ["draw_columns", "null_range"]

_MOST_BARS = 40
_LINEAR = 5.0  # z up to which the axis is linear
_TICKS = (-5, 0, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10_000)
_LONG_NAME = 26
_DROPPED = "#B8B8B8"


def null_range(which: ScreenMethod, p: int) -> tuple[float, float]:
    """Return where z lies for 90 % of the columns that are independent of all others.

    Parameters
    ----------
    which : {"pairs", "correlation", "forest", "auto", "both"}
        With pairs z is the largest of p - 1 numbers, each about normal, with correlations of
        their absolute values; with a forest it is one; with "auto" and "both" the larger of the z
        of two p-values.
    p : int
        Number of columns.

    Examples
    --------
    >>> [round(z, 2) for z in null_range("forest", 100)]
    [-1.64, 1.64]
    >>> [round(z, 2) for z in null_range("pairs", 100)]
    [1.88, 3.28]
    """
    partners = max(p - 1, 1)
    tries = {"pairs": partners, "correlation": partners, "forest": 1}.get(which, 2)
    below = np.array([0.05, 0.95]) ** (1 / tries)
    low, high = norm.ppf((1 + below) / 2 if which == "correlation" else below)
    return float(low), float(high)


def draw_columns(ranking: ColumnRanking) -> Figure:
    """Draw the scores of up to 40 columns over their range under independence.

    Beside a bar are the best partner and the number of the group.
    """
    shown = ranking.ranking[:_MOST_BARS]
    figure = Figure(figsize=(6.4, 0.165 * len(shown) + 1.7), layout="constrained")
    axes: Axes = figure.subplots()
    _draw_bars(axes, ranking, shown)
    title = titled(ranking.summary())
    if len(shown) < len(ranking.names):
        title += f"; the first {len(shown)} of {len(ranking.names)} columns"
    axes.set_title(title, loc="left", parse_math=False)
    keys = [
        Patch(color=BLUE, label="kept (best partner, group)"),
        Patch(color=_DROPPED, label="dropped"),
        Patch(color=SKY, alpha=0.35, label="90 % of independent columns"),
    ]
    figure.legend(handles=keys, loc="outside lower center", ncols=3)
    return figure


def _draw_bars(axes: Axes, ranking: ColumnRanking, shown: npt.NDArray[np.int64]) -> None:
    low, high = null_range(ranking.screening.which, len(ranking.names))
    axes.axvspan(low, high, color=SKY, alpha=0.35, linewidth=0, zorder=0.5)
    scores, kept = ranking.scores[shown], ranking.kept[shown]
    colors = np.where(kept, BLUE, _DROPPED)
    bars = axes.barh(np.arange(len(shown)), scores, color=colors, height=0.72)
    partners = [
        f"{without_middle(ranking.names[partner], _LONG_NAME)} ({group})"
        if kept and partner >= 0
        else ""
        for partner, group, kept in zip(
            ranking.partners[shown], ranking.groups[shown], kept, strict=True
        )
    ]
    axes.bar_label(bars, partners, padding=3, fontsize=6.5, color="#404040", parse_math=False)
    names = [without_middle(ranking.names[number], _LONG_NAME) for number in shown]
    name_bars(axes, names)
    axes.set_xscale("symlog", linthresh=_LINEAR, linscale=1.0)
    bottom, top = min(float(scores.min()), 0.0), max(float(scores.max()), high)
    axes.set_xlim(1.05 * bottom, 2.5 * top)
    axes.xaxis.set_major_locator(FixedLocator([z for z in _TICKS if bottom <= z <= 2.5 * top]))
    axes.xaxis.set_minor_locator(NullLocator())
    axes.xaxis.set_major_formatter(StrMethodFormatter("{x:g}"))
    axes.set_xlabel("z, how surely a column depends on others")
