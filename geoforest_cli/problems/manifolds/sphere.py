"""A sphere of radius 9 about the origin."""

import math

import numpy as np

from geoforest_cli.problems.manifolds.sample import (
    GreatCircle,
    Sample,
    SampleKind,
    Truth,
    equal_spaced,
)

RADIUS = 9.0
_GRID_RATIO = 1.6


def grid_shape(n: int) -> tuple[int, int]:
    """Return the numbers (of u, of v) of a grid of ratio near 1.6 that holds n points.

    1000 points are exactly 40 x 25. A grid that comes out larger, as 14 x 9 for 120, keeps n
    of its points at random: an exact one (12 x 10, and for a prime only n x 1) would change
    the spacing of u and v from one n to the next.

    Examples
    --------
    >>> grid_shape(1000)
    (40, 25)
    """
    v = max(1, round(math.sqrt(n / _GRID_RATIO)))
    return math.ceil(n / v), v


def draw(n: int, kind: SampleKind, rng: np.random.Generator, truth: Truth = "default") -> Sample:
    """Draw 9 (cos u sin v, sin u sin v, cos v).

    As written, (u, v) is a grid on (0, 2 pi) x (0, pi). As run, u and v are uniform, which
    crowds the poles, and the distance is r arccos with the cosine clipped.

    Source: Geodesic Forests, Appendix C.

    Examples
    --------
    >>> sample = draw(1000, "as_written", np.random.default_rng(0))
    >>> bool(np.allclose(np.linalg.norm(sample.points, axis=1), 9))
    True
    """
    as_run = kind == "as_run"
    if as_run:
        u, v = rng.uniform(0.0, 2.0 * math.pi, n), rng.uniform(0.0, math.pi, n)
    else:
        n_u, n_v = grid_shape(n)
        u, v = (
            axis.ravel()
            for axis in np.meshgrid(
                equal_spaced(0.0, 2.0 * math.pi, n_u), equal_spaced(0.0, math.pi, n_v)
            )
        )
        if len(u) > n:
            kept = np.sort(rng.choice(len(u), n, replace=False))
            u, v = u[kept], v[kept]
    points = RADIUS * np.column_stack([np.cos(u) * np.sin(v), np.sin(u) * np.sin(v), np.cos(v)])
    return Sample(points, np.column_stack([u, v]), GreatCircle(points, RADIUS, as_run))
