"""Callbacks and screens of a cross-validation, fold by fold, and the note on all screens."""

import numpy as np
import pandas as pd
import pytest

from geoforest_cli.tables.cross_validation import FoldModel, cross_predict, screen_note
from geoforest_cli.tables.folds import Splits
from geoforest_cli.tables.screens import ScreenOptions, ScreenResult
from geoforest_cli.tables.table import UserTable

NAMES = ("a", "b", "c", "d")


def screened(kept):
    zeros = np.zeros(4)
    return ScreenResult(NAMES, np.isin(NAMES, list(kept)), zeros, zeros, zeros, zeros.astype(int))


def model(points, screening=None):
    table = UserTable(points, pd.Series(range(len(points))), NAMES, NAMES, (), "t")
    return FoldModel("knn", {"n_neighbors": 1}, "none", screening, table, 0, 1)


def test_each_fold_is_told_with_its_own_rows_and_accuracy():
    rng = np.random.default_rng(0)
    points, labels = rng.normal(size=(31, 4)), np.repeat(["u", "v"], [15, 16])
    folds, tested = [], []
    splits = Splits(4, 3)
    predicted, accuracies, screens = cross_predict(
        model(points), labels, splits, lambda *step: folds.append(step),
        lambda *step: tested.append(step),
    )  # fmt: skip
    assert screens == []
    assert len(set(accuracies)) > 1
    assert folds == [(number, 4, value) for number, value in enumerate(accuracies, 1)]
    for (train, test), (fitted, X, y, accuracy), told_accuracy in zip(
        splits.parts(labels), tested, accuracies, strict=True
    ):
        assert np.array_equal(X, points[test])
        assert np.array_equal(y, labels[test])
        far = np.linalg.norm(points[test][:, None] - points[train], axis=2)
        nearest = labels[train][far.argmin(axis=1)]
        assert fitted.predict(X).tolist() == predicted[test].tolist() == nearest.tolist()
        assert accuracy == told_accuracy == np.mean(predicted[test] == labels[test])


def test_the_rows_to_learn_from_decide_what_is_kept(monkeypatch):
    kept = iter(["ab", "cd", "abcd"])
    seen = []

    def keep(_, X, sources, name, rows):
        seen.append((len(X), tuple(sources), name, rows))
        return screened(next(kept))

    monkeypatch.setattr(ScreenOptions, "keep", keep)
    points, labels = np.random.default_rng(1).normal(size=(30, 4)), np.repeat(["u", "v"], 15)
    fits = []
    _, _, screens = cross_predict(
        model(points, ScreenOptions("pairs")), labels, Splits(3, 0), lambda *_: None,
        lambda fitted, *_: fits.append(fitted.columns().tolist()),
    )  # fmt: skip
    assert seen == [(20, NAMES, "t", " in 20 rows to learn from")] * 3
    assert fits == [screen.kept.tolist() for screen in screens]
    assert fits == [[True, True, False, False], [False, False, True, True], [True] * 4]


@pytest.mark.parametrize(
    ("kept", "said"),
    [
        (["ab", "ab", "ab"], "keeps 2 of 4 columns; dropped in all folds: c, d"),
        (["ab", "a", "abc"], "keeps 1 to 3 of 4 columns; dropped in all folds: d; in some: b, c"),
        (["abcd", "abcd", "abcd"], "keeps 4 of 4 columns"),
        (["abcd", "abcd", "bcd"], "keeps 3 to 4 of 4 columns; in some: a"),
        (["ab", "cd", "ab"], "keeps 2 of 4 columns; in some: a, b, c, d"),
    ],
)
def test_what_the_screens_of_all_folds_have_kept(kept, said):
    screens = [screened(names) for names in kept]
    counts = pd.Series(np.sum([screen.kept for screen in screens], axis=0), index=list(NAMES))
    assert screen_note(screens, counts) == (
        f"The screen, fitted on the training rows of each fold, {said} (find_columns on all rows "
        "says more)."
    )
