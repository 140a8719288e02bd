"""One panel of a line chart: what it shows, and its marks."""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from matplotlib.transforms import ScaledTranslation

from geoforest_cli.core.figure_files import mark
from geoforest_cli.core.plot_style import GREY, Dashes, Look
from geoforest_cli.study.figures import legend
from geoforest_cli.study.figures.axes import Axis
from geoforest_cli.study.figures.facets import PanelPosition
from geoforest_cli.study.figures.options import Scale
from geoforest_cli.study.figures.spread import Spread

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["Line", "Panel", "draw_panel"]


@dataclass(frozen=True)
class Line:
    """One method in one variant, in one panel.

    Attributes
    ----------
    label : str
        Of the method, or of the value that makes the line.
    points : dict
        Value along the axis -> what its repetitions say.
    titles : list of str
        What each point says in words.
    """

    label: str
    variant: str
    look: Look
    points: dict[Any, Spread]
    titles: list[str]

    @property
    def with_intervals(self) -> bool:
        """Return whether it has an interval to be seen."""
        return any(point.wide for point in self.points.values())


@dataclass(frozen=True)
class Panel:
    """Content of one panel."""

    spot: PanelPosition
    metrics: tuple[str, ...]
    scale: Scale
    lines: list[Line]
    published: list[Line]
    constants: dict[str, dict[Any, float]]
    why_empty: str

    @property
    def extents(self) -> list[tuple[float, float]]:
        """Smallest and largest value of each mark."""
        lines = [*self.lines, *self.published]
        level = [(v, v) for levels in self.constants.values() for v in levels.values()]
        return [*level, *(point.extent for line in lines for point in line.points.values())]


def draw_panel(
    axes: Axes, panel: Panel, axis: Axis, dashes: Mapping[str, Dashes], *, bars: bool
) -> None:
    """Draw lines, their intervals as bands or bars, published values and levels.

    Parameters
    ----------
    axes, panel, axis
        Where and what.
    dashes : mapping
        Variant -> line style; empty where nothing joins the points.
    bars : bool
        Whether intervals are bars instead of bands.
    """
    if panel.why_empty:
        axes.text(
            0.5, 0.5, panel.why_empty, transform=axes.transAxes, ha="center", va="center",
            color=GREY, fontsize=7,
        )  # fmt: skip
    figure: Any = axes.figure
    slots = {(line.label, line.variant): i for i, line in enumerate(panel.lines)}

    def style(line: Line) -> dict[str, Any]:
        """The colour of a line, and its place: some inches beside the values."""
        same = [slot for (label, _), slot in slots.items() if label == line.label]
        slot = slots.get((line.label, line.variant), same[0] if same else (len(slots) - 1) / 2)
        shift = ScaledTranslation(axis.aside(slot, len(slots)), 0, figure.dpi_scale_trans)
        return {"color": line.look.color, "transform": axes.transData + shift}

    for line in reversed(panel.lines):
        larger = 0.0 if dashes else 1.4
        width = min(line.look.width, 1.2) if line.variant == "as_written" else line.look.width
        _draw_points(
            axes, axis, line, line.titles, linestyle=dashes.get(line.variant, "none"),
            linewidth=width, markersize=larger + (3.8 if line.look.order > 3 else 3.2),
            markeredgewidth=0, zorder=line.look.order, **style(line),
        )  # fmt: skip
        _draw_spread(axes, axis, line, style(line), bars=bars)
    for line in panel.published:
        _draw_points(
            axes, axis, line, [f"published: {title}" for title in line.titles], linestyle="none",
            markersize=5.0, markerfacecolor="none", markeredgewidth=0.7,
            zorder=line.look.order + 0.5, **style(line),
        )  # fmt: skip
    for number, levels in enumerate(panel.constants.values()):
        _draw_constant(axes, axis, levels, legend.constant(number))


def _draw_points(axes: Axes, axis: Axis, line: Line, titles: list[str], **style: Any) -> None:
    x = [axis.position(value) for value in line.points]
    y = [point.centre for point in line.points.values()]
    name = f"{line.label}, {line.variant}"
    (drawn,) = axes.plot(x, y, marker=line.look.marker, label=name, **style)
    mark(drawn, titles)


def _draw_spread(axes: Axes, axis: Axis, line: Line, style: Any, *, bars: bool) -> None:
    for wide, run in itertools.groupby(line.points.items(), key=lambda item: item[1].wide):
        members = list(run) if wide else []
        x = [axis.position(value) for value, _ in members]
        low, high = [p.low for _, p in members], [p.high for _, p in members]
        if bars or len(members) == 1:
            axes.vlines(x, low, high, linewidth=0.8, zorder=line.look.order, **style)
        elif members:
            axes.fill_between(x, low, high, alpha=0.18, linewidth=0, zorder=2.5, **style)
    dots = [(axis.position(value), dot) for value, p in line.points.items() for dot in p.dots]
    if dots:
        axes.plot(
            *zip(*dots, strict=True), linestyle="none", marker=".", markersize=3, alpha=0.6,
            markeredgewidth=0, zorder=line.look.order - 0.5, **style,
        )  # fmt: skip


def _draw_constant(
    axes: Axes, axis: Axis, levels: Mapping[Any, float], shape: dict[str, Any]
) -> None:
    x = [axis.position(value) for value in axis.values if value in levels]
    y = [levels[value] for value in axis.values if value in levels]
    if len(set(y)) == 1:
        # a line between the outer points is hidden by them where there is only one
        axes.axhline(y[0], **shape)
        return
    if axis.scale == "category":
        x, y = [x[0] - 0.35, *x, x[-1] + 0.35], [y[0], *y, y[-1]]
    axes.plot(x, y, **shape)
