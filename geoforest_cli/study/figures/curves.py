"""Faceted line charts from rows: one line per method and variant, intervals, published values."""

from __future__ import annotations

import itertools
from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

import pandas as pd
from matplotlib.artist import Artist
from matplotlib.figure import Figure
from matplotlib.patches import Patch

from geoforest_cli.core.plot_style import Dashes, Look, graded, variant_styles
from geoforest_cli.study.figures import legend
from geoforest_cli.study.figures.axes import Axis, format_value_axis, limits_of, values_along
from geoforest_cli.study.figures.context import Context, NothingToDraw, finite, lost_cells, ordered
from geoforest_cli.study.figures.facets import Facets, facet_word, label_panels, panels
from geoforest_cli.study.figures.heatmap import draw_heat
from geoforest_cli.study.figures.options import VARIANT_WORDS, Curves, Range
from geoforest_cli.study.figures.panel import Line, Panel, draw_panel
from geoforest_cli.study.figures.spread import Spread
from geoforest_cli.study.frames import plain, within

__all__ = ["default", "draw"]

_MOST_BANDS = 4  # in one panel; with more lines, bars
_TITLE = 0.28  # inches
_Styles: TypeAlias = Mapping[Any, tuple[Look, str]]
_MARKER: dict[str, Any] = {"linestyle": "none", "markersize": 4.5, "markeredgewidth": 0.7}


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
        Methods are named at the ends of their lines where there is room, else in the legend below
        the panels. Bands, or bars where a panel has more than four lines, are 95 % t intervals
        over repetitions, on logarithmic axes those of the logarithms; below four repetitions the
        single ones are dots. Values of grid columns that are neither axis nor facet nor filtered
        are averaged over within each repetition. A panel without rows is left out; where cells
        failed it says so.

    Raises
    ------
    NothingToDraw
        If no row is left.
    """
    options = options.filled({**context.config.params, **context.config.grid_values})
    if options.kind == "heat":
        return draw_heat(context, options)
    ours = within(context.rows, options.where)
    facets = Facets(context, options, ours)
    content = _content(context, options, facets, ours)
    axis = Axis.of(options, ours, context, facets.across)
    titled = bool({"variant", "sample"} & {options.rows, options.columns})
    dashes = variant_styles([{line.variant for line in p.lines} for p in content], titled=titled)
    if axis.of_names and set(dashes.values()) <= {"-"}:
        dashes = {}
    most = max(sum(line.with_intervals for line in panel.lines) for panel in content)
    bars = most > _MOST_BANDS or not dashes
    figure, axes = panels(options, facets, {(p.spot.row, p.spot.column) for p in content})
    for panel in content:
        here = axes[panel.spot.row, panel.spot.column]
        axis.format(here)
        draw_panel(here, panel, axis, dashes, bars=bars)
        # panels of the same metrics have the same limits
        extents = [e for other in content if other.metrics == panel.metrics for e in other.extents]
        ends = _range(options, ours, panel.metrics[0])
        format_value_axis(here, panel.scale, limits_of(extents, panel.scale, ends))
    label_panels(options, facets, axes)
    lines = {line.label: line for panel in content for line in panel.lines}
    named = dashes and _name_at_ends(axes, axis, content, list(lines), options)
    methods = [
        legend.method_entry(line.look, label, joined=bool(dashes)) for label, line in lines.items()
    ]
    meanings = [*_meanings(content, dashes, bars=bars), *legend.lost(context.failed)]
    height = facets.down * options.row_height + _TITLE * bool(options.columns) + 0.25
    legend.finish(figure, height, [] if named else methods, meanings)
    return figure


def _styles(context: Context, options: Curves, rows: pd.DataFrame) -> _Styles:
    """The look and the label of each line: of the methods, or of the values that make lines."""
    if options.lines is None:
        return {name: (context.looks[name], context.label(name)) for name in context.methods}
    values = ordered(rows.get(options.lines, ()), context.config.grid_values.get(options.lines, ()))
    if not values:
        raise NothingToDraw(f"there are no rows with a value of {options.lines}")
    labels = [facet_word(options, options.lines, value) for value in values]
    return dict(zip(values, zip(graded(len(values)), labels, strict=True), strict=True))


def _content(context: Context, options: Curves, facets: Facets, ours: pd.DataFrame) -> list[Panel]:
    printed, lost = (within(rows, options.where) for rows in (context.published, context.failed))
    if not options.published or options.x not in printed:
        printed = printed.iloc[:0]
    else:  # at places that the axis has
        printed = printed[printed[options.x].isin(ours[options.x])]
    styles = _styles(context, options, ours)
    content = []
    for spot in facets.spots:
        metrics, here = facets.metrics(spot), facets.pick(ours, spot)
        lines = _lines(context, options, here, metrics, styles)
        theirs = _lines(context, options, facets.pick(printed, spot), metrics, styles)
        scale = options.scale_of(metrics[0])
        if lines:
            constants = _constants(options, here, metrics)
            content.append(Panel(spot, metrics, scale, lines, theirs, constants, ""))
        elif why := lost_cells(facets.pick(lost, spot)):
            content.append(Panel(spot, metrics, scale, [], [], {}, why))
    if not any(panel.lines for panel in content):
        raise NothingToDraw(f"there is no finite value of {' or '.join(options.y)} to draw")
    return content


def _lines(
    context: Context, options: Curves, rows: pd.DataFrame, metrics: Sequence[str], styles: _Styles
) -> list[Line]:
    key = options.lines or "method"
    shown = finite(rows, metrics)
    if shown.empty or key not in shown:
        return []
    names = [key, "variant", options.x, "repetition"]
    values: dict[tuple[Any, ...], list[float]] = defaultdict(list)
    for at, mean in shown.groupby(names, sort=False)["value"].mean().items():
        values[tuple(map(plain, at[:-1]))].append(float(mean))  # type: ignore[index]
    along = values_along(context, options, shown)
    variants = ordered(shown["variant"], ("recommended", "as_written", "as_run"))
    scale, ends = options.scale_of(metrics[0]), _range(options, shown, metrics[0])
    lines = []
    for (series, (look, label)), variant in itertools.product(styles.items(), variants):
        points = {
            value: Spread.of(values[series, variant, value], scale, ends)
            for value in along
            if (series, variant, value) in values
        }
        words = f"{label}, {VARIANT_WORDS.get(variant, variant)}; {options.word(options.x)}"
        titles = [f"{words} {options.word(value)}: {point}" for value, point in points.items()]
        if points:
            lines.append(Line(label, variant, look, points, titles))
    return lines


def _range(options: Curves, rows: pd.DataFrame, metric: str) -> Range:
    return options.range_of(metric, rows.loc[rows["metric"] == metric, "value"])


def _constants(
    options: Curves, rows: pd.DataFrame, metrics: Sequence[str]
) -> dict[str, dict[Any, float]]:
    """Lines of chance, from rows, and constant levels: words -> value along the axis -> level."""
    constants = {}
    for name in dict.fromkeys(options.chance_of(metric) for metric in metrics):
        levels = rows[rows["metric"] == name].groupby(options.x)["value"].mean().dropna()
        if name and len(levels):
            constants[options.word(name)] = {k: float(v) for k, v in levels.items()}
    places = ordered(rows[options.x])
    for metric in metrics:
        for words, level in options.levels.get(metric, {}).items():
            constants[words] = dict.fromkeys(places, level)
    return constants


def _name_at_ends(
    axes: Mapping[Any, Any], axis: Axis, content: list[Panel], labels: list[str], options: Curves
) -> bool:
    """Name lines at their ends in the last panel of each row, if that names them all."""
    last = {panel.spot.row: panel for panel in content if panel.lines}.values()
    height = options.row_height - 0.45
    named = {line.label for panel in last for line in panel.lines}
    if named != set(labels) or not legend.room_at_ends(labels, options.width, height):
        return False
    for panel in last:
        ends = {}
        for line in reversed(panel.lines):
            value, point = list(line.points.items())[-1]
            ends[line.label] = line.look, axis.position(value), point.centre
        legend.name_ends(axes[panel.spot.row, panel.spot.column], height, ends)
    return True


def _meanings(
    content: Sequence[Panel], dashes: Mapping[str, Dashes], *, bars: bool
) -> list[Artist]:
    """The entries for everything but the methods."""
    entry = legend.entry
    handles: list[Artist] = []
    if any(dash != "-" for dash in dashes.values()):
        handles += [entry(VARIANT_WORDS.get(v, v), linestyle=dash) for v, dash in dashes.items()]
    if any(panel.published for panel in content):
        handles.append(entry("published", marker="o", markerfacecolor="none", **_MARKER))
    constants = {words: i for panel in content for i, words in enumerate(panel.constants)}
    handles += [entry(words, **legend.constant(i)) for words, i in constants.items()]
    scales = {p.scale for p in content if any(line.with_intervals for line in p.lines)}
    interval = "95 % interval"
    if "log" in scales:
        mean = " of the geometric mean"
        interval += f" (log axis:{mean})" if "linear" in scales else mean
    if scales and bars:
        handles.append(entry(interval, marker="|", **{**_MARKER, "markersize": 9}))
    elif scales:
        handles.append(Patch(color=legend.DARK, alpha=0.2, linewidth=0, label=interval))
    if any(point.dots for p in content for line in p.lines for point in line.points.values()):
        handles.append(entry("single repetitions", marker=".", **_MARKER))
    return handles
