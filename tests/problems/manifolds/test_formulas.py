"""Every manifold: its points by its formula, and its coordinates where they are said to be."""

import numpy as np
import pytest
from scipy.special import fresnel
from scipy.stats import kstest

from geoforest_cli.problems.manifolds import MANIFOLDS
from geoforest_cli.problems.manifolds.branching_tree import EDGES
from geoforest_cli.problems.manifolds.sphere import grid_shape

PI = np.pi
ROOT = np.sqrt(PI)
ENDS = np.array([
    [0, 0, 0], [0, 0, 1], [0.6, 0, 1.8], [-0.6, 0, 1.8], [0.6, 0.6, 2.6], [0.6, -0.6, 2.6],
    [-0.6, 0.6, 2.6], [-0.6, -0.6, 2.6],
])  # fmt: skip


def along_edges(edge, offset):
    first, last = ENDS[EDGES[edge.astype(int)]].swapaxes(0, 1)
    return (first + offset[:, None] * (last - first)).T


FORMULAS = {
    "linear": lambda t: (4 * t, 6 * t, 9 * t),
    "helix": lambda t: (t * np.cos(t), t * np.sin(t), t),
    "sphere": lambda u, v: (
        9 * np.cos(u) * np.sin(v), 9 * np.sin(u) * np.sin(v), 9 * np.cos(v)
    ),
    "swiss_roll": lambda t, y: (t * np.cos(t), y, t * np.sin(t)),
    "s_curve": lambda t, y: (np.sin(t), y, np.sign(t) * (np.cos(t) - 1)),
    "circle": lambda t: (np.cos(t), np.sin(t)),
    "moons": lambda which, t: (
        np.where(which == 0, np.cos(t), 1 - np.cos(t)),
        np.where(which == 0, np.sin(t), 0.5 - np.sin(t)),
    ),
    "linked_circles": lambda which, t: (
        which + np.cos(t), (1 - which) * np.sin(t), which * np.sin(t)
    ),
    "ellipses": lambda which, t: (
        (2 - 1.4 * which) * np.cos(t), (1 - 0.7 * which) * np.sin(t)
    ),
    "trefoil": lambda t: (
        np.sin(t) + 2 * np.sin(2 * t), np.cos(t) - 2 * np.cos(2 * t), -np.sin(3 * t)
    ),
    "lemniscate": lambda t: (
        np.cos(t) / (1 + np.sin(t) ** 2), np.sin(t) * np.cos(t) / (1 + np.sin(t) ** 2)
    ),
    "plane": lambda u, v: (
        u / np.sqrt(2) + v / np.sqrt(6), v / np.sqrt(6) - u / np.sqrt(2), -2 * v / np.sqrt(6)
    ),
    "cone": lambda r, a: (r / 2 * np.cos(a), r / 2 * np.sin(a), r * np.sqrt(0.75)),
    "branching_tree": along_edges,
    "torus": lambda u, v: (
        (5 + np.cos(v)) * np.cos(u), (5 + np.cos(v)) * np.sin(u), np.sin(v)
    ),
    "arc": lambda s: (np.sin(s), 1 - np.cos(s)),
    "euler_spiral": lambda s: (ROOT * fresnel(s / ROOT)[1], ROOT * fresnel(s / ROOT)[0]),
}  # fmt: skip
# what is uniform between 0 and 1 when coordinates are drawn at random
UNIFORM = {
    "linear": lambda t: [t],
    "helix": lambda t: [(t / PI - 3) / 6],
    "sphere": lambda u, v: [u / 2 / PI, v / PI],
    "swiss_roll": lambda t, y: [(t / PI - 1.5) / 3, y / 21],
    "s_curve": lambda t, y: [(t / PI + 1.5) / 3, y / 2],
    "circle": lambda t: [t / 2 / PI],
    "moons": lambda which, t: [t / PI],
    "linked_circles": lambda which, t: [t / 2 / PI],
    "ellipses": lambda which, t: [t / 2 / PI],
    "trefoil": lambda t: [t / 2 / PI],
    "lemniscate": lambda t: [t / 2 / PI - 1 / 4],
    "plane": lambda u, v: [(u + 1) / 2, (v + 1) / 2],
    "cone": lambda r, a: [r**2 / 4, a / 2 / PI],
    "branching_tree": lambda edge, offset: [(edge + offset) / 7, offset],
    "torus": lambda u, v: [u / 2 / PI, (v + np.sin(v) / 5) / 2 / PI],
    "arc": lambda s: [s / 2],
    "euler_spiral": lambda s: [s / 2],
}


def drawn(name, kind, n):
    return MANIFOLDS[name].load()(n, kind, np.random.default_rng(1))


def test_all_but_mixtures_high_spheres_and_drawn_have_a_formula():
    drawn = {"random_curve", "random_sheet", "random_clusters"}
    rest = {"gaussian_mixture", "parity", "sphere5", "sphere10"}
    assert set(MANIFOLDS) - set(FORMULAS) == rest | drawn
    assert list(UNIFORM) == list(FORMULAS)


@pytest.mark.parametrize("kind", ["as_written", "as_run"])
@pytest.mark.parametrize("name", FORMULAS)
def test_points_are_where_the_formula_puts_them(name, kind):
    sample = drawn(name, kind, 61)
    expected = np.column_stack(FORMULAS[name](*sample.latent.T))
    np.testing.assert_allclose(sample.points, expected, atol=1e-12)


@pytest.mark.parametrize("name", FORMULAS)
def test_coordinates_at_random_are_uniform_between_their_ends(name):
    for share in UNIFORM[name](*drawn(name, "as_run", 3000).latent.T):
        assert kstest(share, "uniform").pvalue > 0.001
        assert 0 <= share.min() < 0.005
        assert 0.995 < share.max() <= 1


EVENLY = {
    "linear": np.arange(1, 8) / 8,
    "helix": (np.arange(1, 8) / 8 * 7 + 2 - 3) / 6,
    "circle": np.arange(7) / 7,
    "moons": np.r_[np.arange(4) / 3, np.arange(3) / 2],
    "linked_circles": np.r_[np.arange(4) / 4, np.arange(3) / 3],
    "ellipses": np.r_[np.arange(4) / 4, np.arange(3) / 3],
    "trefoil": np.arange(7) / 7,
    "lemniscate": np.arange(7) / 7,
    "branching_tree": np.arange(1, 8) / 8,
    "arc": np.arange(7) / 6,
    "euler_spiral": np.arange(7) / 6,
}


@pytest.mark.parametrize("name", EVENLY)
def test_coordinates_as_written_are_evenly_apart(name):
    sample = drawn(name, "as_written", 7)
    np.testing.assert_allclose(UNIFORM[name](*sample.latent.T)[0], EVENLY[name], atol=1e-12)
    again = MANIFOLDS[name].load()(7, "as_written", np.random.default_rng(2))
    assert np.array_equal(again.points, sample.points)
    if sample.latent.shape[1] == 2 and name != "branching_tree":
        assert sample.latent[:, 0].tolist() == [0] * 4 + [1] * 3


@pytest.mark.parametrize(("n", "side"), [(2, 2), (4, 2), (5, 3), (9, 3), (10, 4)])
def test_the_plane_as_written_is_the_first_points_of_a_grid(n, side):
    step = 2 / (side - 1)
    grid = [[-1 + step * (i % side), -1 + step * (i // side)] for i in range(n)]
    np.testing.assert_allclose(drawn("plane", "as_written", n).latent, grid, atol=1e-12)


@pytest.mark.parametrize(
    ("n", "shape"), [(1, (1, 1)), (2, (2, 1)), (4, (2, 2)), (15, (5, 3)), (120, (14, 9))]
)
def test_the_grid_of_a_sphere_has_eight_columns_for_five_rows(n, shape):
    assert grid_shape(n) == shape


def test_the_sphere_as_written_is_a_grid_row_by_row():
    # fifteen points are five by three, one of sixteen is left out of six by three
    u, v = drawn("sphere", "as_written", 15).latent.T
    np.testing.assert_allclose(u, np.tile(np.arange(1, 6) / 6 * 2 * PI, 3))
    np.testing.assert_allclose(v, np.repeat(np.arange(1, 4) / 4 * PI, 5))
    latent = drawn("sphere", "as_written", 16).latent
    assert (np.diff(latent[:, 0] + 10 * latent[:, 1]) > 0).all()
    assert len(np.unique(latent[:, 0].round(9))) == 6
