"""Two half circles that reach into one another."""

import math

import numpy as np

from geoforest_cli.problems.manifolds.sample import Arcs, Components, Sample, SampleKind, Truth


def draw(n: int, kind: SampleKind, rng: np.random.Generator, truth: Truth = "default") -> Sample:
    """Draw n / 2 points each of (cos t, sin t) and (1 - cos t, 1 / 2 - sin t), t in 0 to pi.

    Angles are evenly spaced as written, uniform as run. With truth "component" two points are
    near if they lie on one half circle.

    Source: `sklearn.datasets.make_moons`, without its noise.

    Examples
    --------
    >>> sample = draw(5, "as_written", np.random.default_rng(0))
    >>> sample.points.round(2).tolist()
    [[1.0, 0.0], [0.0, 1.0], [-1.0, 0.0], [0.0, 0.5], [2.0, 0.5]]
    """
    sizes = n - n // 2, n // 2
    which = np.repeat(np.arange(2), sizes)
    if kind == "as_run":
        t = rng.uniform(0.0, math.pi, n)
    else:
        t = np.concatenate([np.linspace(0.0, math.pi, size) for size in sizes])
    upper = np.column_stack([np.cos(t), np.sin(t)])
    points = np.where(which[:, None] == 0, upper, [1.0, 0.5] - upper)
    latent = np.column_stack([which.astype(float), t])
    if truth == "component":
        return Sample(points, latent, Components(which))
    return Sample(points, latent, Arcs(t, np.full(n, np.inf), which.astype(float)))
