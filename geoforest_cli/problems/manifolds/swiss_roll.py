"""A Swiss roll: a rectangle rolled up, flat along itself."""

import math

import numpy as np

from geoforest_cli.problems.manifolds.sample import Floats, Sample, SampleKind, Straight, Truth

WIDTH = 21.0


def arc_length(t: Floats) -> Floats:
    """Return the length of (t cos t, t sin t) from 0 to t.

    The speed is sqrt(1 + t^2); its integral (t sqrt(1 + t^2) + asinh t) / 2.
    """
    length: Floats = (t * np.sqrt(1.0 + t**2) + np.arcsinh(t)) / 2.0
    return length


def draw(n: int, kind: SampleKind, rng: np.random.Generator, truth: Truth = "default") -> Sample:
    """Draw (t cos t, y, t sin t), t uniform in 1.5 pi to 4.5 pi and y in 0 to 21.

    Unrolled, the roll is a rectangle: its geodesics are the straight lines between (s(t), y).
    The width y is independent of the other two coordinates, so that nothing in a table tells it
    from a column of uniform noise.

    Source: `sklearn.datasets.make_swiss_roll`.

    Examples
    --------
    >>> sample = draw(100, "as_written", np.random.default_rng(0))
    >>> bool(np.allclose(np.hypot(*sample.points.T[[0, 2]]), sample.latent[:, 0]))
    True
    """
    t = 1.5 * math.pi * (1.0 + 2.0 * rng.uniform(size=n))
    y = rng.uniform(0.0, WIDTH, n)
    points = np.column_stack([t * np.cos(t), y, t * np.sin(t)])
    return Sample(points, np.column_stack([t, y]), Straight(np.column_stack([arc_length(t), y])))
