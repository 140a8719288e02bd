"""A straight line in space."""

import numpy as np

from geoforest_cli.problems.manifolds.sample import (
    Curve,
    Floats,
    Sample,
    SampleKind,
    Truth,
    equal_spaced,
)

_DIRECTION = np.array([4.0, 6.0, 9.0])


def draw(n: int, kind: SampleKind, rng: np.random.Generator, truth: Truth = "default") -> Sample:
    """Draw (4t, 6t, 9t).

    As written, t is equally spaced in (0, 1) and the geodesic is sqrt(133) |t - t'|. As run,
    t is uniform and the program integrates 10 t + 9 instead of the speed: |f(t) - f(t')|
    with f = 5 t^2 + 9 t.

    Source: Geodesic Forests, Appendix C.

    Examples
    --------
    >>> sample = draw(3, "as_written", np.random.default_rng(0))
    >>> sample.points[1].tolist()
    [2.0, 3.0, 4.5]
    """
    t: Floats = rng.uniform(size=n) if kind == "as_run" else equal_spaced(0.0, 1.0, n)
    arc = 5.0 * t**2 + 9.0 * t if kind == "as_run" else np.linalg.norm(_DIRECTION) * t
    return Sample(np.outer(t, _DIRECTION), t[:, None], Curve(arc))
