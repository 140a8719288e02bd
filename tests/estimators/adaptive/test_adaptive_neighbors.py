"""Adaptive neighbours: what they promise to users."""

import pickle

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.utils.estimator_checks import parametrize_with_checks

from geoforest_cli import AdaptiveNeighbors, GeodesicForest

pytestmark = [
    pytest.mark.filterwarnings("ignore::sklearn.exceptions.SkipTestWarning"),
    pytest.mark.filterwarnings("ignore:most trees have at most"),
]


@parametrize_with_checks([AdaptiveNeighbors(2)])
def test_scikit_learn_conventions(estimator, check):
    check(estimator)


def trefoil(n, seed=0):
    t = np.random.default_rng(seed).uniform(size=n)
    a = 2 * np.pi * t
    knot = np.c_[
        np.sin(a) + 2 * np.sin(2 * a), np.cos(a) - 2 * np.cos(2 * a), -np.sin(3 * a)
    ]  # fmt: skip
    gap = np.abs(t[:, None] - t)
    return knot, np.minimum(gap, 1 - gap)


def paraboloid(n, seed=0):
    u, v = np.random.default_rng(seed).uniform(-1, 1, size=(2, n))
    points = np.c_[u, v, (u**2 + v**2) / 2]
    # along the radius the arc of a parabola; so flat a bowl that chords tell the near ones
    return points, np.linalg.norm(points[:, None] - points, axis=2)


def precision(truth, rows):
    k = rows.shape[1]
    order = np.argsort(truth + 1e9 * np.eye(len(truth)), axis=1)[:, :k]
    return np.mean([len(set(a) & set(b)) / k for a, b in zip(order, rows, strict=True)])


def lists(X, k=20, **params):
    fitted = AdaptiveNeighbors(random_state=0, **params).fit(X)
    return fitted.kneighbors(n_neighbors=k, return_distance=False)


def noise(n, p=30, seed=9):
    return np.random.default_rng(seed).lognormal(size=(n, p))


@pytest.mark.parametrize(("shape", "least"), [(trefoil, 0.98), (paraboloid, 0.95)])
def test_curved_shapes_clean_and_among_lognormal_columns(shape, least):
    X, truth = shape(400)
    clean = precision(truth, lists(X))
    noisy = precision(truth, lists(np.c_[X, noise(400)]))
    assert clean > least
    assert noisy > least
    assert precision(truth, lists(np.c_[noise(400), 0.01 * X])) > least


@pytest.mark.nightly
@pytest.mark.parametrize("shape", [trefoil, paraboloid])
@pytest.mark.parametrize("change", [np.exp, lambda X: X * [1, 50, 2000]])
def test_precision_withstands_a_change_of_all_columns(shape, change):
    X, truth = shape(400)
    X = X / X.std(axis=0)
    before, after = precision(truth, lists(X)), precision(truth, lists(change(X)))
    assert abs(before - after) <= 0.05


@settings(max_examples=10)
@given(seed=st.integers(0, 99))
def test_the_order_of_rows_does_not_matter(seed):
    X, _ = trefoil(120)
    order = np.random.default_rng(seed).permutation(120)
    first = AdaptiveNeighbors(5, scale="raw").fit(X).kneighbors()
    other = AdaptiveNeighbors(5, scale="raw").fit(X[order]).kneighbors()
    np.testing.assert_allclose(other[0], first[0][order], rtol=1e-9)
    assert np.array_equal(order[other[1]], first[1][order])


@settings(max_examples=10)
@given(power=st.integers(-20, 20))
def test_one_unit_for_all_columns_does_not_matter(power):
    X, _ = trefoil(120)
    X = np.c_[X, noise(120, 5)]
    first = AdaptiveNeighbors(5, random_state=0).fit(X)
    other = AdaptiveNeighbors(5, random_state=0).fit(X * 2.0**power)
    assert other.describe() == first.describe()
    assert np.array_equal(first.kneighbors()[1], other.kneighbors()[1])


@pytest.mark.parametrize("share", ["auto", 0.3, 1.0])
def test_equal_input_gives_equal_bytes_whatever_the_threads(share):
    X = np.c_[trefoil(150)[0], noise(150, 6)]
    fits = [
        AdaptiveNeighbors(7, forest_share=share, random_state=3, n_jobs=jobs).fit(X)
        for jobs in (None, 1, 2)
    ]
    fits += [clone(fits[0]).fit(X), pickle.loads(pickle.dumps(fits[0]))]
    for new in (None, X[:20] + 0.01):
        distances, rows = fits[0].kneighbors(new)
        for other in fits[1:]:
            assert other.kneighbors(new)[0].tobytes() == distances.tobytes()
            assert other.kneighbors(new)[1].tobytes() == rows.tobytes()


@pytest.mark.parametrize("share", ["auto", 0.3])
def test_new_rows_that_equal_fitted_ones_are_these(share):
    X = trefoil(150)[0]
    fitted = AdaptiveNeighbors(7, forest_share=share, random_state=0).fit(X)
    distances, rows = fitted.kneighbors(X[30:60], 8)
    assert rows[:, 0].tolist() == list(range(30, 60))
    assert not distances[:, 0].any()
    if share == "auto":
        assert np.array_equal(rows[:, 1:], fitted.kneighbors()[1][30:60])


@pytest.mark.parametrize("share", [0.0, 0.3])
def test_new_rows_have_the_neighbours_of_those_beside_them(share):
    X, truth = trefoil(300)
    fitted = AdaptiveNeighbors(10, forest_share=share, random_state=0).fit(X[:280])
    distances, rows = fitted.kneighbors(X[280:])
    assert (np.diff(distances, axis=1) >= 0).all()
    order = np.argsort(truth[280:, :280], axis=1)[:, :10]
    hits = [len(set(a) & set(b)) / 10 for a, b in zip(order, rows, strict=True)]
    assert np.mean(hits) > 0.9


def test_choices_can_be_read():
    X = pd.DataFrame(np.c_[trefoil(200)[0], noise(200, 20)]).rename(columns="c{}".format)
    fitted = AdaptiveNeighbors().fit(X)
    assert fitted.kept_.tolist() == [0, 1, 2]
    assert fitted.dropped_.tolist() == list(range(3, 23))
    assert list(fitted.feature_names_in_[fitted.kept_]) == ["c0", "c1", "c2"]
    expected = "kept 3 of 23 columns; columns raw; graph geodesic, no forest"
    assert fitted.describe() == expected
    wide = np.random.default_rng(0).normal(size=(150, 25))
    alone = AdaptiveNeighbors(5, random_state=0).fit(wide)
    assert alone.describe() == (
        "kept all 25 columns, as no two were found to depend on each other; columns raw; "
        "forest alone"
    )
    forest = GeodesicForest(n_neighbors=5, screen=None, random_state=0).fit(wide)
    assert np.array_equal(alone.kneighbors()[1], forest.kneighbors(n_neighbors=5)[1])


def test_settings_overrule_the_choice():
    X = trefoil(150)[0]
    fitted = AdaptiveNeighbors(scale="standardised", forest_share=0.0).fit(X)
    assert (fitted.scale_, fitted.forest_share_) == ("standardised", 0.0)
    assert not hasattr(fitted, "forest_")
    assert hasattr(clone(fitted).set_params(forest_share=0.1).fit(X), "forest_")
    assert not hasattr(fitted.set_params(forest_share=0.1).fit(X).set_params(
        forest_share="auto").fit(X), "forest_")  # fmt: skip


@pytest.mark.parametrize(
    "X",
    [
        np.arange(40.0)[:, None] ** 2,
        np.ones((40, 3)),
        np.random.default_rng(2).normal(size=(2, 3)),
        np.random.default_rng(3).normal(size=(12, 3)),
        np.c_[np.arange(40.0), np.ones(40)],
        np.random.default_rng(0).integers(2, size=(60, 4)),
        np.repeat(np.random.default_rng(0).normal(size=(3, 2)), 30, axis=0),
        np.r_[np.zeros((30, 2)), 1e9 + np.arange(60.0).reshape(30, 2)],
        np.random.default_rng(0).normal(size=(20, 400)),
        1e-200 * np.random.default_rng(0).normal(size=(40, 3)),
        1e140 * np.random.default_rng(0).normal(size=(40, 3)),
    ],
)
def test_odd_tables_have_whole_lists(X):
    fitted = AdaptiveNeighbors(random_state=0).fit(X)
    n = len(X)
    distances, rows = fitted.kneighbors(n_neighbors=n - 1)
    assert all(sorted([i, *listed]) == list(range(n)) for i, listed in enumerate(rows.tolist()))
    assert (np.diff(distances, axis=1) >= 0).all()
    assert fitted.kneighbors(X[:2] * 1.01, min(n, 10))[1].shape == (2, min(n, 10))


@pytest.mark.parametrize(
    ("X", "message"),
    [
        ([[1.0, np.nan], [0, 1]], "NaN"),
        ([[1.0, np.inf], [0, 1]], "infinity"),
        ([[1.0, 1e160], [0, 1]], "values up to 1e\\+150"),
        ([["a", "b"], ["c", "d"]], "could not convert"),
    ],
)
def test_what_is_no_table_of_numbers_is_refused(X, message):
    with pytest.raises(ValueError, match=message):
        AdaptiveNeighbors().fit(X)


def test_of_a_wide_table_the_nearest_by_correlation():
    """Classes in many columns, under a level and a size of each row that say nothing."""
    rng = np.random.default_rng(5)
    classes = np.repeat(np.arange(6), 12)
    signal = rng.normal(size=(6, 400))[classes] + 1.5 * rng.normal(size=(72, 400))
    noise = rng.normal(size=(72, 200))
    table = np.c_[signal, noise] * rng.lognormal(0, 0.7, size=(72, 1)) + rng.normal(size=(72, 1))
    fitted = AdaptiveNeighbors(random_state=0).fit(table)
    assert fitted.scale_ == "correlation"
    assert fitted.forest_share_ == 0
    assert "; rows by correlation; graph geodesic, no forest" in fitted.describe()
    kept = table[:, fitted.kept_]
    expected = np.corrcoef(kept - kept.mean(axis=0))
    np.fill_diagonal(expected, -np.inf)
    rows = fitted.kneighbors(n_neighbors=8, return_distance=False)
    assert (rows == np.argsort(-expected, axis=1)[:, :8]).mean() > 0.95
    before = AdaptiveNeighbors(scale="raw", random_state=0).fit(table)
    lost = before.kneighbors(n_neighbors=8, return_distance=False)
    same = [(classes[neighbors] == classes[:, None]).mean() for neighbors in (rows, lost)]
    assert same[0] > same[1] + 0.2
    new = fitted.kneighbors(table[:5], n_neighbors=1, return_distance=False)
    assert new[:, 0].tolist() == [0, 1, 2, 3, 4]
