"""Linear algebra and angles whose last digit does not depend on the processor.

LAPACK's singular vectors depend on the kernels that BLAS chooses for the processor, and NumPy's
inverse tangent on the width of its vectors.
"""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

__all__ = ["quadrant_angle", "singular_vectors"]

Floats = npt.NDArray[np.float64]

# the rational approximation of the inverse tangent in S. L. Moshier's Cephes library
_ABOVE = (
    -8.750608600031904122785e-1, -1.615753718733365076637e1, -7.500855792314704667340e1,
    -1.228866684490136173410e2, -6.485021904942025371773e1,
)  # fmt: skip
_BELOW = (
    1.0, 2.485846490142306297962e1, 1.650270098316988542046e2, 4.328810604912902668951e2,
    4.853903996359136964868e2, 1.945506571482613964425e2,
)  # fmt: skip


def singular_vectors(stack: Floats) -> tuple[Floats, Floats, Floats]:
    """Return thin singular value decompositions of a stack of matrices (n, r, c).

    Returns
    -------
    tuple of (n, r, q), (n, q) and (n, c, q) arrays
        U, S and V with A = U S V' and q = min(r, c), S decreasing. For a singular value of 0 one
        of the two vectors is 0.

    Examples
    --------
    >>> U, S, V = singular_vectors(np.array([[[0.0, 2.0], [3.0, 0.0], [0.0, 0.0]]]))
    >>> S.tolist()
    [[3.0, 2.0]]
    >>> (U * S @ V[0].T).tolist()
    [[[0.0, 2.0], [3.0, 0.0], [0.0, 0.0]]]
    """
    from geoforest_cli.core.kernels import jacobi

    tall = stack.shape[1] >= stack.shape[2]
    # in units of a power of two, which is exact: squares neither overflow nor vanish
    _, exponent = np.frexp(np.abs(stack).max(axis=(1, 2), initial=0.0))
    scaled = np.ldexp(stack, -exponent[:, None, None])
    rows = np.ascontiguousarray(np.swapaxes(scaled, 1, 2) if tall else scaled)
    turned = np.tile(np.eye(rows.shape[1]), (len(rows), 1, 1))
    jacobi.orthogonalise(rows, turned)
    # a running sum adds in the order of the terms on every processor
    sizes = np.sqrt(np.cumsum(rows * rows, axis=2)[:, :, -1])
    order = np.argsort(-sizes, axis=1, kind="stable")
    sizes = np.take_along_axis(sizes, order, axis=1)
    long, short = (
        np.swapaxes(np.take_along_axis(part, order[:, :, None], axis=1), 1, 2)
        for part in (rows, turned)
    )
    long /= np.where(sizes > 0, sizes, 1.0)[:, None, :]
    sizes = np.ldexp(sizes, exponent[:, None])
    return (long, sizes, short) if tall else (short, sizes, long)


def quadrant_angle(y: Floats, x: Floats) -> Floats:
    """Return the angles of points (x, y) in the first quadrant, as `numpy.arctan2` does.

    Built from sums, products and quotients, which are correctly rounded everywhere.

    Examples
    --------
    >>> quadrant_angle(np.array([0.0, 2.0, 3.0]), np.array([1.0, 2.0, 0.0])) * 4 / np.pi
    array([0., 1., 2.])
    """
    low, high = np.minimum(x, y), np.maximum(x, y)
    high = np.where(high == 0, 1.0, high)
    near_diagonal = low > 0.66 * high
    t = np.where(near_diagonal, (low - high) / (low + high), low / high)
    squares = t * t
    angle = t + t * squares * np.polyval(_ABOVE, squares) / np.polyval(_BELOW, squares)
    angle = np.where(near_diagonal, math.pi / 4 + angle, angle)
    whole: Floats = np.where(y > x, math.pi / 2 - angle, angle)
    return whole
