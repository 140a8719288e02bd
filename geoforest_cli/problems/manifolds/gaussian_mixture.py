"""Three spherical Gaussians on a diagonal."""

import numpy as np

from geoforest_cli.problems.manifolds.sample import Components, Sample, SampleKind, Straight, Truth

_WEIGHTS = (0.3, 0.3, 0.4)
_CENTRES = {"as_written": (-3.0, 0.0, 3.0), "as_run": (0.0, 3.0, -3.0)}


def draw(n: int, kind: SampleKind, rng: np.random.Generator, truth: Truth = "default") -> Sample:
    """Draw from weights .3/.3/.4, means c (1, 1, 1) and identity covariance.

    As written, c = -3, 0, 3 and the truth is the component. As run, c = 0, 3, -3 and the
    truth is the Euclidean distance of the noise-free points. `truth` forces either.

    Source: Geodesic Forests, Appendix C.

    Examples
    --------
    >>> sample = draw(1000, "as_written", np.random.default_rng(0))
    >>> sample.truth.kind
    'component'
    """
    component = rng.choice(3, n, p=_WEIGHTS)
    points = rng.normal(size=(n, 3)) + np.array(_CENTRES[kind])[component][:, None]
    straight = truth == "euclidean" or (truth == "default" and kind == "as_run")
    geodesic = Straight(points) if straight else Components(component)
    return Sample(points, component[:, None].astype(float), geodesic)
