"""Arguments of an experiment's ``draw``."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd

from geoforest_cli.core.plot_style import Look, looks
from geoforest_cli.study.config.schema import Config
from geoforest_cli.study.figures.options import METHOD_LABELS
from geoforest_cli.study.frames import grid_columns, plain, within

__all__ = ["Context", "NothingToDraw", "finite", "lost_cells", "ordered", "pick"]


class NothingToDraw(ValueError):
    """A figure's filters leave no rows."""


@dataclass(frozen=True)
class Context:
    """Rows and everything needed to draw them.

    Attributes
    ----------
    rows : pandas.DataFrame
        Rows of the cells that succeeded.
    published : pandas.DataFrame
        Published values in the form of rows, with ``source``; may be empty.
    config : Config
        The validated config: ``title``, ``methods`` with their labels, ``grid``.
    options : mapping
        The config's ``figure`` section, or one of its further figures.
    failed : pandas.DataFrame
        Rows of the cells that did not succeed.
    caution : str
        Why the figure says nothing about the paper: it is drawn on it.
    """

    rows: pd.DataFrame
    published: pd.DataFrame
    config: Config
    options: Mapping[str, Any] = field(default_factory=dict)
    failed: pd.DataFrame = field(default_factory=pd.DataFrame)
    caution: str = ""

    @cached_property
    def grid(self) -> tuple[str, ...]:
        """The grid's columns."""
        return grid_columns(self.rows)

    @cached_property
    def methods(self) -> tuple[str, ...]:
        """The methods that have rows, in the config's order."""
        present = set(self.rows["method"])
        listed = [name for name in self.config.methods if name in present]
        return (*listed, *sorted(present - set(listed)))

    @cached_property
    def looks(self) -> dict[str, Look]:
        """Look of each method."""
        uses = {name: method.use or name for name, method in self.config.methods.items()}
        return looks({**{name: name for name in self.methods}, **uses})

    def label(self, method: str) -> str:
        """The method's name in figures."""
        settings = self.config.methods.get(method)
        return (settings.label if settings else None) or METHOD_LABELS.get(method, method)

    def values(self, column: str) -> list[Any]:
        """The values of a column that occur, those of the grid in the config's order."""
        return ordered(self.rows[column], self.config.grid_values.get(column, ()))

    def metric_rows(self, metric: str, where: Mapping[str, Any]) -> pd.DataFrame:
        """Return the rows of a metric that a figure's filters leave.

        Raises
        ------
        NothingToDraw
            If there are none.
        """
        rows = within(self.rows[self.rows["metric"] == metric], where)
        if rows.empty:
            raise NothingToDraw(f"there are no rows of {metric} to draw")
        return rows

    def facet_values(self, facet: str | None, rows: pd.DataFrame) -> list[Any]:
        """Return the values that make panels of rows: None for the one panel without a facet."""
        if facet is None:
            return [None]
        present = set(rows[facet])
        listed = self.methods if facet == "method" else self.values(facet)
        return [value for value in listed if value in present]


def pick(rows: pd.DataFrame, facet: str | None, value: Any) -> pd.DataFrame:
    """Return the rows of one panel; all of them without a facet."""
    return rows if facet is None else rows[rows[facet] == value]


def finite(rows: pd.DataFrame, metrics: Iterable[str]) -> pd.DataFrame:
    """Return the rows of metrics that hold a number."""
    rows = rows[rows["metric"].isin(list(metrics))]
    return rows[np.isfinite(rows["value"].astype(float))]


def lost_cells(failed: pd.DataFrame) -> str:
    """Return how many cells failed or are missing, in words; empty if none did."""
    if failed.empty:
        return ""
    missing = int((failed["status"] == "missing").sum())
    counts = {"failed": len(failed) - missing, "missing": missing}
    return ", ".join(f"{count} cells {word}" for word, count in counts.items() if count)


def ordered(present: Iterable[Any], wanted: Iterable[Any] = ()) -> list[Any]:
    """Distinct values: those wanted first in their order, then the others as they come."""
    values = [value for value in dict.fromkeys(map(plain, present)) if value is not None]
    listed = [value for value in map(plain, wanted) if value in values]
    return list(dict.fromkeys([*listed, *values]))
