r"""Whether two means differ by more than repetitions do: a moderated t test, corrected for all.

The hypothesis of a row is that both outcomes come from the same distribution. Their variances are
then the same, and are pooled: with :math:`d = n_A + n_B - 2` degrees of freedom,

.. math:: s^2 = \frac{(n_A - 1) s_A^2 + (n_B - 1) s_B^2}{d}.

Two or three repetitions say little of a variance, so each row borrows from its group, the rows
of one metric of one config: if their variances scatter like
:math:`\sigma^2 \sim s_0^2 d_0 / \chi^2_{d_0}`, what is known of a row's variance is

.. math:: \tilde{s}^2 = \frac{d_0 s_0^2 + d s^2}{d_0 + d},

and the difference over :math:`\tilde{s} \sqrt{1/n_A + 1/n_B}` has Student's distribution with
:math:`d_0 + d` degrees of freedom. :math:`d_0` and :math:`s_0^2` are estimated from mean and
spread of the logarithms of the group's variances: the more these differ, the less is borrowed.

References
----------
G. K. Smyth, Linear models and empirical Bayes methods for assessing differential expression in
microarray experiments, Statistical Applications in Genetics and Molecular Biology 3, 2004.
Y. Benjamini, Y. Hochberg, Controlling the false discovery rate, Journal of the Royal Statistical
Society B 57, 1995.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

__all__ = ["LEVEL", "MIN_GROUP", "Sample", "beyond_noise", "p_values", "same_number", "spread_of"]

Floats = npt.NDArray[np.float64]

LEVEL = 0.01
MIN_GROUP = 8  # rows of whose variances a distribution can be fitted
_MAX_BORROWED = (
    4.0  # degrees of freedom: an estimate of theirs from a small group is itself uncertain
)
_RELATIVE_TOLERANCE = 1e-6  # of another processor, or other libraries, after many operations
_ABSOLUTE_TOLERANCE = 1e-9


@dataclass(frozen=True)
class Sample:
    """Means of rows, with what their repetitions say of the noise.

    Attributes
    ----------
    mean, deviation : array
        The deviation is not a number where it is not known.
    n : array
        Repetitions.
    """

    mean: Floats
    deviation: Floats
    n: Floats


def same_number(one: Floats, other: Floats) -> npt.NDArray[np.bool_]:
    """Whether numbers are the same up to rounding.

    Examples
    --------
    >>> same_number(np.array([0.5, 0.5, 1e-15]), np.array([0.5000001, 0.501, 3e-15])).tolist()
    [True, False, True]
    """
    larger = np.maximum(np.abs(one), np.abs(other))
    close: npt.NDArray[np.bool_] = (
        np.abs(one - other) <= _RELATIVE_TOLERANCE * larger + _ABSOLUTE_TOLERANCE
    )
    return close


def spread_of(half: Floats, n: Floats, level: float = 0.95) -> Floats:
    """Return standard deviations of repetitions from half the widths of t intervals.

    Examples
    --------
    >>> spread_of(np.array([0.2484138]), np.array([3.0])).round(4).tolist()
    [0.1]
    """
    from scipy import special

    known = n >= 2
    quantile = special.stdtrit(np.where(known, n - 1, 1), (1 + level) / 2)
    deviation: Floats = np.where(known, half * np.sqrt(n) / quantile, np.nan)
    return deviation


def p_values(a: Sample, b: Sample, groups: Sequence[object]) -> Floats:
    """Return how likely so large a difference is if nothing has changed, row by row.

    Parameters
    ----------
    a, b : Sample
    groups : sequence
        Rows with equal entries are of one group.

    Returns
    -------
    array
        1 where the numbers are the same up to rounding; 0 for other numbers where no row of the
        group has any noise; not a number where nothing is known of the noise.
    """
    same = same_number(a.mean, b.mean)
    freedom, variance = _pooled(a, b)
    width = np.sqrt(1 / a.n + 1 / b.n)
    p = np.full(len(same), np.nan)
    members: dict[object, list[int]] = {}
    for row, name in enumerate(groups):
        members.setdefault(name, []).append(row)
    for rows in members.values():
        p[rows] = _group_p_values(
            (a.mean - b.mean)[rows] / width[rows], freedom[rows], variance[rows]
        )
    p[same] = 1.0
    return p


def beyond_noise(p: Floats, level: float = LEVEL) -> npt.NDArray[np.bool_]:
    """Return which rows have changed, by Benjamini and Hochberg's procedure over all of them.

    Where nothing has changed, any row is returned with a probability of at most `level`; of those
    that are returned, at most that share is expected not to have changed. Rows without a p value
    are not among them.

    Examples
    --------
    >>> beyond_noise(np.array([0.5, 0.001, 0.004, np.nan, 1.0]), 0.01).tolist()
    [False, True, True, False, False]
    """
    from scipy import stats

    known = np.flatnonzero(~np.isnan(p))
    changed = np.zeros(len(p), dtype=bool)
    if len(known):
        changed[known] = stats.false_discovery_control(p[known]) <= level
    return changed


def _pooled(a: Sample, b: Sample) -> tuple[Floats, Floats]:
    """Degrees of freedom and variances of both outcomes together."""
    parts = []
    for one in (a, b):
        known = ~np.isnan(one.deviation) & (one.n >= 2)
        weight = np.where(known, one.n - 1, 0.0)
        noisy = known & ~same_number(one.mean, one.mean + np.where(known, one.deviation, 0.0))
        parts.append((weight, weight * np.where(noisy, one.deviation, 0.0) ** 2))
    freedom = parts[0][0] + parts[1][0]
    variance = (parts[0][1] + parts[1][1]) / np.maximum(freedom, 1)
    return freedom, variance


def _group_p_values(scaled: Floats, freedom: Floats, variance: Floats) -> Floats:
    """Return p values from differences over the root of 1/n_A + 1/n_B."""
    from scipy import special

    noisy = (freedom > 0) & (variance > 0)
    if not noisy.any():
        # as many rows, each repeated, and never any noise: there is none
        settled = np.count_nonzero(freedom) >= MIN_GROUP
        return np.where(settled & (freedom > 0), 0.0, np.nan)
    borrowed, common = _prior(freedom[noisy], variance[noisy])
    total = borrowed + freedom
    with np.errstate(divide="ignore", invalid="ignore"):
        spread = np.sqrt((borrowed * common + freedom * variance) / total)
        found: Floats = 2 * special.stdtr(total, -np.abs(scaled) / spread)
    known = (total > 0) & (spread > 0)
    return np.where(known, found, np.nan)


def _prior(freedom: Floats, variance: Floats) -> tuple[float, float]:
    """Return how much a row borrows from its group, in degrees of freedom, and their variance."""
    from scipy import special

    if len(variance) < MIN_GROUP:
        return 0.0, 0.0
    half = freedom / 2
    logs = np.log(variance) - special.digamma(half) + np.log(half)
    beyond = float(np.var(logs, ddof=1) - special.polygamma(1, half).mean())
    middle = float(logs.mean())
    d = _MAX_BORROWED
    if beyond > 0:
        d = min(d, 2 * _inverse_trigamma(beyond))
    common = math.exp(middle + float(special.digamma(d / 2)) - math.log(d / 2))
    # where few rows are far noisier than most, the logarithms see less of them than is there
    return d, max(common, float(np.average(variance, weights=freedom)))


def _inverse_trigamma(value: float) -> float:
    """Solve trigamma(x) = value; Newton's method on 1 / trigamma, which is convex.

    Examples
    --------
    >>> round(_inverse_trigamma(math.pi**2 / 6), 9)
    1.0
    """
    from scipy import special

    x = 0.5 + 1 / value
    for _ in range(50):
        tri = float(special.polygamma(1, x))
        step = tri * (1 - tri / value) / float(special.polygamma(2, x))
        x += step
        if abs(step) < 1e-10 * x:
            break
    return x
