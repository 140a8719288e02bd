"""A trefoil knot: a closed curve that no plane holds."""

import math

import numpy as np

from geoforest_cli.problems.manifolds.sample import Arcs, Floats, Sample, SampleKind, Truth

_TERMS = 128  # of the Fourier series; its coefficients fall below 1e-16 after about forty


def _coefficients() -> Floats:
    """Return a_k of the speed, a_0 + the sum of a_k cos(3 k t)."""
    w = 2.0 * math.pi * np.arange(2 * _TERMS) / (2 * _TERMS)
    speed = np.sqrt(17.0 + 8.0 * np.cos(w) + 9.0 * np.cos(w) ** 2)
    coefficients = np.fft.rfft(speed).real / _TERMS
    coefficients[0] /= 2.0
    return coefficients[:_TERMS]


def arc_length(t: Floats) -> Floats:
    """Return the length of the knot from angle 0 to t.

    The squared speed is 17 + 8 cos 3t + 9 cos^2 3t. Its root has no elementary integral; it is
    integrated term by term as a Fourier series, exact to rounding.

    Examples
    --------
    >>> float(arc_length(np.array([2 * math.pi]))[0].round(6))
    28.82629
    """
    a = _coefficients()
    k = 3.0 * np.arange(1, _TERMS)
    waves: Floats = np.sin(np.multiply.outer(t, k)) @ (a[1:] / k)
    length: Floats = a[0] * t + waves
    return length


def draw(n: int, kind: SampleKind, rng: np.random.Generator, truth: Truth = "default") -> Sample:
    """Draw (sin t + 2 sin 2t, cos t - 2 cos 2t, -sin 3t).

    Angles are evenly spaced as written, uniform as run.

    Examples
    --------
    >>> draw(4, "as_written", np.random.default_rng(0)).points.round(6).tolist()[0]
    [0.0, -1.0, -0.0]
    """
    even = kind == "as_written"
    t: Floats = 2.0 * math.pi * (np.arange(n) / n if even else rng.uniform(size=n))
    points = np.column_stack(
        [np.sin(t) + 2.0 * np.sin(2.0 * t), np.cos(t) - 2.0 * np.cos(2.0 * t), -np.sin(3.0 * t)]
    )
    perimeter = float(arc_length(np.array([2.0 * math.pi]))[0])
    return Sample(points, t[:, None], Arcs(arc_length(t), np.full(n, perimeter), np.zeros(n)))
