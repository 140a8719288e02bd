"""A unit circle."""

import math

import numpy as np

from geoforest_cli.problems.manifolds.sample import Arcs, Sample, SampleKind, Truth


def draw(n: int, kind: SampleKind, rng: np.random.Generator, truth: Truth = "default") -> Sample:
    """Draw (cos t, sin t); angles are evenly spaced as written, uniform as run.

    Examples
    --------
    >>> sample = draw(4, "as_written", np.random.default_rng(0))
    >>> sample.points.round(9).tolist()
    [[1.0, 0.0], [0.0, 1.0], [-1.0, 0.0], [-0.0, -1.0]]
    """
    even = kind == "as_written"
    t = 2.0 * math.pi * (np.arange(n) / n if even else rng.uniform(size=n))
    truth_on_circle = Arcs(t, np.full(n, 2.0 * math.pi), np.zeros(n))
    return Sample(np.column_stack([np.cos(t), np.sin(t)]), t[:, None], truth_on_circle)
