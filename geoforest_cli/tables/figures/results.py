"""Figures of comparisons, directions and importances, and the file of any figure."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from geoforest_cli.core.escaping import escape_control_characters, without_middle
from geoforest_cli.core.figure_files import save_as
from geoforest_cli.core.plot_style import BLUE, CHANCE, VERMILION, any_letters, style
from geoforest_cli.tables.classification_result import ClassificationResult
from geoforest_cli.tables.comparison_result import MethodComparison
from geoforest_cli.tables.directions import Directions

__all__ = [
    "draw_comparison", "draw_directions", "draw_importances", "name_bars", "titled", "write_figure",
]  # fmt: skip

_BEHIND = "#8A8A8A"
_MOST_FAMILIES, _FAMILIES_ACROSS, _FAMILY_SIDE = 6, 3, 2.6  # inches
_MANY_POINTS = 3000
_MOST_IMPORTANCES, _LONG_NAME = 30, 30
_MEANING = {
    "permutation": "drop of the accuracy when the column is permuted in rows not trained on",
    "impurity": "share of the decrease of impurity",
}


def write_figure(path: str | Path, draw: Callable[..., Figure], *given: Any) -> Path:
    """Write what a function draws as PNG, SVG or PDF of the same bytes every day.

    Returns
    -------
    Path
        The file.
    """
    with style("geoforest-tables"), any_letters():
        save_as(draw(*given), Path(path))
    return Path(path)


def draw_comparison(comparison: MethodComparison) -> Figure:
    """Draw the score of every method with its interval, the best at the top.

    Filled dots are as good as the best within the interval of the difference.
    """
    order = comparison.order
    figure = Figure(figsize=(6.4, 0.24 * len(order) + 1.15), layout="constrained")
    axes: Axes = figure.subplots()
    places, scores, as_good = np.arange(len(order)), comparison.scores[order], comparison.as_good
    low, high = comparison.intervals[:, order]
    best, equal = places == 0, as_good[order] & (places > 0)
    for label, color, fill, group in (
        ("the best", VERMILION, "full", best),
        ("as good (paired differences)", BLUE, "full", equal),
        ("not as good", _BEHIND, "none", ~best & ~equal),
    ):
        if group.any():
            reach = [(scores - low)[group], (high - scores)[group]]
            axes.errorbar(
                scores[group], places[group], xerr=reach, fmt="o" if fill == "full" else "D",
                markersize=5, color=color, fillstyle=fill, elinewidth=1.3, capsize=2.5, label=label,
            )  # fmt: skip
    axes.axvline(comparison.chance, label="chance", **CHANCE)
    name_bars(axes, [comparison.methods[number] for number in order])
    axes.margins(x=0.06)
    times = axes.secondary_yaxis("right")
    seconds = comparison.seconds[order]
    times.set_yticks(places, [f"{s:.0f} s" if s >= 10 else f"{s:.2f} s" for s in seconds])
    times.tick_params(length=0, labelsize=7.5)
    shared = f"share of {comparison.k} neighbours that are of the row's class"
    axes.set_xlabel(f"{shared} (mean over classes)")
    axes.legend(loc="lower center", bbox_to_anchor=(0.5, 1.0), ncols=4, frameon=False)
    return figure


def draw_directions(directions: Directions) -> Figure:
    """Draw up to six families: the plane of the first two directions, or a histogram of one."""
    count = int(directions.families.max())
    shown = min(count, _MOST_FAMILIES)
    across, down = min(shown, _FAMILIES_ACROSS), -(-shown // _FAMILIES_ACROSS)
    size = (max(_FAMILY_SIDE * across, 5.0) + 0.4, _FAMILY_SIDE * down + 0.8)
    figure = Figure(figsize=size, layout="constrained")
    panels = np.ravel(figure.subplots(down, across, squeeze=False))
    for unused in panels[shown:]:
        unused.set_visible(False)
    for family, axes in enumerate(panels[:shown], start=1):
        numbers = np.flatnonzero(directions.families == family)
        first, *others = directions.projected[:, numbers].T
        axes.set_xlabel(directions.names[numbers[0]])
        if others:
            side = 1.0 if len(first) > _MANY_POINTS else 4.0
            axes.scatter(first, others[0], s=side, color=BLUE, linewidths=0, alpha=0.7)
            axes.set_ylabel(directions.names[numbers[1]])
            axes.set_aspect("equal", adjustable="datalim")
        else:
            axes.hist(first, bins=40, color=BLUE)
            axes.set_ylabel("rows")
        pvalue = directions.pvalues[numbers[0]]
        words = "p < 1e-12" if pvalue < 1e-12 else f"p = {pvalue:.1g}"
        plural = "s" if others else ""
        title = f"family {family}: {len(numbers)} direction{plural}, {words}"
        axes.set_title(title, fontsize=8)
    title = titled(directions.summary())
    title += f"; the first {shown} families" if count > shown else ""
    figure.suptitle(title, x=0.02, ha="left", fontsize=9, parse_math=False)
    return figure


def draw_importances(result: ClassificationResult) -> Figure:
    """Draw the importances of a result that has them.

    Returns
    -------
    matplotlib.figure.Figure
        An image, bars in the order of a series, or else the 30 largest by name, largest first:
        those by permutation where they were asked for, of images those by impurity where the
        method has them.
    """
    assert result.importances is not None
    table = result.importances.set_index("column")
    permuted = "permutation" in table
    if result.shape is None:
        return _draw_largest(result, "permutation" if permuted else "impurity")
    kind = "permutation" if permuted and table["impurity"].isna().any() else "impurity"
    values = table.loc[list(result.columns), kind].to_numpy(np.float64)
    if result.shape[0] > 1:
        figure = Figure(figsize=(3.6, 3.2), layout="constrained")
        axes: Axes = figure.subplots()
        image = axes.imshow(values.reshape(result.shape), cmap="viridis")
        figure.colorbar(image, label=_MEANING[kind])
        axes.axis("off")
    else:
        figure = Figure(figsize=(6.0, 2.6), layout="constrained")
        axes = figure.subplots()
        axes.bar(range(len(values)), values, color=VERMILION, width=0.9)
        axes.set(xlabel="column", ylabel=_MEANING[kind])
    return figure


def _draw_largest(result: ClassificationResult, kind: str) -> Figure:
    assert result.importances is not None
    shown = result.importances.head(_MOST_IMPORTANCES)
    figure = Figure(figsize=(6.4, 0.17 * len(shown) + 1.1), layout="constrained")
    axes: Axes = figure.subplots()
    places, what = np.arange(len(shown)), _MEANING[kind]
    axes.barh(places, shown[kind].to_numpy(np.float64), color=VERMILION, height=0.72)
    if kind == "permutation":
        axes.hlines(places, shown["low"], shown["high"], color="#303030", linewidth=1.0)
        what += "\n(lines: nine in ten of the drops, over folds and permutations)"
    axes.axvline(0, color="#808080", linewidth=0.8)
    axes.set_xlabel(what)
    name_bars(
        axes,
        [
            without_middle(escape_control_characters(str(name), one_line=True), _LONG_NAME)
            for name in shown["column"]
        ],
    )
    if len(shown) < len(result.importances):
        title = f"the {len(shown)} largest of {len(result.importances)} columns"
        axes.set_title(title, loc="left")
    return figure


def titled(summary: str) -> str:
    """Return a summary as a title: what stands in brackets is its second line."""
    return summary.removesuffix(".").replace(" (", "\n", 1).removesuffix(")")


def name_bars(axes: Axes, names: list[str]) -> None:
    """Name horizontal bars at the left, the first at the top."""
    axes.set_yticks(range(len(names)), names, parse_math=False)
    axes.tick_params(axis="y", length=0)
    axes.set_ylim(len(names) - 0.4, -0.6)
    axes.grid(visible=False, axis="y")
