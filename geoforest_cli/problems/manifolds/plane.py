"""A square in space, parallel to no pair of axes."""

import math

import numpy as np

from geoforest_cli.problems.manifolds.sample import Sample, SampleKind, Straight, Truth

_AXES = np.array([[1.0, -1.0, 0.0], [1.0, 1.0, -2.0]]) / np.sqrt([[2.0], [6.0]])


def draw(n: int, kind: SampleKind, rng: np.random.Generator, truth: Truth = "default") -> Sample:
    """Draw u (1, -1, 0) / sqrt 2 + v (1, 1, -2) / sqrt 6, u and v in -1 to 1.

    As written, (u, v) are the first n points of a square grid; as run they are uniform. The
    columns add up to zero: every one is told by the other two, and geodesics are straight lines.

    Examples
    --------
    >>> sample = draw(50, "as_run", np.random.default_rng(0))
    >>> bool(np.allclose(sample.points.sum(axis=1), 0))
    True
    """
    if kind == "as_run":
        flat = rng.uniform(-1.0, 1.0, (n, 2))
    else:
        side = np.linspace(-1.0, 1.0, max(2, math.ceil(math.sqrt(n))))
        u, v = np.meshgrid(side, side)
        flat = np.column_stack([u.ravel(), v.ravel()])[:n]
    return Sample(flat @ _AXES, flat, Straight(flat))
