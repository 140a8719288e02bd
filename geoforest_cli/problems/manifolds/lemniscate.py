"""A lemniscate: a figure of eight, two loops that meet in one point."""

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from scipy.special import ellipk, ellipkinc

from geoforest_cli.problems.manifolds.sample import Floats, Sample, SampleKind, Truth

LOOP = 2.0 * float(ellipk(-1.0))  # length of one loop


@dataclass(frozen=True)
class Loops:
    """Geodesic distance on loops that all meet in one point.

    Attributes
    ----------
    arc : (N,)
        Length from the common point, once around the own loop.
    loop : (N,)
        Number of the point's loop.
    perimeter : float
        Of every loop.
    """

    arc: Floats
    loop: Floats
    perimeter: float
    kind: ClassVar[str] = "continuous"

    def distances(self) -> Floats:
        """Return the shorter way round the own loop, or both ways to the common point (N, N)."""
        gap = np.abs(self.arc[:, None] - self.arc[None, :])
        around = np.minimum(gap, self.perimeter - gap)
        home = np.minimum(self.arc, self.perimeter - self.arc)
        same = self.loop[:, None] == self.loop[None, :]
        lengths: Floats = np.where(same, around, home[:, None] + home[None, :])
        return lengths


def draw(n: int, kind: SampleKind, rng: np.random.Generator, truth: Truth = "default") -> Sample:
    """Draw (cos t, sin t cos t) / (1 + sin^2 t), Bernoulli's lemniscate.

    Angles are evenly spaced as written, uniform as run. The curve crosses itself at t = pi / 2 and
    3 pi / 2, where a geodesic may turn from one loop into the other. The speed is
    1 / sqrt(1 + sin^2 t), its integral the elliptic integral of the first kind F(t, -1).

    Examples
    --------
    >>> x, y = draw(50, "as_run", np.random.default_rng(0)).points.T
    >>> bool(np.allclose((x**2 + y**2) ** 2, x**2 - y**2))
    True
    """
    even = kind == "as_written"
    # from one crossing on: the first loop is t to pi, the second the rest
    t = 2.0 * math.pi * (np.arange(n) / n if even else rng.uniform(size=n))
    angle = t + math.pi / 2.0
    points = np.column_stack([np.cos(angle), np.sin(angle) * np.cos(angle)])
    points /= (1.0 + np.sin(angle) ** 2)[:, None]
    second = t >= math.pi
    arc = ellipkinc(angle, -1.0) - ellipkinc(math.pi / 2.0, -1.0)
    truth_ = Loops(arc - LOOP * second, second.astype(float), LOOP)
    return Sample(points, angle[:, None], truth_)
