"""The legend below the panels, and the names at the ends of lines."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from matplotlib.artist import Artist
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.transforms import ScaledTranslation

from geoforest_cli.core.plot_style import CHANCE, Look
from geoforest_cli.study.figures.context import lost_cells

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

__all__ = [
    "DARK", "constant", "entry", "finish", "lost", "method_entry", "name_ends", "room_at_ends",
]  # fmt: skip

DARK = "#404040"
_LINE, _LETTER, _HANDLE = 0.18, 0.062, 0.55  # inches of a line, a letter, a handle with its gaps
_NAME = 0.125  # inches between names at the ends of lines


def entry(label: str, **style: Any) -> Line2D:
    """An entry that explains a mark."""
    return Line2D([], [], **{"color": DARK, "label": label, **style})


def method_entry(look: Look, label: str, *, joined: bool = True) -> Line2D:
    """The entry of a method."""
    return entry(
        label, color=look.color, marker=look.marker, linewidth=look.width if joined else 0,
        markersize=4, markeredgewidth=0,
    )  # fmt: skip


def constant(number: int) -> dict[str, Any]:
    """The style of a thin line: that of chance, and dashes for further levels."""
    dashes: list[Any] = ["-", (0, (4, 2)), (0, (1, 1.6))]
    return {**CHANCE, "linestyle": dashes[number % len(dashes)]}


def lost(failed: pd.DataFrame) -> list[Artist]:
    """The entry that says how many cells are not shown, if any."""
    words = lost_cells(failed)
    return [entry(f"{words}: not shown", linestyle="none")] if words else []


def finish(figure: Figure, height: float, *groups: Sequence[Artist]) -> None:
    """Give a figure its height: that of its panels, and a legend of as many lines as it takes.

    Parameters
    ----------
    figure : matplotlib.figure.Figure
    height : float
        Inches of the panels with their titles and labels.
    *groups : sequences of matplotlib.artist.Artist
        Entries; each group begins a line.
    """
    foot, legends = 0.03, []
    for group in reversed([group for group in groups if group]):
        widest = _HANDLE + _LETTER * max(len(str(handle.get_label())) for handle in group)
        lines = math.ceil(len(group) / max(1, (figure.get_figwidth() - 0.2) // widest))
        legends.append((group, foot, math.ceil(len(group) / lines)))
        foot += _LINE * lines
    whole = height + foot
    figure.set_figheight(whole)
    figure.set_layout_engine(
        "constrained", rect=(0, foot / whole, 1, height / whole), w_pad=0.03, h_pad=0.04,
        wspace=0.01, hspace=0.01,
    )  # fmt: skip
    for group, below, columns in legends:
        figure.legend(
            handles=group, loc="lower center", bbox_to_anchor=(0.5, below / whole), ncols=columns,
            columnspacing=1.4, handlelength=2.4, handletextpad=0.5, labelspacing=0.4,
            borderpad=0.2, borderaxespad=0,
        )  # fmt: skip


def room_at_ends(labels: Sequence[str], width: float, height: float) -> bool:
    """Return whether names have room beside a panel and leave most of the width to the others."""
    return _NAME * len(labels) < height and _LETTER * max(map(len, labels)) < 0.15 * width


def name_ends(axes: Axes, height: float, ends: Mapping[str, tuple[Look, float, float]]) -> None:
    """Name lines to the right of a panel, each as near to its end as the others let it.

    Parameters
    ----------
    axes : matplotlib.axes.Axes
        With its limits.
    height : float
        Inches of the panel, about.
    ends : mapping
        Label -> look, and the last point of the line.
    """
    to_share = axes.transData + axes.transAxes.inverted()
    last = {label: to_share.transform(point) for label, (_, *point) in ends.items()}
    step, y, places = _NAME / height, -math.inf, []
    for label in sorted(ends, key=lambda label: float(last[label][1])):
        y = max(float(last[label][1]), y + step)
        places.append((label, y))
    figure: Any = axes.figure
    beside, further = (
        axes.transAxes + ScaledTranslation(inches, 0, figure.dpi_scale_trans)
        for inches in (0.07, 0.14)
    )
    top = 1.0
    for label, y in reversed(places):  # what was pushed out comes back in
        end, look = min(y, top), ends[label][0]
        top = end - step
        axes.plot(
            [last[label][0], 1.0], [last[label][1], end], color=look.color, linewidth=0.5,
            marker=look.marker, markevery=[1], markersize=4, markeredgewidth=0, clip_on=False,
            zorder=1, transform=beside,
        )  # fmt: skip
        axes.text(1.0, end, label, transform=further, fontsize=7, color=DARK, va="center_baseline")
