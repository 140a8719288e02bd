"""Axes of the panels: positions, ticks, scales."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pandas as pd
from matplotlib.ticker import FixedLocator, MaxNLocator, NullLocator

from geoforest_cli.study.figures.context import Context, ordered
from geoforest_cli.study.figures.options import Curves, Limits, Range, Scale, compact

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["Axis", "format_value_axis", "limits_of", "values_along"]

_LETTER = 0.062  # inches of a letter of a tick label
_STEP = 0.045  # inches between markers that would hide each other
_EDGE = 0.35  # of the distance between categories, beside the outer ones


def values_along(context: Context, options: Curves, rows: pd.DataFrame) -> list[Any]:
    """The values along the axis, as a line runs: by size, categories in the config's order."""
    values = ordered(rows[options.x], context.config.grid_values.get(options.x, ()))
    return values if options.scale == "category" else sorted(values)


@dataclass(frozen=True)
class Axis:
    """Positions of the values of the grid column along the horizontal axis.

    Attributes
    ----------
    values : tuple
        By size; categories in the config's order.
    scale : {"category", "linear", "log"}
        One number makes no axis: it is a category.
    inches : float
        Its length, about.
    words : tuple of str
        What the values are called.
    """

    values: tuple[Any, ...]
    scale: str
    inches: float
    words: tuple[str, ...]

    @classmethod
    def of(cls, options: Curves, rows: pd.DataFrame, context: Context, across: int) -> Axis:
        """The axis of a figure with so many panels beside each other."""
        values = tuple(values_along(context, options, rows))
        scale = "category" if len(values) == 1 else options.scale
        inches = (options.width - 0.7) / across - 0.1
        name = options.word if scale == "category" else compact
        return cls(values, scale, inches, tuple(map(name, values)))

    def position(self, value: Any) -> float:
        """Where a value stands."""
        return self.values.index(value) if self.scale == "category" else float(value)

    def aside(self, slot: float, slots: int) -> float:
        """Inches to the right of a value where a line stands, so that none hides another."""
        places = self._places
        nearest = min((b - a for a, b in itertools.pairwise(places)), default=self.inches)
        room = 0.5 * nearest if self.of_names else min(0.12, 0.3 * nearest)
        step = min(2 * _STEP if self.of_names else _STEP, room / max(slots - 1, 1))
        return (slot - (slots - 1) / 2) * step

    @property
    def of_names(self) -> bool:
        """Return whether its values are names, between which there is nothing."""
        return self.scale == "category" and any(isinstance(v, str) for v in self.values)

    @property
    def _units(self) -> tuple[list[float], float]:
        """Positions, on a logarithmic axis their logarithms, and the margin beside the outer."""
        places = [self.position(value) for value in self.values]
        if self.scale == "log":
            places = [math.log10(tick) for tick in places]
        return places, _EDGE if self.scale == "category" else 0.05 * (places[-1] - places[0])

    @property
    def _places(self) -> list[float]:
        """Inches from the first value."""
        units, margin = self._units
        inch = (units[-1] - units[0] + 2 * margin) / self.inches
        return [(unit - units[0]) / inch for unit in units]

    def _fitting(self) -> list[int]:
        """Return the labels with room: the first, and those far enough from the last kept."""
        places, kept = self._places, [0]
        for number in range(1, len(places)):
            letters = (len(self.words[number]) + len(self.words[kept[-1]])) / 2
            if places[number] - places[kept[-1]] > _LETTER * letters + 0.05:
                kept.append(number)
        return kept

    def format(self, axes: Axes) -> None:
        """Set scale and ticks; names without room are turned, numbers left out."""
        places = [self.position(value) for value in self.values]
        kept = self._fitting()
        if self.of_names and len(kept) < len(places):
            axes.set_xticks(places, self.words, rotation=30, ha="right", rotation_mode="anchor")
        elif self.scale != "linear":
            if self.scale == "log":
                axes.set_xscale("log")
            axes.set_xticks([places[i] for i in kept], [self.words[i] for i in kept])
            axes.xaxis.set_minor_locator(FixedLocator(places))
            axes.xaxis.set_minor_formatter("")
        units, margin = self._units
        ends = units[0] - margin, units[-1] + margin
        axes.set_xlim(*(10**end if self.scale == "log" else end for end in ends))


def limits_of(extents: Sequence[tuple[float, float]], scale: Scale, limits: Range) -> Limits | None:
    """Limits of a vertical axis: what is drawn, or all that the metric can be if that fills it.

    Parameters
    ----------
    extents : sequence of (float, float)
        Smallest and largest value of everything drawn.
    scale : {"linear", "log"}
    limits : (float or None, float or None)
        What the metric can be.

    Examples
    --------
    >>> limits_of([(0.1, 0.8)], "linear", (0.0, 1.0))
    (-0.03, 1.05)
    >>> low, high = limits_of([(0.05, 0.4)], "linear", (0.0, 1.0))
    >>> round(low, 3), round(high, 3)
    (-0.012, 0.42)
    """
    ends = [end for pair in extents for end in pair if math.isfinite(end)]
    if scale == "log":
        ends = [end for end in ends if end > 0]
    if not ends:
        return None
    low, high = min(ends), max(ends)
    if scale == "log":
        margin = max(1.12, (high / low) ** 0.05)
        return low / margin, high * margin
    least, most = limits
    if least is not None and low - least < 0.25 * (high - least):
        low = least
    if most is not None and most - high < 0.25 * (most - low):
        high = most
    span = (high - low) or abs(high) or 1.0
    return low - 0.03 * span, high + 0.05 * span


def format_value_axis(axes: Axes, scale: Scale, limits: Limits | None) -> None:
    """Set scale, limits and ticks of the vertical axis."""
    if limits:
        axes.set_ylim(*limits)
    if scale == "log":
        axes.set_yscale("log")
        low, high = axes.get_ylim()
        decades = math.log10(high / low)
        axes.yaxis.set_major_locator(MaxNLocator(4))
        if decades > 0.6:
            steps = (1, 2, 5) if decades < 1.2 else (1, 3) if decades < 3 else (1,)
            every = 1 if decades < 7 else 2
            powers = range(math.floor(math.log10(low)) // every * every, 99, every)
            ticks = [step * 10.0**power for power in powers for step in steps]
            axes.yaxis.set_major_locator(FixedLocator([v for v in ticks if low <= v <= high]))
        axes.yaxis.set_major_formatter(lambda value, _: _power(value))
        axes.yaxis.set_minor_locator(NullLocator())


def _power(value: float) -> str:
    """A short label of a round number on a logarithmic axis."""
    if 0.001 <= value < 10_000:
        return f"{value:g}"
    exponent = math.floor(math.log10(value) + 1e-9)
    mantissa = value / 10.0**exponent
    factor = "" if math.isclose(mantissa, 1.0) else rf"{mantissa:g}\cdot"
    return rf"${factor}10^{{{exponent}}}$"
