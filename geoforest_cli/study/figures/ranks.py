"""Mean ranks of methods over many settings, with the difference that chance explains."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
from matplotlib.figure import Figure
from scipy.stats import friedmanchisquare, rankdata, studentized_range

from geoforest_cli.core.plot_style import GREY
from geoforest_cli.study.figures.context import Context, NothingToDraw, ordered, pick
from geoforest_cli.study.figures.options import Curves

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

__all__ = ["Ranks", "draw", "mean_ranks"]

Floats = npt.NDArray[np.float64]
_LINE, _HEAD, _FOOT, _NAMES, _NUMBERS = 0.2, 0.62, 0.62, 1.65, 1.15  # inches
_STEP = 0.035  # between the bars of two runs, in widths of a panel


@dataclass(frozen=True)
class Ranks:
    """Mean ranks of k methods over N blocks.

    Attributes
    ----------
    mean : (k,)
        1 is best; equal values share their ranks.
    p : float
        Friedman's test that all methods are alike.
    critical : float
        Methods whose mean ranks differ by less are not significantly different (Nemenyi).
    """

    mean: Floats
    p: float
    critical: float


def mean_ranks(values: Floats, level: float = 0.05) -> Ranks:
    """Rank the columns of values (N, k) within each row, the largest first.

    With critical difference q sqrt(k (k + 1) / (6 N)), q the upper quantile of the studentised
    range over sqrt 2 (Demsar, Journal of Machine Learning Research 7, 2006).

    Examples
    --------
    >>> ranks = mean_ranks(np.array([[0.9, 0.5, 0.1], [0.8, 0.8, 0.2], [0.7, 0.6, 0.5]]))
    >>> ranks.mean.round(3).tolist()
    [1.167, 1.833, 3.0]
    """
    n, k = values.shape
    ranks = rankdata(-values, axis=1)
    same = bool(np.all(ranks == ranks[:, :1]))
    p = 1.0 if same or n < 2 else float(friedmanchisquare(*values.T).pvalue)
    q = float(studentized_range.ppf(1 - level, k, np.inf)) / np.sqrt(2)
    return Ranks(ranks.mean(axis=0), p, float(q * np.sqrt(k * (k + 1) / (6 * n))))


def draw(context: Context, options: Curves, block: str) -> Figure:
    """Draw each method's mean rank over the values of a grid parameter, a panel per column facet.

    What is neither block nor facet is averaged over first, so that one block is one value of the
    parameter: blocks that share a manifold would count as more than they are. Methods that lack a
    block are left out. Bars at the right join those whose mean ranks are less than the critical
    difference apart; beside them stand the mean ranks and the metric's means.

    Raises
    ------
    NothingToDraw
        If fewer than three methods or two blocks are left.
    """
    metric = options.y[0]
    rows = context.metric_rows(metric, options.where)
    tables = {}
    for value in context.facet_values(options.columns, rows):
        table = _table(pick(rows, options.columns, value), block)
        if len(table) >= 2 and len(table.columns) >= 3:
            tables[value] = table
    if not tables:
        raise NothingToDraw(f"ranks need three methods and two values of {block}")
    lines = max(len(table.columns) for table in tables.values())
    height = _HEAD + _FOOT + _LINE * lines
    figure = Figure(figsize=(options.width, height))
    axes = figure.subplots(1, len(tables), squeeze=False)[0]
    for panel, (value, table) in zip(axes, tables.items(), strict=True):
        _panel(panel, context, table, metric)
        facet = "" if value is None else f"{options.word(options.columns)} = {options.word(value)}"
        panel.set_title(facet, pad=6)
    room = (options.width - (_NAMES + _NUMBERS) * len(tables)) / len(tables)
    figure.subplots_adjust(
        left=_NAMES / options.width,
        right=1 - _NUMBERS / options.width,
        top=1 - _HEAD / 2 / height,
        bottom=_FOOT / height,
        wspace=(_NAMES + _NUMBERS) / max(room, 0.5),
    )
    return figure


def _table(rows: pd.DataFrame, block: str) -> pd.DataFrame:
    """The mean value of every method (columns) in every block (rows)."""
    table = rows.pivot_table(index=block, columns="method", values="value", aggfunc="mean")
    wanted = [method for method in ordered(rows["method"]) if table[method].notna().all()]
    return table[wanted]


def _panel(axes: Axes, context: Context, table: pd.DataFrame, metric: str) -> None:
    ranks = mean_ranks(table.to_numpy(float))
    order = np.argsort(ranks.mean, kind="stable")
    mean = ranks.mean[order]
    methods = [str(table.columns[i]) for i in order]
    places = list(range(len(order)))
    axes.axvline(mean[0] + ranks.critical, color=GREY, lw=0.9, ls=(0, (3, 2)), zorder=1)
    for place, method in zip(places, methods, strict=True):
        look = context.looks[method]
        axes.plot(mean[place], place, look.marker, color=look.color, markersize=6, zorder=3)
    beside = axes.get_yaxis_transform()
    runs = _cliques(mean, ranks.critical)
    for i, (first, last) in enumerate(runs):
        x = 1.03 + _STEP * i
        axes.plot([x, x], [first - 0.3, last + 0.3], color=GREY, lw=2.2, transform=beside,
                  clip_on=False, solid_capstyle="butt")  # fmt: skip
    x = 1.04 + _STEP * len(runs)
    values: Any = table[methods].mean()
    axes.set_yticks(places, [context.label(method) for method in methods])
    for place, method in zip(places, methods, strict=True):
        text = f"{mean[place]:4.1f}   {values[method]:.2f}"
        axes.text(x, place, text, transform=beside, va="center", fontsize=7)
    axes.text(x, -0.85, f"rank   {metric}", transform=beside, fontsize=6, color=GREY, va="center")
    axes.set_ylim(len(order) - 0.4, -0.6)
    axes.set_xlim(0.6, len(order) + 0.4)
    axes.grid(axis="x", lw=0.4)
    axes.set_xlabel(
        f"mean rank over {len(table)} settings (Friedman p = {ranks.p:.0e})\n"
        f"critical difference {ranks.critical:.1f}: dashed, from the best",
        fontsize=7,
    )


def _cliques(mean: Floats, critical: float) -> list[tuple[int, int]]:
    """Return the longest runs (first, last) of sorted mean ranks within the critical difference.

    Examples
    --------
    >>> _cliques(np.array([1.0, 1.5, 2.2, 4.0]), 1.0)
    [(0, 1), (1, 2)]
    """
    cliques: list[tuple[int, int]] = []
    for first in range(len(mean)):
        last = int(np.searchsorted(mean, mean[first] + critical, side="left")) - 1
        if last > first and (not cliques or last > cliques[-1][1]):
            cliques.append((first, last))
    return cliques
