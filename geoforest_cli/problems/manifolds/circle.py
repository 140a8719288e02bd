"""A unit circle."""

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from geoforest_cli.problems.manifolds.sample import Floats, Sample, SampleKind, Truth


@dataclass(frozen=True)
class ShorterWay:
    """Geodesic distance between angles (N,) of the unit circle: the shorter way round."""

    angle: Floats
    kind: ClassVar[str] = "continuous"

    def distances(self) -> Floats:
        """Return the distances (N, N)."""
        gap = np.abs(self.angle[:, None] - self.angle[None, :])
        return np.minimum(gap, 2.0 * math.pi - gap)


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
    return Sample(np.column_stack([np.cos(t), np.sin(t)]), t[:, None], ShorterWay(t))
