"""An S-curve: a rectangle bent along two arcs of unit circles."""

import math

import numpy as np

from geoforest_cli.problems.manifolds.sample import Sample, SampleKind, Straight, Truth

WIDTH = 2.0


def draw(n: int, kind: SampleKind, rng: np.random.Generator, truth: Truth = "default") -> Sample:
    """Draw (sin t, y, sign(t) (cos t - 1)), t uniform in -1.5 pi to 1.5 pi and y in 0 to 2.

    t is the arc length, hence the geodesics are the straight lines between (t, y). As with the
    Swiss roll, the width y is independent of the other two coordinates.

    Source: `sklearn.datasets.make_s_curve`.

    Examples
    --------
    >>> sample = draw(100, "as_written", np.random.default_rng(0))
    >>> x, y, z = sample.points.T
    >>> bool(np.allclose(x**2 + (1 - np.abs(z)) ** 2, 1))
    True
    """
    t = 3.0 * math.pi * (rng.uniform(size=n) - 0.5)
    y = rng.uniform(0.0, WIDTH, n)
    points = np.column_stack([np.sin(t), y, np.sign(t) * (np.cos(t) - 1.0)])
    flat = np.column_stack([t, y])
    return Sample(points, flat, Straight(flat))
