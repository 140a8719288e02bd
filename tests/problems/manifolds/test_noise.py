"""Kinds of noise columns and changes of scale."""

import numpy as np
import pytest
from scipy import stats

from geoforest_cli.problems.manifolds.noise import add_noise, add_noise_like, transformed
from tests.values import changeable

POINTS = np.random.default_rng(3).normal(size=(4000, 2))
DISTRIBUTIONS = {
    "normal": stats.norm(0, 3).cdf,
    "laplace": stats.laplace(0, 3 / np.sqrt(2)).cdf,
    "uniform": stats.uniform(-3 * np.sqrt(3), 6 * np.sqrt(3)).cdf,
    "lognormal": lambda x: stats.lognorm(1).cdf(
        x / 3 * stats.lognorm(1).std() + stats.lognorm(1).mean()
    ),
    "chi_square": lambda x: stats.chi2(3).cdf(x / 3 * np.sqrt(6) + 3),
    "t3": lambda x: stats.t(3).cdf(x / 3 * np.sqrt(3)),
    # as wide as a normal of the same variance at the quartiles
    "t2": lambda x: stats.t(2).cdf(x / 3 * stats.t(2).ppf(0.75) / stats.norm.ppf(0.75)),
    "two_normals": lambda x: (
        (stats.norm(-3).cdf(x / 3 * np.sqrt(10)) + stats.norm(3).cdf(x / 3 * np.sqrt(10))) / 2
    ),
}


def noise_of(kind, dims=3, variance=9.0, points=POINTS):
    rng = np.random.default_rng(0)
    return add_noise(points, dims, variance, rng, kind)[:, points.shape[1] :]


@pytest.mark.parametrize("kind", sorted(DISTRIBUTIONS))
def test_columns_have_their_distribution_and_variance(kind):
    columns = noise_of(kind)
    for column in columns.T:
        assert stats.kstest(column, DISTRIBUTIONS[kind]).pvalue > 0.001
    if kind not in {"t2", "t3"}:
        np.testing.assert_allclose(columns.std(axis=0), 3, rtol=0.1)
    assert np.abs(np.corrcoef(columns.T) - np.eye(3)).max() < 0.06


@pytest.mark.parametrize(
    ("kind", "chances", "values"),
    [
        ("poisson", stats.poisson(3).pmf(range(8)), range(8)),
        ("uneven", [0.4, 0.3, 0.2, 0.1], [0, 1, 3, 9]),
    ],
)
def test_counts_and_uneven_values(kind, chances, values):
    values, chances = np.array(values), np.array(chances)
    columns = noise_of(kind)
    np.testing.assert_allclose(columns.mean(axis=0), 0, atol=0.2)
    np.testing.assert_allclose(columns.std(axis=0), 3, rtol=0.05)
    levels, counts = np.unique(columns, return_counts=True)
    steps = np.diff(levels)[: len(values) - 1] / np.diff(values)
    np.testing.assert_allclose(steps, steps[0])
    np.testing.assert_allclose(counts[: len(values)] / counts.sum(), chances, atol=0.02)


@pytest.mark.parametrize("kind", ["normal", "lognormal", "permuted", "uneven"])
def test_noise_like_the_table_is_as_wide_as_its_columns(kind):
    points = np.column_stack([POINTS[:, 0], 5 + 100 * POINTS[:, 1], np.ones(len(POINTS))])
    wide = add_noise_like(points, 5, np.random.default_rng(1), kind)
    assert np.array_equal(wide[:, :3], points)
    widths = points.std(axis=0)
    np.testing.assert_allclose(wide[:, 3:].std(axis=0), widths[[0, 1, 0, 1, 0]], rtol=0.1)
    np.testing.assert_allclose(wide[:, 4].mean(), points[:, 1].mean(), atol=8)
    if kind == "permuted":
        np.testing.assert_allclose(np.sort(wide[:, 4]), np.sort(points[:, 1]))
        assert not np.array_equal(wide[:, 4], points[:, 1])


def test_no_noise_columns_are_no_columns():
    assert np.array_equal(add_noise_like(POINTS, 0, np.random.default_rng(0), "t2"), POINTS)


def test_transforms_by_hand():
    points = np.array([[1.0, 7.0], [3.0, 7.0]])
    rng = np.random.default_rng(0)
    assert transformed(points, "none", rng) is points
    np.testing.assert_allclose(transformed(points, "cube", rng), [[-1, 0], [1, 0]])
    np.testing.assert_allclose(transformed(points, "exp", rng), [[1 / np.e, 1], [np.e, 1]])
    factors = transformed(np.ones((2, 2000)), "units", rng)
    assert np.array_equal(factors[0], factors[1])
    assert stats.kstest(np.log10(factors[0]), stats.uniform(-3, 6).cdf).pvalue > 0.001


def test_samples_and_their_truths_are_not_changed():
    assert changeable("geoforest_cli.problems.manifolds") == set()
