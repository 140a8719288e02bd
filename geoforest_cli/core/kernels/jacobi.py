"""Hestenes' one-sided Jacobi rotations: singular vectors without BLAS."""

import math

from geoforest_cli.core.jit import kernel

_SWEEPS = 60
_PRECISION = 2.0**-52


@kernel
def orthogonalise(stack, rotations):
    """Rotate the rows of each matrix, two at a time, until they are orthogonal.

    All sums run from the first to the last term, as they stand: no processor adds otherwise.

    Parameters
    ----------
    stack : (n, c, m) float64
        Overwritten; entries of at most about 1.
    rotations : (n, c, c) float64
        Identity matrices; overwritten by the products of the rotations.
    """
    n, c, m = stack.shape
    threshold = math.sqrt(m) * _PRECISION
    for i in range(n):
        rows, turned = stack[i], rotations[i]
        for _ in range(_SWEEPS):
            settled = True
            for first in range(c - 1):
                for second in range(first + 1, c):
                    a, b, both = 0.0, 0.0, 0.0
                    for j in range(m):
                        x, y = rows[first, j], rows[second, j]
                        a += x * x
                        b += y * y
                        both += x * y
                    if abs(both) <= threshold * math.sqrt(a) * math.sqrt(b):
                        continue
                    settled = False
                    slope = (b - a) / (2.0 * both)
                    tangent = 1.0 / (abs(slope) + math.sqrt(1.0 + slope * slope))
                    tangent = tangent if slope >= 0.0 else -tangent
                    cosine = 1.0 / math.sqrt(1.0 + tangent * tangent)
                    sine = cosine * tangent
                    _rotate(rows, first, second, cosine, sine)
                    _rotate(turned, first, second, cosine, sine)
            if settled:
                break


@kernel
def _rotate(rows, first, second, cosine, sine):
    for j in range(rows.shape[1]):
        x, y = rows[first, j], rows[second, j]
        rows[first, j] = cosine * x - sine * y
        rows[second, j] = sine * x + cosine * y
