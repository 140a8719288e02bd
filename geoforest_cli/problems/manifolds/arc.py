"""An arc of a circle: constant curvature."""

import numpy as np

from geoforest_cli.problems.manifolds.sample import Curve, Floats, Sample, SampleKind, Truth


def curve(s: Floats, curvature: float) -> Floats:
    """Return the points (n, 2) at arc length s on a circle of the given curvature through 0.

    Examples
    --------
    >>> curve(np.array([0.0, np.pi / 2]), 1.0).round(6).tolist()
    [[0.0, 0.0], [1.0, 1.0]]
    """
    points: Floats = np.column_stack([np.sin(curvature * s), 1 - np.cos(curvature * s)])
    return points / curvature


def draw(
    n: int,
    kind: SampleKind,
    rng: np.random.Generator,
    truth: Truth = "default",
    curvature: float = 1.0,
    length: float = 2.0,
) -> Sample:
    """Draw n points; equally spaced as written, at random as run."""
    even = kind == "as_written"
    s = np.linspace(0, length, n) if even else np.sort(rng.uniform(0, length, n))
    return Sample(curve(s, curvature), s[:, None], Curve(s))
