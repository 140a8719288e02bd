"""One panel of a line chart: what it shows, and its marks."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from geoforest_cli.core.figure_files import mark
from geoforest_cli.core.plot_style import GREY, Dashes, Look
from geoforest_cli.study.figures import legend
from geoforest_cli.study.figures.axes import Axis
from geoforest_cli.study.figures.facets import PanelPosition
from geoforest_cli.study.figures.options import Limits, Scale
from geoforest_cli.study.figures.spread import Spread

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["Line", "Panel", "draw_beyond", "draw_panel"]


@dataclass(frozen=True)
class Line:
    """One method in one variant, in one panel.

    Attributes
    ----------
    points : dict
        Value along the axis -> what its repetitions say.
    titles : list of str
        What each point says in words.
    """

    method: str
    variant: str
    look: Look
    points: dict[Any, Spread]
    titles: list[str]

    @property
    def with_intervals(self) -> bool:
        """Whether it has an interval to be seen."""
        return any(point.wide for point in self.points.values())


@dataclass(frozen=True)
class Panel:
    """What one panel shows."""

    spot: PanelPosition
    scale: Scale
    lines: list[Line]
    published: list[Line]
    constants: list[tuple[str, dict[Any, float]]]
    why_empty: str

    @property
    def extents(self) -> list[tuple[float, float]]:
        """Smallest and largest value of each mark."""
        ours = [point.extent for line in self.lines for point in line.points.values()]
        theirs = [(p.centre, p.centre) for line in self.published for p in line.points.values()]
        level = [(v, v) for _, levels in self.constants for v in levels.values()]
        return [*ours, *theirs, *level]

    def beyond(self, limits: Limits | None) -> bool:
        """Whether a point lies outside the limits of the axis."""
        if limits is None:
            return False
        points = (point for line in self.lines for point in line.points.values())
        return any(not limits[0] <= point.centre <= limits[1] for point in points)


def draw_panel(axes: Axes, panel: Panel, axis: Axis, keys: legend.Keys, *, bars: bool) -> None:
    """Draw the lines of a panel, their intervals as bands or bars, published values and levels."""
    if panel.why_empty:
        axes.text(
            0.5, 0.5, panel.why_empty, transform=axes.transAxes, ha="center", va="center",
            color=GREY, fontsize=7,
        )  # fmt: skip
    slots: dict[tuple[str, str], float] = {
        (line.method, line.variant): i for i, line in enumerate(panel.lines)
    }
    for line, x in reversed(list(_placed(panel, axis))):
        _draw_line(axes, line, x, keys.variants[line.variant] if keys.joined else "none")
        _draw_spread(axes, line, x, bars=bars)
    for line in panel.published:
        own = [slot for (method, _), slot in slots.items() if method == line.method]
        slot = slots.get((line.method, line.variant), own[0] if own else (len(slots) - 1) / 2)
        places = _places(axis, line, slot, len(slots))
        _draw_published(axes, line, places, joined=keys.joined)
    for words, levels in panel.constants:
        _draw_constant(axes, axis, levels, keys.constants[words])


def draw_beyond(axes: Axes, panel: Panel, axis: Axis, limits: Limits | None) -> None:
    """Mark points outside the limits of the axis by triangles at its end."""
    if limits is None:
        return
    low, high = limits
    for line, x in _placed(panel, axis):
        for place, point, title in zip(x, line.points.values(), line.titles, strict=True):
            if not low <= point.centre <= high:
                below = point.centre < low
                (triangle,) = axes.plot(
                    [place], [low if below else high], clip_on=False, linestyle="none",
                    marker="v" if below else "^", markersize=4.5, markeredgewidth=0.8,
                    markerfacecolor="white", markeredgecolor=line.look.color, zorder=8,
                )  # fmt: skip
                mark(triangle, line.method, [title])


def _placed(panel: Panel, axis: Axis) -> Iterator[tuple[Line, list[float]]]:
    """The lines of a panel with the places of their points along the axis."""
    for slot, line in enumerate(panel.lines):
        yield line, _places(axis, line, slot, len(panel.lines))


def _places(axis: Axis, line: Line, slot: float, slots: int) -> list[float]:
    return [axis.position(value, slot, slots) for value in line.points]


def _draw_line(axes: Axes, line: Line, x: list[float], dashes: Dashes) -> None:
    look = line.look
    lead = line.variant != "as_written"
    larger = 1.4 if dashes == "none" else 0.0
    _plot(
        axes,
        line,
        x,
        label=line.variant,
        linestyle=dashes,
        linewidth=look.width if lead else min(look.width, 1.2),
        markersize=larger + (3.8 if look.order > 3 else 3.2),
        markeredgewidth=0,
        zorder=look.order,
    )


def _plot(axes: Axes, line: Line, x: list[float], *, label: str, **style: Any) -> None:
    y = [point.centre for point in line.points.values()]
    look, name = line.look, f"{line.method} {label}"
    (drawn,) = axes.plot(x, y, color=look.color, marker=look.marker, label=name, **style)
    theirs = label == "published"
    titles = [f"published: {title}" for title in line.titles] if theirs else line.titles
    mark(drawn, line.method, titles)


def _draw_spread(axes: Axes, line: Line, x: list[float], *, bars: bool) -> None:
    points, look = list(line.points.values()), line.look
    for run in _runs([point.wide for point in points]):
        places, members = [x[i] for i in run], [points[i] for i in run]
        low, high = [p.low for p in members], [p.high for p in members]
        if bars or len(run) == 1:
            bar = axes.vlines(places, low, high, color=look.color, linewidth=0.8, zorder=look.order)
            mark(bar, line.method)
        else:
            band = axes.fill_between(
                places, low, high, color=look.color, alpha=0.18, linewidth=0, zorder=2.5
            )
            mark(band, line.method)
    dots = [(place, dot) for place, p in zip(x, points, strict=True) for dot in p.dots]
    if dots:
        (single,) = axes.plot(
            *zip(*dots, strict=True), linestyle="none", marker=".", markersize=3, alpha=0.6,
            color=look.color, markeredgewidth=0, zorder=look.order - 0.5,
        )  # fmt: skip
        mark(single, line.method)


def _runs(marks: Sequence[bool]) -> list[list[int]]:
    """Neighbouring positions that are marked.

    Examples
    --------
    >>> _runs([True, True, False, True])
    [[0, 1], [3]]
    """
    runs = itertools.groupby(range(len(marks)), key=lambda number: marks[number])
    return [list(numbers) for mark, numbers in runs if mark]


def _draw_published(axes: Axes, line: Line, x: list[float], *, joined: bool) -> None:
    look = line.look
    _plot(
        axes,
        line,
        x,
        label="published",
        linestyle=legend.PUBLISHED_DASHES if joined else "none",
        linewidth=0.8,
        markersize=4.6 if look.order > 3 else 4.0,
        markerfacecolor="none",
        markeredgewidth=0.7,
        zorder=look.order + 0.5,
    )


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
