"""The screen in front of a Geodesic Forest: what it keeps, says, and what it is worth."""

import pickle

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone

from geoforest_cli.estimators.base.validation import names_of
from geoforest_cli.estimators.forests.geodesic_forest import GeodesicForest
from geoforest_cli.estimators.forests.presets import AS_RUN, AS_WRITTEN
from geoforest_cli.estimators.screening import ColumnScreen, ScreenedNeighbors, auto
from geoforest_cli.estimators.screening.auto import auto_screen

pytestmark = pytest.mark.compiled


def noisy(n=150, noise=6):
    t = np.random.default_rng(5).uniform(0, 2 * np.pi, n)
    rest = np.random.default_rng(6).normal(size=(n, noise))
    return np.c_[rest[:, :2], np.cos(t), rest[:, 2:], np.sin(t)]


def test_it_says_what_it_keeps_and_drops():
    X = noisy()
    forest = GeodesicForest(5, random_state=0).fit(X)
    assert forest.kept_.tolist() == [2, 7]
    assert forest.dropped_.tolist() == [0, 1, 3, 4, 5, 6]
    assert forest.note_ == "The screen keeps 2 of 8 columns; dropped: x0, x1, x3, x4, x5, x6."
    named = GeodesicForest(5, random_state=0).fit(pd.DataFrame(X, columns=list("abcdefgh")))
    assert named.note_.endswith("dropped: a, b, d, e, f, g.")
    assert named.feature_names_in_[named.kept_].tolist() == ["c", "h"]
    wide = auto_screen(noisy(noise=16))
    assert names_of(wide.dropped, None).endswith(
        "x0, x1, x3, x4, x5, x6, x7, x8, x9, x10 and 6 more"
    )


def test_the_forest_is_that_of_the_columns_kept():
    X = noisy()
    new = X[:20] + 0.01
    forest = GeodesicForest(10, random_state=0).fit(X)
    alone = GeodesicForest(10, random_state=0, screen=None).fit(X[:, [2, 7]])
    for ours, theirs in zip(forest.kneighbors(new), alone.kneighbors(new[:, [2, 7]]), strict=True):
        np.testing.assert_array_equal(ours, theirs)
    np.testing.assert_array_equal(forest.proximity(), alone.proximity())
    text = forest.export_text().replace("x2", "x0").replace("x7", "x1")
    assert text == alone.export_text()
    other = new.copy()
    other[:, forest.dropped_] = 99
    np.testing.assert_array_equal(forest.apply(other), forest.apply(new))
    again = pickle.loads(pickle.dumps(forest))
    np.testing.assert_array_equal(again.apply(new), forest.apply(new))
    assert clone(forest).screen == "auto"
    with pytest.raises(ValueError, match="expecting 8 features"):
        forest.apply(new[:, [2, 7]])


ALL_KEPT = {
    "three columns": (np.c_[noisy()[:, :2], noisy()[:, 2] ** 2], ""),
    "one column": (noisy()[:, :1], ""),
    "nothing depends": (
        np.delete(noisy(), 2, axis=1), "No two columns were found to depend on each other: all 7 are used."
    ),
    "all depend": (np.outer(noisy()[:, 2], [1, 2, 3, 4]) + 0.01 * noisy()[:, :4], ""),
    "one of five": (
        np.c_[np.outer(noisy()[:, 2], [1, 2, 3, 4]), noisy()[:, 0]],
        "No column is dropped: only x4 of 5 depends on no other.",
    ),
    "constant columns": (
        np.ones((50, 5)), "No two columns were found to depend on each other: all 5 are used."
    ),
    "nine rows": (np.c_[np.outer(np.arange(9), [1, 2, 3]), noisy(9)[:, :4]], ""),
}  # fmt: skip


@pytest.mark.parametrize("case", ALL_KEPT)
def test_where_all_columns_are_kept(case):
    X, note = ALL_KEPT[case]
    screened = auto_screen(X)
    assert screened.kept.tolist() == list(range(X.shape[1]))
    assert not len(screened.dropped)
    assert screened.sentence(lambda columns: names_of(columns, None)) == note


def test_two_in_forty_may_be_dropped_wrongly_and_three_are():
    tied = np.outer(noisy()[:, 2], np.ones(38)) + 0.1 * np.random.default_rng(0).normal(
        size=(150, 38)
    )
    assert not len(auto_screen(np.c_[tied, noisy()[:, :2]]).dropped)
    three = np.delete(noisy(), 2, axis=1)[:, :3]
    assert auto_screen(np.c_[tied, three]).dropped.tolist() == [38, 39, 40]


def test_too_many_columns_are_not_screened_and_it_says_so(monkeypatch):
    monkeypatch.setattr(auto, "MOST_COLUMNS", 7)
    forest = GeodesicForest(3, random_state=0).fit(noisy())
    assert len(forest.kept_) == 8
    assert forest.note_.startswith("8 columns are not screened, as up to 7 are")


@pytest.mark.parametrize(
    "rules",
    [{"screen": None}, {"criterion": "fast_bic"}, AS_WRITTEN, AS_RUN],
    ids=["none", "fast_bic", "as written", "as run"],
)
def test_what_the_papers_do_sees_all_columns(rules, monkeypatch):
    monkeypatch.setattr(ColumnScreen, "fit", None)
    forest = GeodesicForest(2, random_state=0, **rules).fit(noisy())
    assert forest.kept_.tolist() == list(range(8))
    assert not len(forest.dropped_)
    assert forest.note_ == ""


def test_excluded_columns_and_dropped_ones_are_both_left_out():
    X = np.c_[noisy(), noisy()[:, 2] > 0]
    forest = GeodesicForest(5, binary_columns="exclude", random_state=0).fit(X)
    assert forest.kept_.tolist() == [2, 7, 8]
    assert {"x2", "x7"} >= {word for word in forest.export_text().split() if word.startswith("x")}


def test_a_forest_behind_another_screen_has_none_of_its_own():
    model = ScreenedNeighbors("geodesic_forest", {"n_estimators": 3}, screen="pairs")
    assert model.fit(noisy()).method_.screen is None
    asked = ScreenedNeighbors("geodesic_forest", {"n_estimators": 3, "screen": "auto"})
    assert asked.fit(noisy()).method_.screen == "auto"
    plain = ScreenedNeighbors("euclidean").fit(noisy())
    assert "screen" not in plain.method_.get_params()
