"""The Gumbel distribution of a largest value, fitted to some draws."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

__all__ = ["Gumbel", "gumbel_of"]

_EULER = 0.5772156649015329


class Gumbel(NamedTuple):
    """A Gumbel distribution: its mode and its scale.

    Examples
    --------
    >>> null = Gumbel(5.0, 0.3)
    >>> round(null.tail(null.threshold(0.01)), 6)
    0.01
    """

    mode: float
    scale: float

    def tail(self, value: float) -> float:
        """Return the probability of a larger value."""
        return float(-math.expm1(-math.exp(min((self.mode - value) / self.scale, 700.0))))

    def threshold(self, level: float) -> float:
        """Return the value that is exceeded with a probability of `level`."""
        return self.mode - self.scale * math.log(-math.log1p(-level))


def gumbel_of(draws: npt.ArrayLike) -> Gumbel:
    """Return the Gumbel distribution with the mean and the standard deviation of some draws.

    Examples
    --------
    >>> gumbel_of([1.0, 2.0, 3.0]).mode.__round__(3)
    1.55
    """
    values = np.asarray(draws, np.float64)
    scale = max(float(np.std(values, ddof=1)) * math.sqrt(6.0) / math.pi, 1e-300)
    return Gumbel(float(values.mean()) - _EULER * scale, scale)
