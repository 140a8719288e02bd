"""Paired tests of many comparisons at once."""

from __future__ import annotations

import math
from collections.abc import Sequence

from geoforest_cli.claims.intervals import half_width

__all__ = ["holm", "paired_t"]


def paired_t(differences: Sequence[float], margin: float = 0.0) -> float:
    """Return the two-sided p of the t test that the mean difference is the margin.

    1 where there are fewer than two differences; of equal ones 0, or 1 if they are the margin.

    Examples
    --------
    >>> round(paired_t([0.1, 0.2, 0.3]), 4)
    0.0742
    """
    n = len(differences)
    width = half_width(differences, 0.5)
    if width is None:
        return 1.0
    gap = math.fsum(differences) / n - margin
    if width == 0:
        return float(gap == 0)
    from scipy.stats import t

    error = width / float(t.ppf(0.75, n - 1))
    return float(2 * t.sf(abs(gap) / error, n - 1))


def holm(p_values: Sequence[float], alpha: float) -> list[dict[str, float]]:
    """Correct p values by Holm's step-down procedure.

    Returns
    -------
    list of dict
        For each its `p`, `p_adjusted`, and the `level` of the interval that leaves out the
        margin exactly if p_adjusted is below alpha.

    Examples
    --------
    >>> [round(test["p_adjusted"], 3) for test in holm([0.01, 0.04, 0.03], 0.05)]
    [0.03, 0.06, 0.06]
    """
    m = len(p_values)
    order = sorted(range(m), key=p_values.__getitem__)
    found: list[dict[str, float]] = [{} for _ in p_values]
    adjusted, left = 0.0, m
    for rank, i in enumerate(order):
        # after the first that is not rejected no other is
        left = m - rank if adjusted < alpha else left
        adjusted = max(adjusted, min(1.0, (m - rank) * p_values[i]))
        found[i] = {"p": p_values[i], "p_adjusted": adjusted, "level": 1 - alpha / left}
    return found
