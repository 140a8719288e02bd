"""Random shapes: each draw of points is on another curve, sheet or mixture."""

import math

import numpy as np

from geoforest_cli.problems.manifolds.sample import (
    Components,
    Curve,
    Floats,
    Sample,
    SampleKind,
    Straight,
    Truth,
    equal_spaced,
)

_HARMONICS = 3
_STEPS = 8192  # along a curve, for its length
_COLUMNS = (3, 7)  # at least, and fewer than
_CLUSTERS = (3, 7)


def draw_curve(
    n: int, kind: SampleKind, rng: np.random.Generator, truth: Truth = "default"
) -> Sample:
    """Draw points on an open curve of three random harmonics in three to six columns.

    A column is the sum over k = 1, 2, 3 of a_k cos(k pi t) + b_k sin(k pi t) for t from 0 to 1,
    a_k and b_k normal with standard deviation 1 / k. Points are evenly spaced along the curve as
    written, uniform as run.

    Examples
    --------
    >>> sample = draw_curve(200, "as_written", np.random.default_rng(0))
    >>> steps = np.linalg.norm(np.diff(sample.points, axis=0), axis=1)
    >>> bool(np.allclose(steps, np.diff(sample.truth.arc), rtol=0.01))
    True
    """
    points, arc = _curve(n, kind, rng, int(rng.integers(*_COLUMNS)))
    return Sample(points, arc[:, None], Curve(arc))


def draw_sheet(
    n: int, kind: SampleKind, rng: np.random.Generator, truth: Truth = "default"
) -> Sample:
    """Draw points on a random curve in two to five columns times an interval, turned at random.

    The interval is as long as the curve. Unrolled, the sheet is a square: geodesics are straight
    lines between (s, width).

    Examples
    --------
    >>> sample = draw_sheet(50, "as_run", np.random.default_rng(0))
    >>> gaps = np.linalg.norm(sample.points[:, None] - sample.points, axis=2)
    >>> bool((sample.truth.distances() >= gaps - 1e-6).all())
    True
    """
    columns = int(rng.integers(*_COLUMNS))
    curve, arc = _curve(n, kind, rng, columns - 1)
    width = rng.uniform(0.0, arc.max(), n)
    rotation = np.linalg.qr(rng.normal(size=(columns, columns)))[0]
    flat = np.column_stack([arc, width])
    return Sample(np.column_stack([curve, width]) @ rotation, flat, Straight(flat))


def draw_clusters(
    n: int, kind: SampleKind, rng: np.random.Generator, truth: Truth = "default"
) -> Sample:
    """Draw points of three to six normal clusters of random place, spread, direction and size.

    In three to six columns; centres have the standard deviation 3 and columns of a cluster, before
    they are turned, one of .3 to 1.5. Points of a cluster are near.

    Examples
    --------
    >>> sample = draw_clusters(300, "as_run", np.random.default_rng(0))
    >>> bool(2 < len(np.unique(sample.truth.labels)) < 7)
    True
    """
    columns, clusters = int(rng.integers(*_COLUMNS)), int(rng.integers(*_CLUSTERS))
    labels = rng.choice(clusters, n, p=rng.dirichlet(np.full(clusters, 5.0)))
    points = rng.normal(size=(n, columns))
    for cluster in range(clusters):
        rotation = np.linalg.qr(rng.normal(size=(columns, columns)))[0]
        spread = rng.uniform(0.3, 1.5, columns)
        centre = rng.normal(0.0, 3.0, columns)
        mine = labels == cluster
        points[mine] = (points[mine] * spread) @ rotation + centre
    return Sample(points, labels[:, None].astype(float), Components(labels.astype(np.int64)))


def _curve(
    n: int, kind: SampleKind, rng: np.random.Generator, columns: int
) -> tuple[Floats, Floats]:
    """Return n points of a random curve, and where they lie along it."""
    waves = np.arange(1, _HARMONICS + 1)
    cosines, sines = rng.normal(size=(2, _HARMONICS, columns)) / waves[:, None]
    t = np.linspace(0.0, 1.0, _STEPS)
    angles = math.pi * t[:, None] * waves
    path = np.cos(angles) @ cosines + np.sin(angles) @ sines
    steps = np.linalg.norm(np.diff(path, axis=0), axis=1)
    lengths = np.concatenate([[0.0], np.cumsum(steps)])
    length = lengths[-1]
    arc = equal_spaced(0.0, length, n) if kind == "as_written" else rng.uniform(0.0, length, n)
    points = np.column_stack([np.interp(arc, lengths, column) for column in path.T])
    return points, arc
