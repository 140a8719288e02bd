"""A drawn sample and the truth it is judged by."""

from dataclasses import dataclass, replace
from typing import ClassVar, Literal, Protocol, Self

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
SampleKind = Literal["as_written", "as_run"]
Truth = Literal["default", "component", "euclidean"]


@dataclass(frozen=True)
class Curve:
    """Geodesic distance on a curve: differences of the arc length s (N,)."""

    arc: Floats
    kind: ClassVar[str] = "continuous"

    def distances(self) -> Floats:
        """Return |s_i - s_j| (N, N)."""
        gaps: Floats = np.abs(self.arc[:, None] - self.arc[None, :])
        return gaps


@dataclass(frozen=True)
class Arcs:
    """Geodesic distance on several curves: the shorter way round, inf between two of them.

    Attributes
    ----------
    arc : (N,)
        Arc length.
    perimeter : (N,)
        Of the point's curve; inf where it is not closed.
    component : (N,)
        Number of the point's curve.
    """

    arc: Floats
    perimeter: Floats
    component: Floats
    kind: ClassVar[str] = "continuous"

    def distances(self) -> Floats:
        """Return the distances (N, N)."""
        gap = np.abs(self.arc[:, None] - self.arc[None, :])
        way = np.minimum(gap, self.perimeter[:, None] - gap)
        same = self.component[:, None] == self.component[None, :]
        return np.where(same, way, np.inf)


@dataclass(frozen=True)
class Straight:
    """Geodesic distance in flat space: Euclidean distance of the clean points (N, p)."""

    points: Floats
    kind: ClassVar[str] = "continuous"

    def distances(self) -> Floats:
        """Return |x_i - x_j| (N, N)."""
        from scipy.spatial.distance import cdist

        lengths: Floats = cdist(self.points, self.points)
        return lengths


@dataclass(frozen=True)
class GreatCircle:
    """Geodesic distance on a sphere about the origin, for points (N, 3) on it.

    With `clipped_cosine`, r arccos(x.y / r^2) as the authors' program has it; otherwise
    r atan2(|x cross y|, x.y), which keeps its digits for near and opposite points.
    """

    points: Floats
    radius: float
    clipped_cosine: bool = False
    kind: ClassVar[str] = "continuous"

    def distances(self) -> Floats:
        """Return the great-circle distances (N, N)."""
        x = self.points
        dot = x @ x.T
        if self.clipped_cosine:
            angle = np.arccos(np.clip(dot / self.radius**2, -1.0, 1.0))
            np.fill_diagonal(angle, 0.0)
        else:
            cross = np.linalg.norm(np.cross(x[:, None, :], x[None, :, :]), axis=2)
            angle = np.arctan2(cross, dot)
        arcs: Floats = self.radius * angle
        return arcs


@dataclass(frozen=True)
class Components:
    """Discrete truth: two points are near if they come from one component or class."""

    labels: npt.NDArray[np.int64]
    kind: ClassVar[str] = "component"


class Geodesic(Protocol):
    """A truth that is a distance between all pairs of points."""

    kind: ClassVar[str]

    def distances(self) -> Floats:
        """Return the distances (N, N)."""


AnyTruth = Geodesic | Components


@dataclass(frozen=True)
class Sample:
    """Points of a manifold.

    Attributes
    ----------
    points : (N, p) float64
        What a method sees.
    latent : (N, q) float64
        The coordinates they were made from.
    truth : AnyTruth
    """

    points: Floats
    latent: Floats
    truth: AnyTruth

    def with_points(self, points: Floats) -> Self:
        """Return the same sample seen through other points: with noise, or rescaled."""
        return replace(self, points=points)


def equal_spaced(low: float, high: float, n: int) -> Floats:
    """Return n equally spaced values strictly between low and high."""
    values: Floats = low + (high - low) * np.arange(1, n + 1) / (n + 1)
    return values
