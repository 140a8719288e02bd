"""Exact moments of chi-square statistics under permutation.

Let A and B be symmetric n x n matrices whose rows add up to zero, and T = sum_ij A_ij B_s(i)s(j)
for a random permutation s of the rows. The first three moments of T are closed forms in the eight
sums of `sums_of_bins` over A and the same sums over B (Mielke 1984; Kazi-Aoual et al. 1995): the
mean of a product of entries of a permuted B depends only on which of their indices are equal.

For a column cut into k bins of r_1 .. r_k rows, A is the projection on its bins less that on the
constants. Then n T is the chi-square statistic of the table of two columns, and its moments are
those under fixed margins of Haldane (1940) and of Mielke and Berry (1985). For a forest, A is the
sum of such projections over trees, their leaves as bins.

References
----------
Haldane, The mean and variance of chi-square, when used as a test of homogeneity, when expectations
are small, Biometrika 31, 1940.

Mielke, Meteorological applications of permutation techniques based on distance functions, Handbook
of Statistics 4, 1984.

Mielke and Berry, Non-asymptotic inferences based on the chi-square statistic for r by c contingency
tables, Journal of Statistical Planning and Inference 12, 1985.

Kazi-Aoual, Hitier, Sabatier and Lebreton, Refined approximations to permutation tests for
multivariate inference, Computational Statistics & Data Analysis 20, 1995.
"""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

__all__ = ["MIN_ROWS", "coefficients", "second_moment", "sums_of_bins", "third_moment"]

Floats = npt.NDArray[np.float64]

MIN_ROWS = 6  # rows; the third moment of fewer has no such form
_SIZES_AT_ONCE = 4096

# Polynomials in n, the highest power first, over n (n - 1) .. (n - m) for the m-th moment plus one:
# what the product of sum i of A and sum j >= i of B counts. For the square of T the sums are
# (tr A)^2, tr A^2 and sum a_ii^2.
_SECOND: dict[tuple[int, int], tuple[int, ...]] = {
    (0, 0): (1, -3, 1), (0, 1): (2,), (0, 2): (-1, 1, 0),
    (1, 1): (2, -6, 4), (1, 2): (-2, 2, 0),
    (2, 2): (1, 1, 0, 0),
}  # fmt: skip
# (tr A)^3, tr A tr A^2, tr A^3, tr A sum a_ii^2, sum a_ii^3, sum a_ij^3, sum a_ii (A^2)_ii and
# sum a_ii a_ij a_jj
_THIRD: dict[tuple[int, int], tuple[int, ...]] = {
    (0, 0): (1, -9, 23, -14), (0, 1): (6, -24), (0, 2): (8,), (0, 3): (-3, 21, -36, 12),
    (0, 4): (2, -6, 4, 0), (0, 5): (-16,), (0, 6): (-24, 48), (0, 7): (-6, 30, -24),
    (1, 1): (6, -54, 144, -84), (1, 2): (24, -72), (1, 3): (-6, 42, -96, 72),
    (1, 4): (12, -36, 24, 0), (1, 5): (-12, 60, -96), (1, 6): (-12, 84, -264, 288),
    (1, 7): (-24, 120, -144),
    (2, 2): (8, -72, 208, -176), (2, 3): (-48, 96), (2, 4): (16, -48, 32, 0),
    (2, 5): (-24, 120, -128), (2, 6): (-24, 168, -432, 384), (2, 7): (-24, 120, -192),
    (3, 3): (3, -12, -6, 27, -36), (3, 4): (-3, -6, 21, -12, 0), (3, 5): (12, -12, 48),
    (3, 6): (12, -24, 108, -144), (3, 7): (12, -42, -18, 72),
    (4, 4): (1, 16, 11, -4, 0, 0), (4, 5): (-4, 8, -20, 16, 0), (4, 6): (-12, -24, 84, -48, 0),
    (4, 7): (-6, 12, -30, 24, 0),
    (5, 5): (4, -32, 76, -16, -64), (5, 6): (24, -72, -48, 192), (5, 7): (24, -24, -96),
    (6, 6): (12, -12, -96, 432, -576), (6, 7): (24, -48, -72, 288),
    (7, 7): (6, -48, 126, -36, -144),
}  # fmt: skip


def _form(table: dict[tuple[int, int], tuple[int, ...]], n: Floats, last: int) -> Floats:
    """Return the symmetric matrices of a bilinear form, one for each n."""
    size = max(i for i, _ in table) + 1
    divisor = math.prod((n - i for i in range(last + 1)), start=np.ones_like(n))
    form = np.empty((len(n), size, size))
    for (i, j), powers in table.items():
        form[:, i, j] = form[:, j, i] = np.polyval(powers, n) / divisor
    return form


def second_moment(n: Floats) -> Floats:
    """Return for each n >= 4 the matrix (3, 3) that makes E T^2 of the sums of A and of B."""
    return _form(_SECOND, n, 3)


def third_moment(n: Floats) -> Floats:
    """Return for each n >= 6 the matrix (8, 8) that makes E T^3 of the sums of A and of B."""
    return _form(_THIRD, n, 5)


def sums_of_bins(sizes: npt.ArrayLike) -> Floats:
    """Return the eight sums for the bins of a column, none of them empty.

    With f = tr A = k - 1, q = sum a_ii^2 = sum 1 / r - (2 k - 1) / n and c = sum a_ii^3 =
    sum 1 / r^2 - 3 / n sum 1 / r + (3 k - 1) / n^2 they are f^3, f^2, f, f q, c, q - f / n, q and
    q - f^2 / n.

    Examples
    --------
    >>> sums_of_bins([2, 2]).tolist()
    [1.0, 1.0, 1.0, 0.25, 0.0625, 0.0, 0.25, 0.0]
    """
    r = np.asarray(sizes, np.float64)
    n, f = r.sum(), len(r) - 1.0
    q = (1 / r).sum() - (2 * f + 1) / n
    c = (1 / r**2).sum() - 3 / n * (1 / r).sum() + (3 * f + 2) / n**2
    return np.array([f**3, f**2, f, f * q, c, q - f / n, q, q - f * f / n])


def _of_terms(n: Floats) -> Floats:
    """Return for each n what makes the eight sums of f^3, f^2, f, f q, q, c."""
    terms = np.zeros((len(n), 8, 6))
    for row, term in ((0, 0), (1, 1), (2, 2), (3, 3), (4, 5), (5, 4), (6, 4), (7, 4)):
        terms[:, row, term] = 1.0
    terms[:, 5, 2] = terms[:, 7, 1] = -1.0 / n
    return terms


def coefficients(low: int, high: int) -> Floats:
    """Return, for n = low .. high rows, what makes moments of chi-square of two columns' terms.

    Returns
    -------
    (high - low + 1, 29) array
        The mean's factor n / (n - 1) of f f'; the upper triangle of the form of the second moment
        in (f^2, f, q), and of the third in (f^3, f^2, f, f q, q, c); 1 / n. Zero below six rows.
    """
    table = np.zeros((high - low + 1, 29))
    for start in range(max(low, MIN_ROWS), high + 1, _SIZES_AT_ONCE):
        n = np.arange(start, min(start + _SIZES_AT_ONCE, high + 1), dtype=np.float64)
        part = table[start - low : start - low + len(n)]
        terms = _of_terms(n)
        third = np.einsum("nia,nij,njb->nab", terms, third_moment(n), terms)
        part[:, 0] = n / (n - 1)
        part[:, 1:7] = second_moment(n)[:, *np.triu_indices(3)] * n[:, None] ** 2
        part[:, 7:28] = third[:, *np.triu_indices(6)] * n[:, None] ** 3
        part[:, 28] = 1 / n
    return table
