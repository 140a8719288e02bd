"""Confidence intervals of a mean over repetitions."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

__all__ = ["Interval", "Kind", "half_width", "interval"]

Kind = Literal["paired_t", "bootstrap", "none"]
_RESAMPLES = 9999
_SEED = 20200823


@dataclass(frozen=True)
class Interval:
    """An estimate with its confidence interval.

    Attributes
    ----------
    estimate, low, high : float or None
        None where nothing can be said: no repetitions, or no spread to be had from a single one.
    n : int
        Repetitions used.
    """

    estimate: float | None
    low: float | None
    high: float | None
    n: int


def half_width(values: Sequence[float], level: float = 0.95) -> float | None:
    """Half the width of Student's t interval of the mean; None below two values.

    Examples
    --------
    >>> round(half_width([0.1, 0.2, 0.3]), 4)
    0.2484
    >>> half_width([0.5, 0.5])
    0.0
    """
    n = len(values)
    if n < 2:
        return None
    if min(values) == max(values):
        return 0.0
    from scipy.stats import t

    deviation = float(np.std(values, ddof=1))
    return float(t.ppf((1 + level) / 2, n - 1)) * deviation / math.sqrt(n)


def interval(values: Sequence[float], kind: Kind = "paired_t", level: float = 0.95) -> Interval:
    """Confidence interval of the mean of one statistic per repetition.

    Parameters
    ----------
    values : sequence of float
        One value per repetition; for a comparison, the paired differences.
    kind : {"paired_t", "bootstrap", "none"}
        Student's t; the percentile bootstrap with a fixed seed (too narrow below about ten
        repetitions, where t is to be preferred); or the bare mean, for a deterministic method on
        fixed data. Equal values collapse the interval to a point.
    level : float
        Coverage.

    Returns
    -------
    Interval

    Examples
    --------
    >>> interval([0.25, 0.25, 0.25])
    Interval(estimate=0.25, low=0.25, high=0.25, n=3)
    >>> interval([0.25])
    Interval(estimate=0.25, low=None, high=None, n=1)
    """
    n = len(values)
    if n == 0:
        return Interval(None, None, None, 0)
    if min(values) == max(values) and (n > 1 or kind == "none"):
        point = float(values[0])
        return Interval(point, point, point, n)
    estimate = math.fsum(values) / n
    if kind == "none":
        return Interval(estimate, estimate, estimate, n)
    if n == 1:
        return Interval(estimate, None, None, 1)
    if kind == "bootstrap":
        return _bootstrap(values, estimate, level)
    half = half_width(values, level)
    assert half is not None
    return Interval(estimate, estimate - half, estimate + half, n)


def _bootstrap(values: Sequence[float], estimate: float, level: float) -> Interval:
    from scipy.stats import bootstrap

    result = bootstrap(
        (np.asarray(values, dtype=float),),
        np.mean,
        n_resamples=_RESAMPLES,
        confidence_level=level,
        method="percentile",
        rng=np.random.default_rng(_SEED),
    )
    low, high = result.confidence_interval
    return Interval(estimate, float(low), float(high), len(values))
