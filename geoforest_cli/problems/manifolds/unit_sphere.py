"""Unit spheres in five and in ten dimensions."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from geoforest_cli.problems.manifolds.sample import Floats, Sample, SampleKind, Truth


@dataclass(frozen=True)
class Angle:
    """Geodesic distance on the unit sphere, for points (N, p) on it: the angle between them.

    2 atan2(|x - y|, |x + y|), which keeps its digits for near and opposite points.
    """

    points: Floats
    kind: ClassVar[str] = "continuous"

    def distances(self) -> Floats:
        """Return the angles (N, N)."""
        from scipy.spatial.distance import cdist

        x = self.points
        angles: Floats = 2.0 * np.arctan2(cdist(x, x), cdist(x, -x))
        return angles


def draw(n: int, dims: int, rng: np.random.Generator) -> Sample:
    """Draw n points uniformly on the unit sphere in `dims` dimensions.

    Every column is uncorrelated with every other, and the dependence of two of them weakens with
    the number of dimensions.

    Examples
    --------
    >>> sample = draw(50, 5, np.random.default_rng(0))
    >>> bool(np.allclose(np.linalg.norm(sample.points, axis=1), 1))
    True
    """
    points = rng.normal(size=(n, dims))
    points /= np.linalg.norm(points, axis=1, keepdims=True)
    return Sample(points, points, Angle(points))


def draw_5(n: int, kind: SampleKind, rng: np.random.Generator, truth: Truth = "default") -> Sample:
    """Draw points of the unit sphere in five dimensions."""
    return draw(n, 5, rng)


def draw_10(n: int, kind: SampleKind, rng: np.random.Generator, truth: Truth = "default") -> Sample:
    """Draw points of the unit sphere in ten dimensions."""
    return draw(n, 10, rng)
