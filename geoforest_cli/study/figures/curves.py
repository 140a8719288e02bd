"""Faceted line charts from rows: one line per method and variant, intervals, published values."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from geoforest_cli.core.plot_style import Dashes, variant_styles
from geoforest_cli.study.figures import legend
from geoforest_cli.study.figures.axes import Axis, format_value_axis, limits_of, values_along
from geoforest_cli.study.figures.by_value import by_value
from geoforest_cli.study.figures.context import Context, NothingToDraw, ordered
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
from geoforest_cli.study.figures.options import VARIANT_WORDS, Curves, Limits, Range, Scale
from geoforest_cli.study.figures.panel import Line, Panel, draw_beyond, draw_panel
from geoforest_cli.study.figures.spread import Spread
from geoforest_cli.study.frames import within

__all__ = ["default", "draw"]

_MOST_BANDS = 4  # in one panel; with more lines, bars


def default(context: Context) -> Curves:
    """Options for an experiment without a ``draw`` of its own.

    The grid column with the most numbers runs along the axis, without numbers that with the most
    values; the one with the most other values along the columns; rows are the metrics.
    """
    values = {name: context.values(name) for name in context.grid}
    numeric = [n for n, v in values.items() if v and all(isinstance(i, int | float) for i in v)]
    if not values:
        raise NothingToDraw("there is no grid parameter to draw along")
    x = max(numeric or values, key=lambda name: len(values[name]))
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
    options = options.filled({**context.config.params, **context.config.grid_values})
    if options.kind == "heat":
        return draw_heat(context, options)
    if options.lines:
        context, options = by_value(context, options, options.lines)
    ours = within(context.rows, options.where)
    printed = context.published if options.published else context.rows.iloc[:0]
    facets = Facets(context, options, ours)
    content = _content(context, options, facets, ours, within(printed, options.where))
    if not content:
        raise NothingToDraw(f"there is no finite value of {' or '.join(options.y)} to draw")
    limits = _limits(content, options, facets, ours)
    variants = variant_styles(
        [{line.variant for line in panel.lines} for panel in content],
        titled=bool({"variant", "sample"} & {options.rows, options.columns}),
    )
    log = any(panel.scale == "log" for panel in content)
    left = left_margin(options, facets, 5 if log else 4)
    width = (options.width - left - 0.1) / len(facets.columns) - 0.09
    axis = Axis.of(options, ours, context, width)
    joined = not axis.of_names or any(dashes != "-" for dashes in variants.values())
    most = max(sum(line.with_intervals for line in panel.lines) for panel in content)
    bars = most > _MOST_BANDS or not joined
    keys = _keys(content, variants, bars=bars, means=context.halves is not None)
    keys.joined = joined
    keys.beyond = any(panel.beyond(limits[_group(panel.spot, options)]) for panel in content)
    foot = legend.foot(context, options.width, keys) + axis.depth
    wanted = {(panel.spot.row, panel.spot.column) for panel in content}
    figure, axes = panels(options, facets, wanted, foot, left)
    for panel in content:
        where = axes[panel.spot.row, panel.spot.column]
        axis.format(where)
        ends = limits[_group(panel.spot, options)]
        draw_panel(where, panel, axis, keys, bars=bars)
        draw_beyond(where, panel, axis, ends)
        format_value_axis(where, panel.scale, ends)
    label_panels(options, facets, axes)
    legend.place(figure, context, options.width, keys, axis_label(options))
    return figure


def _content(
    context: Context, options: Curves, facets: Facets, ours: pd.DataFrame, printed: pd.DataFrame
) -> list[Panel]:
    content = []
    for spot in facets.spots:
        metrics = facets.metrics(spot)
        scale = options.scale_of(metrics[0])
        here, published = facets.pick(ours, spot), facets.pick(printed, spot)
        if len(published):  # at places that the axis has
            published = published[published[options.x].isin(ours[options.x])]
        ends = _range(options, ours, metrics[0])
        lines = list(_lines(context, options, here, metrics, ends))
        why = "" if lines else failures(context, options, facets, spot)
        if lines or why:
            constants = _constants(options, here, metrics) if lines else []
            theirs = list(_lines(context, options, published, metrics, ends)) if lines else []
            content.append(Panel(spot, scale, lines, theirs, constants, why))
    return content


def _lines(
    context: Context,
    options: Curves,
    rows: pd.DataFrame,
    metrics: Sequence[str],
    ends: Range,
) -> Iterable[Line]:
    scale = options.scale_of(metrics[0])
    for method in context.methods:
        mine = rows[rows["method"] == method] if len(rows) else rows
        for variant in ordered(mine["variant"], ("recommended", "as_written", "as_run")):
            cells = mine[mine["variant"] == variant]
            points = {}
            for value in values_along(context, options, cells):
                at = cells[cells[options.x] == value]
                if point := _point(context, at, metrics, scale, ends):
                    points[value] = point
            if points:
                titles = [
                    f"{context.label(method)}, {VARIANT_WORDS.get(variant, variant)}; "
                    f"{options.word(options.x)} {options.word(value)}: {point}"
                    for value, point in points.items()
                ]
                yield Line(method, str(variant), context.looks[method], points, titles)


def _point(
    context: Context, rows: pd.DataFrame, metrics: Sequence[str], scale: Scale, ends: Range
) -> Spread | None:
    """What the rows at a value along the axis say; None if they hold no number."""
    if context.halves is None:
        values = _by_repetition(rows, metrics)
        return Spread.of(values, scale, ends) if values else None
    means = rows[rows["metric"].isin(list(metrics)) & np.isfinite(rows["value"])]
    if means.empty:
        return None
    # the interval of an average over several settings needs their single repetitions
    half = float(context.halves[means.index[0]]) if len(means) == 1 else math.nan
    return Spread.around(float(means["value"].mean()), half, scale, ends)


def _range(options: Curves, rows: pd.DataFrame, metric: str) -> Range:
    return options.range_of(metric, rows.loc[rows["metric"] == metric, "value"])


def _by_repetition(rows: pd.DataFrame, metrics: Sequence[str]) -> list[float]:
    rows = rows[rows["metric"].isin(list(metrics))]
    means = rows.groupby("repetition")["value"].mean()
    return [float(v) for v in means if np.isfinite(v)]


def _constants(
    options: Curves, rows: pd.DataFrame, metrics: Sequence[str]
) -> list[tuple[str, dict[Any, float]]]:
    """Lines of chance, from rows, and constant levels: words -> value along the axis -> level."""
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
    content: list[Panel], options: Curves, facets: Facets, ours: pd.DataFrame
) -> dict[int, Limits | None]:
    groups: dict[int, list[Panel]] = {}
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


def _keys(
    content: list[Panel], variants: dict[str, Dashes], *, bars: bool, means: bool
) -> legend.Keys:
    keys = legend.Keys()
    for panel in content:
        for line in panel.lines:
            keys.add(line.method, line.variant, variants[line.variant])
            keys.dots |= any(point.dots for point in line.points.values())
            geometric = panel.scale == "log" and not means
            keys.geometric |= geometric and line.with_intervals
            keys.arithmetic |= not geometric and line.with_intervals
            if line.with_intervals and not bars:
                keys.bands |= len(line.points) > 1
                keys.bars |= len(line.points) == 1
            keys.bars |= bars and line.with_intervals
        keys.published |= bool(panel.published)
        for words, _ in panel.constants:
            keys.constants.setdefault(words, legend.constant(len(keys.constants)))
    return keys
