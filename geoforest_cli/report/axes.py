"""Axes of the panels: positions, ticks, scales."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pandas as pd
from matplotlib.ticker import NullFormatter, NullLocator

from geoforest_cli.report.context import Context, ordered
from geoforest_cli.report.options import Curves, compact

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["Axis", "dress_values"]

_FEW = 5  # labels that a narrow panel has room for


@dataclass(frozen=True)
class Axis:
    """Positions of the values of the grid column along the horizontal axis.

    Attributes
    ----------
    values : tuple
        In the config's order.
    scale : str
        That of the options, or "metric" where a metric runs along the axis.
    """

    values: tuple[Any, ...]
    scale: str

    @classmethod
    def of(cls, options: Curves, rows: pd.DataFrame, context: Context) -> Axis:
        """The axis of a figure."""
        wanted = context.config.grid_values.get(options.x, ())
        values = tuple(ordered(rows[options.x], wanted))
        return cls(values, "metric" if options.x_metric else options.scale)

    def position(self, value: Any) -> float:
        """Where a value stands."""
        return float(self.values.index(value)) if self.scale == "category" else float(value)

    def _few(self) -> tuple[list[float], list[str]]:
        """Ticks at values of the grid that are far enough apart for their labels."""
        places = sorted(float(v) for v in self.values)
        room = math.log10(places[-1] / places[0]) / _FEW if places[0] > 0 else 0.0
        kept = places[:1]
        for place in places[1:]:
            if math.log10(place / kept[-1]) >= room:
                kept.append(place)
        return kept, [compact(int(v) if v.is_integer() else v) for v in kept]

    def dress(self, axes: Axes) -> None:
        """Set scale and ticks."""
        if self.scale == "category":
            axes.set_xticks(range(len(self.values)), [compact(v) for v in self.values])
            axes.set_xlim(-0.35, len(self.values) - 0.65)
        elif self.scale == "log":
            axes.set_xscale("log")
            axes.set_xticks(*self._few())
            axes.xaxis.set_minor_locator(NullLocator())
        elif self.scale == "symlog":
            axes.set_xscale("symlog", linthresh=1)


def dress_values(axes: Axes, scale: str, limits: tuple[float, float] | None) -> None:
    """Set scale and limits of the vertical axis."""
    if scale == "log":
        axes.set_yscale("log")
        axes.yaxis.set_minor_formatter(NullFormatter())
    if limits:
        axes.set_ylim(*limits)
