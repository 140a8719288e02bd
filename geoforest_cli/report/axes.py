"""Axes of the panels: positions, ticks, scales."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pandas as pd
from matplotlib.ticker import NullFormatter, NullLocator

from geoforest_cli.report.context import Context, ordered

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from geoforest_cli.report.curves import Curves

__all__ = ["Axis", "compact", "dress_values"]

_FEW = 7


def compact(value: Any) -> str:
    """A number as a short tick label.

    Examples
    --------
    >>> [compact(v) for v in (0, 50, 1000, 2500, 10000, 0.25, "helix")]
    ['0', '50', '1k', '2.5k', '10k', '0.25', 'helix']
    """
    if isinstance(value, bool) or not isinstance(value, int | float):
        return str(value)
    for size, letter in ((1_000_000, "M"), (1000, "k")):
        if abs(value) >= size and value % (size // 10) == 0:
            return f"{value / size:g}{letter}"
    return f"{value:g}"


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
        wanted = getattr(context.config, "grid_values", {}).get(options.x, ())
        values = tuple(ordered(rows[options.x], wanted))
        return cls(values, "metric" if options.x_metric else options.scale)

    def position(self, value: Any) -> float:
        """Where a value stands."""
        return float(self.values.index(value)) if self.scale == "category" else float(value)

    def dress(self, axes: Axes) -> None:
        """Set scale and ticks."""
        labels = [compact(v) for v in self.values]
        if self.scale == "category":
            axes.set_xticks(range(len(self.values)), labels)
            axes.set_xlim(-0.35, len(self.values) - 0.65)
        elif self.scale == "log":
            axes.set_xscale("log")
            if len(labels) <= _FEW:
                axes.set_xticks([float(v) for v in self.values], labels)
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
