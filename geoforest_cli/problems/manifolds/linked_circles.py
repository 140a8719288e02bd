"""Two unit circles in space, linked like two rings of a chain."""

import math

import numpy as np

from geoforest_cli.problems.manifolds.sample import Arcs, Components, Sample, SampleKind, Truth


def draw(n: int, kind: SampleKind, rng: np.random.Generator, truth: Truth = "default") -> Sample:
    """Draw n / 2 points each of (cos t, sin t, 0) and (1 + cos t, 0, sin t).

    Angles are evenly spaced as written, uniform as run. Each circle passes through the other's
    centre. With truth "component" two points are near if they lie on one circle.

    Examples
    --------
    >>> sample = draw(4, "as_written", np.random.default_rng(0))
    >>> sample.points.round(9).tolist()
    [[1.0, 0.0, 0.0], [-1.0, 0.0, 0.0], [2.0, 0.0, 0.0], [0.0, 0.0, 0.0]]
    """
    sizes = n - n // 2, n // 2
    which = np.repeat(np.arange(2), sizes)
    if kind == "as_run":
        t = rng.uniform(0.0, 2.0 * math.pi, n)
    else:
        t = np.concatenate([2.0 * math.pi * np.arange(size) / size for size in sizes])
    across, along = np.cos(t), np.sin(t)
    first = which == 0
    points = np.column_stack([np.where(first, across, 1.0 + across), first * along, ~first * along])
    latent = np.column_stack([which.astype(float), t])
    if truth == "component":
        return Sample(points, latent, Components(which))
    perimeter = np.full(n, 2.0 * math.pi)
    return Sample(points, latent, Arcs(t, perimeter, which.astype(float)))
