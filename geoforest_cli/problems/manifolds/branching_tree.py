"""A tree of straight branches: a trunk that forks twice."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import numpy.typing as npt
from scipy.sparse.csgraph import shortest_path

from geoforest_cli.problems.manifolds.sample import Floats, Sample, SampleKind, Truth, equal_spaced

Integers = npt.NDArray[np.int64]

# the trunk's foot, its end, the ends of two branches, those of two twigs on each
_LEFT_RIGHT, _FRONT_BACK = np.array([0.6, 0.0, 0.8]), np.array([0.0, 0.6, 0.8])
_MIRROR = np.array([-1.0, 1.0, 1.0]), np.array([1.0, -1.0, 1.0])
EDGES = np.array([[0, 1], [1, 2], [1, 3], [2, 4], [2, 5], [3, 6], [3, 7]])


def corners() -> Floats:
    """Return the ends of the seven edges (8, 3); every edge has length 1.

    Examples
    --------
    >>> ends = corners()[EDGES]
    >>> bool(np.allclose(np.linalg.norm(ends[:, 1] - ends[:, 0], axis=1), 1))
    True
    """
    fork = np.array([0.0, 0.0, 1.0])
    branches = [fork + _LEFT_RIGHT, fork + _LEFT_RIGHT * _MIRROR[0]]
    twigs = [end + way for end in branches for way in (_FRONT_BACK, _FRONT_BACK * _MIRROR[1])]
    return np.array([np.zeros(3), fork, *branches, *twigs])


@dataclass(frozen=True)
class AlongEdges:
    """Geodesic distance in a tree of straight edges of length 1.

    Attributes
    ----------
    edge : (N,)
        Number of the point's edge.
    place : (N,)
        Distance from the first end of the edge.
    ends : (m, 2)
        The corners that each edge joins.
    """

    edge: Integers
    offset: Floats
    ends: Integers
    kind: ClassVar[str] = "continuous"

    def distances(self) -> Floats:
        """Return the length of the way along the edges (N, N)."""
        size = int(self.ends.max()) + 1
        joined = np.zeros((size, size))
        joined[self.ends[:, 0], self.ends[:, 1]] = 1.0
        between = shortest_path(joined, directed=False)
        to_ends = np.column_stack([self.offset, 1.0 - self.offset])
        corner = self.ends[self.edge]
        # from a point to one end of its edge, on to an end of the other's, and along that
        ways = [
            to_ends[:, a, None] + between[np.ix_(corner[:, a], corner[:, b])] + to_ends[None, :, b]
            for a in (0, 1)
            for b in (0, 1)
        ]
        same = self.edge[:, None] == self.edge[None, :]
        gap = np.abs(self.offset[:, None] - self.offset[None, :])
        lengths: Floats = np.where(same, gap, np.min(ways, axis=0))
        return lengths


def draw(n: int, kind: SampleKind, rng: np.random.Generator, truth: Truth = "default") -> Sample:
    """Draw points of seven edges of length 1: a trunk, two branches, two twigs on each.

    As written, they are equally spaced along the edges one after the other; as run, uniform.

    Examples
    --------
    >>> sample = draw(50, "as_run", np.random.default_rng(0))
    >>> bool(sample.truth.distances().max() <= 4)
    True
    """
    along: Floats
    if kind == "as_run":
        along = rng.uniform(0.0, len(EDGES), n)
    else:
        along = equal_spaced(0.0, len(EDGES), n)
    edge = np.minimum(np.floor(along), len(EDGES) - 1.0).astype(np.int64)
    offset = along - edge
    first, last = corners()[EDGES].swapaxes(0, 1)
    points = first[edge] + offset[:, None] * (last - first)[edge]
    latent = np.column_stack([edge.astype(float), offset])
    return Sample(points, latent, AlongEdges(edge, offset, EDGES))
