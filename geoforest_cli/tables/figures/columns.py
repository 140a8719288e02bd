"""The figure of a column screen: the surest columns by name, and the pairs by group."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from matplotlib.axes import Axes
from matplotlib.colors import LogNorm
from matplotlib.figure import Figure
from matplotlib.patches import Patch, Rectangle
from matplotlib.ticker import FixedLocator, NullLocator, StrMethodFormatter
from scipy.stats import norm

from geoforest_cli.core.escaping import without_middle
from geoforest_cli.core.plot_style import BLUE, SKY, VERMILION
from geoforest_cli.tables.columns import ColumnRanking
from geoforest_cli.tables.screens import PairMatrix, ScreenMethod

__all__ = ["draw_columns", "null_range"]

_MOST_BARS, _MOST_NAMES, _MOST_GROUPS = 40, 25, 25
_BAR, _CELL, _LEAST_SIDE, _MOST_SIDE = 0.165, 0.165, 1.3, 4.2  # inches
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
    """Draw the scores of up to 40 columns over their range under independence, and their pairs.

    Beside a bar are the best partner and the number of the group.
    """
    shown = ranking.ranking[:_MOST_BARS]
    count = 0 if ranking.matrix is None else len(ranking.matrix.columns)
    bars_height = _BAR * (len(shown) + 1)
    if count < 2:
        figure = Figure(figsize=(6.4, bars_height + 1.6), layout="constrained")
        bars: Axes = figure.subplots()
    else:
        side = float(np.clip(_CELL * count, _LEAST_SIDE, _MOST_SIDE))
        figure = Figure(figsize=(6.4, bars_height + side + 2.8), layout="constrained")
        bars, pairs = figure.subplots(2, 1, height_ratios=[bars_height, side])
        assert ranking.matrix is not None
        _draw_pairs(figure, pairs, ranking, ranking.matrix)
    _draw_bars(bars, ranking, shown)
    title = ranking.summary().removesuffix(".").replace(" (", "\n", 1).removesuffix(")")
    if len(shown) < len(ranking.names):
        title += f"; the first {len(shown)} of {len(ranking.names)} columns"
    bars.set_title(title, loc="left", parse_math=False)
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
    axes.set_yticks(np.arange(len(shown)), names, parse_math=False)
    axes.tick_params(axis="y", length=0)
    axes.set_ylim(len(shown) - 0.4, -0.6)
    axes.grid(visible=False, axis="y")
    axes.set_xscale("symlog", linthresh=_LINEAR, linscale=1.0)
    bottom, top = min(float(scores.min()), 0.0), max(float(scores.max()), high)
    axes.set_xlim(1.05 * bottom, 2.5 * top)
    axes.xaxis.set_major_locator(FixedLocator([z for z in _TICKS if bottom <= z <= 2.5 * top]))
    axes.xaxis.set_minor_locator(NullLocator())
    axes.xaxis.set_major_formatter(StrMethodFormatter("{x:g}"))
    axes.set_xlabel("z, how surely a column depends on others")


def _draw_pairs(figure: Figure, axes: Axes, ranking: ColumnRanking, matrix: PairMatrix) -> None:
    """Draw the z of the pairs of kept columns in the order of the groups, each of them framed."""
    count = len(matrix.columns)
    scores = np.where(np.eye(count, dtype=bool), np.nan, np.maximum(matrix.scores, 1))
    top = max(2 * matrix.limit, float(matrix.scores.max()))
    # light to dark, so that no kind of sight mixes them up
    image = axes.imshow(scores, cmap="Blues", norm=LogNorm(1.0, top), interpolation="nearest")
    axes.set_facecolor("#D0D0D0")
    axes.grid(visible=False)
    groups = ranking.groups[matrix.columns]
    numbers, first, sizes = np.unique(groups, return_index=True, return_counts=True)
    for start, size in zip(first - 0.5, sizes, strict=True):
        frame = Rectangle((start, start), size, size, fill=False, clip_on=False)
        frame.set(edgecolor=VERMILION, linewidth=1.1)
        axes.add_patch(frame)
    some = slice(None, None, -(-len(numbers) // _MOST_GROUPS))
    axes.set_xticks((first + (sizes - 1) / 2)[some], numbers[some].astype(str))
    axes.set_xlabel("group")
    names = [without_middle(ranking.names[number], _LONG_NAME) for number in matrix.columns]
    named = range(count if count <= _MOST_NAMES else 0)
    axes.set_yticks(named, names[: len(named)], parse_math=False, fontsize=7)
    axes.tick_params(length=0)
    # the caption is wider than a small matrix, which stands at the left
    form = StrMethodFormatter("{x:.3g}")
    bar = figure.colorbar(image, ax=axes, format=form, panchor=(0.0, 0.5))
    bar.ax.axhline(matrix.limit, color=VERMILION, linewidth=1.2)
    bar.set_label("z")
    kept = int(ranking.kept.sum())
    which = f"the first {count} of {kept}" if count < kept else f"all {kept}"
    axes.set_title(
        f"z of pairs of {which} kept columns, by group (framed);\n"
        f"from {matrix.limit:.3g} on (line) two columns depend on each other",
        loc="left", fontsize=7.5,
    )  # fmt: skip
