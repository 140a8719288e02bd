"""Mahalanobis and bilinear forms against an independent solver of semidefinite programmes."""

import tracemalloc
from itertools import pairwise

import cvxpy as cp
import numpy as np
import pytest

from geoforest_cli.core.errors import DataError
from geoforest_cli.estimators.base import validation as _validate
from geoforest_cli.estimators.baselines import metric_learning
from geoforest_cli.estimators.baselines.metric_learning import Bilinear, Mahalanobis, nearest_psd
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
    # of two equal columns each has half of the weight, as in the form of least norm
    twice, told = Bilinear().fit(wide[:, [0, 1, 2, 3, 5]], Z).W_, Bilinear().fit(X, Z).W_
    np.testing.assert_allclose(twice[1:4, 1:4], told[1:, 1:], atol=1e-10)
    np.testing.assert_allclose(twice[[0, 4], 1:4], [told[0, 1:] / 2] * 2, atol=1e-10)
    np.testing.assert_allclose(twice[[0, 0, 4], [0, 4, 4]], [told[0, 0] / 4] * 3, atol=1e-10)
    for method in (Mahalanobis(), Bilinear()):
        nothing = method.fit(np.zeros((5, 3)), np.ones((5, 5)))
        assert np.array_equal(nothing.W_, np.zeros((3, 3)))


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


def of_all_pairs(X):
    """Steps of all pairs i < j of whitened points, and the way back from their form."""
    centred = X - X.mean(axis=0)
    left, sizes, right = np.linalg.svd(centred, full_matrices=False)
    points = np.sqrt(len(X)) * left
    steps = (points[:, None] - points)[np.triu_indices(len(X), 1)]
    return steps, np.sqrt(len(X)) * right.T / sizes


def by_steps(X, Z, bound, most):
    """Accelerated projected gradient with restarts, over a list of all pairs."""
    steps, back = of_all_pairs(X)
    z = Z[np.triu_indices(len(X), 1)]

    def stepped(V):
        errors = [s @ V @ s - one for s, one in zip(steps, z, strict=True)]
        slope = sum(e * np.outer(s, s) for e, s in zip(errors, steps, strict=True))
        return nearest_psd(V - slope / bound)

    found = ahead = np.zeros((X.shape[1], X.shape[1]))
    momentum, restarts, forms = 1.0, 0, []
    for _ in range(most):
        fresh = stepped(ahead)
        if np.sum((ahead - fresh) * (fresh - found)) > 0:
            momentum, restarts, fresh = 1.0, restarts + 1, stepped(found)
        following = (1 + (1 + 4 * momentum**2) ** 0.5) / 2
        ahead = fresh + (momentum - 1) / following * (fresh - found)
        found, momentum = fresh, following
        forms.append(back @ found @ back.T)
    return forms, restarts


def test_steps_are_those_of_an_accelerated_gradient_with_restarts(monkeypatch):
    rng = np.random.default_rng(3)
    X = rng.normal(size=(9, 3)) @ np.diag([1.0, 3.0, 0.2])
    Z = np.abs(rng.normal(size=(9, 9)))
    Z += Z.T
    steps, _ = of_all_pairs(X)
    outer = np.einsum("ni,nj->nij", steps, steps).reshape(len(steps), -1)
    bound = 2 * np.linalg.eigvalsh(outer.T @ outer)[-1]
    monkeypatch.setattr(metric_learning._Pairs, "curvature_bound", lambda pairs: bound)
    forms, restarts = by_steps(X, Z, bound, 25)
    assert restarts >= 2
    for most, form in enumerate(forms, 1):
        fitted = Mahalanobis(iterations=most, tolerance=1e-300).fit(X, Z)
        assert fitted.n_iter_ == most
        np.testing.assert_allclose(fitted.W_, form, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("seed", range(4))
def test_the_bound_on_the_curvature_is_two_per_cent_wide(seed):
    points = np.random.default_rng(seed).exponential(size=(12, 4)) ** 2
    steps, _ = of_all_pairs(points)
    outer = np.einsum("ni,nj->nij", steps, steps).reshape(len(steps), -1)
    largest = np.linalg.eigvalsh(outer.T @ outer)[-1]
    left = np.linalg.svd(points - points.mean(axis=0), full_matrices=False)[0]
    pairs = metric_learning._Pairs(np.sqrt(12) * left, np.zeros((12, 12)))
    assert largest * (1 - 1e-9) <= pairs.curvature_bound() <= 1.021 * largest


def test_steps_end_where_the_form_changes_by_less_than_the_tolerance():
    rng = np.random.default_rng(3)
    X, Z = rng.normal(size=(20, 3)), np.abs(rng.normal(size=(20, 20)))
    Z += Z.T
    # of points that are white already the form is the one that is stepped
    white = np.sqrt(20) * np.linalg.svd(X - X.mean(axis=0), full_matrices=False)[0]
    counts = [Mahalanobis(tolerance=t).fit(white, Z).n_iter_ for t in (1e-2, 1e-5, 1e-9)]
    assert counts == sorted(set(counts))
    for tolerance, count in zip((1e-2, 1e-5, 1e-9), counts, strict=True):
        forms = [
            Mahalanobis(iterations=most, tolerance=1e-300).fit(white, Z).W_
            for most in range(1, count + 1)
        ]
        changes = [np.abs(b - a).max() / np.abs(b).max() for a, b in pairwise(forms)]
        assert changes[-1] <= tolerance < min(changes[:-1])
        # what is fitted does not depend on the units, nor does the number of steps
        assert Mahalanobis(tolerance=tolerance).fit(white, 1e6 * Z).n_iter_ == count


@pytest.mark.parametrize(("method", "copies"), [(Mahalanobis(), 3), (Bilinear(), 2)])
def test_new_points_have_the_columns_of_the_old_and_distances_their_memory(
    method, copies, monkeypatch
):
    X, Z = attributes(10, 3)
    fitted = method.fit(X, Z)
    with pytest.raises(ValueError, match=r"2 features, but .* is expecting 3 features"):
        fitted.pairwise_distances(X[:, :2])

    class Just:
        available = 8 * copies * 4 * 4

    monkeypatch.setattr(_validate.psutil, "virtual_memory", Just)
    assert fitted.pairwise_distances(X[:4]).shape == (4, 4)
    Just.available -= 1
    with pytest.raises(DataError, match="a dense 4 x 4 matrix"):
        fitted.pairwise_distances(X[:4])
