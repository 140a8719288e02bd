"""Faceted line charts from rows: one line per method and variant, intervals, published values."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from geoforest_cli.core.plot_style import GREY, Dashes, Look, variant_styles
from geoforest_cli.study.figures import legend
from geoforest_cli.study.figures.axes import Axis, format_value_axis, limits_of
from geoforest_cli.study.figures.context import Context, ordered
from geoforest_cli.study.figures.facets import (
    Facets,
    PanelPosition,
    axis_label,
    failures,
    label_panels,
    left_margin,
    panels,
)
from geoforest_cli.study.figures.heatmap import draw_heat
from geoforest_cli.study.figures.options import Curves, Range, Scale
from geoforest_cli.study.figures.spread import Spread
from geoforest_cli.study.frames import within

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["default", "draw"]

_MOST_BANDS = 4  # in one panel; with more lines, bars


@dataclass(frozen=True)
class _Line:
    """One method in one variant, in one panel.

    Attributes
    ----------
    points : dict
        Value along the axis -> what its repetitions say.
    along : dict
        Value along the axis -> the metric along the axis there, if one is.
    """

    method: str
    variant: str
    look: Look
    points: dict[Any, Spread]
    along: dict[Any, float]

    @property
    def with_intervals(self) -> bool:
        return not self.along and any(point.wide for point in self.points.values())


@dataclass(frozen=True)
class _Panel:
    """What one panel shows."""

    spot: PanelPosition
    scale: Scale
    lines: list[_Line]
    published: list[_Line]
    constants: list[tuple[str, dict[Any, float]]]
    why_empty: str

    @property
    def extents(self) -> list[tuple[float, float]]:
        ours = [point.extent for line in self.lines for point in line.points.values()]
        theirs = [(p.centre, p.centre) for line in self.published for p in line.points.values()]
        level = [(v, v) for _, levels in self.constants for v in levels.values()]
        return [*ours, *theirs, *level]


def default(context: Context) -> Curves:
    """Options for an experiment without a ``draw`` of its own.

    The grid column with the most numbers runs along the axis, that with the most other values
    along the columns; rows are the metrics.
    """
    values = {name: context.values(name) for name in context.grid}
    numeric = [n for n, v in values.items() if v and all(isinstance(i, int | float) for i in v)]
    if not numeric:
        raise ValueError("there is no numeric grid parameter to draw along")
    x = max(numeric, key=lambda name: len(values[name]))
    others = [name for name in values if name != x and len(values[name]) > 1]
    present = context.values("metric")
    metrics = tuple(m for m in present if m != "chance" and not m.endswith("_chance"))
    chance = {m: f"{m}_chance" if f"{m}_chance" in present else "chance" for m in metrics}
    if "recall_chance" not in present:
        chance.pop("recall", None)
    columns = max(others, key=lambda name: len(values[name]), default=None)
    rows = "metric" if len(metrics) > 1 else "sample"
    return Curves(x=x, y=metrics, columns=columns, rows=rows, chance=chance)


def draw(context: Context, options: Curves) -> Figure:
    """Draw rows as a grid of panels.

    Parameters
    ----------
    context : Context
    options : Curves

    Returns
    -------
    matplotlib.figure.Figure
        With its legend below the panels. Bands, or bars where a panel has more than four lines,
        are 95 % t intervals over repetitions, on logarithmic axes those of the logarithms; below
        four repetitions the single ones are dots. Values of grid columns that are neither axis
        nor facet nor filtered are averaged over within each repetition. A panel without rows is
        left out; where cells failed it says so.

    Raises
    ------
    NothingToDraw
        If no row is left.
    """
    if options.kind == "heat":
        return draw_heat(context, options)
    ours = within(context.rows, options.where)
    printed = context.published if options.published else context.rows.iloc[:0]
    facets = Facets(context, options, ours)
    content = _content(context, options, facets, ours, within(printed, options.where))
    limits = _limits(content, options, facets, ours)
    variants = variant_styles([{line.variant for line in p.lines} for p in content])
    most = max(sum(line.with_intervals for line in panel.lines) for panel in content)
    keys = _keys(content, variants, bars=most > _MOST_BANDS)
    log = any(panel.scale == "log" for panel in content)
    left = left_margin(options, facets, 5 if log else 4)
    width = (options.width - left - 0.1) / len(facets.columns) - 0.09
    axis = Axis.of(options, ours, context, width)
    foot = legend.foot(context, options.width, keys) + axis.depth
    wanted = {(panel.spot.row, panel.spot.column) for panel in content}
    figure, axes = panels(options, facets, wanted, foot, left)
    for panel in content:
        where = axes[panel.spot.row, panel.spot.column]
        axis.format(where)
        _draw_panel(where, panel, axis, keys, bars=most > _MOST_BANDS)
        format_value_axis(where, panel.scale, limits[_group(panel.spot, options)])
    label_panels(options, facets, axes)
    legend.place(figure, context, options.width, keys, axis_label(options))
    return figure


def _content(
    context: Context, options: Curves, facets: Facets, ours: pd.DataFrame, printed: pd.DataFrame
) -> list[_Panel]:
    content = []
    for spot in facets.spots:
        metrics = facets.metrics(spot)
        scale = options.scale_of(metrics[0])
        here, published = facets.pick(ours, spot), facets.pick(printed, spot)
        ends = _range(options, ours, metrics[0])
        lines = list(_lines(context, options, here, metrics, ends))
        why = "" if lines else failures(context, options, facets, spot)
        if lines or why:
            constants = _constants(options, here, metrics) if lines else []
            theirs = list(_lines(context, options, published, metrics, ends)) if lines else []
            content.append(_Panel(spot, scale, lines, theirs, constants, why))
    return content


def _lines(
    context: Context,
    options: Curves,
    rows: pd.DataFrame,
    metrics: Sequence[str],
    ends: Range,
) -> Iterable[_Line]:
    scale = options.scale_of(metrics[0])
    for method in context.methods:
        mine = rows[rows["method"] == method] if len(rows) else rows
        for variant in ordered(mine["variant"], ("recommended", "as_written", "as_run")):
            cells = mine[mine["variant"] == variant]
            points, along = {}, {}
            for value in ordered(cells[options.x]):
                at = cells[cells[options.x] == value]
                values = _by_repetition(at, metrics)
                beside = _by_repetition(at, [options.x_metric]) if options.x_metric else []
                if values and (beside or not options.x_metric):
                    points[value] = Spread.of(values, scale, ends)
                    if options.x_metric:
                        along[value] = float(np.mean(beside))
            if points:
                yield _Line(method, str(variant), context.looks[method], points, along)


def _range(options: Curves, rows: pd.DataFrame, metric: str) -> Range:
    return options.range_of(metric, rows.loc[rows["metric"] == metric, "value"])


def _by_repetition(rows: pd.DataFrame, metrics: Sequence[str | None]) -> list[float]:
    rows = rows[rows["metric"].isin(list(metrics))]
    means = rows.groupby("repetition")["value"].mean()
    return [float(v) for v in means if np.isfinite(v)]


def _constants(
    options: Curves, rows: pd.DataFrame, metrics: Sequence[str]
) -> list[tuple[str, dict[Any, float]]]:
    """Lines of chance, from rows, and constant levels: words -> value along the axis -> level."""
    if options.x_metric:
        return []
    constants = []
    for name in dict.fromkeys(options.chance_of(metric) for metric in metrics):
        levels = rows[rows["metric"] == name].groupby(options.x)["value"].mean().dropna()
        if name and len(levels):
            constants.append((options.word(name), {k: float(v) for k, v in levels.items()}))
    places = ordered(rows[options.x])
    for metric in metrics:
        for words, level in options.levels.get(metric, {}).items():
            constants.append((words, dict.fromkeys(places, level)))
    return constants


def _group(spot: PanelPosition, options: Curves) -> int:
    """Panels with one vertical axis."""
    if options.rows == "metric":
        return spot.row
    return spot.column if options.columns == "metric" else 0


def _limits(
    content: list[_Panel], options: Curves, facets: Facets, ours: pd.DataFrame
) -> dict[int, tuple[float, float] | None]:
    groups: dict[int, list[_Panel]] = {}
    for panel in content:
        groups.setdefault(_group(panel.spot, options), []).append(panel)
    limits = {}
    for group, members in groups.items():
        metric = facets.metrics(members[0].spot)[0]
        extents = [extent for panel in members for extent in panel.extents]
        limits[group] = options.limits_of(metric) or limits_of(
            extents, members[0].scale, _range(options, ours, metric)
        )
    return limits


def _keys(content: list[_Panel], variants: dict[str, Dashes], *, bars: bool) -> legend.Keys:
    keys = legend.Keys()
    for panel in content:
        for line in panel.lines:
            keys.add(line.method, line.variant, variants[line.variant])
            if line.along:
                continue
            keys.dots |= any(point.dots for point in line.points.values())
            keys.geometric |= panel.scale == "log" and line.with_intervals
            keys.arithmetic |= panel.scale != "log" and line.with_intervals
            if line.with_intervals and not bars:
                keys.bands |= len(line.points) > 1
                keys.bars |= len(line.points) == 1
            keys.bars |= bars and line.with_intervals
        keys.published |= bool(panel.published)
        for words, _ in panel.constants:
            keys.constants.setdefault(words, legend.constant(len(keys.constants)))
    return keys


def _draw_panel(axes: Axes, panel: _Panel, axis: Axis, keys: legend.Keys, *, bars: bool) -> None:
    if panel.why_empty:
        axes.text(
            0.5, 0.5, panel.why_empty, transform=axes.transAxes, ha="center", va="center",
            color=GREY, fontsize=7,
        )  # fmt: skip
    slots: dict[tuple[str, str], float] = {
        (line.method, line.variant): i for i, line in enumerate(panel.lines)
    }
    for line in reversed(panel.lines):
        slot = slots[line.method, line.variant]
        x = _places(axis, line, slot, len(slots))
        _draw_line(axes, line, x, keys.variants[line.variant])
        if not line.along:
            _draw_spread(axes, line, x, bars=bars)
    for line in panel.published:
        own = [slot for (method, _), slot in slots.items() if method == line.method]
        slot = slots.get((line.method, line.variant), own[0] if own else (len(slots) - 1) / 2)
        _draw_published(axes, line, _places(axis, line, slot, len(slots)))
    for words, levels in panel.constants:
        _draw_constant(axes, axis, levels, keys.constants[words])


def _places(axis: Axis, line: _Line, slot: float, slots: int) -> list[float]:
    if line.along:
        return list(line.along.values())
    return [axis.position(value, slot, slots) for value in line.points]


def _draw_line(axes: Axes, line: _Line, x: list[float], dashes: Dashes) -> None:
    look = line.look
    lead = line.variant != "as_written"
    _plot(
        axes,
        line,
        x,
        label=line.variant,
        linestyle=dashes,
        linewidth=look.width if lead else min(look.width, 1.2),
        markersize=3.8 if look.order > 3 else 3.2,
        markeredgewidth=0,
        zorder=look.order,
    )


def _plot(axes: Axes, line: _Line, x: list[float], *, label: str, **style: Any) -> None:
    y = [point.centre for point in line.points.values()]
    look, name = line.look, f"{line.method} {label}"
    axes.plot(x, y, color=look.color, marker=look.marker, label=name, **style)


def _draw_spread(axes: Axes, line: _Line, x: list[float], *, bars: bool) -> None:
    points, look = list(line.points.values()), line.look
    for run in _runs([point.wide for point in points]):
        places, members = [x[i] for i in run], [points[i] for i in run]
        low, high = [p.low for p in members], [p.high for p in members]
        if bars or len(run) == 1:
            axes.vlines(places, low, high, color=look.color, linewidth=0.8, zorder=look.order)
        else:
            axes.fill_between(
                places, low, high, color=look.color, alpha=0.18, linewidth=0, zorder=2.5
            )
    dots = [(place, dot) for place, p in zip(x, points, strict=True) for dot in p.dots]
    if dots:
        axes.plot(
            *zip(*dots, strict=True), linestyle="none", marker=".", markersize=3, alpha=0.6,
            color=look.color, markeredgewidth=0, zorder=look.order - 0.5,
        )  # fmt: skip


def _runs(marks: Sequence[bool]) -> list[list[int]]:
    """Neighbouring positions that are marked.

    Examples
    --------
    >>> _runs([True, True, False, True])
    [[0, 1], [3]]
    """
    runs = itertools.groupby(range(len(marks)), key=lambda number: marks[number])
    return [list(numbers) for mark, numbers in runs if mark]


def _draw_published(axes: Axes, line: _Line, x: list[float]) -> None:
    look = line.look
    _plot(
        axes,
        line,
        x,
        label="published",
        linestyle=legend.PUBLISHED_DASHES,
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
