"""Promises of all screens."""

import pickle

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks

from geoforest_cli.core.errors import DataError
from geoforest_cli.estimators.screening import (
    ColumnScreen,
    CorrelationScreen,
    ForestScreen,
    PairScreen,
    ScreenedNeighbors,
)
from geoforest_cli.problems.manifolds import MANIFOLDS
from tests.estimators.screening.slow import NOISE

OURS = [
    PairScreen(),
    CorrelationScreen(),
    ForestScreen(halves=10, random_state=1),
    ColumnScreen("both", random_state=0),
    ColumnScreen("auto"),
]
BY_NAME = pytest.mark.parametrize("screen", OURS, ids=str)
FITTED = ("scores_", "pvalues_", "adjusted_", "partners_", "support_")

pytestmark = [
    pytest.mark.compiled,
    pytest.mark.filterwarnings("ignore:No features were selected", "ignore:none of the"),
]


# of scikit-learn's random tables no column may be kept
EMPTY = {"on_none": "empty"}
CHECKED = [
    PairScreen(**EMPTY), CorrelationScreen(**EMPTY), ForestScreen(halves=2, **EMPTY),
    ColumnScreen("auto", **EMPTY), ScreenedNeighbors(screen="auto"),
]  # fmt: skip


@parametrize_with_checks(CHECKED)
def test_scikit_learn_conventions(estimator, check):
    check(estimator)


def curve(rng, n=200, noise=10):
    t = rng.uniform(size=n)
    return np.c_[np.cos(4 * t), np.sin(4 * t), rng.normal(size=(n, noise))]


@BY_NAME
def test_names_and_what_is_fitted(screen):
    rng = np.random.default_rng(0)
    names = [f"column {j}" for j in range(12)]
    frame = pd.DataFrame(curve(rng), columns=names)
    screen.fit(frame)
    for name in FITTED:
        assert getattr(screen, name).shape == (12,)
    assert screen.partners_.dtype == np.int64
    assert screen.support_.dtype == bool
    kept = np.array(names)[screen.get_support()]
    assert screen.get_feature_names_out().tolist() == kept.tolist()
    again = pickle.loads(pickle.dumps(screen))
    np.testing.assert_array_equal(again.adjusted_, screen.adjusted_)
    if not isinstance(screen, CorrelationScreen):  # blind to the two columns of a circle
        assert kept.tolist() == names[:2]
        np.testing.assert_array_equal(screen.transform(frame), frame.to_numpy()[:, :2])


@BY_NAME
def test_no_column_is_an_error_unless_an_empty_table_is_wanted(screen):
    noise = np.random.default_rng(1).normal(size=(60, 4))
    fitted = clone(screen).fit(noise)
    assert not fitted.support_.any()
    words = r"^No column was kept: none of 4 depends on the others at level=0\.01\. A larger level"
    with pytest.raises(ValueError, match=words):
        fitted.transform(noise)
    with pytest.warns(UserWarning, match="No features were selected"):
        assert fitted.set_params(on_none="empty").transform(noise).shape == (60, 0)
    # what does not return columns says what it said
    assert fitted.get_support(indices=True).tolist() == []
    assert fitted.get_feature_names_out().tolist() == []


DEGENERATE = {
    "one column": np.arange(20.0)[:, None],
    "constant": np.ones((20, 3)),
    "no value": np.c_[np.full(20, np.nan), np.arange(20.0)],
    "no values": np.full((20, 3), np.nan),
    "two rows": np.array([[0.0, 1], [1, 0]]),
    "three rows": np.array([[0.0, 1, 5], [1, 0, 5], [3, 3, 4]]),
    "one row": np.array([[0.0, 1, 5]]),
    "nothing in common": np.r_[
        np.c_[np.arange(20.0), np.full(20, np.nan)], np.c_[np.full(20, np.nan), np.arange(20.0)]
    ],
    "huge and tiny": np.random.default_rng(0).normal(size=(30, 2)) * [1e300, 1e-300],
}


@BY_NAME
@pytest.mark.parametrize("table", DEGENERATE.values(), ids=DEGENERATE)
def test_tables_that_hardly_are_any(screen, table):
    screen.fit(table)
    assert np.isfinite(screen.scores_).all()
    assert ((screen.pvalues_ >= 0) & (screen.pvalues_ <= 1)).all()
    constant = [len(np.unique(column[~np.isnan(column)])) < 2 for column in table.T]
    assert (screen.pvalues_[constant] == 1).all()
    assert not screen.get_support().any()


@BY_NAME
def test_duplicates_are_partners_of_each_other(screen):
    rng = np.random.default_rng(0)
    table = rng.normal(size=(100, 8))
    table[:, 6] = table[:, 1]
    screen.fit(table)
    assert screen.get_support(indices=True).tolist() == [1, 6]
    if not isinstance(screen, ForestScreen):
        assert screen.partners_[[1, 6]].tolist() == [6, 1]


def test_both_is_either_at_twice_the_p_value():
    rng = np.random.default_rng(0)
    table = np.c_[curve(rng), np.repeat([0.0, 1], 100)]
    both = ColumnScreen("both", random_state=0).fit(table)
    pairs, forest = PairScreen().fit(table), ForestScreen(random_state=0).fit(table)
    smaller = np.minimum(pairs.pvalues_, forest.pvalues_)
    np.testing.assert_array_equal(both.pvalues_, np.minimum(2 * smaller, 1))
    # but where the forest is surer, and the pair itself is nothing unusual
    named = (forest.pvalues_ >= pairs.pvalues_) | (pairs.pvalues_ <= 0.01)
    np.testing.assert_array_equal(both.partners_, np.where(named, pairs.partners_, -1))
    assert set(named) == {True, False}
    alone = ColumnScreen("forest", random_state=0).fit(table)
    for name in FITTED:
        np.testing.assert_array_equal(getattr(alone, name), getattr(forest, name))
    with pytest.raises(
        DataError, match=r"^The 'method' parameter of ColumnScreen must be a str among"
    ):
        ColumnScreen("trees").fit(table)


@pytest.mark.nightly
@pytest.mark.parametrize("kind", NOISE)
@pytest.mark.parametrize(
    ("screen", "seeds", "size", "most"),
    # at .05 Holm's bound is that 3 of 60 tables keep anything; 10 would come once in 1500 times
    [(PairScreen(level=0.05), 60, (200, 60), 9),
     (ForestScreen(level=0.05, halves=8, random_state=0), 25, (150, 20), 6)],
)  # fmt: skip
def test_noise_is_dropped(screen, seeds, size, most, kind):
    tables = (NOISE[kind](np.random.default_rng(seed), size) for seed in range(seeds))
    assert sum(screen.fit(table).support_.any() for table in tables) <= most


@pytest.mark.parametrize("name", ["linear", "helix", "sphere", "gaussian_mixture"])
@pytest.mark.parametrize("method", ["pairs", pytest.param("both", marks=pytest.mark.nightly)])
def test_the_papers_manifolds_are_found_in_noise(name, method):
    rng = np.random.default_rng(0)
    points = MANIFOLDS[name].load()(400, "as_run", rng).points
    table = np.c_[points, rng.normal(0, 70, (400, 100))]
    screen = ColumnScreen(method, random_state=0).fit(table)
    assert screen.get_support(indices=True).tolist() == list(range(points.shape[1]))


@pytest.mark.parametrize("shape", [np.exp, lambda x: x**3, lambda x: 1000 / 3 * x - 7])
def test_what_is_kept_does_not_depend_on_the_shape_of_columns(shape):
    rng = np.random.default_rng(0)
    t = rng.uniform(0, 2 * np.pi, 600)
    knot = np.c_[np.sin(t) + 2 * np.sin(2 * t), np.cos(t) - 2 * np.cos(2 * t), -np.sin(3 * t)]
    table = StandardScaler().fit_transform(np.c_[knot, rng.normal(size=(600, 30))])
    for method in ("forest", "auto"):
        screen = ColumnScreen(method, random_state=0).fit(shape(table))
        assert screen.get_support(indices=True).tolist() == [0, 1, 2]


def test_where_it_ends():
    rng = np.random.default_rng(0)
    n = 500
    # noise columns that depend on one another are kept: 2 hidden factors behind 20
    factors = rng.normal(size=(n, 2)) @ rng.normal(size=(2, 20)) + 0.5 * rng.normal(size=(n, 20))
    # a roll's width depends on nothing
    angle, width = rng.uniform(4, 14, n), rng.uniform(size=n)
    table = np.c_[angle * np.cos(angle), width, angle * np.sin(angle), factors]
    kept = PairScreen().fit(table).get_support()
    assert kept[:3].tolist() == [True, False, True]
    assert kept[3:].all()
    # rotated, every column depends on every other
    space = np.c_[10 * np.cos(angle), 10 * np.sin(angle), rng.normal(size=(n, 4))]
    rotation = np.linalg.qr(rng.normal(size=(6, 6)))[0]
    assert PairScreen().fit(space @ rotation).get_support().all()
    assert PairScreen().fit(space).get_support().sum() == 2
