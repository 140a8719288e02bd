"""The kernel of the density, and what is made of it."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from geoforest_cli.estimators.directions import refinement
from geoforest_cli.estimators.directions.kernels.density import (
    FAR,
    leave_one_out,
    sum_over_references,
)
from geoforest_cli.estimators.directions.refinement import density_gain, prune, refine
from geoforest_cli.estimators.directions.whitening import whiten
from tests.estimators.directions import slow


def sums(points, bandwidth):
    points = points[np.argsort(points[:, 0], kind="stable")]
    density, gradient = np.zeros(len(points)), np.zeros(points.T.shape)
    leave_one_out(np.ascontiguousarray(points.T), bandwidth, density, gradient)
    return points, density, gradient.T


@pytest.mark.parametrize("q", [1, 2, 4])
@pytest.mark.parametrize("bandwidth", [0.05, 0.4, 3.0])
def test_sums_are_those_of_all_pairs(q, bandwidth):
    points, density, gradient = sums(np.random.default_rng(q).normal(size=(40, q)), bandwidth)
    wanted = slow.leave_one_out(points, bandwidth, FAR)
    np.testing.assert_allclose(density, wanted[0], atol=1e-12)
    np.testing.assert_allclose(gradient, wanted[1], atol=1e-12)


@given(st.lists(st.integers(-3, 3), min_size=1, max_size=12))
def test_ties_and_tiny_tables(values):
    points, density, gradient = sums(np.array(values, float)[:, None], 0.7)
    wanted = slow.leave_one_out(points, 0.7, FAR)
    np.testing.assert_allclose(density, wanted[0], atol=1e-12)
    np.testing.assert_allclose(gradient, wanted[1], atol=1e-12)


@pytest.mark.parametrize("scale", [0.4, 1.5])
def test_gain_is_the_mean_log_ratio_of_densities(scale):
    scores = np.random.default_rng(0).normal(size=(50, 2))
    judged = density_gain(scores, scale)
    logs = slow.log_density(scores, scale * 50 ** (-1 / 6), 1e-3)
    normal = -0.5 * (scores**2).sum(axis=1) - np.log(2 * np.pi)
    assert judged.gain == pytest.approx(np.mean(logs - normal), abs=1e-4)


def test_gradient_is_that_of_the_log_density():
    scores = np.random.default_rng(1).normal(size=(30, 2))
    bandwidth = 30 ** (-1 / 6)
    gradient = density_gain(scores, 1.0).gradient
    for i in range(3):
        for k in range(2):
            ends = []
            for step in (-1e-4, 1e-4):
                moved = scores.copy()
                moved[i, k] += step
                ends.append(slow.log_density(moved, bandwidth, 1e-3)[i])
            assert gradient[i, k] == pytest.approx((ends[1] - ends[0]) / 2e-4, abs=2e-3)


def circle(n=300, others=4):
    rng = np.random.default_rng(0)
    t = rng.uniform(0, 2 * np.pi, n)
    return whiten(np.c_[np.cos(t), np.sin(t), rng.normal(size=(n, others))]).scores, t


@pytest.mark.compiled
def test_refinement_finds_the_plane_of_a_circle():
    whitened, t = circle()
    plane = np.linalg.qr(whitened.T @ np.c_[np.cos(t), np.sin(t)])[0]
    tilted = np.linalg.qr(plane + 0.12 * np.random.default_rng(1).normal(size=plane.shape))[0]
    basis, gain = refine(whitened, tilted)
    before, after = (np.linalg.svd(plane.T @ b)[1].min() for b in (tilted, basis))
    assert before < 0.99
    assert after > 0.995
    assert gain > density_gain(whitened @ tilted, 0.4).gain
    np.testing.assert_allclose(basis.T @ basis, np.eye(2), atol=1e-9)


@pytest.mark.compiled
def test_pruning_drops_a_normal_dimension_and_no_other():
    whitened, t = circle()
    plane = np.linalg.qr(whitened.T @ np.c_[np.cos(t), np.sin(t)])[0]
    extra = np.linalg.qr(np.c_[plane, np.random.default_rng(2).normal(size=(6, 1))])[0]
    _, gain = refine(whitened, extra)
    smaller, _ = prune(whitened, extra, gain)
    assert smaller.shape == (6, 2)
    assert np.linalg.svd(plane.T @ smaller)[1].min() > 0.99
    basis, gain = refine(whitened, plane)
    assert prune(whitened, basis, gain)[0].shape == (6, 2)


@pytest.mark.parametrize("q", [1, 3])
def test_sums_over_references_are_those_of_all_pairs(q):
    rng = np.random.default_rng(q)
    points, references = (
        a[np.argsort(a[:, 0])] for a in (rng.normal(size=(n, q)) for n in (70, 40))
    )
    density, gradient = np.empty(70), np.empty((q, 70))
    sum_over_references(
        *(np.ascontiguousarray(a.T) for a in (points, references)), 0.7, density, gradient
    )
    apart = (references[None] - points[:, None]) / 0.7
    weights = np.exp(-0.5 * (apart**2).sum(axis=2)) * (0.5 * (apart**2).sum(axis=2) <= FAR)
    np.testing.assert_allclose(density, weights.sum(axis=1), rtol=1e-6)
    np.testing.assert_allclose(gradient.T, (weights[:, :, None] * apart).sum(axis=1), atol=1e-6)


def test_many_rows_are_judged_as_all_pairs_judge_them(monkeypatch):
    scores = np.random.default_rng(0).uniform(-1.7, 1.7, size=(6000, 2))
    by_references = refinement.density_gain(scores, 1.0)
    monkeypatch.setattr(refinement, "_MOST_COMPARED", 6000)
    by_all = refinement.density_gain(scores, 1.0)
    assert by_references.gain == pytest.approx(by_all.gain, abs=0.04)
    inside = np.abs(scores).max(axis=1) > 1.4  # where the density ends, and the gradient is large
    both = by_references.gradient[inside].ravel(), by_all.gradient[inside].ravel()
    assert np.corrcoef(*both)[0, 1] > 0.9
