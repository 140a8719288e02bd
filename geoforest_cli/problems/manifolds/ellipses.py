"""Two concentric ellipses of eccentricity sqrt(3) / 2."""

import math

import numpy as np
from scipy.special import ellipe, ellipeinc

from geoforest_cli.problems.manifolds.sample import (
    Arcs,
    Components,
    Floats,
    Sample,
    SampleKind,
    Truth,
)

_M = 0.75  # squared eccentricity: the short half-axis is half the long one


def arc_length(t: Floats, a: Floats | float) -> Floats:
    """Return the length of (a cos t, a/2 sin t) from angle 0 to t.

    s(t) = a (E(m) - E(pi/2 - t, m)) with the elliptic integrals of the second kind.

    Examples
    --------
    >>> float(round(arc_length(np.array([2 * math.pi]), 2.0)[0], 10))
    9.6884482205
    """
    length: Floats = a * (ellipe(_M) - ellipeinc(math.pi / 2 - t, _M))
    return length


def draw(
    n: int,
    kind: SampleKind,
    rng: np.random.Generator,
    truth: Truth = "default",
    inner: float = 0.3,
) -> Sample:
    """Draw n / 2 points on each of two ellipses, half-axes (2, 1) and `inner` times that.

    Angles are evenly spaced as written, uniform as run (the paper states neither the sizes nor
    the angles). With truth "component" two points are near if they lie on one ellipse.

    Source: Li and Dunson 2019, section 5 (Figure 5).
    """
    sizes = np.array([2.0, 2.0 * inner])
    which = np.repeat([0, 1], [n - n // 2, n // 2])
    if kind == "as_run":
        t = rng.uniform(0, 2 * math.pi, n)
    else:
        t = np.concatenate(
            [2 * math.pi * np.arange(count) / count for count in (n - n // 2, n // 2)]
        )
    a = sizes[which]
    points = np.column_stack([a * np.cos(t), a / 2 * np.sin(t)])
    latent = np.column_stack([which.astype(float), t])
    if truth == "component":
        return Sample(points, latent, Components(which.astype(np.int64)))
    arc = arc_length(t, a)
    perimeter = 4 * a * ellipe(_M)
    return Sample(points, latent, Arcs(arc, perimeter, which.astype(float)))
