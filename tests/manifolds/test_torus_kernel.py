"""The torus kernels on a few pairs: small enough to run as plain Python too."""

import math

import numpy as np
import pytest

from geoforest_cli.manifolds.kernels import torus_geodesic as kernels


def distance(u1, v1, u2, v2):
    # a table of zeros leads the dynamic programme's start straight along u
    back = np.zeros((kernels.LAYERS, kernels.BINS), np.int16)
    work = np.zeros((14, 4 * kernels.SEGMENTS + 2))
    return kernels.pair_distance(u1, v1, u2, v2, 5.0, 1.0, back, work)


def test_known_distances():
    assert distance(0.0, math.pi, 1.0, math.pi) == pytest.approx(4.0, abs=1e-9)
    assert distance(0.0, 0.0, 1.0, 0.0) == pytest.approx(6.0, abs=1e-9)
    assert distance(0.5, 1.0, 0.5, 2.5) == pytest.approx(1.5)
    assert distance(0.0, 0.3, 1e-4, 2.9) == pytest.approx(2.6, abs=1e-6)


@pytest.mark.parametrize("v", [0.0, 1.0, math.pi])
def test_equal_points_and_all_but_equal_ones(v):
    assert distance(0.5, v, 0.5, v) == 0.0
    ring = 5.0 + math.cos(v)
    for gap in (5e-324, 1e-200, 1e-9, 0.99e-6, 1.01e-6, 1e-4):
        along, across = distance(0.5, v, 0.5, v + gap), distance(0.0, v, gap, v)
        assert along == pytest.approx((v + gap) - v, rel=1e-8)
        assert across == pytest.approx(ring * gap, rel=1e-7, abs=0)
        both = distance(0.0, v, gap, v + gap)
        middle = 5.0 + math.cos(v + gap / 2)
        assert both == pytest.approx(math.hypot(middle * gap, (v + gap) - v), rel=1e-7)


def test_derivatives_of_the_length():
    rng = np.random.default_rng(0)
    n, h = 6, 0.1
    v = rng.normal(0, 0.3, n + 1).cumsum()
    gradient, diagonal, off = np.zeros(n + 1), np.zeros(n + 1), np.zeros(n + 1)
    kernels._derivatives(v, n, h, 5.0, 1.0, gradient, diagonal, off)
    step = 1e-5

    def length(shift):
        return kernels._length(v + shift, n, h, 5.0, 1.0)

    for i in range(n + 1):
        e = np.zeros(n + 1)
        e[i] = step
        slope = (length(e) - length(-e)) / (2 * step)
        curve = (length(e) - 2 * length(0 * e) + length(-e)) / step**2
        assert gradient[i] == pytest.approx(slope, abs=1e-6)
        assert diagonal[i] == pytest.approx(curve, rel=1e-2, abs=1e-3)
        if i < n:
            f = np.zeros(n + 1)
            f[i + 1] = step
            cross = (length(e + f) - length(e) - length(f) + length(0 * e)) / step**2
            assert off[i] == pytest.approx(cross, rel=2e-2, abs=2e-3)
