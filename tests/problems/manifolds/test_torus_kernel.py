"""The torus kernels on a few pairs: small enough to run as plain Python too."""

import math

import numpy as np
import pytest
from scipy.integrate import quad

from geoforest_cli.problems.manifolds.kernels import torus_geodesic as kernels


def distance(u1, v1, u2, v2):
    # a table of zeros leads the dynamic programme's start straight along u
    back = np.zeros((kernels.LAYERS, kernels.BINS), np.int16)
    work = np.zeros((14, 4 * kernels.SEGMENTS + 2))
    return kernels.pair_distance(u1, v1, u2, v2, 5.0, 1.0, back, work)


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


@pytest.mark.parametrize("minor", [1.0, 1.7])
def test_derivatives_of_the_length(minor):
    rng = np.random.default_rng(0)
    n, h = 6, 0.1
    v = rng.normal(0, 0.3, n + 1).cumsum()
    gradient, diagonal, off = np.zeros(n + 1), np.zeros(n + 1), np.zeros(n + 1)
    kernels._derivatives(v, n, h, 5.0, minor, gradient, diagonal, off)
    step = 1e-5

    def length(shift):
        return kernels._length(v + shift, n, h, 5.0, minor)

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


def along_clairaut(v1, v2, c):
    """Turn about the axis and length of the geodesic on which ring * cos(heading) is c."""

    def ring(v):
        return 5 + np.cos(v)

    du = quad(lambda v: c / (ring(v) * np.sqrt(ring(v) ** 2 - c**2)), v1, v2)[0]
    return du, quad(lambda v: ring(v) / np.sqrt(ring(v) ** 2 - c**2), v1, v2)[0]


@pytest.mark.parametrize(("v1", "v2", "c"), [(0.2, 1.5, 3.0), (2.0, 3.6, 3.9), (1.0, 0.3, 5.2)])
def test_lengths_of_geodesics_by_clairauts_relation(v1, v2, c):
    du, length = along_clairaut(min(v1, v2), max(v1, v2), c)
    assert distance(0.4, v1, 0.4 + du, v2) == pytest.approx(length, abs=1e-9)


def test_the_way_through_the_hole():
    # over the outer side the tube is turned by 2.8 only, but the parallels are longer
    du, length = along_clairaut(1.4, 2 * math.pi - 1.4, 3.99)
    assert distance(0.0, 1.4, du, 2 * math.pi - 1.4) == pytest.approx(length, abs=1e-9)


def test_steep_paths_cost_what_they_turn():
    du = 2e-4
    weight = quad(lambda v: 1 / (5 + math.cos(v)) ** 2, 0.3, 2.9)[0]
    extra = distance(0.0, 0.3, du, 2.9) - 2.6
    assert extra == pytest.approx(du**2 / (2 * weight), rel=1e-4)


def tables():
    steps = np.empty((kernels.BINS, 121))
    kernels.step_lengths(5.0, 1.0, steps)
    return steps


def test_straight_steps_are_as_long_as_their_integral():
    lengths, du, width = tables(), math.pi / kernels.LAYERS, 2 * math.pi / kernels.BINS
    for a, s in [(0, 60), (180, 60), (37, 3), (300, 118)]:
        dv = (s - 60) * width

        def speed(x, a=a, dv=dv):
            return math.hypot((5 + math.cos(a * width + x * dv)) * du, dv)

        assert lengths[a, s] == pytest.approx(quad(speed, 0, 1)[0], rel=1e-8)


@pytest.mark.parametrize(
    ("start", "layers", "ends"),
    [(40, kernels.LAYERS, (0, 40, 170, 230, 359)), (5, 2, (350, 359, 0, 30)), (350, 3, (8,))],
)
def test_basins_hold_the_cheapest_path_over_the_layers(start, layers, ends):
    table = tables()
    back = np.zeros((kernels.LAYERS, kernels.BINS), np.int16)
    kernels.basins(start, table, back)
    cost = np.full(kernels.BINS, np.inf)
    cost[start] = 0.0
    bins = np.arange(kernels.BINS)
    for _ in range(layers):
        before = (bins[:, None] - np.arange(-60, 61)) % kernels.BINS
        cost = (cost[before] + table[before, np.arange(121)]).min(axis=1)
    for end in ends:
        b, length = end, 0.0
        for layer in range(layers - 1, -1, -1):
            shift = back[layer, b]
            b = (b - shift) % kernels.BINS
            length += table[b, shift + 60]
        assert b == start
        assert length == pytest.approx(cost[end], rel=1e-12)
