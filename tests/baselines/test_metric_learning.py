"""Mahalanobis and bilinear forms against an independent solver of semidefinite programmes."""

import cvxpy as cp
import numpy as np
import pytest

from geoforest_cli.baselines.metric_learning import Bilinear, Mahalanobis
from geoforest_cli.simulations import SIMILARITIES


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
