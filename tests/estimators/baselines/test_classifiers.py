"""Classifiers of scikit-learn: as the papers set them, and tuned on the training set."""

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
from geoforest_cli.estimators.baselines.forests import ScikitForest
from geoforest_cli.problems.simulations import SIMULATIONS

ALL = [
    LogisticRegression, LinearSvm, RbfSvm, KNeighbors, lambda **given: Mlp(max_iter=20, **given),
    lambda **given: GradientBoosting(max_iter=5, **given),
    lambda **given: ScikitForest(5, **given),
]  # fmt: skip
BY_NAME = pytest.mark.parametrize("method", ALL)
X = np.random.default_rng(6).normal(size=(60, 4))
Y = (X[:, 0] + 0.5 * np.random.default_rng(7).normal(size=60) > 0).astype(int)


@pytest.fixture
def tried(monkeypatch):
    """Record the settings and the folds of every search."""
    searches = []

    class Recording(GridSearchCV):
        def fit(self, X, y):
            searches.append((self.param_grid, self.cv.n_repeats, self.cv.get_n_splits(X, y)))
            self.cv_results_ = {"rank_test_score": np.ones(len(self.param_grid), int)}
            return self

    monkeypatch.setattr(_classifier, "GridSearchCV", Recording)
    return searches


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
@pytest.mark.nightly
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


@pytest.mark.nightly
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
def test_the_budget_bounds_the_settings(method, tried):
    method(tune=True, budget=3, random_state=0).fit(X, Y)
    ((settings, _, _),) = tried
    assert len(settings) == 3
    # the own setting is always among them, and wins ties
    assert settings[0] == {}


@pytest.mark.parametrize("size", [1.0, 3.0])
def test_a_machine_is_tuned_around_the_scale_of_its_table(size):
    """As scikit-learn's "scale"; a table without any spread has a scale too."""
    X = size * np.random.default_rng(0).normal(size=(50, 4))
    grids = [RbfSvm(tune=True)._grid(table, 50) for table in (X, 0 * X)]
    tried, of_zeros = (sorted({setting["gamma"] for setting in grid}) for grid in grids)
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


@pytest.mark.parametrize(
    ("n", "smallest", "repeats", "folds"),
    [(250, 100, 1, 5), (199, 90, 2, 5), (80, 40, 3, 5), (40, 20, 5, 5), (12, 3, 5, 3)],
)
def test_small_tables_are_folded_again(tried, n, smallest, repeats, folds):
    y = np.repeat([0, 1], [n - smallest, smallest])
    points = np.random.default_rng(0).normal(size=(n, 2))
    for method, most in ((KNeighbors(1), 5), (ScikitForest(2), 2)):
        tried.clear()
        method.set_params(tune=True, budget=2, random_state=0).fit(points, y)
        ((_, n_repeats, splits),) = tried
        assert n_repeats == min(repeats, most)
        assert splits == folds * n_repeats


def test_a_fold_must_leave_enough_rows_for_the_own_setting(tried):
    # of 20 and 40 rows a fifth is held out: 48 are left
    y = np.repeat([0, 1], [20, 40])
    KNeighbors(48, tune=True, budget=1, random_state=0).fit(X, y)
    assert len(tried) == 1
    KNeighbors(49, tune=True, budget=1, random_state=0).fit(X, y)
    assert len(tried) == 1


def test_other_settings_are_drawn_at_random_from_the_whole_grid(tried):
    for seed in range(3):
        LogisticRegression(tune=True, budget=5, random_state=seed).fit(X, Y)
    names = [[str(setting) for setting in settings[1:]] for settings, _, _ in tried]
    assert len({tuple(each) for each in names}) == 3
    LogisticRegression(tune=True, random_state=0).fit(X, Y)
    settings = tried[-1][0][1:]
    # eight values of C, each with the columns as they are and standardised
    drawn = sorted((s["model__C"][0], type(s["scale"][0]) is StandardScaler) for s in settings)
    assert drawn == [(10.0**e, scaled) for e in range(-4, 4) for scaled in (False, True)]


def test_the_best_setting_of_the_search_is_kept(monkeypatch):
    class FakeSearch(GridSearchCV):
        def fit(self, X, y):
            super().fit(X, y)
            self.cv_results_["rank_test_score"] = np.array([3, 2, 1, 4, 1])
            return self

    monkeypatch.setattr(_classifier, "GridSearchCV", FakeSearch)
    model = LogisticRegression(tune=True, budget=5, random_state=0).fit(X, Y)
    settings = model._settings(X, 48, 0)
    assert repr(model.chosen_) == repr(settings[2]) != repr(settings[3])
    # it is fitted, and the parameters are left as they were given
    assert model.chosen_["model__C"] == model.model_["model"].C
    scalers = (model.model_["scale"], model.chosen_["scale"])
    assert len({isinstance(scaler, StandardScaler) for scaler in scalers}) == 1
    given = LogisticRegression(tune=True, budget=5, random_state=0).get_params()
    assert clone(model).get_params() == given


GRIDS = {
    LinearSvm(): {"C": [10.0**e for e in range(-5, 2)]},
    RbfSvm(): {"C": [0.1, 1, 10, 100], "gamma": [1 / 16, 1 / 4, 1, 4]},
    KNeighbors(): {
        "n_neighbors": [1, 3, 5, 7, 11, 15, 21, 31], "weights": ["uniform", "distance"],
    },
    Mlp(): {
        "alpha": [1e-4, 1e-2, 1, 10], "hidden_layer_sizes": [(25,), (100,), (400,)],
    },
    GradientBoosting(): {
        "learning_rate": [0.03, 0.1, 0.3], "max_leaf_nodes": [3, 8, 31],
        "min_samples_leaf": [2, 20],
    },
}  # fmt: skip


@pytest.mark.parametrize("method", GRIDS, ids=lambda method: type(method).__name__)
def test_grids_are_those_that_are_documented(method):
    # the variance of all entries is 1 / 9 here: "scale" is 9 / 4 with four columns
    points = np.tile([[-1 / 3], [1 / 3]], (30, 4))
    grid = method._grid(points, 50)
    expected = dict(GRIDS[method])
    if "gamma" in expected:
        expected["gamma"] = [9 / 4 * times for times in expected["gamma"]]
    for name, values in expected.items():
        listed = list(dict.fromkeys(setting[name] for setting in grid))
        assert listed == (values if isinstance(values[0], str | tuple) else pytest.approx(values))
    assert len(grid) == np.prod([len(values) for values in expected.values()])


@pytest.mark.parametrize(
    ("p", "tried"),
    [
        (400, [5, 10, 20, 40, 80, 160, 320, 400]),
        (100, [2, 5, 10, 20, 40, 80, 100]),
        (4, [1, 2, 4]),
        (1, [1]),
    ],
)
def test_a_forest_tries_doublings_of_the_root(p, tried):
    grid = ScikitForest()._grid(np.zeros((3, p)), 2)
    # a root of 10: 2.5 and 5 below it, 2.5 rounds to the even number
    assert [setting["max_features"] for setting in grid] == tried
