"""Numbers of candidates, non-zeros and rows: one rule for every forest.

sqrt(p) is rounded up and 1.5 d down. The authors of Geodesic Forests and of the R program of
SPORF round sqrt(p) up too, R's randomForest and the Python program of SPORF down; the latter
rounds 1.5 d down, the R program draws d non-zeros.
"""

import math
from numbers import Integral

_MOST_AUTO = 100
_LEAST_LISTED = 10


def n_candidates(rule: float | str, p: int) -> int:
    """Return d for a number, a multiple of sqrt(p), or "sqrt".

    Examples
    --------
    >>> [n_candidates(rule, 10) for rule in (3, 2.0, "sqrt")]
    [3, 7, 4]
    """
    if isinstance(rule, Integral):
        return rule
    factor = 1.0 if isinstance(rule, str) else rule
    return max(1, math.ceil(factor * math.sqrt(p)))


def n_scattered(density: float, d: int) -> int:
    """Return the non-zeros over d candidates that have `density` of them on average.

    Examples
    --------
    >>> [n_scattered(1.5, d) for d in (1, 2, 3)]
    [1, 3, 4]
    """
    return max(1, math.floor(density * d))


def n_nonzeros(rule: float | str, p: int, d: int) -> int:
    """Return the non-zeros over d candidates: "scattered", "one_per_projection", or a share.

    Examples
    --------
    >>> [n_nonzeros(rule, 10, 4) for rule in ("scattered", "one_per_projection", 0.05)]
    [6, 4, 2]
    """
    if rule == "one_per_projection":
        return d
    return n_scattered(1.5, d) if isinstance(rule, str) else max(1, round(rule * p * d))


def n_listed(rule: float | str | None, p: int) -> int:
    """Return the columns on the shortlist: a number, a multiple of sqrt(p), none, or "auto".

    "auto" is sqrt(p), but at least ten: of few columns a shorter list leaves nothing to choose.

    Examples
    --------
    >>> [n_listed("auto", p) for p in (4, 30, 1000)], n_listed(None, 30)
    ([4, 10, 32], 0)
    """
    if rule is None:
        return 0
    listed = n_candidates("sqrt" if rule == "auto" else rule, p)
    return min(p, max(_LEAST_LISTED, listed) if rule == "auto" else listed)


def smallest_parent(rule: int | str, n: int, n_neighbors: int = 0) -> int:
    """Return the fewest bag rows of a node that is cut, for a table of n rows.

    "sqrt" is sqrt(n), as the authors ran; "auto" twice as many, at most 100, but twice the
    number of neighbours if that is more.

    Examples
    --------
    >>> [smallest_parent("auto", n) for n in (3, 10, 100, 1000, 10000)]
    [3, 6, 20, 63, 100]
    """
    if isinstance(rule, Integral):
        return rule
    if rule == "sqrt":
        return max(2, round(math.sqrt(n)))
    return max(2, min(round(2 * math.sqrt(n)), _MOST_AUTO), min(2 * n_neighbors, n // 2))
