"""What charts show: points, axes and choices of a figure of lines, from a summary."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any, cast

import numpy as np
import pandas as pd

from geoforest_cli.core.plot_style import variant_styles
from geoforest_cli.study.config.schema import Config
from geoforest_cli.study.figures.axes import limits_of, values_along
from geoforest_cli.study.figures.by_value import by_value
from geoforest_cli.study.figures.context import Context, NothingToDraw, ordered
from geoforest_cli.study.figures.facets import Facets, PanelPosition, axis_label, facet_word
from geoforest_cli.study.figures.options import VARIANT_WORDS, Curves
from geoforest_cli.study.figures.spread import FEWEST
from geoforest_cli.study.frames import plain, within
from geoforest_cli.study.report.site.chart_parts import (
    MARKS,
    dash_pattern,
    plain_text,
    rounded,
    value_axis,
)

__all__ = ["ChartData"]

_ACROSS = 4  # panels side by side
_ALL = -1  # the number of the option that leaves nothing out
_VARIANTS = ("as_run", "as_written", "recommended")
_OTHER_COLUMNS = "the summary has other columns than the figure"
_GRADES = 10  # colours of lines that differ in a number
_COMPUTED = {None, "metric", "method", "variant", "sample"}  # facets that are no grid columns


class ChartData:
    """What a chart shows, from the summary of a run.

    Parameters
    ----------
    lines : DataFrame
        ``summary.csv``.
    config : Config
    options : Curves
        Of the figure.

    Attributes
    ----------
    shown : DataFrame
        The lines of the summary that have a point; where lines of the figure are of the values
        of a grid column, ``method`` is that value.
    lacks_published : bool
        Whether published values are left out, which the figure of the run has.
    extra : list of str
        Grid columns that are selected, and averaged over in the figure of the run.

    Raises
    ------
    NothingToDraw
        If the figure is none of lines, or the summary has nothing of it.
    """

    def __init__(self, lines: pd.DataFrame, config: Config, options: Curves) -> None:
        options = options.filled({**config.params, **config.grid_values})
        self.summary = lines.reset_index(drop=True)
        self.context = Context(self.summary, lines.iloc[:0], config)
        self.of_values = options.lines is not None
        if options.lines:
            self.context, options = by_value(self.context, options, options.lines)
        self.grid = list(lines.columns[: list(lines.columns).index("method")])
        self.of_metrics = options.x_metric is not None
        if options.x_metric:
            self.grid = [name for name in self.grid if name != options.x]
            self.context, options = _against(self.context, options, options.x_metric)
        self.options = options
        self._check()
        self.lines = within(self.context.rows, options.where)
        self.facets = Facets(self.context, options, self.lines)
        kept = self.lines["metric"].isin(options.y) & self.lines[options.x].notna()
        self.shown = self.lines[kept & np.isfinite(self.lines["mean"].astype(float))]
        if self.shown.empty:
            raise NothingToDraw("there is no number to draw")
        printed = bool(options.published and self.shown["published"].notna().any())
        self.lacks_published = self.of_metrics and printed  # they stand elsewhere along the axis
        if not printed or self.lacks_published:
            self.shown = self.shown.assign(published=float("nan"))

    def csv(self) -> str:
        """Return the lines of the summary that have a point, as they stand there."""
        shown = self.summary.loc[self.shown.index]
        return shown.to_csv(index=False, lineterminator="\n")

    def _check(self) -> None:
        options = self.options
        facets = {options.columns, options.rows}
        if options.kind != "lines":
            raise NothingToDraw("the figure has no lines along a grid column")
        if not {options.x, *facets} - _COMPUTED <= set(self.context.rows):
            raise NothingToDraw(_OTHER_COLUMNS)
        if len(options.y) > 1 and "metric" not in facets:
            raise NothingToDraw("several metrics share a panel")

    def content(self) -> dict[str, Any]:
        """Return the data as plain lists and mappings.

        Returns
        -------
        dict
            ``x`` has label, values, words, scale; ``metrics`` label, scale, and limits and ticks
            of both scales; ``panels`` title and number of the metric; ``across`` panels stand
            side by side. ``choices`` are what is selected, with options and the one at first.
            A point is panel, place along the axis, method, variant, mean, both ends of its
            interval, repetitions, published value, and for each choice the number of its option,
            None where it belongs to all. A level is the number of its words in ``constants``,
            panel, places with values, and the same for each choice.
        """
        constants, levels = self._levels()
        return {
            "x": self._x(),
            "metrics": [self._metric(name, levels) for name in self.metrics],
            "methods": [self._method(name) for name in self.methods],
            "variants": self._variant_looks(),
            "panels": self._panels(),
            "across": self._across(),
            "choices": [self._choice(*one) for one in self.choices.items()],
            "constants": constants,
            "points": self._points(),
            "levels": levels,
        }

    @cached_property
    def split(self) -> str | None:
        """The facet along the rows of panels where it is a choice instead."""
        several = len(self.facets.rows) > 1 and len(self.facets.columns) > 1
        return self.options.rows if several and self.options.rows != "metric" else None

    @cached_property
    def extra(self) -> list[str]:
        """The grid columns that have to be chosen, or a line would have two points at a place."""
        facets = {self.options.columns, self.options.rows} - _COMPUTED
        keys = ["method", "variant", "metric", self.options.x, *facets]
        found: list[str] = []
        for name in self.grid:
            twice = self.shown.duplicated([*keys, *found]).sum()
            if twice and self.shown.duplicated([*keys, *found, name]).sum() < twice:
                found.append(name)
        return found

    @cached_property
    def choices(self) -> dict[str, list[Any]]:
        """What is selected -> its values: the rows of panels, the variant, grid columns."""
        found = {self.split: self.facets.rows} if self.split else {}
        apart = {"variant", "sample"} & {self.options.columns, self.options.rows}
        if len(self.variants) > 1 and not apart:
            found["variant"] = self.variants
        return found | {name: self._values(name) for name in self.extra}

    @cached_property
    def methods(self) -> list[str]:
        """The methods of the points, in the config's order."""
        return ordered(self.shown["method"], self.context.methods)

    @cached_property
    def variants(self) -> list[str]:
        """The variants of the points."""
        return ordered(self.shown["variant"], _VARIANTS)

    @cached_property
    def spots(self) -> list[tuple[PanelPosition, int, pd.DataFrame]]:
        """Places of the figure, the panel that each is part of, and its lines of the summary."""
        numbers: dict[tuple[int, int], int] = {}
        found = []
        for spot in self.facets.spots:
            rows = self.facets.pick(self.shown, spot)
            rows = rows[rows["metric"].isin(self.facets.metrics(spot))]
            if len(rows):
                place = (0 if self.split else spot.row, spot.column)
                found.append((spot, numbers.setdefault(place, len(numbers)), rows))
        return found

    @cached_property
    def metrics(self) -> list[str]:
        """The metrics of the panels."""
        return list(dict.fromkeys(self.facets.metrics(spot)[0] for spot, _, _ in self.spots))

    def _values(self, name: str) -> list[Any]:
        return ordered(self.shown[name], self.context.config.grid_values.get(name, ()))

    @cached_property
    def places(self) -> list[Any]:
        """The values along the axis."""
        return values_along(self.context, self.options, self.shown)

    def _x(self) -> dict[str, Any]:
        numeric = all(isinstance(v, int | float) and not isinstance(v, bool) for v in self.places)
        scale = {"symlog": "log"}.get(self.options.scale, self.options.scale)
        return {
            "label": plain_text(axis_label(self.options)),
            "values": self.places if numeric else list(range(len(self.places))),
            "words": [
                f"{value:.2f}" if self.of_metrics else plain_text(self.options.word(value))
                for value in self.places
            ],
            "numeric": numeric,
            "scale": scale if numeric else "category",
        }

    def _metric(self, name: str, levels: Sequence[Any]) -> dict[str, Any]:
        """Words and axes of a metric; of the axes both kinds, a logarithmic one if there can be."""
        options = self.options
        rows = self.shown[self.shown["metric"] == name]
        bounds = options.range_of(name, rows["mean"])
        panels = {number for spot, number, _ in self.spots if name in self.facets.metrics(spot)}
        beside = [v for level in levels if level[1] in panels for _, v in level[2]]
        centres = [*rows["mean"], *rows["published"].dropna(), *beside]
        ends = [self._ends(row) for row in cast("list[dict[str, Any]]", rows.to_dict("records"))]
        highs = [high for _, high in ends if high is not None]
        lows = [low for low, _ in ends if low is not None]
        asked, log = options.limits_of(name), options.scale_of(name) == "log"
        everything = [(v, v) for v in [*centres, *highs, *lows]]
        linear = asked if asked and not log else limits_of(everything, "linear", bounds)
        # an interval that comes near zero would leave no room for the rest
        above = [(v, v) for v in [*centres, *highs]]
        logarithmic = asked if asked and log else limits_of(above, "log", bounds)
        label = options.word(name) if len(options.y) > 1 else options.y_label or options.word(name)
        return {
            "label": plain_text(label),
            "log": log and logarithmic is not None,
            "linear": value_axis(linear, "linear"),
            "logarithmic": value_axis(logarithmic, "log"),
        }

    def _ends(self, row: Mapping[str, Any]) -> tuple[float | None, float | None]:
        """The interval of a line of the summary, as figures have it."""
        if row["repetitions"] < FEWEST or pd.isna(row["half"]):
            return None, None
        mean, half = row["mean"], row["half"]
        low, high = self.options.range_of(row["metric"], [mean])
        return (
            mean - half if low is None else max(mean - half, low),
            mean + half if high is None else min(mean + half, high),
        )

    def _method(self, name: str) -> dict[str, Any]:
        look = self.context.looks[name]
        return {
            "label": plain_text(self.context.label(name)),
            "hue": self._grade(name) if self.of_values else look.color.removeprefix("#").lower(),
            "mark": MARKS.get(look.marker, MARKS["o"]),
            "width": look.width,
            "order": look.order,
        }

    def _grade(self, name: str) -> str:
        """One of the colours from dark to light, as far along as the line is among all."""
        last = max(len(self.methods) - 1, 1)
        return f"grade-{round((_GRADES - 1) * self.methods.index(name) / last)}"

    def _variant_looks(self) -> list[dict[str, str]]:
        titled = bool({"variant", "sample"} & {self.options.rows, self.options.columns})
        panels = (set(rows["variant"]) for _, _, rows in self.spots)
        styles = variant_styles(panels, titled=titled)
        return [
            {
                "label": plain_text(VARIANT_WORDS.get(name, name.replace("_", " "))),
                "dash": dash_pattern(style),
            }
            for name in self.variants
            for style in [styles[name]]
        ]

    def _panels(self) -> list[dict[str, Any]]:
        found: dict[int, dict[str, Any]] = {}
        for spot, number, _ in self.spots:
            metric = self.facets.metrics(spot)[0]
            pairs = [(self.options.columns, spot.column_value)]
            if not self.split:
                pairs.append((self.options.rows, spot.row_value))
            words = [
                facet_word(self.options, facet, value)
                for facet, value in pairs
                if facet not in (None, "metric")
            ]
            title = plain_text(", ".join(words))
            found.setdefault(number, {"title": title, "metric": self.metrics.index(metric)})
        return list(found.values())

    def _across(self) -> int:
        """How many panels stand side by side, as in the figure where there is room."""
        columns = len({spot.column for spot, _, _ in self.spots})
        panels = 1 + max(number for _, number, _ in self.spots)
        count = columns if columns > 1 else panels
        return math.ceil(count / math.ceil(count / _ACROSS))

    def _choice(self, name: str, values: Sequence[Any]) -> dict[str, Any]:
        words = [facet_word(self.options, name, value) for value in values]
        start = _ALL if name == "variant" else 0
        start = self._first_shown(name, list(values)) if name == self.split else start
        label = plain_text(self.options.word(name))
        return {
            "label": label if len(label) == 1 else label[:1].upper() + label[1:],
            "options": [plain_text(word) for word in words],
            "all": name in (self.split, "variant"),
            "split": name == self.split,
            "start": start,
        }

    def _first_shown(self, name: str, values: list[Any]) -> int:
        """The value that the answer of the config is about, else the one with published values."""
        answer = self.context.config.answer
        for number in answer.numbers.values() if answer else ():
            asked = number.where.get(name, ())
            if len(asked) == 1 and asked[0] in values:
                return values.index(asked[0])
        printed = [0] * len(values)
        for spot, _, rows in self.spots:
            printed[spot.row] += int(rows["published"].notna().sum())
        return printed.index(max(printed))

    def _picks(self, spot: PanelPosition, row: Mapping[str, Any]) -> list[int | None]:
        """For each choice the number of the option that a line of the summary is part of."""
        found: list[int | None] = []
        for name, values in self.choices.items():
            if name == self.split:
                found.append(spot.row)
            else:
                value = plain(row[name]) if name in row else None
                found.append(None if value is None else values.index(value))
        return found

    def _points(self) -> list[list[Any]]:
        found = []
        for spot, panel, rows in self.spots:
            for row in cast("list[dict[str, Any]]", rows.to_dict("records")):
                numbers = [row["mean"], *self._ends(row)]
                found.append([
                    panel,
                    self.places.index(plain(row[self.options.x])),
                    self.methods.index(row["method"]),
                    self.variants.index(row["variant"]),
                    *(rounded(number) for number in numbers),
                    int(row["repetitions"]),
                    rounded(row["published"]),
                    *self._picks(spot, row),
                ])  # fmt: skip
        return found

    def _levels(self) -> tuple[list[str], list[list[Any]]]:
        """Lines of chance and constant levels: their words, and where each is drawn."""
        if self.of_metrics:
            return [], []
        words: dict[str, int] = {}
        found: list[list[Any]] = []
        for spot, panel, _ in self.spots:
            metric = self.facets.metrics(spot)[0]
            chance = self.options.chance_of(metric)
            for row, levels in self._chance(spot, chance):
                number = words.setdefault(plain_text(self.options.word(chance)), len(words))
                found.append([number, panel, levels, *self._picks(spot, row)])
            for word, level in self.options.levels.get(metric, {}).items():
                number = words.setdefault(plain_text(word), len(words))
                flat = [[place, level] for place in range(len(self.places))]
                found.append([number, panel, flat, *self._picks(spot, {})])
        return list(words), found

    def _chance(
        self, spot: PanelPosition, name: str | None
    ) -> Iterator[tuple[dict[str, Any], list[list[Any]]]]:
        """What chance makes of a panel's metric, for each value of what has to be chosen."""
        rows = self.facets.pick(self.lines, spot)
        rows = rows[(rows["metric"] == name) & rows["mean"].notna()]
        rows = rows[rows["repetitions"] > 0]
        groups = rows.groupby(self.extra, dropna=False) if self.extra else [((), rows)]
        for key, group in groups:
            levels = []
            for place, value in enumerate(self.places):
                at = group[group[self.options.x] == value]
                if len(at):
                    total = (at["mean"] * at["repetitions"]).sum() / at["repetitions"].sum()
                    levels.append([place, rounded(total)])
            if levels:
                yield dict(zip(self.extra, key, strict=True)), levels


def _against(context: Context, options: Curves, metric: str) -> tuple[Context, Curves]:
    """A figure of a metric against another one: the means of the other are a column to be axis."""
    rows = context.rows
    if options.x not in rows:
        raise NothingToDraw(_OTHER_COLUMNS)
    keys = [*rows.columns[: list(rows.columns).index("method")], "method", "variant"]
    means = rows.loc[rows["metric"] == metric, [*keys, "mean"]].rename(columns={"mean": metric})
    beside = rows[keys].merge(means, on=keys, how="left", validate="many_to_one")
    along = beside[metric].map(rounded).astype(float).to_numpy()
    words = {"x": metric, "x_metric": None, "x_label": axis_label(options), "scale": "linear"}
    return replace(context, rows=rows.assign(**{metric: along})), options.model_copy(update=words)
