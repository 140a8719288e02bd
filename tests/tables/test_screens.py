"""Requests of a user's call to the screen, and what the screen is told."""

from types import SimpleNamespace

import numpy as np
import pytest

from geoforest_cli.core.errors import DataError
from geoforest_cli.estimators import screening
from geoforest_cli.tables import cross_validate, find_columns, find_neighbors
from geoforest_cli.tables.screens import ScreenOptions, ScreenResult, unpaired_note


class Asked(Exception):
    """Arguments of the screen; nothing is computed."""


@pytest.fixture
def asked(monkeypatch):
    """Call something and return what the screen was told."""

    def screen(*given, **more):
        raise Asked(given, more)

    monkeypatch.setattr(screening, "ColumnScreen", screen)

    def ask(call, *arguments, **options):
        with pytest.raises(Asked) as caught:
            call(*arguments, **options)
        (which,), more = caught.value.args
        return {"which": which, **more}

    return ask


@pytest.fixture
def X():
    return np.random.default_rng(0).normal(size=(40, 3))


def test_every_wish_reaches_the_screen(asked, X):
    wish = {"level": 0.2, "seed": 7, "n_jobs": 2}
    plain = {"level": 0.2, "random_state": 7, "n_jobs": 2}
    alone = {"find_groups": False, **plain}
    assert asked(find_columns, X, "forest", adjust="fdr", **wish) == {
        "which": "forest", "adjust": "fdr", "find_groups": True, **plain,
    }  # fmt: skip
    fwer = {"which": "pairs", "adjust": "fwer", **alone}
    assert asked(find_neighbors, X, 3, "euclidean", screen="pairs", **wish) == fwer
    labels = np.arange(40) % 2
    assert asked(cross_validate, X, labels, "knn", screen="pairs", **wish) == fwer


def test_by_default_both_screens_bound_the_error_of_any_column(asked, X):
    assert asked(find_columns, X) == {
        "which": "both", "level": 0.01, "adjust": "fwer", "random_state": 0, "n_jobs": -1,
        "find_groups": True,
    }  # fmt: skip


def test_all_columns_of_a_category_are_kept_or_none(monkeypatch, X):
    """The screen sees three columns: x, the colour and y."""
    seen = []

    def fit(values):
        seen.append(values)

    kept = np.array([False, True, True])
    none = np.zeros(3)
    fake = SimpleNamespace(
        fit=fit, support_=kept, scores_=none, pvalues_=none, adjusted_=none, partners_=none
    )
    monkeypatch.setattr(screening, "ColumnScreen", lambda *_, **__: fake)
    marks = np.eye(3)[np.arange(40) % 3]
    points = np.column_stack([X[:, 0], marks, X[:, 1]])
    sources = ("x", "colour", "colour", "colour", "y")
    result = ScreenOptions("pairs", 0.01, "fdr", 0, 1).keep(points, sources, "the table")
    assert result.kept_among(sources).tolist() == [False, True, True, True, True]
    assert result.dropped == ("x",)
    assert result.names == ("x", "colour", "y")
    assert np.array_equal(seen[0], np.column_stack([X[:, 0], np.arange(40) % 3, X[:, 1]]))
    fake.support_ = np.zeros(3, bool)
    with pytest.raises(DataError, match="screen='pairs' keeps none; without it all 3 are used"):
        ScreenOptions("pairs", 0.01, "fdr", 0, 1).keep(points, sources, "the table")


def test_dropped_columns_are_named_ten_at_a_time():
    def sentence(dropped):
        names = tuple(f"c{i}" for i in range(dropped + 1))
        none = np.zeros(dropped + 1)
        kept = np.arange(dropped + 1) == dropped
        return ScreenResult(names, kept, none, none, none, none.astype(int)).sentence()

    assert sentence(11).endswith(": c0, c1, c2, c3, c4, c5, c6, c7, c8, c9, c10.")
    assert sentence(12).endswith("c8, c9 and 2 more (find_columns lists all).")


@pytest.mark.parametrize(
    ("which", "p", "unpaired"),
    [("both", 20_000, False), ("both", 20_001, True), ("forest", 20_001, False), ("auto", 20_001, True)],
)  # fmt: skip
def test_a_screen_of_many_columns_compares_no_pairs(which, p, unpaired):
    assert bool(unpaired_note(which, p)) == unpaired
