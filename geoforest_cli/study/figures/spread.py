"""Spread of repetitions at a point: a mean, and an interval or the single values."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from geoforest_cli.study.figures.options import Range, Scale
from geoforest_cli.study.intervals import half_width

__all__ = ["MIN_REPETITIONS", "Spread"]

MIN_REPETITIONS = 4  # repetitions that make an interval


@dataclass(frozen=True)
class Spread:
    """A point of a line.

    Attributes
    ----------
    centre : float
        The mean; on a logarithmic axis the geometric one.
    low, high : float
        Ends of the 95 % interval, within what the metric can be; both `centre` without one.
    dots : tuple of float
        The single repetitions where they are too few for an interval.
    """

    centre: float
    low: float
    high: float
    dots: tuple[float, ...] = ()

    @classmethod
    def of(
        cls, values: Sequence[float], scale: Scale = "linear", limits: Range = (None, None)
    ) -> Spread:
        """Summarise one value per repetition.

        Parameters
        ----------
        values : sequence of float
        scale : {"linear", "log"}
            Logarithmic: Student's t interval of the mean logarithm, carried back. Where a value
            is not positive there is no logarithm, and the mean stands without an interval.
        limits : (float or None, float or None)
            What the metric can be.

        Examples
        --------
        >>> Spread.of([0.9, 1.0, 1.0, 1.0], limits=(0.0, 1.0)).high
        1.0
        >>> few = Spread.of([1.0, 100.0], "log")
        >>> round(few.centre, 6), few.dots
        (10.0, (1.0, 100.0))
        """
        if scale == "log" and min(values) <= 0:
            centre = float(np.mean(values))
            return cls(centre, centre, centre, tuple(v for v in values if v > 0))
        to, back = (math.log, math.exp) if scale == "log" else (float, float)
        seen = [to(value) for value in values]
        middle = float(np.mean(seen))
        centre = back(middle)
        if len(values) < MIN_REPETITIONS:
            return cls(centre, centre, centre, tuple(values) if len(values) > 1 else ())
        half = half_width(seen) or 0.0
        low, high = back(middle - half), back(middle + half)
        # an interval ends where the metric does
        least, most = limits
        low = low if least is None else max(low, min(least, centre))
        high = high if most is None else min(high, max(most, centre))
        return cls(centre, low, high)

    def __str__(self) -> str:
        interval = f" (95 % interval {self.low:.3g} to {self.high:.3g})" if self.wide else ""
        return f"{self.centre:.3g}{interval}"

    @property
    def wide(self) -> bool:
        """Return whether there is an interval to be seen."""
        return self.high > self.low

    @property
    def extent(self) -> tuple[float, float]:
        """The smallest and largest value that is drawn."""
        return min(self.low, *self.dots, self.centre), max(self.high, *self.dots, self.centre)
