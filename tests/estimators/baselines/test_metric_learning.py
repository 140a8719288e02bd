"""Mahalanobis and bilinear forms against an independent solver of semidefinite programmes."""

import tracemalloc

import cvxpy as cp
import numpy as np
import pytest

from geoforest_cli.core.errors import DataError
from geoforest_cli.estimators.base import validation as _validate
from geoforest_cli.estimators.baselines import metric_learning
from geoforest_cli.estimators.baselines.metric_learning import Bilinear, Mahalanobis
from geoforest_cli.problems.simulations import SIMILARITIES


def solved(objective, W):
    problem = cp.Problem(cp.Minimize(objective), [W >> 0])
    problem.solve(solver=cp.CLARABEL)
    assert problem.status == "optimal"
    return float(problem.value), W.value


def sample(setting, n, p):
    X, Z = SIMILARITIES[setting].load()(n, np.random.default_rng(7))
    return X[:, :p], Z


@pytest.mark.parametrize("setting", ["regression", "bilinear", "radial"])
def test_mahalanobis_is_the_solvers_optimum(setting):
    X, Z = sample(setting, 40, 6)
    i, j = np.triu_indices(len(X), 1)
    outer = np.einsum("ni,nj->nij", X[i] - X[j], X[i] - X[j]).reshape(len(i), -1)
    W = cp.Variable((6, 6), PSD=True)
    value, _ = solved(cp.sum_squares(outer @ cp.vec(W, order="C") - Z[i, j]), W)
    fitted = Mahalanobis().fit(X, Z)
    assert np.linalg.eigvalsh(fitted.W_).min() > -1e-12
    assert fitted.objective_ == pytest.approx(value, rel=1e-5, abs=1e-7)


@pytest.mark.parametrize("setting", ["regression", "radial"])
def test_bilinear_is_the_solvers_optimum(setting):
    X, Z = sample(setting, 30, 5)
    W = cp.Variable((5, 5), PSD=True)
    value, best = solved(cp.sum_squares(X @ W @ X.T - (1 - Z)), W)
    found = Bilinear().fit(X, Z).W_
    assert np.linalg.norm(X @ found @ X.T - (1 - Z)) ** 2 == pytest.approx(value, rel=1e-6)
    assert np.allclose(found, best, atol=1e-3)


def optimality(X, Z, W):
    """Least eigenvalue of the gradient and its product with W, in units of the gradient at 0."""
    steps = (X[:, None] - X)[np.triu_indices(len(X), 1)]
    z = Z[np.triu_indices(len(X), 1)]
    at = [np.einsum("i,ij,ik->jk", np.einsum("ij,jk,ik->i", steps, V, steps) - z, steps, steps)
          for V in (W, 0 * W)]  # fmt: skip
    size = np.abs(at[1]).max()
    return np.linalg.eigvalsh(at[0] / size).min(), np.abs((at[0] * W).sum()) / size


@pytest.mark.parametrize("units", [1.0, 1e-4, 1e4])
def test_mahalanobis_of_columns_in_unlike_units_is_optimal(units):
    X, Z = sample("regression", 50, 8)
    X = X * np.r_[units, np.ones(7)]
    fitted = Mahalanobis().fit(X, Z)
    plain = Mahalanobis().fit(X / np.r_[units, np.ones(7)], Z)
    assert fitted.objective_ == pytest.approx(plain.objective_, rel=1e-8)
    lowest, product = optimality(X, Z, fitted.W_)
    assert lowest > -1e-6
    assert product < 1e-6 * np.abs(fitted.W_).max()


def attributes(n, p, seed=0):
    rng = np.random.default_rng(seed)
    linked = np.triu(rng.random((n, n)) < 0.2, 1)
    return rng.integers(0, 2, (n, p)).astype(float), 1.0 - (linked | linked.T)


def test_mahalanobis_of_many_columns_takes_little_memory():
    # a Gram matrix of all pairs of columns would be 227^4 numbers, 21 GB
    X, Z = attributes(80, 227)
    np.fill_diagonal(Z, 0.0)
    tracemalloc.start()
    fitted = Mahalanobis(iterations=20).fit(X, Z)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 40e6
    assert fitted.W_.shape == (227, 227)
    assert fitted.objective_ < (Z[np.triu_indices(80, 1)] ** 2).sum() / 2


def test_blocks_of_rows_do_not_change_the_form(monkeypatch):
    X, Z = attributes(30, 6)
    whole = Mahalanobis().fit(X, Z)
    monkeypatch.setattr(metric_learning, "_BLOCK_NUMBERS", 7 * 30)
    parts = Mahalanobis().fit(X, Z)
    np.testing.assert_allclose(parts.W_, whole.W_, atol=1e-10)
    assert parts.objective_ == pytest.approx(whole.objective_)


def test_points_that_say_nothing_about_a_direction_give_it_no_weight():
    X, Z = sample("regression", 30, 4)
    wide = np.column_stack([X, np.full(30, 3.0), X[:, 0]])
    fitted = Mahalanobis().fit(wide, Z)
    assert fitted.objective_ == pytest.approx(Mahalanobis().fit(X, Z).objective_)
    assert not fitted.W_[4].any()
    np.testing.assert_allclose(fitted.W_[0], fitted.W_[5])
    for method in (Mahalanobis(), Bilinear()):
        nothing = method.fit(np.zeros((5, 3)), np.ones((5, 5)))
        assert not nothing.W_.any()


@pytest.mark.parametrize("method", [Mahalanobis(), Bilinear()])
def test_bad_distances_and_forms_that_do_not_fit_are_one_sentence(method, monkeypatch):
    X, Z = attributes(10, 3)
    with pytest.raises(DataError, match=r"10 points have 10 x 10 distances"):
        method.fit(X, Z[:9])
    with pytest.raises(DataError, match="NaN or infinite"):
        method.fit(X, np.where(np.eye(10) > 0, np.nan, Z))
    with pytest.raises(DataError, match="not symmetric"):
        method.fit(X, np.triu(Z))

    class Little:
        available = 200

    fitted = method.fit(X, Z)
    monkeypatch.setattr(_validate.psutil, "virtual_memory", Little)
    with pytest.raises(DataError, match="a form of 3 columns, 3 x 3 numbers, needs"):
        method.fit(X, Z)
    with pytest.raises(DataError, match="a dense 10 x 10 matrix"):
        fitted.pairwise_distances(X)


def test_four_matrices_of_the_form_are_asked_for(monkeypatch):
    asked = []
    monkeypatch.setattr(metric_learning, "require_memory", lambda size, what: asked.append(size))
    metric_learning._form_fits(10)
    assert asked == [4 * 10 * 10 * 8]


@pytest.mark.parametrize("seed", range(3))
def test_some_dozens_of_steps_are_enough(seed):
    """As the class says of its steps."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(40, 5)) @ rng.normal(size=(5, 5))
    Z = np.abs(rng.normal(size=(40, 40)))
    assert Mahalanobis().fit(X, Z + Z.T).n_iter_ < 60
