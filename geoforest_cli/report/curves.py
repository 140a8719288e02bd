"""Faceted line charts from rows: one line per method and variant, intervals, published values."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from geoforest_cli.claims.intervals import half_width
from geoforest_cli.claims.table import plain
from geoforest_cli.report import legend
from geoforest_cli.report.axes import Axis, dress_values
from geoforest_cli.report.context import Context, NothingToDraw, ordered
from geoforest_cli.report.options import Curves
from geoforest_cli.report.style import CHANCE, Look, variant_dashes

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["default", "draw"]


_SAMPLES = {"as_run": "sample as run", "as_written": "sample as written"}
_COMPUTED = ("metric", "method", "variant", "sample")


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
    metrics = tuple(m for m in context.values("metric") if m != "chance")
    columns = max(others, key=lambda name: len(values[name]), default=None)
    return Curves(x=x, y=metrics, columns=columns, rows="metric" if len(metrics) > 1 else "sample")


def draw(context: Context, options: Curves) -> Figure:
    """Draw rows as a grid of panels.

    Parameters
    ----------
    context : Context
    options : Curves

    Returns
    -------
    matplotlib.figure.Figure
        With its legend below the panels. Bands are 95 % t intervals over repetitions; values of
        grid columns that are neither axis nor facet nor filtered are averaged over within each
        repetition.

    Raises
    ------
    NothingToDraw
        If no row is left.
    """
    ours = _kept(context.rows, options)
    published = _kept(context.published, options) if options.published else context.rows.iloc[:0]
    shown = [*options.y, *([options.x_metric] if options.x_metric else [])]
    if not ours["metric"].isin(shown).any():
        raise NothingToDraw(f"there are no rows of {' or '.join(shown)} to draw")
    facets = _Facets(context, options, ours)
    axis = Axis.of(options, ours, context)
    figure, axes = _panels(
        options, len(facets.rows), len(facets.columns), legend.foot(context, options.width)
    )
    keys = legend.Keys()
    for i, row in enumerate(facets.rows):
        for j, column in enumerate(facets.columns):
            panel = _Panel(axes[i][j], context, options, axis, keys)
            panel.fill(facets.pick(ours, row, column), facets.pick(published, row, column))
    for panel_axes in (one for line in axes for one in line):
        axis.dress(panel_axes)
        dress_values(panel_axes, options.y_scale, _limits(ours, options))
    for i, row in enumerate(facets.rows):
        axes[i][0].set_ylabel(_row_label(options, row), linespacing=1.3)
    for j, column in enumerate(facets.columns):
        if column is not None:
            axes[0][j].set_title(_facet_word(options, options.columns, column), pad=5)
    legend.place(figure, context, options.width, keys, _axis_label(options))
    return figure


def _kept(frame: pd.DataFrame, options: Curves) -> pd.DataFrame:
    for column, allowed in options.where.items():
        if column in frame.columns:
            several = allowed if isinstance(allowed, list | tuple) else [allowed]
            frame = frame[frame[column].isin(several) | frame[column].isna()]
    return frame


class _Facets:
    """The values that make rows and columns of panels."""

    def __init__(self, context: Context, options: Curves, rows: pd.DataFrame) -> None:
        self._options = options
        shown = rows[rows["metric"].isin(options.y)]
        self.columns = self._values(context, options.columns, shown)
        self.rows = self._values(context, options.rows, shown)

    def _values(self, context: Context, facet: str | None, rows: pd.DataFrame) -> list[Any]:
        if facet is None:
            return [None]
        if facet == "metric":
            return list(self._options.y)
        if facet == "sample":
            return [s for s in ("as_written", "as_run") if s in set(_column(rows, facet))]
        if facet == "method":
            return ordered(rows["method"], context.methods)
        return ordered(rows[facet], context.config.grid_values.get(facet, ()))

    def pick(self, frame: pd.DataFrame, row: Any, column: Any) -> pd.DataFrame:
        for facet, value in ((self._options.rows, row), (self._options.columns, column)):
            if facet is None or frame.empty:
                continue
            values = _column(frame, facet)
            keep = values == value
            if facet == "metric":
                keep |= values.isin([self._options.chance])
            elif facet not in _COMPUTED:
                keep |= values.isna()
            frame = frame[keep]
        return frame


def _column(frame: pd.DataFrame, facet: str) -> pd.Series[Any]:
    if facet == "sample":
        return frame["variant"].map(lambda v: "as_run" if v == "as_run" else "as_written")
    if facet not in frame.columns:
        return pd.Series(np.nan, index=frame.index, dtype=object)
    return frame[facet]


class _Panel:
    """One panel: its lines, bands, published values and chance."""

    def __init__(
        self, axes: Axes, context: Context, options: Curves, axis: Axis, keys: legend.Keys
    ) -> None:
        self._axes, self._context, self._options = axes, context, options
        self._axis, self._keys = axis, keys

    def fill(self, ours: pd.DataFrame, published: pd.DataFrame) -> None:
        """Draw everything of the panel."""
        for method in reversed(self._context.methods):
            look = self._context.looks[method]
            rows = ours[ours["method"] == method]
            for variant in ordered(rows["variant"]):
                self._line(rows[rows["variant"] == variant], look, method, str(variant))
            self._published(published[published["method"] == method], look)
        self._chance(ours)

    def _line(self, rows: pd.DataFrame, look: Look, method: str, variant: str) -> None:
        points = self._points(rows)
        if not points:
            return
        x, y, half = (np.array(part, dtype=float) for part in zip(*points, strict=True))
        lead = variant != "as_written"
        self._axes.plot(
            x,
            y,
            color=look.color,
            marker=look.marker,
            linestyle=variant_dashes(variant),
            linewidth=look.width if lead else min(look.width, 1.2),
            markersize=3.8 if look.order > 3 else 3.2,
            markeredgewidth=0,
            zorder=look.order,
        )
        if not self._options.x_metric and np.any(half > 0):
            self._axes.fill_between(
                x, y - half, y + half, color=look.color, alpha=0.18, linewidth=0, zorder=2.5
            )
            self._keys.band = True
        self._keys.add(method, variant)

    def _points(self, rows: pd.DataFrame) -> list[tuple[float, float, float]]:
        found = []
        for value in self._axis.values:
            at = rows[rows[self._options.x] == value]
            ys = _by_repetition(at, self._options.y)
            if not ys:
                continue
            x = self._axis.position(value) if not self._options.x_metric else None
            if x is None:
                xs = _by_repetition(at, (str(self._options.x_metric),))
                if not xs:
                    continue
                x = float(np.mean(xs))
            found.append((x, float(np.mean(ys)), half_width(ys) or 0.0))
        return found

    def _published(self, rows: pd.DataFrame, look: Look) -> None:
        points = self._points(rows) if not rows.empty else []
        if not points:
            return
        self._axes.plot(
            [p[0] for p in points],
            [p[1] for p in points],
            color=look.color,
            marker=look.marker,
            linestyle=legend.PUBLISHED_DASHES,
            linewidth=0.8,
            markersize=4.6 if look.order > 3 else 4.0,
            markerfacecolor="none",
            markeredgewidth=0.7,
            zorder=look.order + 0.5,
        )
        self._keys.published = True

    def _chance(self, ours: pd.DataFrame) -> None:
        if self._options.chance is None or self._options.x_metric:
            return
        rows = ours[ours["metric"] == self._options.chance]
        levels = {v: rows.loc[rows[self._options.x] == v, "value"] for v in self._axis.values}
        points = [(self._axis.position(v), float(s.mean())) for v, s in levels.items() if len(s)]
        if points:
            # A line that ends at the outer points is hidden by them when there is only one.
            x, y = [p[0] for p in points], [p[1] for p in points]
            if self._axis.scale == "category":
                x, y = [x[0] - 0.35, *x, x[-1] + 0.35], [y[0], *y, y[-1]]
            self._axes.plot(x, y, **CHANCE)
            self._keys.chance = self._options.word(self._options.chance)


def _by_repetition(rows: pd.DataFrame, metrics: Sequence[str]) -> list[float]:
    rows = rows[rows["metric"].isin(list(metrics))]
    means = rows.groupby("repetition")["value"].mean()
    return [float(v) for v in means if np.isfinite(v)]


def _panels(
    options: Curves, rows: int, columns: int, foot: float
) -> tuple[Figure, list[list[Axes]]]:
    height = rows * options.row_height + foot + 0.28
    figure = Figure(figsize=(options.width, height))
    shared: Any = "row" if options.rows == "metric" else True
    axes = figure.subplots(rows, columns, sharex=True, sharey=shared, squeeze=False)
    figure.subplots_adjust(
        left=max(0.62, 0.095 * options.width) / options.width,
        right=1 - 0.1 / options.width,
        top=1 - 0.28 / height,
        bottom=foot / height,
        wspace=0.1,
        hspace=0.14,
    )
    return figure, [list(row) for row in axes]


def _limits(rows: pd.DataFrame, options: Curves) -> tuple[float, float] | None:
    if options.limits:
        return options.limits
    values = rows.loc[rows["metric"].isin(options.y), "value"]
    plain_scale = options.y_scale == "linear"
    return (0.0, 1.04) if plain_scale and values.between(0, 1).all() else None


def _axis_label(options: Curves) -> str:
    return options.x_label or options.word(options.x_metric or options.x)


def _row_label(options: Curves, row: Any) -> str:
    y = options.y_label or " / ".join(options.word(name) for name in options.y)
    if row is None:
        return y
    if options.rows == "metric":
        return options.word(row)
    return f"{_facet_word(options, options.rows, row)}\n{y}"


def _facet_word(options: Curves, facet: str | None, value: Any) -> str:
    if facet == "sample" and str(value) not in options.labels:
        return _SAMPLES[str(value)]
    if isinstance(value, bool | np.bool_) and facet:
        words = (options.word(facet), f"not {options.word(facet)}")
        return options.labels.get(str(value), words[not value])
    if isinstance(plain(value), int | float) and facet:
        return f"{options.word(facet)} = {options.word(plain(value))}"
    return options.word(value)
