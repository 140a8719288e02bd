"""The numbers of a run as a table to sort: the lines of its summary that its figure shows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pandas as pd

from geoforest_cli.study.figures.options import VARIANT_WORDS, compact
from geoforest_cli.study.frames import within
from geoforest_cli.study.report.site.pictures import figure_section
from geoforest_cli.study.report.site.runs import Run
from geoforest_cli.study.report.tables import plain_number

__all__ = ["MAX_LINES", "Numbers", "numbers"]

MAX_LINES = 1000
_MEASURED = ("mean", "repetitions", "published", "difference")


@dataclass(frozen=True)
class Numbers:
    """A table, those lines first that have a published value.

    Attributes
    ----------
    heads : list of (str, bool)
        What each column holds, and whether it is numbers.
    lines : list of list of (str, Any)
        What each cell shows, and the value that it is sorted by.
    total : int
        How many lines the figure has; at most `MAX_LINES` of them are shown.
    """

    heads: list[tuple[str, bool]]
    lines: list[list[tuple[str, Any]]]
    total: int


def numbers(run: Run) -> Numbers | None:
    """Return the numbers of a run's main figure; None without any."""
    if run.lines.empty:
        return None
    options = figure_section("figure", run.config) if run.config else {}
    shown = within(run.lines, options.get("where") or {})
    shown = within(shown, {"metric": options["y"]} if "y" in options else {})
    lines = shown if len(shown) else run.lines  # the figure may be of other columns
    lines = lines.sort_values("published", key=pd.isna, kind="stable")
    names = [*lines.columns[: list(lines.columns).index("mean")], *_MEASURED]
    names = [name for name in names if lines[name].notna().any()]
    heads = [
        (name.replace("_", " ").capitalize(), lines[name].dtype.kind in "if") for name in names
    ]
    records: list[dict[Any, Any]] = lines.head(MAX_LINES).to_dict("records")
    cells = [[(_shown(name, line, run), line[name]) for name in names] for line in records]
    return Numbers(heads, cells, len(lines))


def _shown(name: str, line: dict[Any, Any], run: Run) -> str:
    value = line[name]
    if pd.isna(value):
        return ""
    if name == "mean" and pd.notna(line["half"]):
        return f"{plain_number(value)} ± {plain_number(line['half'], value)}"
    if name in _MEASURED and name != "repetitions":
        return plain_number(value)
    words = {"method": run.labels, "variant": VARIANT_WORDS}.get(name, {})
    return words.get(value, compact(value))
