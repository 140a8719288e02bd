"""Lines for the values of a grid column in place of the methods."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import pandas as pd

from geoforest_cli.core.plot_style import Look, graded
from geoforest_cli.study.figures.context import Context, NothingToDraw, ordered
from geoforest_cli.study.figures.facets import facet_word
from geoforest_cli.study.figures.options import Curves
from geoforest_cli.study.frames import plain, within

__all__ = ["by_value"]


@dataclass(frozen=True)
class _ByValue(Context):
    """A context whose methods are the values of a grid column."""

    words: dict[str, str] = field(default_factory=dict)

    @cached_property
    def methods(self) -> tuple[str, ...]:
        return tuple(self.words)

    @cached_property
    def looks(self) -> dict[str, Look]:
        return dict(zip(self.words, graded(len(self.words)), strict=True))

    def label(self, method: str) -> str:
        return self.words[method]


def by_value(context: Context, options: Curves, column: str) -> tuple[Context, Curves]:
    """Return context and options of a figure with one line for each value of a grid column.

    Parameters
    ----------
    context : Context
    options : Curves
        Its filters are applied.
    column : str

    Returns
    -------
    Context, Curves

    Raises
    ------
    NothingToDraw
        If the rows that are left do not have the column.
    """
    rows = within(context.rows, options.where)
    if column not in rows or rows[column].isna().all():
        raise NothingToDraw(f"there are no rows with a value of {column}")
    values = ordered(rows[column], context.config.grid_values.get(column, ()))
    made = _ByValue(
        rows=_named(rows, column),
        published=_named(within(context.published, options.where), column),
        config=context.config,
        options=context.options,
        failed=within(context.failed, options.where),
        caution=context.caution,
        halves=context.halves,
        words={str(value): facet_word(options, column, value) for value in values},
    )
    return made, options.model_copy(update={"where": {}, "lines": None})


def _named(rows: pd.DataFrame, column: str) -> pd.DataFrame:
    """Rows whose method is their value of a column; those without one are left out."""
    if column not in rows:
        return rows.iloc[:0]
    known = rows[rows[column].notna()]

    def name(value: Any) -> str:
        return str(plain(value))

    return known.assign(method=known[column].map(name))
