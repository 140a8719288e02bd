"""Axes of the panels: positions, ticks, scales."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pandas as pd
from matplotlib.ticker import FixedLocator, NullFormatter, NullLocator

from geoforest_cli.study.figures.context import Context, ordered
from geoforest_cli.study.figures.options import Curves, Limits, Range, Scale, compact

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["Axis", "format_value_axis", "limits_of", "log_ticks", "values_along"]

_LETTER = 0.062  # inches of a letter of a tick label
_STEP = 0.045  # inches between markers that would hide each other
_SHARE = 0.3  # of the distance between categories that they take together at most
_TOGETHER = 0.12  # inches that they take together at most, beside a category
_MARKER = 0.06  # the same on an axis of numbers
_EDGE = 0.35  # of the distance between categories, beside the outer ones
_MANTISSAS: tuple[tuple[float, ...], ...] = (
    (1, 1.2, 1.4, 1.6, 1.8, 2, 2.5, 3, 3.5, 4, 4.5, 5, 6, 7, 8, 9), (1, 1.5, 2, 3, 4, 5, 6, 8),
    (1, 2, 3, 5, 7), (1, 2, 5), (1, 3), (1,),
)  # fmt: skip
_UNIT = (-0.02, 1.04)
_FEWEST_TICKS, _MOST_TICKS = 3, 6


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
    inches : float
        Its length.
    options : Curves
    """

    values: tuple[Any, ...]
    scale: str
    inches: float
    options: Curves

    @classmethod
    def of(cls, options: Curves, rows: pd.DataFrame, context: Context, inches: float) -> Axis:
        """The axis of a figure."""
        values = tuple(values_along(context, options, rows))
        scale = "category" if len(values) == 1 else options.scale  # one number makes no axis
        return cls(values, scale, inches, options)

    def position(self, value: Any, slot: float = 0.0, slots: int = 1) -> float:
        """Where a value stands.

        Parameters
        ----------
        value : Any
        slot, slots : float, int
            The line among those of its panel: lines stand beside each other, so that none hides
            another. On an axis of numbers all of them take no more room than one marker does.
        """
        aside = (slot - (slots - 1) / 2) * self._step(slots)
        if self.scale == "category":
            return self.values.index(value) + aside
        place = float(value)
        return place * 10**aside if self.scale == "log" else place + aside

    def _step(self, slots: int) -> float:
        """The distance of two lines, in units of the axis (decades on a logarithmic one)."""
        if slots < 2:
            return 0.0
        if self.scale == "category":
            per_inch = (len(self.values) - 1 + 2 * _EDGE) / self.inches
            return min(_STEP * per_inch, min(_TOGETHER * per_inch, _SHARE) / (slots - 1))
        places = [float(v) for v in self.values]
        if self.scale == "log":
            places = [math.log10(v) for v in places]
        places = sorted(places)
        length = (places[-1] - places[0]) or 1.0
        gaps = [b - a for a, b in itertools.pairwise(places)] or [length]
        room = min(_MARKER * length / self.inches, 0.2 * min(gaps))
        return min(0.5 * _STEP * length / self.inches, room / (slots - 1))

    @property
    def of_names(self) -> bool:
        """Whether its values are names, between which there is nothing."""
        return self.scale == "category" and any(isinstance(v, str) for v in self.values)

    @property
    def _turned(self) -> bool:
        """Whether words are too long to stand side by side; numbers are left out instead."""
        if not self.of_names:
            return False
        words = [self.options.word(v) for v in self.values]
        span = len(words) - 1 + 2 * _EDGE
        return len(self._thinned(range(len(words)), words, span)) < len(words)

    @property
    def depth(self) -> float:
        """Inches that turned words need below the axis."""
        longest = max((len(self.options.word(v)) for v in self.values), default=0)
        return 0.5 * _LETTER * longest if self._turned else 0.0

    def _thinned(self, places: Sequence[float], words: Sequence[str], span: float) -> list[int]:
        """Which labels have room: the first, and those far enough from the last one kept."""
        kept: list[int] = []
        for number, (place, word) in enumerate(zip(places, words, strict=True)):
            if kept:
                last = kept[-1]
                needed = _LETTER * (len(word) + len(words[last])) / 2 + 0.05
                if (place - places[last]) / span * self.inches < needed:
                    continue
            kept.append(number)
        return kept

    def format(self, axes: Axes) -> None:
        """Set scale and ticks."""
        if self.scale == "category":
            words = [self.options.word(v) for v in self.values]
            span = len(words) - 1 + 2 * _EDGE
            numbers = range(len(words))
            if self._turned:
                axes.set_xticks(numbers, words, rotation=30, ha="right")
            else:
                kept = set(self._thinned(numbers, words, span))
                axes.set_xticks(numbers, [w if i in kept else "" for i, w in enumerate(words)])
            axes.set_xlim(-_EDGE, len(words) - 1 + _EDGE)
        elif self.scale == "log":
            axes.set_xscale("log")
            places = sorted(float(v) for v in self.values)
            words = [compact(int(v) if v.is_integer() else v) for v in places]
            logs = [math.log10(v) for v in places]
            kept_places = self._thinned(logs, words, 1.1 * ((logs[-1] - logs[0]) or 1.0))
            axes.xaxis.set_major_locator(FixedLocator([places[i] for i in kept_places]))
            axes.xaxis.set_ticklabels([words[i] for i in kept_places])
            axes.xaxis.set_minor_locator(FixedLocator(places))
            axes.xaxis.set_minor_formatter(NullFormatter())


def limits_of(extents: Sequence[tuple[float, float]], scale: Scale, limits: Range) -> Limits | None:
    """Limits of a vertical axis: what the metric can be, or what is drawn.

    Parameters
    ----------
    extents : sequence of (float, float)
        Smallest and largest value of everything drawn.
    scale : {"linear", "log"}
    limits : (float or None, float or None)
        What the metric can be. All of it is shown if it has two ends; an axis from zero if it is
        an amount that comes near zero.

    Examples
    --------
    >>> limits_of([(0.2, 0.4)], "linear", (0.0, 1.0))
    (-0.02, 1.04)
    >>> limits_of([(2.0, 100.0)], "linear", (0.0, None))
    (0.0, 106.0)
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
    if limits == (0.0, 1.0):
        return _UNIT
    margin = 0.06 * ((high - low) or abs(high) or 1.0)
    if limits[0] == 0.0 and low < 0.6 * high:
        return 0.0, high * 1.06
    return low - margin, high + margin


def log_ticks(low: float, high: float) -> list[float]:
    """Return round numbers between two positive limits, evenly spread over the decades.

    Examples
    --------
    >>> [float(f"{v:.3g}") for v in log_ticks(0.011, 0.4)]
    [0.03, 0.1, 0.3]
    >>> log_ticks(1, 1e9)
    [1.0, 100.0, 10000.0, 1000000.0, 100000000.0]
    """
    decades = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
    for mantissas in reversed(_MANTISSAS):
        ticks = [m * 10.0**d for d in decades for m in mantissas if low <= m * 10.0**d <= high]
        if len(ticks) > _MOST_TICKS:
            step = math.ceil(len(ticks) / _MOST_TICKS)
            return ticks[::step]
        if len(ticks) >= _FEWEST_TICKS:
            return ticks
    return ticks


def format_value_axis(axes: Axes, scale: Scale, limits: Limits | None) -> None:
    """Set scale, limits and ticks of the vertical axis."""
    if scale == "log":
        axes.set_yscale("log")
    if limits:
        axes.set_ylim(*limits)
    if scale == "log":
        low, high = axes.get_ylim()
        places = log_ticks(low, high)
        axes.yaxis.set_major_locator(FixedLocator(places))
        axes.yaxis.set_ticklabels([_power(place) for place in places])
        axes.yaxis.set_minor_locator(NullLocator())


def _power(value: float) -> str:
    """A short label of a round number on a logarithmic axis."""
    if 0.001 <= value < 10_000:
        return f"{value:g}"
    exponent = math.floor(math.log10(value) + 1e-9)
    mantissa = value / 10.0**exponent
    factor = "" if math.isclose(mantissa, 1.0) else rf"{mantissa:g}\cdot"
    return rf"${factor}10^{{{exponent}}}$"
