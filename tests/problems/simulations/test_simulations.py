"""Simulated classes and similarities: what a draw must look like, and closed forms of its law."""

import numpy as np
import pytest
from scipy.stats import kstest, norm, poisson

from geoforest_cli.problems.simulations import SIMILARITIES, SIMULATIONS
from geoforest_cli.problems.simulations.structured import BAYES_ERROR, SHAPES


def draw(name, n, seed=0):
    return SIMULATIONS[name].load()(n, np.random.default_rng(seed))


def runs_of(row):
    """Return the lengths of the runs of ones on a circle, and of the runs of zeros."""
    edges = np.flatnonzero(row != np.roll(row, 1))
    lengths = np.diff(np.append(edges, edges[0] + len(row)))
    ones = row[edges] == 1
    return sorted(lengths[ones].tolist()), lengths[~ones]


@pytest.mark.parametrize("name", SIMULATIONS)
def test_classes_alternate_and_rows_fill_the_stated_shape(name):
    X, y = draw(name, 7)
    assert y.tolist() == [0, 1, 0, 1, 0, 1, 0]
    assert X.shape == (7, np.prod(SHAPES[name]))


def test_bars_of_random_length_cover_pixels_as_often_as_expected():
    X, y = draw("bars_of_random_length", 4000)
    covered = np.zeros(28)
    for length in range(1, 29):
        for start in range(29 - length):
            covered[start : start + length] += 1 / 28 / (29 - length)
    expected = 1 - np.exp(-10 / 28 * covered)
    images = X.reshape(-1, 28, 28)
    along = np.concatenate([images[y == 0].mean(axis=1), images[y == 1].mean(axis=2)])
    np.testing.assert_allclose(along.mean(axis=0), expected, atol=0.01)


def test_segments_of_the_circle_never_touch():
    X, y = draw("circle", 6000)
    gaps = []
    for row, label in zip(X, y, strict=True):
        lengths, between = runs_of(row)
        assert lengths == ([5, 5] if label == 0 else [4, 6])
        gaps.append(between)
    # from one zero to 89, every number equally often
    assert np.min(gaps) == 1
    assert np.max(gaps) == 89
    assert np.mean(np.ravel(gaps) == 1) == pytest.approx(1 / 89, abs=0.004)
    np.testing.assert_allclose(X.mean(axis=0), 0.1, atol=0.02)


def test_bars_are_whole_and_their_number_is_poisson():
    X, y = draw("bars", 3000)
    images = X.reshape(-1, 28, 28)
    rows, columns = images[y == 0], images[y == 1]
    assert (rows == rows[:, :, :1]).all()
    assert (columns == columns[:, :1]).all()
    # a line stays dark if none of Poisson(10) bars falls on it; bars are one pixel wide
    lit = 1 - np.exp(-10 / 28)
    lines = np.concatenate([rows[:, :, 0], columns[:, 0]])
    np.testing.assert_allclose(lines.mean(axis=0), lit, atol=0.035)
    assert lines.sum(axis=1).var() == pytest.approx(28 * lit * (1 - lit), rel=0.1)
    # nothing tells the classes apart where no line is lit, or every one
    empty = poisson.pmf(0, 10)
    assert BAYES_ERROR["bars"] == pytest.approx(empty / 2, rel=0.02)


def test_the_impulse_is_the_difference_of_the_classes():
    X, y = draw("impulse", 20_000)
    signal = X[y == 1].mean(axis=0) - X[y == 0].mean(axis=0)
    t = np.arange(100)
    expected = np.where(t < 20, 0.0, np.exp((20.0 - t) / 10))
    np.testing.assert_allclose(signal, expected, atol=0.06)
    # half the distance of the means in units of the noise
    assert X[y == 0].std() == pytest.approx(1, abs=0.01)
    error = norm.sf(np.linalg.norm(expected) / 2)
    assert BAYES_ERROR["impulse"] == pytest.approx(error, abs=1e-4)
    best = X @ expected > (expected @ expected) / 2
    assert np.mean(best != y) == pytest.approx(error, abs=0.01)
    assert BAYES_ERROR["circle"] == 0


def similarity(name, n=400):
    X, Z = SIMILARITIES[name].load()(n, np.random.default_rng(1))
    assert X.shape == (n, 20)
    assert np.array_equal(Z, Z.T)
    return X, Z


def test_regression_is_the_mean_of_two_columns_and_noise():
    X, Z = similarity("regression")
    assert kstest((X.ravel() - 0.1) / 0.8, "uniform").pvalue > 0.001
    # seen from a point at one end the responses are known but for a shift and a sign
    end = np.unravel_index(Z.argmax(), Z.shape)[0]
    response = np.sqrt(Z[end])
    mean = (X[:, 0] + X[:, 1]) / 2
    response *= np.sign(np.corrcoef(response, mean)[0, 1])
    noise = response - mean
    noise -= (noise.max() + noise.min()) / 2
    assert np.ptp(noise) == pytest.approx(0.2, abs=0.005)
    assert kstest((noise + 0.1) / 0.2, "uniform").pvalue > 0.001


def test_bilinear_is_one_minus_products():
    X, Z = similarity("bilinear")
    assert kstest(X.ravel(), "uniform").pvalue > 0.001
    expected = [[1 - (a[0] + a[1]) * (b[0] + b[1]) / 4 for b in X[:9]] for a in X[:9]]
    np.testing.assert_allclose(Z[:9, :9], expected)


def test_radial_is_the_gap_of_two_radii_in_the_ball():
    X, Z = similarity("radial")
    # in the ball the radius to the power of the dimension is uniform, and no direction stands out
    assert kstest(np.linalg.norm(X, axis=1) ** 20, "uniform").pvalue > 0.001
    np.testing.assert_allclose(np.cov(X.T) * 22, np.eye(20), atol=0.3)
    r = np.sqrt(X[:9, 0] ** 2 + X[:9, 1] ** 2)
    np.testing.assert_allclose(Z[:9, :9], [[(a - b) ** 2 for b in r] for a in r], atol=1e-15)
