"""Three columns whose signs multiply to +1: what no pair of columns can tell."""

import numpy as np

from geoforest_cli.problems.manifolds.sample import Components, Sample, SampleKind, Straight, Truth

_CENTRE = 3.0
_CORNERS = np.array([[1, 1, 1], [1, -1, -1], [-1, 1, -1], [-1, -1, 1]])


def draw(n: int, kind: SampleKind, rng: np.random.Generator, truth: Truth = "default") -> Sample:
    """Draw unit Gaussians about four corners of the cube of +-3, those of an even parity.

    The four corners are equally likely: every column is a mixture about -3 and 3, any two columns
    are independent, and two of them tell the centre of the third. The truth is the corner that a
    point comes from; with truth "euclidean" it is the distance of the points without noise.

    Examples
    --------
    >>> sample = draw(1000, "as_written", np.random.default_rng(0))
    >>> signs = 2 * sample.latent - 1
    >>> bool(np.all(np.prod(signs, axis=1) == 1))
    True
    >>> bool(np.abs(np.corrcoef(sample.points.T) - np.eye(3)).max() < 0.1)
    True
    """
    corner = rng.integers(4, size=n)
    centres = _CORNERS[corner]
    points = _CENTRE * centres + rng.normal(size=(n, 3))
    geodesic = Straight(points) if truth == "euclidean" else Components(corner)
    return Sample(points, (centres + 1) / 2, geodesic)
