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
    W = Bilinear().fit(X, Z).W_
    assert np.linalg.norm(X @ W @ X.T - (1 - Z)) ** 2 == pytest.approx(value, rel=1e-6)
    assert np.allclose(W, best, atol=1e-3)


def attributes(n, p):
    rng = np.random.default_rng(0)
    linked = np.triu(rng.random((n, n)) < 0.2, 1)
    return rng.integers(0, 2, (n, p)).astype(float), 1.0 - (linked | linked.T)


@pytest.mark.nightly
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


def test_points_that_say_nothing_of_a_direction_give_no_weight():
    X, Z = sample("regression", 30, 4)
    wide = np.column_stack([X, np.full(30, 3.0), X[:, 0]])
    fitted = Mahalanobis().fit(wide, Z)
    assert fitted.objective_ == pytest.approx(Mahalanobis().fit(X, Z).objective_)
    assert not fitted.W_[4].any()
    np.testing.assert_allclose(fitted.W_[0], fitted.W_[5])
    # of two equal columns each has half of the weight, as in the form of least norm
    twice, weights = Bilinear().fit(wide[:, [0, 1, 2, 3, 5]], Z).W_, Bilinear().fit(X, Z).W_
    np.testing.assert_allclose(twice[1:4, 1:4], weights[1:, 1:], atol=1e-10)
    np.testing.assert_allclose(twice[[0, 4], 1:4], [weights[0, 1:] / 2] * 2, atol=1e-10)
    np.testing.assert_allclose(twice[[0, 0, 4], [0, 4, 4]], [weights[0, 0] / 4] * 3, atol=1e-10)
    for method in (Mahalanobis(), Bilinear()):
        nothing = method.fit(np.zeros((5, 3)), np.ones((5, 5)))
        assert np.array_equal(nothing.W_, np.zeros((3, 3)))


@pytest.mark.parametrize(("method", "copies"), [(Mahalanobis(), 3), (Bilinear(), 2)])
def test_bad_distances_and_unfit_forms_are_one_sentence(method, copies, monkeypatch):
    X, Z = attributes(10, 3)
    with pytest.raises(DataError, match=r"10 points have 10 x 10 distances"):
        method.fit(X, Z[:9])
    with pytest.raises(DataError, match="NaN or infinite"):
        method.fit(X, np.where(np.eye(10) > 0, np.nan, Z))
    with pytest.raises(DataError, match="not symmetric"):
        method.fit(X, np.triu(Z))
    fitted = method.fit(X, Z)
    with pytest.raises(ValueError, match=r"2 features, but .* is expecting 3 features"):
        fitted.pairwise_distances(X[:, :2])

    class Memory:
        available = 8 * 4 * 3 * 3

    monkeypatch.setattr(_validate.psutil, "virtual_memory", Memory)
    method.fit(X, Z)
    Memory.available -= 1
    with pytest.raises(DataError, match="a form of 3 columns, 3 x 3 numbers, needs"):
        method.fit(X, Z)
    Memory.available = 8 * copies * 4 * 4
    assert fitted.pairwise_distances(X[:4]).shape == (4, 4)
    Memory.available -= 1
    with pytest.raises(DataError, match="a dense 4 x 4 matrix"):
        fitted.pairwise_distances(X[:4])


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
        errors = [s @ V @ s - target for s, target in zip(steps, z, strict=True)]
        slope = sum(e * np.outer(s, s) for e, s in zip(errors, steps, strict=True))
        return nearest_psd(V - slope / bound)

    matrix = ahead = np.zeros((X.shape[1], X.shape[1]))
    momentum, restarts, forms = 1.0, 0, []
    for _ in range(most):
        fresh = stepped(ahead)
        if np.sum((ahead - fresh) * (fresh - matrix)) > 0:
            momentum, restarts, fresh = 1.0, restarts + 1, stepped(matrix)
        following = (1 + (1 + 4 * momentum**2) ** 0.5) / 2
        ahead = fresh + (momentum - 1) / following * (fresh - matrix)
        matrix, momentum = fresh, following
        forms.append(back @ matrix @ back.T)
    return forms, restarts


def test_steps_are_those_of_accelerated_gradients_with_restarts(monkeypatch):
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


@pytest.mark.parametrize("seed", range(2))
def test_the_bound_on_the_curvature_is_two_per_cent_wide(seed):
    points = np.random.default_rng(seed).exponential(size=(12, 4)) ** 2
    steps, _ = of_all_pairs(points)
    outer = np.einsum("ni,nj->nij", steps, steps).reshape(len(steps), -1)
    largest = np.linalg.eigvalsh(outer.T @ outer)[-1]
    left = np.linalg.svd(points - points.mean(axis=0), full_matrices=False)[0]
    pairs = metric_learning._Pairs(np.sqrt(12) * left, np.zeros((12, 12)))
    assert largest * (1 - 1e-9) <= pairs.curvature_bound() <= 1.021 * largest


def test_steps_end_where_the_form_changes_less_than_tolerance():
    rng = np.random.default_rng(3)
    X, Z = rng.normal(size=(20, 3)), np.abs(rng.normal(size=(20, 20)))
    Z += Z.T
    # of points that are white already the form is the one that is stepped
    white = np.sqrt(20) * np.linalg.svd(X - X.mean(axis=0), full_matrices=False)[0]
    for tolerance in (1e-2, 1e-9):
        count = Mahalanobis(tolerance=tolerance).fit(white, Z).n_iter_
        assert count < 60  # some dozens of steps do, as the class says
        forms = [
            Mahalanobis(iterations=most, tolerance=1e-300).fit(white, Z).W_
            for most in range(1, count + 1)
        ]
        changes = [np.abs(b - a).max() / np.abs(b).max() for a, b in pairwise(forms)]
        assert changes[-1] <= tolerance < min(changes[:-1])
        # what is fitted does not depend on the units, nor does the number of steps
        assert Mahalanobis(tolerance=tolerance).fit(white, 1e6 * Z).n_iter_ == count


def test_semidefinite_parts_and_errors_by_hand():
    assert np.allclose(nearest_psd(np.array([[0.0, 2], [2, 0]])), [[1, 1], [1, 1]])
    # three points on a line at 0, 1 and 3; the distances 2, 9 and 4 ask for weights of 2, 1 and 1
    points = np.array([[0.0], [1.0], [3.0]])
    Z = np.array([[0, 2, 9], [2, 0, 4], [9, 4, 0.0]])
    fitted = Mahalanobis().fit(points, Z)
    squares = np.array([1.0, 9.0, 4.0])
    weight = (squares @ [2, 9, 4]) / (squares @ squares)
    assert fitted.W_[0, 0] == pytest.approx(weight, rel=1e-7)
    error = ((weight * squares - [2, 9, 4]) ** 2).sum()
    assert fitted.objective_ == pytest.approx(error, rel=1e-6)
    assert fitted.pairwise_distances(points)[1, 2] == pytest.approx(4 * weight)
    # products: w (0, 1, 3)'(0, 1, 3) against 1 - Z, the diagonal included
    outer = np.outer([0, 1, 3], [0, 1, 3])
    Z = 1 - np.array([[5.0, 1, 1], [1, 2, 6], [1, 6, 20]])
    products = Bilinear().fit(points, Z)
    assert products.W_[0, 0] == pytest.approx((outer * (1 - Z)).sum() / (outer**2).sum())
    assert products.pairwise_distances(points)[1, 2] == pytest.approx(1 - 3 * products.W_[0, 0])
