"""Settings of SMERF, its rivals, and the scores of learned distances."""

import numpy as np
import pytest

from geoforest_cli.core.errors import DataError
from geoforest_cli.estimators.baselines.metric_learning import Bilinear, Mahalanobis, nearest_psd
from geoforest_cli.estimators.forests import smerf
from geoforest_cli.estimators.forests.smerf import Smerf, response_distances, tuning_grid
from geoforest_cli.problems.metrics.distances import (
    mean_average_precision,
    mean_spearman,
    pair_rmse,
)
from geoforest_cli.problems.simulations import SIMILARITIES


def test_the_grid_of_settings():
    powers = [2, 4, 8, 16]
    assert tuning_grid(16, "axis") == [(d, parent) for d in powers for parent in (2, 4, 8)]
    assert tuning_grid(16, "oblique") == [
        (d, parent) for d in [*powers, 64] for parent in (2, 4, 8)
    ]
    assert tuning_grid(1, "oblique") == [(1, 2), (1, 4), (1, 8)]


def test_of_equally_good_settings_the_first_is_taken():
    Z = response_distances(np.arange(8.0))
    flat = Smerf(2, tune=True, projection="axis", random_state=0).fit(np.zeros((8, 2)), Z)
    assert flat.best_params_ == {"max_features": 1, "min_parent": 2}


@pytest.mark.parametrize(("projection", "nonzeros"), [("oblique", 7), ("axis", 5)])
def test_oblique_candidates_have_one_and_a_half_columns(projection, nonzeros, monkeypatch):
    asked = []
    grow = smerf.grow_forest
    monkeypatch.setattr(
        smerf, "grow_forest",
        lambda points, growth, *more, **rules: (
            asked.append(growth) or grow(points, growth, *more, **rules)
        ),
    )  # fmt: skip
    X = np.random.default_rng(0).uniform(size=(9, 5))
    forest = Smerf(2, projection=projection, max_features=5, random_state=0)
    forest.fit(X, response_distances(X[:, 0]))
    ((growth,),) = (asked,)
    assert (growth.n_projections, growth.n_nonzeros, growth.full_credit) == (5, nonzeros, True)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda Z: Z[:5], "shape"),
        (lambda Z: Z + np.triu(np.ones_like(Z)), "not symmetric"),
        (lambda Z: np.full_like(Z, np.nan), "no known entry"),
        (lambda Z: np.where(np.eye(len(Z)) > 0, np.inf, Z), "infinities"),
    ],
)
def test_bad_distances(change, words):
    X = np.random.default_rng(0).normal(size=(8, 2))
    with pytest.raises(DataError, match=words):
        Smerf(2).fit(X, change(response_distances(X[:, 0])))


def test_bilinear_is_exact_and_better_than_clipping():
    rng = np.random.default_rng(0)
    X, Z = SIMILARITIES["bilinear"].load()(60, rng)
    W = Bilinear().fit(X, Z).W_
    truth = np.zeros((20, 20))
    truth[:2, :2] = 0.25
    assert np.allclose(W, truth, atol=1e-10)
    X, Z = SIMILARITIES["regression"].load()(60, rng)
    W = Bilinear().fit(X, Z).W_
    assert np.linalg.eigvalsh(W).min() > -1e-9
    Q = 1 - Z

    def objective(W):
        return np.linalg.norm(X @ W @ X.T - Q)

    inverse = np.linalg.pinv(X)
    assert objective(W) <= objective(nearest_psd(inverse @ Q @ inverse.T)) + 1e-9
    # no feasible direction is better
    for _ in range(20):
        v = rng.normal(size=(20, 1))
        assert objective(W) <= objective(W + 1e-4 * v @ v.T) + 1e-12


def test_mahalanobis_is_the_constrained_optimum():
    rng = np.random.default_rng(1)
    X = rng.uniform(size=(60, 4))
    y = X[:, :2].mean(axis=1)
    Z = (y[:, None] - y) ** 2
    fitted = Mahalanobis().fit(X, Z)
    truth = np.zeros((4, 4))
    truth[:2, :2] = 0.25
    assert np.allclose(fitted.W_, truth, atol=1e-4)
    assert np.allclose(fitted.pairwise_distances(X), Z, atol=1e-3)
    noisy = Z + rng.normal(0, 0.05, Z.shape)
    noisy = (noisy + noisy.T) / 2
    fitted = Mahalanobis().fit(X, noisy)
    W = fitted.W_
    steps = (X[:, None] - X)[np.triu_indices(60, 1)]
    z = noisy[np.triu_indices(60, 1)]
    residual = np.einsum("ij,jk,ik->i", steps, W, steps) - z
    assert fitted.objective_ == pytest.approx((residual**2).sum())
    # optimality: the gradient is semidefinite and orthogonal to W
    gradient = 2 * np.einsum("i,ij,ik->jk", residual, steps, steps)
    size = np.abs(gradient).max()
    assert np.linalg.eigvalsh(gradient).min() > -1e-4 * max(size, 1)
    assert abs((gradient * W).sum()) < 1e-4 * max(size, 1)


def test_scores():
    rng = np.random.default_rng(0)
    x = rng.normal(size=40)
    D = np.abs(x[:, None] - x)
    assert mean_average_precision(D, D, 10, rng) == 1
    assert mean_average_precision(D, D, 10, rng, truncated=True) == 1
    assert mean_spearman(D, D) == pytest.approx(1)
    assert mean_spearman(D, np.ones_like(D)) == 0
    assert pair_rmse(D, D + 1) == pytest.approx(1)
    x = rng.normal(size=200)
    D = np.abs(x[:, None] - x)
    constant = mean_average_precision(D, np.zeros_like(D), 10, rng)
    assert constant == pytest.approx(0.075, abs=0.01)
    short = mean_average_precision(D, np.zeros_like(D), 10, rng, truncated=True)
    assert short == pytest.approx(0.017, abs=0.006)


@pytest.mark.parametrize("name", list(SIMILARITIES))
def test_settings(name):
    X, Z = SIMILARITIES[name].load()(200, np.random.default_rng(0))
    assert X.shape == (200, 20)
    assert np.array_equal(Z, Z.T)
    mean = {"regression": 0.058, "bilinear": 0.75, "radial": 0.034}[name]
    assert Z.mean() == pytest.approx(mean, rel=0.25)
    if name == "radial":
        assert np.linalg.norm(X, axis=1).max() <= 1


def test_the_entries_that_differ_are_named_and_missing_ones_do_not():
    Z = np.zeros((5, 5))
    Z[0, 1] = Z[1, 0] = np.nan
    Z[2, 4] = 1.0
    with pytest.raises(DataError, match=r"entries \(2, 4\) and \(4, 2\) differ"):
        smerf._checked(Z, 5)
