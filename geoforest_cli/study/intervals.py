"""Confidence intervals of a mean over repetitions, for tables and figures."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

__all__ = ["half_width"]


def half_width(values: Sequence[float]) -> float | None:
    """Half the width of the 95 % t interval of the mean; None below two values.

    Examples
    --------
    >>> round(half_width([0.1, 0.2, 0.3]), 4)
    0.2484
    >>> half_width([0.5, 0.5])
    0.0
    """
    from scipy import special

    n = len(values)
    if n < 2:
        return None
    if min(values) == max(values):
        return 0.0
    deviation = float(np.std(values, ddof=1))
    return float(special.stdtrit(n - 1, 0.975)) * deviation / math.sqrt(n)
