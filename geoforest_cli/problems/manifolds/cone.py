"""A circular cone: curved in space, flat along itself but for its tip."""

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from geoforest_cli.problems.manifolds.sample import Floats, Sample, SampleKind, Truth

SLANT = 2.0
HALF_ANGLE = math.pi / 6.0


@dataclass(frozen=True)
class Unrolled:
    """Geodesic distance on a cone: the straight line in the sector that it unrolls to.

    With the angle between two points, times the sine of the half angle, below pi, the line does
    not pass the tip, and its length is that of the triangle's third side. For a half angle of
    30 degrees it is at most pi / 2.

    Attributes
    ----------
    r : (N,)
        Distance from the tip.
    angle : (N,)
        Around the axis, in radians.
    sine : float
        Of the half angle, at most 1.
    """

    r: Floats
    angle: Floats
    sine: float
    kind: ClassVar[str] = "continuous"

    def distances(self) -> Floats:
        """Return the distances (N, N)."""
        gap = np.abs(self.angle[:, None] - self.angle[None, :])
        gap = np.minimum(gap, 2.0 * math.pi - gap) * self.sine
        a, b = self.r[:, None], self.r[None, :]
        # (a - b)^2 + 4 a b sin^2(gap / 2): the law of cosines without its cancellation
        lengths: Floats = np.sqrt((a - b) ** 2 + 4.0 * a * b * np.sin(gap / 2.0) ** 2)
        return lengths


def draw(n: int, kind: SampleKind, rng: np.random.Generator, truth: Truth = "default") -> Sample:
    """Draw points uniformly by area on a cone of slant 2 and half angle 30 degrees.

    As written and as run alike.

    Examples
    --------
    >>> x, y, z = draw(50, "as_run", np.random.default_rng(0)).points.T
    >>> bool(np.allclose(np.hypot(x, y), z * math.tan(HALF_ANGLE)))
    True
    """
    r: Floats = SLANT * np.sqrt(rng.uniform(size=n))
    angle: Floats = rng.uniform(0.0, 2.0 * math.pi, n)
    sine = math.sin(HALF_ANGLE)
    ring = r * sine
    points = np.column_stack([ring * np.cos(angle), ring * np.sin(angle), r * math.cos(HALF_ANGLE)])
    return Sample(points, np.column_stack([r, angle]), Unrolled(r, angle, sine))
