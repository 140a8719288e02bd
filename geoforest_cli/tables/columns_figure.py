"""The picture of a column screen: the surest columns by name, a histogram of all, the groups."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Patch
from matplotlib.scale import SymmetricalLogTransform
from matplotlib.ticker import (
    FixedLocator,
    MaxNLocator,
    NullLocator,
    ScalarFormatter,
    StrMethodFormatter,
)
from scipy.stats import norm

from geoforest_cli.core.escaping import without_middle
from geoforest_cli.core.figure_files import save_as
from geoforest_cli.core.plot_style import BLUE, SKY, any_letters, style
from geoforest_cli.tables.columns import ColumnRanking
from geoforest_cli.tables.groups_figure import add_matrix, matrix_height
from geoforest_cli.tables.screens import ScreenMethod
from geoforest_cli.tables.writers import require_picture

__all__ = ["draw_columns", "null_range", "write_columns"]

Floats = npt.NDArray[np.float64]

_ALL_BY_NAME, _MOST_BY_NAME, _BEYOND = 40, 30, 10
_BAR = 0.165  # inches
_FEWEST_BINS, _MOST_BINS, _TALL = 20, 60, 20
_MUCH, _LINEAR = 12.0, 5.0  # times the null's range; z up to which a long axis stays linear
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
    """Draw the scores of columns over their range under independence, and pairs by group.

    Up to 40 columns are all shown by name, each with its group and best partner; of more, the
    kept ones and ten more, 30 at most, and below them a histogram of all.

    Parameters
    ----------
    ranking : ColumnRanking

    Returns
    -------
    matplotlib.figure.Figure
    """
    p = len(ranking.names)
    named = min(int(ranking.kept.sum()) + _BEYOND, _MOST_BY_NAME) if p > _ALL_BY_NAME else p
    shown = ranking.ranking[:named]
    band = null_range(ranking.screening.which, p)
    bars_height, below = _BAR * (len(shown) + 1), matrix_height(ranking)
    if len(shown) == p:
        figure = Figure(figsize=(6.4, bars_height + 1.45 + below))
        bars: Axes = figure.subplots()
        last = bars
    else:
        figure = Figure(figsize=(6.4, bars_height + 3.2 + below))
        ratios = [bars_height, 1.5]
        bars, last = figure.subplots(2, 1, sharex=True, height_ratios=ratios)
        _draw_histogram(last, ranking)
    _draw_bars(bars, ranking, shown)
    for axes in figure.axes:
        axes.axvspan(*band, color=SKY, alpha=0.35, linewidth=0, zorder=0.5)
    _scale(last, ranking.scores, band[1])
    last.set_xlabel("z, how surely a column depends on others")
    title = ranking.summary().removesuffix(".").replace(" (", "\n", 1).removesuffix(")")
    bars.set_title(title, loc="left", parse_math=False)
    keys = [
        Patch(color=BLUE, label="kept"),
        Patch(color=_DROPPED, label="dropped"),
        Patch(color=SKY, alpha=0.35, label="90 % of independent columns"),
    ]
    below /= figure.get_figheight()
    figure.legend(handles=keys, loc="lower center", ncols=3, bbox_to_anchor=(0.5, below))
    foot = 0.26 / figure.get_figheight() + below
    if (ranking.partners[shown] >= 0).any():
        caption = "beside a bar: the best partner, and in brackets the number of the group"
        figure.text(0.5, foot, caption, ha="center", va="bottom", fontsize=7.5)
        foot += 0.15 / figure.get_figheight()
    with any_letters():
        figure.tight_layout(rect=(0, foot, 1, 1))
    if below:
        add_matrix(figure, ranking)
    return figure


def _draw_bars(axes: Axes, ranking: ColumnRanking, shown: npt.NDArray[np.int64]) -> None:
    places = np.arange(len(shown))
    scores = ranking.scores[shown]
    colors = [BLUE if kept else _DROPPED for kept in ranking.kept[shown]]
    axes.barh(places, scores, color=colors, height=0.72)
    names = [without_middle(ranking.names[number], _LONG_NAME) for number in shown]
    axes.set_yticks(places, names, parse_math=False)
    axes.tick_params(axis="y", length=0)
    axes.set_ylim(len(shown) - 0.4, -0.6)
    axes.grid(visible=False, axis="y")
    for place, number in enumerate(shown):
        partner, group = int(ranking.partners[number]), int(ranking.groups[number])
        if not ranking.kept[number] or partner < 0:
            continue
        text = without_middle(ranking.names[partner], _LONG_NAME) + (f" ({group})" if group else "")
        axes.annotate(
            text, (max(float(ranking.scores[number]), 0.0), place), (3, 0),
            textcoords="offset points", va="center", fontsize=6.5, color="#404040",
            parse_math=False, annotation_clip=False,
        )  # fmt: skip


def _draw_histogram(axes: Axes, ranking: ColumnRanking) -> None:
    scores, kept = ranking.scores, ranking.kept
    parts: Sequence[Floats] = (scores[~kept], scores[kept])
    bins = min(max(_FEWEST_BINS, len(scores) // 8), _MOST_BINS)
    bent = SymmetricalLogTransform(10, _LINEAR, 1.0)  # equal widths on a long axis
    low, high = map(float, bent.transform(np.array([scores.min(), scores.max()])))
    edges = bent.inverted().transform(np.linspace(low, high, bins + 1))
    edges[0], edges[-1] = scores.min(), scores.max()  # not rounded
    counts, *_ = axes.hist(parts, bins=edges.tolist(), stacked=True, color=[_DROPPED, BLUE])
    axes.set_ylabel(f"all {len(scores)} columns")
    if np.max(counts) > _TALL:
        axes.set_yscale("log")
        axes.set_ylim(bottom=0.7)
        axes.yaxis.set_major_formatter(StrMethodFormatter("{x:g}"))
        axes.yaxis.set_minor_locator(NullLocator())
    else:
        axes.yaxis.set_major_locator(MaxNLocator(4, integer=True))


def _scale(axes: Axes, scores: Floats, high: float) -> None:
    low, top = min(float(scores.min()), 0.0), max(float(scores.max()), high)
    if top <= _MUCH * max(high, 1.0) / 2:
        axes.set_xlim(1.05 * low, 1.35 * top)
        return
    axes.set_xscale("symlog", linthresh=_LINEAR, linscale=1.0)
    axes.xaxis.set_major_locator(FixedLocator([tick for tick in _TICKS if low <= tick <= 2 * top]))
    axes.xaxis.set_minor_locator(NullLocator())
    axes.xaxis.set_major_formatter(ScalarFormatter())
    axes.set_xlim(1.05 * low, 2.5 * top)


def write_columns(ranking: ColumnRanking, path: Path, *others: object) -> Path:
    """Write `draw_columns` as PNG, SVG or PDF of the same bytes every day; return its path."""
    file = require_picture(path, *others)
    with style("geoforest-columns"), any_letters():
        save_as(draw_columns(ranking), file)
    return file
