"""Confidence intervals of a mean over repetitions, for tables and figures."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

__all__ = ["half_width", "log_interval"]


def half_width(values: Sequence[float], level: float = 0.95) -> float | None:
    """Half the width of Student's t interval of the mean; None below two values.

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
    return float(special.stdtrit(n - 1, (1 + level) / 2)) * deviation / math.sqrt(n)


def log_interval(
    values: Sequence[float], level: float = 0.95
) -> tuple[float, float | None, float | None]:
    """Return the geometric mean with Student's t interval of the logarithms, for a log axis.

    The bounds are None below two values; they never reach zero.

    Parameters
    ----------
    values : sequence of float
        All positive.
    level : float
        Coverage.

    Raises
    ------
    ValueError
        If there is no value, or one that is not positive.

    Examples
    --------
    >>> tuple(round(one, 3) for one in log_interval([0.1, 1.0, 10.0]))
    (1.0, 0.003, 304.886)
    >>> log_interval([2.0])
    (2.0, None, None)
    """
    if not values or min(values) <= 0:
        raise ValueError("an interval on a log scale needs positive values")
    logs = [math.log(value) for value in values]
    middle = math.fsum(logs) / len(logs)
    half = half_width(logs, level)
    if half is None:
        return math.exp(middle), None, None
    return math.exp(middle), math.exp(middle - half), math.exp(middle + half)
