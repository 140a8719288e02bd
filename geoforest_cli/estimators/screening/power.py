"""Power transforms that make skewed and heavy-tailed columns look normal again.

The trees of the forest screen cut columns that are two clusters, and a skewed column looks like
two. Normal scores would hide every cluster; a power hides none: it is chosen by likelihood, and
only for columns that it makes clearly more normal. Each column is transformed by itself, so that
the level of a test of its independence stays what it is.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import numpy.typing as npt

__all__ = ["nearly_normal"]

Floats = npt.NDArray[np.float64]

_POWERS = (0.0, 1 / 3, 1 / 2)  # of Box and Cox: 0 is the logarithm
_ROOTS = (1 / 3, 1 / 2)  # of distances from a centre, which keep their sign
_START = 0.1  # of the interquartile range, added where a column is shifted to positive values
_CLEARLY = 0.1  # of log-likelihood for each row: a small skew is no reason
_MOST_EQUAL = 1 / 20  # rows of one value: a density says nothing about such a column


def nearly_normal(columns: Floats) -> Floats:
    """Return columns, those that a power transform makes clearly more normal transformed.

    Candidates are Box-Cox powers 0, 1/3 and 1/2 of positive columns and of columns shifted to
    positive values, mirrored ones too, and signed roots of the distances from 0 and the median. The
    likeliest under a normal distribution is taken, if its log-likelihood is ahead of the column's
    own by more than log n + n / 10. So `exp` and the cube of columns come out as the columns went
    in, up to shift and scale.

    Parameters
    ----------
    columns : (p, n) array
        Without missing values.

    Returns
    -------
    (p, n) array

    Examples
    --------
    >>> x = np.random.default_rng(0).normal(size=(1, 200))
    >>> bool((nearly_normal(x) == x).all())
    True
    >>> float(abs(np.corrcoef(nearly_normal(np.exp(x))[0], x[0])[0, 1]).round(6))
    1.0
    """
    scores = columns.copy()
    for row, values in zip(scores, columns, strict=True):
        ordered = np.sort(values)
        if _most_equal(ordered) > _MOST_EQUAL * len(values) or ordered[0] == ordered[-1]:
            continue
        scaled = values / np.abs(values).max()  # powers of large values would overflow
        least = _log_likelihood(scaled, 0.0) + np.log(len(values)) + _CLEARLY * len(values)
        for transformed, log_slopes in _candidates(scaled):
            likelihood = _log_likelihood(transformed, log_slopes)
            if likelihood > least:
                least, row[:] = likelihood, transformed
    return scores


def _most_equal(ordered: Floats) -> int:
    """Return how often the most frequent value comes."""
    starts = np.flatnonzero(np.r_[True, ordered[1:] != ordered[:-1], True])
    return int(np.diff(starts).max())


def _candidates(values: Floats) -> Iterator[tuple[Floats, float]]:
    """Yield transformed values and the sum of the logarithms of the slopes at all values."""
    low, middle, high = np.quantile(values, [0.25, 0.5, 0.75])
    start = _START * (high - low)
    positive = [(values - values.min() + start, 1.0), (values.max() - values + start, -1.0)]
    if values.min() > 0:
        positive.append((values, 1.0))
    for shifted, sign in positive if start > 0 else positive[2:]:
        logs = np.log(shifted)
        for power in _POWERS:
            raised = logs if power == 0 else (shifted**power - 1) / power
            yield sign * raised, (power - 1) * float(logs.sum())
    for centre in dict.fromkeys((0.0, float(middle))):
        distances = values - centre
        nearest = np.finfo(np.float64).eps * np.abs(distances).max()
        logs = np.log(np.maximum(np.abs(distances), nearest))
        for power in _ROOTS:
            rooted = np.sign(distances) * np.abs(distances) ** power / power
            yield rooted, (power - 1) * float(logs.sum())


def _log_likelihood(values: npt.NDArray[Any], log_slopes: float) -> float:
    """Return the normal log-likelihood at its best mean and variance, up to a constant."""
    variance = float(values.var())
    if not variance > 0:
        return -np.inf
    return -0.5 * len(values) * float(np.log(variance)) + log_slopes
