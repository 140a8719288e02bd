"""What is asked of packages that ours stand beside: scikit-learn's forest, what numba keeps."""

import sys
import types

import numpy as np
import pytest
from numba.core.dispatcher import Dispatcher
from sklearn.ensemble import RandomForestClassifier

from geoforest_cli.estimators.baselines import umap
from geoforest_cli.estimators.baselines.peers import ScikitForest, ScikitIsomap
from geoforest_cli.estimators.baselines.random_forest import SyntheticForest
from geoforest_cli.estimators.baselines.regression_forest import RegressionForest
from geoforest_cli.estimators.forests.growth import root_seed
from geoforest_cli.estimators.forests.sizes import smallest_parent

X = np.random.default_rng(0).normal(size=(40, 5))


@pytest.mark.parametrize(("projections", "columns"), [("sqrt", 2), (3, 3)])
@pytest.mark.parametrize("min_parent", [2, "sqrt"])
def test_the_forest_of_scikit_learn_tells_rows_from_shuffled_ones(projections, columns, min_parent):
    settings = {"n_projections": projections, "min_parent": min_parent, "min_leaf": 3}
    ours = SyntheticForest(6, **settings, engine="scikit-learn", random_state=9).fit(X)
    seed = root_seed(9)
    both = np.r_[X, np.random.default_rng(seed).permuted(X, axis=0)]
    theirs = RandomForestClassifier(
        6, max_features=columns, random_state=seed % 2**32, min_samples_leaf=3,
        min_samples_split=smallest_parent(min_parent, 40),
    ).fit(both, np.repeat([0, 1], 40))  # fmt: skip
    np.testing.assert_array_equal(ours._leaf_of, theirs.apply(X).T)
    drawn = [[i in set(rows) for i in range(40)] for rows in theirs.estimators_samples_]
    np.testing.assert_array_equal(ours._in_bag, drawn)
    assert (ours._leaf_of.dtype, ours._in_bag.dtype) == (np.int32, np.bool_)


class Function(Dispatcher):
    """A compiled function of a module; it cannot be kept where there is no place."""

    def __init__(self, module, function, kept):
        self.py_func, self._kept = function, kept
        function.__module__ = module

    def enable_caching(self):
        self._kept.append(self.py_func.__name__)
        if self.py_func.__name__ == "without_place":
            raise RuntimeError("cannot cache function")


def test_numba_keeps_the_functions_of_a_module_that_are_given_no_other(monkeypatch):
    kept = []

    def without_place(data): ...
    def plain(data, rows): ...
    def measured(data, dist): ...
    def imported(data): ...

    module = types.ModuleType("pynndescent.made_up")
    for function in (without_place, plain, measured):
        setattr(module, function.__name__, Function(module.__name__, function, kept))
    module.imported = Function("pynndescent.elsewhere", imported, kept)
    module.no_function = 3
    monkeypatch.setitem(sys.modules, module.__name__, module)
    other = types.ModuleType("umapper.made_up")
    other.plain = Function("umapper.made_up", plain.__class__(plain.__code__, {}), kept)
    monkeypatch.setitem(sys.modules, other.__name__, other)
    umap.keep_compiled()
    assert sorted(kept) == ["plain", "without_place"]
    # a module is looked at once
    umap.keep_compiled()
    assert len(kept) == 2


@pytest.mark.parametrize("name", ["dist", "metric", "ground_metric", "kernel"])
def test_functions_that_are_given_others_are_known_by_their_names_for_them(name):
    scope = {}
    exec(f"def function(data, {name}): ...", scope)
    assert umap.takes_a_function(scope["function"])
    assert not umap.takes_a_function(lambda data, distances, kernels: 0)


def test_forests_have_a_seed_without_one():
    y = (X[:, 0] > 0).astype(int)
    first, second = (ScikitForest(4).fit(X, y).model_["model"] for _ in range(2))
    assert first.random_state == second.random_state == 0
    assert (first.n_jobs, first.n_estimators) == (1, 4)
    values = [RegressionForest(4).fit(X, X[:, 0]).tree_values(X) for _ in range(2)]
    np.testing.assert_array_equal(*values)
    zero = RegressionForest(4, random_state=0).fit(X, X[:, 0])
    np.testing.assert_array_equal(zero.tree_values(X), values[0])
    assert zero.forest_.n_jobs == 1


@pytest.mark.parametrize(("rows", "bag"), [(40, 6), (9, 3), (3, 2)])
def test_small_bags_draw_two_rows_at_least(rows, bag):
    forest = RegressionForest(2, bag_exponent=0.5).fit(X[:rows], X[:rows, 0]).forest_
    assert forest.max_samples == bag


@pytest.mark.parametrize(("rows", "k", "used"), [(10, 4, 4), (10, 9, 9), (10, 15, 9), (2, 15, 1)])
def test_the_graph_of_scikit_learn_has_no_more_neighbours_than_there_are(rows, k, used):
    model = ScikitIsomap(k).fit(X[:rows]).model_
    assert (model.n_neighbors, model.n_components) == (used, 2)


def test_a_forest_for_numbers_looks_at_all_columns_at_most():
    for columns in (1, 3):
        points = X[:, :columns]
        forest = RegressionForest(4, max_features=50).fit(points, X[:, 0])
        assert forest.forest_.max_features == columns
        assert np.isfinite(forest.predict(points)).all()
