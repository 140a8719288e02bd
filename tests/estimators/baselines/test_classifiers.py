"""The rivals in two dresses: as the papers set them, and tuned on the training set."""

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from geoforest_cli.estimators.base import classifier as _classifier
from geoforest_cli.estimators.baselines.classifiers import (
    GradientBoosting,
    KNeighbors,
    LinearSvm,
    LogisticRegression,
    Mlp,
    RbfSvm,
)
from geoforest_cli.estimators.baselines.peers import ScikitForest
from geoforest_cli.problems.simulations import SIMULATIONS

ALL = [
    LogisticRegression, LinearSvm, RbfSvm, KNeighbors, lambda **given: Mlp(max_iter=20, **given),
    lambda **given: GradientBoosting(max_iter=5, **given),
    lambda **given: ScikitForest(5, **given),
]  # fmt: skip
BY_NAME = pytest.mark.parametrize("method", ALL)


def error(model, sample, n, seed):
    rng = np.random.default_rng(seed)
    X, y = SIMULATIONS[sample].load()(n, rng)
    new, truth = SIMULATIONS[sample].load()(2000, rng)
    return (model.fit(X, y).predict(new) != truth).mean()


def test_untuned_classifiers_are_the_papers():
    X, y = SIMULATIONS["impulse"].load()(60, np.random.default_rng(0))
    ours = RbfSvm().fit(X, y)
    assert ours.chosen_ == {}
    assert np.array_equal(ours.predict(X), SVC(gamma=1 / 100).fit(X, y).predict(X))
    assert KNeighbors(9).fit(X[:4], y[:4]).model_["model"].n_neighbors == 4
    assert LogisticRegression().fit(X, y).model_["model"].solver == "liblinear"
    assert LogisticRegression().fit(X, np.arange(60) % 3).model_["model"].solver == "lbfgs"


# means over draws; the untuned machines' own means are far outside these bounds
@pytest.mark.parametrize(
    ("method", "sample", "n", "seeds", "at_most", "gain"),
    [
        (LogisticRegression, "impulse", 400, 3, 0.155, 0.03),
        (LinearSvm, "impulse", 400, 3, 0.155, 0.04),
        (RbfSvm, "bars", 50, 2, 0.2, 0.2),
        (KNeighbors, "impulse", 200, 3, 0.28, 0.04),
    ],
)
def test_tuning_reaches_what_a_user_would(method, sample, n, seeds, at_most, gain):
    plain = np.mean([error(method(random_state=s), sample, n, s) for s in range(seeds)])
    tuned = np.mean([error(method(tune=True, random_state=s), sample, n, s) for s in range(seeds)])
    assert tuned < at_most
    assert plain - tuned > gain


def test_a_forest_finds_how_many_columns_to_try():
    rng = np.random.default_rng(0)
    X, new = rng.normal(size=(100, 200)), rng.normal(size=(1000, 200))
    y, truth = X[:, 0] > 0, new[:, 0] > 0
    plain = ScikitForest(20, random_state=0).fit(X, y)
    tuned = ScikitForest(20, tune=True, random_state=0).fit(X, y)
    assert tuned.chosen_["model__max_features"] > 14
    assert (tuned.predict(new) != truth).mean() < (plain.predict(new) != truth).mean() - 0.1


@BY_NAME
@pytest.mark.parametrize("n", [4, 10, 11])
def test_tuning_works_on_a_few_rows_and_is_reproducible(method, n):
    X, y = SIMULATIONS["impulse"].load()(n, np.random.default_rng(3))
    names = np.array(["no", "yes"])[y]
    first = method(tune=True, budget=5, random_state=7).fit(X, names)
    assert set(first.predict(X)) <= {"no", "yes"}
    if n == 11:  # of fewer rows most settings are level, and the own one stays
        again = method(tune=True, budget=5, random_state=7).fit(X, names)
        assert repr(first.chosen_) == repr(again.chosen_)
        assert np.array_equal(first.predict(X), again.predict(X))


@BY_NAME
def test_a_class_with_one_row_keeps_the_own_setting(method):
    X, y = SIMULATIONS["impulse"].load()(9, np.random.default_rng(3))
    y = np.r_[np.zeros(8, int), 1]
    model = method(tune=True, random_state=0).fit(X, y)
    assert model.chosen_ == {}
    assert model.classes_.tolist() == [0, 1]


@BY_NAME
@pytest.mark.parametrize("budget", [1, 3])
def test_the_budget_bounds_the_settings(method, budget, monkeypatch):
    tried = []

    class Counting(GridSearchCV):
        def fit(self, X, y):
            tried.append(self.param_grid)
            self.cv_results_ = {"rank_test_score": np.ones(len(self.param_grid), int)}
            return self

    monkeypatch.setattr(_classifier, "GridSearchCV", Counting)
    X, y = SIMULATIONS["impulse"].load()(20, np.random.default_rng(3))
    method(tune=True, budget=budget, random_state=0).fit(X, y)
    assert len(tried[0]) == budget
    # the own setting is always among them, and wins ties
    assert tried[0][0] == {}


def test_ties_keep_the_own_setting():
    # of 200 rows folds are drawn once
    X = np.repeat([[0.0], [9.0]], 100, axis=0)
    model = KNeighbors(tune=True, random_state=0).fit(X, np.repeat([0, 1], 100))
    assert model.chosen_ == {}


def test_the_chosen_setting_is_the_one_fitted():
    X, y = SIMULATIONS["impulse"].load()(200, np.random.default_rng(0))
    model = LogisticRegression(tune=True, random_state=0).fit(X, y)
    fitted = model.model_["model"]
    assert model.chosen_["model__C"] == fitted.C
    scaled = isinstance(model.model_["scale"], StandardScaler)
    assert scaled == isinstance(model.chosen_["scale"], StandardScaler)
    # the parameters are left as they were given
    assert clone(model).get_params() == LogisticRegression(tune=True, random_state=0).get_params()


def test_the_scale_of_the_columns_is_part_of_the_search():
    rng = np.random.default_rng(0)
    y = np.arange(200) % 2
    X = np.column_stack([y + 0.2 * rng.normal(size=200), 1e4 * rng.normal(size=(200, 5))])
    for method in (KNeighbors, RbfSvm):
        model = method(tune=True, random_state=0).fit(X, y)
        assert isinstance(model.model_["scale"], StandardScaler)
        assert (model.predict(X) == y).mean() > 0.9


@pytest.mark.parametrize("size", [1.0, 3.0])
def test_a_machine_is_tuned_around_the_scale_of_its_table(size):
    """As scikit-learn's "scale"; a table without any spread has a scale too."""
    X = size * np.random.default_rng(0).normal(size=(50, 4))
    found = [RbfSvm(tune=True)._grid(one, 50) for one in (X, 0 * X)]
    tried, of_zeros = (sorted({one["gamma"] for one in grid}) for grid in found)
    assert tried == pytest.approx(np.array([1 / 16, 1 / 4, 1, 4]) / (4 * X.var()))
    assert of_zeros == pytest.approx(np.array([1 / 16, 1 / 4, 1, 4]) / 4)


@pytest.mark.parametrize(("rarest", "tuned"), [(1, False), (2, True), (3, True)])
def test_a_classifier_is_tuned_where_every_class_can_be_held_out(rarest, tuned, monkeypatch):
    calls = []

    def search(self, model, X, y, counts):
        calls.append(counts.tolist())
        return model

    monkeypatch.setattr(LogisticRegression, "_tuned", search)
    X = np.random.default_rng(0).normal(size=(60, 2))
    LogisticRegression(tune=True).fit(X, np.arange(60) < rarest)
    assert calls == ([[60 - rarest, rarest]] if tuned else [])
