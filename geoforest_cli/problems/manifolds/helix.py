"""A conical helix of four turns (three as run)."""

import math

import numpy as np

from geoforest_cli.problems.manifolds.sample import (
    Curve,
    Floats,
    Sample,
    SampleKind,
    Truth,
    equal_spaced,
)


def arc_length(t: Floats) -> Floats:
    """Return the length of (t cos t, t sin t, t) from 0 to t.

    The speed is sqrt(t^2 + 2); its integral t sqrt(t^2 + 2) / 2 + asinh(t / sqrt 2).
    """
    length: Floats = t * np.sqrt(t**2 + 2.0) / 2.0 + np.arcsinh(t / math.sqrt(2.0))
    return length


def draw(n: int, kind: SampleKind, rng: np.random.Generator, truth: Truth = "default") -> Sample:
    """Draw (t cos t, t sin t, t).

    As written, t is equally spaced in (2 pi, 9 pi). As run, t = 3 pi (1 + 2u) with sorted
    uniform u: t in [3 pi, 9 pi].

    Source: Geodesic Forests, Appendix C.

    Examples
    --------
    >>> sample = draw(100, "as_written", np.random.default_rng(0))
    >>> bool(np.allclose(np.hypot(*sample.points.T[:2]), sample.points[:, 2]))
    True
    """
    if kind == "as_run":
        t: Floats = 3.0 * math.pi * (1.0 + 2.0 * np.sort(rng.uniform(size=n)))
    else:
        t = equal_spaced(2.0 * math.pi, 9.0 * math.pi, n)
    points = np.column_stack([t * np.cos(t), t * np.sin(t), t])
    return Sample(points, t[:, None], Curve(arc_length(t)))
