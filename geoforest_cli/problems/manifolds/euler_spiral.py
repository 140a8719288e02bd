"""The Euler spiral: a plane curve whose curvature equals its arc length."""

import math

import numpy as np
from scipy.special import fresnel

from geoforest_cli.problems.manifolds.sample import Curve, Floats, Sample, SampleKind, Truth


def curve(s: Floats) -> Floats:
    """Return the points sqrt(pi) (C(s / sqrt pi), S(s / sqrt pi)) at arc length s (n,).

    C and S are the Fresnel integrals; the curvature at s is s.

    Source: Li and Dunson 2019, section 5.

    Examples
    --------
    >>> gaps = np.diff(curve(np.linspace(0, 2, 20001)), axis=0)
    >>> bool(np.isclose(np.linalg.norm(gaps, axis=1).sum(), 2))
    True
    """
    sine, cosine = fresnel(s / math.sqrt(math.pi))
    points: Floats = math.sqrt(math.pi) * np.column_stack([cosine, sine])
    return points


def draw(
    n: int,
    kind: SampleKind,
    rng: np.random.Generator,
    truth: Truth = "default",
    interval: tuple[float, float] = (0.0, 2.0),
) -> Sample:
    """Draw n points between two arc lengths; equally spaced as written, at random as run.

    With three neighbours random points are never connected, so that the paper's must have been
    equally spaced.
    """
    low, high = interval
    s = np.linspace(low, high, n) if kind == "as_written" else np.sort(rng.uniform(low, high, n))
    return Sample(curve(s), s[:, None], Curve(s))
