"""The picture of a comparison: a dot for each method with its interval, and the time it took."""

from __future__ import annotations

from pathlib import Path

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from geoforest_cli.core.figure_files import save_as
from geoforest_cli.core.plot_style import BLUE, CHANCE, VERMILION, any_letters, style
from geoforest_cli.tables.comparison_result import Comparison
from geoforest_cli.tables.writers import require_picture

__all__ = ["draw_comparison", "format_seconds", "write_comparison"]

_ROW, _REST = 0.24, 1.15  # inches: of a method, of axis, legend and title
_BEHIND = "#8A8A8A"


def draw_comparison(comparison: Comparison) -> Figure:
    """Draw the score of every method with its interval, the best at the top.

    Filled dots are as good as the best within the interval of the difference.

    Parameters
    ----------
    comparison : Comparison

    Returns
    -------
    matplotlib.figure.Figure
    """
    order = comparison.order
    figure = Figure(figsize=(6.4, _ROW * len(order) + _REST))
    axes: Axes = figure.subplots()
    low, high = comparison.intervals
    groups: dict[str, tuple[str, str, list[int]]] = {
        "the best": (VERMILION, "full", []),
        "as good (paired differences)": (BLUE, "full", []),
        "not as good": (_BEHIND, "none", []),
    }
    for place, number in enumerate(order):
        name = list(groups)[0 if place == 0 else 1 if comparison.as_good[number] else 2]
        groups[name][2].append(place)
    for label, (color, fill, places) in groups.items():
        if not places:
            continue
        numbers = order[places]
        scores = comparison.scores[numbers]
        reach = [scores - low[numbers], high[numbers] - scores]
        axes.errorbar(
            scores, places, xerr=reach, fmt="o" if fill == "full" else "D", markersize=5,
            color=color, fillstyle=fill, elinewidth=1.3, capsize=2.5, label=label,
        )  # fmt: skip
    axes.axvline(comparison.chance, label="chance", **CHANCE)
    _name(axes, comparison)
    shared = f"share of {comparison.k} neighbours that are of the row's class"
    axes.set_xlabel(f"{shared} (mean over classes)")
    axes.legend(loc="lower center", bbox_to_anchor=(0.5, 1.0), ncols=4, frameon=False)
    with any_letters():
        figure.tight_layout()
    return figure


def _name(axes: Axes, comparison: Comparison) -> None:
    """Write the names at the left, and the times at the right."""
    order = comparison.order
    places = range(len(order))
    axes.set_yticks(places, [comparison.methods[number] for number in order], parse_math=False)
    axes.tick_params(axis="y", length=0)
    axes.set_ylim(len(order) - 0.4, -0.6)
    axes.margins(x=0.06)
    for place, number in zip(places, order, strict=True):
        axes.annotate(
            format_seconds(comparison.seconds[number]), (1.0, place), (6, 0),
            xycoords=("axes fraction", "data"), textcoords="offset points", va="center",
            fontsize=7.5, annotation_clip=False,
        )  # fmt: skip


def format_seconds(seconds: float) -> str:
    """Return a time as people read it.

    Examples
    --------
    >>> format_seconds(0.034), format_seconds(7.04), format_seconds(75.3)
    ('0.03 s', '7.0 s', '75 s')
    """
    digits = 2 if seconds < 1 else 1 if seconds < 10 else 0
    return f"{seconds:.{digits}f} s"


def write_comparison(comparison: Comparison, path: Path, *others: object) -> Path:
    """Write `draw_comparison` as PNG, SVG or PDF; return its path."""
    file = require_picture(path, *others)
    with style("geoforest-comparison"), any_letters():
        save_as(draw_comparison(comparison), file)
    return file
