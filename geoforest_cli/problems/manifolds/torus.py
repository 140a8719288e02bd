"""A torus of revolution with its exact geodesic distance."""

import functools
import hashlib
import math
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from geoforest_cli.core import user_modules
from geoforest_cli.core.cache import stored_array
from geoforest_cli.core.threads import mapped
from geoforest_cli.problems.manifolds.kernels import torus_geodesic as kernels
from geoforest_cli.problems.manifolds.sample import Floats, Sample, SampleKind, Truth

MAJOR, MINOR = 5.0, 1.0
_ROWS = 16  # sources that one task takes
_WORTH_STORING = 200  # points; the distances of fewer are quicker computed than looked up


@dataclass(frozen=True)
class TorusGeodesic:
    """Geodesic distance between angles (u, v) of the torus ((R + r cos v) cos u, ..., r sin v).

    Attributes
    ----------
    u, v : (N,)
        Radians.
    major, minor : float
        R and r.
    stored : bool
        Keep the distances of many points in the user's cache: a thousand take minutes.
    """

    u: Floats
    v: Floats
    major: float = MAJOR
    minor: float = MINOR
    stored: bool = False
    kind: ClassVar[str] = "continuous"

    def distances(self, n_jobs: int | None = None) -> Floats:
        """Return the distances (N, N), symmetric; relative error below 1e-7.

        A dynamic programme finds the basin, Newton's method the path, Richardson's
        extrapolation the length. About 0.1 ms per pair and core; `n_jobs` threads (-1: all
        cores).
        """
        n = len(self.u)
        if self.stored and n >= _WORTH_STORING:
            return _stored(self.u, self.v, self.major, self.minor)
        tables = _basins(self.major, self.minor)
        distances = np.zeros((n, n))
        u, v = np.mod(self.u, 2 * math.pi), np.mod(self.v, 2 * math.pi)

        def fill(first: int) -> None:
            last = min(first + _ROWS, n)
            kernels.rows_of_distances(u, v, first, last, self.major, self.minor, tables, distances)

        list(mapped(fill, range(0, n, _ROWS), n_jobs))
        return distances + distances.T


@functools.cache
def _basins(major: float, minor: float) -> npt.NDArray[np.int16]:
    """Return the dynamic programme's last steps for every start bin, layer and end bin."""
    table = np.empty((kernels.BINS, 121))
    kernels.step_lengths(major, minor, table)
    tables = np.zeros((kernels.BINS, kernels.LAYERS, kernels.BINS), np.int16)
    kernels.all_basins(0, kernels.BINS, table, tables)
    return tables


def _stored(u: Floats, v: Floats, major: float, minor: float) -> Floats:
    content = np.concatenate([u, v, [major, minor]]).astype("<f8").tobytes()
    code = "-".join(user_modules.digest(Path(file)) for file in (__file__, kernels.__file__))
    key = f"torus-{hashlib.sha256(content).hexdigest()[:32]}-{code}"
    return stored_array("geodesics", key, TorusGeodesic(u, v, major, minor).distances)


def embed(u: Floats, v: Floats, major: float = MAJOR, minor: float = MINOR) -> Floats:
    """Return the points (N, 3) at angles u and v."""
    ring = major + minor * np.cos(v)
    return np.column_stack([ring * np.cos(u), ring * np.sin(u), minor * np.sin(v)])


def draw(n: int, kind: SampleKind, rng: np.random.Generator, truth: Truth = "default") -> Sample:
    """Draw n points uniformly by area on the torus R = 5, r = 1.

    v is accepted with probability (R + r cos v) / (R + r); u is uniform. The paper says only
    that points are generated.

    Source: Li and Dunson 2019, section 5 (Figure 4).

    Examples
    --------
    >>> sample = draw(50, "as_written", np.random.default_rng(0))
    >>> ring = np.hypot(*sample.points.T[:2]) - MAJOR
    >>> bool(np.allclose(np.hypot(ring, sample.points[:, 2]), MINOR))
    True
    """
    v = np.empty(0)
    while len(v) < n:
        proposed = rng.uniform(0, 2 * math.pi, 2 * n)
        chance = (MAJOR + MINOR * np.cos(proposed)) / (MAJOR + MINOR)
        v = np.concatenate([v, proposed[rng.random(2 * n) < chance]])
    v, u = v[:n], rng.uniform(0, 2 * math.pi, n)
    return Sample(embed(u, v), np.column_stack([u, v]), TorusGeodesic(u, v, stored=True))
