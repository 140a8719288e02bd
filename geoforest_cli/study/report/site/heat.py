"""Heat maps and mean ranks as tables that can be sorted, coloured by value."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from geoforest_cli.study.config.schema import Config
from geoforest_cli.study.figures.context import ordered
from geoforest_cli.study.figures.options import VARIANT_WORDS, Curves
from geoforest_cli.study.figures.ranks import mean_ranks
from geoforest_cli.study.frames import within
from geoforest_cli.study.report.site.runs import Run
from geoforest_cli.study.report.site.wording import SITE

__all__ = ["STEPS", "Cell", "HeatTable", "heat_tables"]

STEPS = 10  # classes of colour, h0 to h9
_COMPUTED = frozenset({"metric", "method", "variant", "sample"})  # facets that are no grid columns
_KEYS = ["method", "variant"]


@dataclass(frozen=True)
class Cell:
    """A value of the table.

    Attributes
    ----------
    value : float or None
        None where nothing was measured.
    step : int
        Its class of colour: 0 for the smallest value of all tables of the figure.
    best : bool
        Whether no method of the column has a better one.
    """

    value: float | None
    text: str = "–"
    step: int = 0
    best: bool = False


@dataclass(frozen=True)
class HeatTable:
    """A row of panels of a heat map.

    Attributes
    ----------
    groups : list of (str, int)
        What each panel shows, and how many columns it has.
    heads : list of str
        What each column shows.
    rows : list of (str, list of Cell)
        Method, and its value in each column.
    chance : list of Cell
        What chance makes of each column; empty where that is not known.
    note : str
        What the numbers are.
    """

    title: str
    groups: list[tuple[str, int]]
    heads: list[str]
    rows: list[tuple[str, list[Cell]]]
    chance: list[Cell]
    note: str


def heat_tables(run: Run) -> list[HeatTable]:
    """Return the heat maps and mean ranks among the figures of a run, a table for each row.

    Empty for a run without a summary or without a config that is known today.
    """
    config = run.config
    if config is None or run.lines.empty:
        return []
    found = []
    for name, section in {"figure": config.figure, **config.more_figures}.items():
        chosen = SITE["tables"].get(run.name, {}).get(name)
        part = "" if name == "figure" else f": {name.replace('_', ' ')}"
        title = f"{run.title}{part}"
        if section.get("ranks"):
            found += list(_ranks(run.lines, section, config, title))
        elif section.get("kind") == "heat" or chosen:
            smallest = chosen == "smallest"
            found += list(_tables(run.lines, section, config, title, smallest=smallest))
    return found


def _options(section: Mapping[str, Any]) -> Curves:
    return Curves.model_validate({k: v for k, v in section.items() if k in Curves.model_fields})


def _tables(
    lines: pd.DataFrame,
    section: Mapping[str, Any],
    config: Config,
    title: str,
    *,
    smallest: bool,
) -> Iterator[HeatTable]:
    options = _options(section)
    chosen = within(lines, options.where)
    facets = [one for one in (options.columns, options.x) if one]
    if len(options.y) > 1 or _COMPUTED & {*facets, options.rows}:
        return
    metric = options.y[0]
    mine = chosen[(chosen["metric"] == metric) & chosen["mean"].notna()]
    if mine.empty:
        return
    scale = _Scale(mine["mean"], options, metric)
    what = options.y_label or options.word(metric)
    axis = options.x_label or options.word(options.x)
    note = (
        f"{what[:1].upper()}{what[1:]}, mean over repetitions, by {axis}; the "
        f"{'smallest' if smallest else 'largest'} of a column is bold"
    )
    for value in ordered(mine[options.rows]) if options.rows else [None]:
        part = mine if value is None else mine[mine[options.rows] == value]
        wide = part.pivot_table(index=_KEYS, columns=facets, values="mean", aggfunc="mean")
        columns = _columns(part, facets, wide, config)
        wide = wide.reindex(index=_methods(part, config), columns=columns)
        chance = _chance(chosen, options, value, facets, columns)
        several = wide.index.get_level_values("method").duplicated(keep=False)
        best = wide.min() if smallest else wide.max()
        place = "" if value is None else f", {options.word(options.rows)} {options.word(value)}"
        yield HeatTable(
            title + place,
            _groups(columns, options) if len(facets) > 1 else [],
            [options.word(one[-1] if isinstance(one, tuple) else one) for one in columns],
            [
                (_label(key, config, several=both), scale.cells(row, best))
                for key, both, row in zip(wide.index, several, wide.to_numpy(float), strict=True)
            ],
            scale.cells(chance, [None] * len(chance)),
            note,
        )


def _columns(
    part: pd.DataFrame, facets: Sequence[str], wide: pd.DataFrame, config: Config
) -> list[Any]:
    """The columns that have values, in the order of the config's grid."""
    orders = [ordered(part[name], config.grid_values.get(name, ())) for name in facets]
    if len(facets) == 1:
        return [one for one in orders[0] if one in wide.columns]
    return [(a, b) for a in orders[0] for b in orders[1] if (a, b) in wide.columns]


def _groups(columns: Iterable[tuple[Any, Any]], options: Curves) -> list[tuple[str, int]]:
    counts: dict[Any, int] = {}
    for first, _ in columns:
        counts[first] = counts.get(first, 0) + 1
    name = options.word(options.columns)
    return [
        (options.word(first) if isinstance(first, str) else f"{name} {options.word(first)}", number)
        for first, number in counts.items()
    ]


def _methods(part: pd.DataFrame, config: Config) -> pd.MultiIndex:
    found = set(part[_KEYS].itertuples(index=False, name=None))
    order = [*config.methods, *ordered(part["method"])]
    variants = ordered(part["variant"])
    return pd.MultiIndex.from_tuples(
        [(m, v) for m in dict.fromkeys(order) for v in variants if (m, v) in found], names=_KEYS
    )


def _label(key: tuple[str, str], config: Config, *, several: bool) -> str:
    method, variant = key
    label = (config.methods[method].label if method in config.methods else "") or method
    return f"{label} ({VARIANT_WORDS.get(variant, variant)})" if several else label


def _chance(
    lines: pd.DataFrame, options: Curves, value: Any, facets: list[str], columns: list[Any]
) -> list[float]:
    rows = lines[lines["metric"] == options.chance_of(options.y[0])]
    if value is not None:
        rows = rows[rows[options.rows] == value]
    return [] if rows.empty else rows.groupby(facets)["mean"].mean().reindex(columns).to_list()


class _Scale:
    """From values to text and colour; logarithmic where the figure's axis is."""

    def __init__(self, values: pd.Series[float], options: Curves, metric: str) -> None:
        self._log = options.scale_of(metric) == "log" and bool((values > 0).all())
        low, high = float(values.min()), float(values.max())
        if not self._log:
            given = options.limits_of(metric) or options.range_of(metric, values)
            low = low if given[0] is None else given[0]
            high = high if given[1] is None else given[1]
        self._low, self._width = self._at(low), self._at(high) - self._at(low)

    def _at(self, value: float) -> float:
        return float(np.log(value)) if self._log else value

    def cells(self, values: Iterable[float], best: Iterable[float | None]) -> list[Cell]:
        return [self._cell(*pair) for pair in zip(values, best, strict=True)]

    def _cell(self, value: float, best: float | None) -> Cell:
        if not np.isfinite(value):
            return Cell(None)
        share = (self._at(value) - self._low) / self._width if self._width > 0 else 0.0
        step = int(np.clip(share * STEPS, 0, STEPS - 1))
        text = f"{value:.2g}" if self._log else f"{value:.{2 if self._width <= 2 else 1}f}"
        return Cell(float(value), text, step, value == best)


def _ranks(
    lines: pd.DataFrame, section: Mapping[str, Any], config: Config, title: str
) -> Iterator[HeatTable]:
    """Mean ranks over the values of a grid parameter, a column for each panel of the figure."""
    options, block = _options(section), str(section["ranks"])
    chosen = within(lines, options.where)
    mine = chosen[chosen["metric"] == options.y[0]]
    found: dict[str, dict[str, float]] = {}
    apart = []
    for value in ordered(mine[options.columns]) if options.columns else [None]:
        part = mine if value is None else mine[mine[options.columns] == value]
        table = part.pivot_table(index=block, columns="method", values="mean", aggfunc="mean")
        table = table.dropna(axis="columns")
        if len(table) >= 2 and len(table.columns) >= 3:
            ranks = mean_ranks(table.to_numpy(float))
            head = "mean rank" if value is None else options.word(value)
            found[head] = dict(zip(table.columns, map(float, ranks.mean), strict=True))
            apart.append(f"{ranks.critical:.1f} ({head}, {len(table)} {block}s)")
    if not found:
        return
    wide = pd.DataFrame(found).reindex(list(config.methods)).dropna(how="all")
    last = float(len(wide))
    scale = _Scale(pd.Series([1.0, last]), Curves(x="", y=("",), limits=(1.0, last)), "")
    yield HeatTable(
        title,
        [(options.word(options.columns), len(found))] if options.columns else [],
        list(found),
        [
            (_label((str(name), ""), config, several=False), scale.cells(row, wide.min()))
            for name, row in zip(wide.index, wide.to_numpy(float), strict=True)
        ],
        [],
        f"Mean rank by {options.word(options.y[0])} over every {block}; 1 is best. Methods "
        "whose mean ranks differ by less than the critical difference are not told apart "
        f"(Friedman and Nemenyi): {', '.join(apart)}",
    )
