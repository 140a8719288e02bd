"""Columns of a user's table that depend on others, from Python."""

import functools
from typing import get_args

import numpy as np
import pandas as pd
import pytest
from matplotlib.image import imread
from sklearn.model_selection import StratifiedKFold

from geoforest_cli.core.errors import DataError, UserError
from geoforest_cli.estimators.screening import ColumnScreen
from geoforest_cli.tables import (
    cross_validate,
    find_columns,
    find_neighbors,
)
from geoforest_cli.tables.choices import ScreenMethod
from geoforest_cli.tables.figures import draw_columns, write_figure
from geoforest_cli.tables.figures.columns import null_range


@pytest.fixture(scope="module")
def circle():
    """Two columns of a circle, twelve of noise in between."""
    rng = np.random.default_rng(0)
    t = rng.uniform(0, 2 * np.pi, 300)
    noise = pd.DataFrame(rng.normal(size=(300, 12)), columns=[f"n{i}" for i in range(12)])
    noise.insert(4, "x", np.cos(t))
    noise.insert(9, "y", np.sin(t))
    return noise


@pytest.fixture(scope="module")
def screened(circle):
    """The screens of the circle, each fitted once."""
    return functools.cache(lambda which: ColumnScreen(which, random_state=3).fit(circle.to_numpy()))


@pytest.mark.compiled
@pytest.mark.parametrize(
    ("which", "kind"),
    [(which, "frame") for which in get_args(ScreenMethod)]
    + [("pairs", "array"), ("pairs", "path")],
)
def test_columns_are_those_of_the_screen(circle, screened, tmp_path, which, kind):
    table = circle
    if kind == "array":
        table = circle.to_numpy()
    elif kind == "path":
        circle.to_parquet(tmp_path / "t.parquet")
        table = tmp_path / "t.parquet"
    result = find_columns(table, which, seed=3, n_jobs=2)
    screen = screened(which)
    assert np.array_equal(result.kept, screen.support_)
    assert np.array_equal(result.scores, screen.scores_)
    assert np.array_equal(result.pvalues, screen.pvalues_)
    assert np.array_equal(result.adjusted, screen.adjusted_)
    assert np.array_equal(result.partners, screen.partners_)
    assert result.rows == 300
    assert result.names == tuple(map(str, range(14)) if kind == "array" else circle.columns)
    kept = {circle.columns[number] for number in np.flatnonzero(result.kept)}
    # neither coordinate of a circle rises with the other
    assert kept == set() if which == "correlation" else kept >= {"x", "y"}


def test_the_ranking(circle):
    result = find_columns(circle, "pairs")
    lines = result.frame()
    assert lines.columns.tolist() == [
        "rank", "column", "kept", "z", "p_value", "adjusted", "partner", "group",
    ]  # fmt: skip
    assert lines["rank"].tolist() == list(range(1, 15))
    assert sorted(lines["column"]) == sorted(circle.columns)
    assert result.selected == ("x", "y")
    assert lines["kept"].tolist() == [True] * 2 + [False] * 12
    assert lines["column"].tolist()[:2] == ["x", "y"]  # as in the table: their p-values are equal
    assert (np.diff(lines["p_value"]) >= -1e-9).all()
    assert lines["group"].tolist()[:2] == [1, 1]
    assert lines["group"][2:].isna().all()
    for line in lines.itertuples():
        number = list(circle.columns).index(line.column)
        assert line.partner == circle.columns[result.partners[number]]
        assert line.z == result.scores[number]
    assert result.summary() == (
        "2 of 14 columns depend on others, in 1 group (pairs, family-wise error 0.01, 300 rows)."
    )


def test_groups_are_those_of_the_screen(circle, screened):
    for which in get_args(ScreenMethod):
        result = find_columns(circle, which, seed=3)
        assert result.groups.tolist() == screened(which).groups_.tolist()
        assert result.count == result.groups.max(initial=0)
    result = find_columns(circle, "pairs")
    assert result.group_of(1) == ("x", "y")
    nothing = find_columns(circle[["n1", "n2", "n3"]])
    assert nothing.count == 0


def test_a_category_is_one_column_and_not_its_own_partner():
    rng = np.random.default_rng(1)
    x = rng.uniform(size=240)
    words = np.array(["low", "middle", "high"])
    table = pd.DataFrame(
        {
            "x": x,
            "known": words[(3 * x).astype(int)],
            "coin": rng.choice(["heads", "tails"], 240),
            "colour": rng.choice(["red", "green", "blue", "white"], 240),
            "name": [f"row {i}" for i in range(240)],
        }
    )
    sayings = []
    result = find_columns(table, on_note=sayings.append)
    assert result.names == ("x", "known", "coin", "colour")
    assert result.selected == ("x", "known")
    notes = [
        "Category of 3 values, as one column: known.",
        "Category of 2 values, as one column: coin.",
        "Category of 4 values, as one column: colour.",
        "Left out, not numeric: name.",
        (
            "Used as features, though they may be classes (text or few whole values): known, coin, "
            "colour; exclude leaves them out."
        ),
    ]
    assert sayings == list(result.notes) == notes
    neighbors = find_neighbors(table, 3, "euclidean", screen="pairs")
    assert neighbors.columns == ("x", "known=high", "known=low", "known=middle")
    assert neighbors.dropped == ("coin", "colour")


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ({"method": "piars"}, "^method: unknown screen 'piars'; did you mean 'pairs'"),
        ({"adjust": "fdrr"}, "^adjust: unknown correction 'fdrr'; did you mean 'fdr'"),
        ({"level": 0}, "^level=0: a level lies between 0 and 1"),
        ({"level": float("nan")}, "^level=nan: a level"),
        ({"columns": ["z"]}, "^the DataFrame: unknown column 'z'"),
        ({"columns": ["x"]}, "^the DataFrame: 'x' is the only column, and a screen compares"),
        ({"identifier": "idd"}, "unknown column 'idd'"),
        ({"table": np.arange(12.0).reshape(6, 2)}, "^the array: 6 rows, but a screen needs at"),
        ({"table": np.ones((30, 2))}, "no column is left to compare. .*same in every row: 0, 1"),
        ({"table": "no such.csv"}, "there is no file"),
        ({"table": [[np.inf, 1.0]] * 30}, "'0' has 30 infinite values"),
    ],
)
def test_what_is_refused(circle, changed, words):
    with pytest.raises(UserError, match=words) as caught:
        find_columns(**{"table": circle, **changed})
    assert len(caught.value.sentences) == 1


def test_mistakes_in_a_screen_are_found_before_the_table_is_read():
    with pytest.raises(UserError, match="a level lies"):
        find_columns("no such file.csv", level=3)
    with pytest.raises(UserError, match="a level lies"):
        find_neighbors("no such file.csv", screen="pairs", level=3)
    with pytest.raises(UserError, match=r"^screen: unknown screen 'bth'; did you mean 'both'"):
        cross_validate("no such file.csv", "y", screen="bth")


@pytest.mark.nightly
@pytest.mark.compiled
@pytest.mark.parametrize("p", [2, 41])
@pytest.mark.parametrize("which", ["pairs", "forest"])
def test_pictures_name_the_first_columns_and_count_all(circle, tmp_path, p, which):
    rng = np.random.default_rng(2)
    more = pd.DataFrame(rng.normal(size=(300, 600)), columns=[f"$m_{i}$ 变" for i in range(600)])
    table = pd.concat([circle[["x", "y"]], more], axis=1).iloc[:, :p]
    result = find_columns(table, which)
    figure = draw_columns(result)
    names = [label.get_text() for label in figure.axes[0].get_yticklabels()]
    assert len(names) == min(p, 40)
    assert set(names[:2]) == {"x", "y"}
    path = write_figure(tmp_path / "o.png", draw_columns, result)
    first = path.read_bytes()
    assert write_figure(path, draw_columns, result).read_bytes() == first
    assert imread(path).std() > 0.05


@pytest.mark.compiled
@pytest.mark.parametrize("which", get_args(ScreenMethod))
@pytest.mark.nightly
def test_the_drawn_range_holds_nine_of_ten_independent_columns(which):
    scores = find_columns(np.random.default_rng(3).normal(size=(400, 300)), which).scores
    low, high = null_range(which, 300)
    # of 300 columns; partners share their score, so that they count like half as many
    assert 0.82 < np.mean((low < scores) & (scores < high)) < 0.97


def test_neighbors_behind_a_screen_are_those_of_the_kept_columns(circle):
    notes = []
    result = find_neighbors(circle, 4, "euclidean", screen="pairs", on_note=notes.append)
    plain = find_neighbors(circle, 4, "euclidean", columns=["x", "y"])
    assert np.array_equal(result.indices, plain.indices)
    assert result.columns == ("x", "y")
    assert result.dropped == tuple(f"n{i}" for i in range(12))
    sentence = (
        "The screen keeps 2 of 14 columns; dropped: n0, n1, n2, n3, n4, n5, n6, n7, n8, n9 and "
        "2 more (find_columns lists all)."
    )
    assert [n for n in notes if not n.startswith("Used, ")] == list(result.notes) == [sentence]
    few = find_neighbors(circle[["x", "n1", "y"]], 4, "euclidean", screen="pairs")
    assert few.notes == ("The screen keeps 2 of 3 columns; dropped: n1.",)
    all_kept = find_neighbors(circle[["x", "y"]], 4, "euclidean", screen="pairs")
    assert all_kept.notes == ("The screen keeps all 2 columns.",)
    assert all_kept.dropped == ()


def test_a_screen_that_keeps_nothing_is_refused(circle):
    noise = circle[["n1", "n2", "n3"]]
    words = "no column was found to depend on another at the family-wise error 0.01, so that screen='pairs'"
    with pytest.raises(DataError, match=f"^the DataFrame: {words} keeps none; without it all 3"):
        find_neighbors(noise, 3, "euclidean", screen="pairs")
    labels = np.arange(300) % 2
    with pytest.raises(DataError, match=r"0\.01 in 150 rows to learn from, so that screen='pairs'"):
        cross_validate(noise, labels, "knn", folds=2, screen="pairs")
    nothing = find_columns(noise)
    assert nothing.selected == ()
    assert nothing.summary().startswith(
        "No column of 3 was found to depend on another (both, family-wise"
    )


def test_each_fold_is_screened_on_its_training_rows(circle):
    rng = np.random.default_rng(5)
    labels = np.where(circle["x"] > 0, "right", "left")
    table = circle.assign(weak=circle["x"] + 2.3 * rng.normal(size=300))
    notes = []
    result = cross_validate(
        table, labels, "knn", folds=4, screen="pairs", seed=2, on_note=notes.append
    )
    points = table.to_numpy()
    predicted = np.empty(300, "U5")
    counts = np.zeros(15, int)
    for train, test in StratifiedKFold(4, shuffle=True, random_state=2).split(points, labels):
        kept = ColumnScreen("pairs", random_state=2).fit(points[train]).support_
        counts += kept
        plain = cross_validate_once(points[:, kept], labels, train, test)
        predicted[test] = plain
    assert result.predictions["predicted"].tolist() == predicted.tolist()
    assert result.folds_kept.tolist() == counts.tolist()
    assert result.folds_kept.index.tolist() == list(table.columns)
    assert 0 < result.folds_kept["weak"] < 4  # or the sentence below says less than it could
    sentence = (
        "The screen, fitted on the training rows of each fold, keeps 2 to 3 of 15 columns; dropped "
        "in all folds: n0, n1, n2, n3, n4, n5, n6, n7, n8, n9 and 2 more; in some: weak "
        "(find_columns on all rows says more)."
    )
    assert [n for n in notes if not n.startswith("Used, ")] == list(result.notes) == [sentence]
    assert cross_validate(table, labels, "knn", folds=4).folds_kept is None


def cross_validate_once(points, labels, train, test):
    from geoforest_cli.estimators.base.scaling import Scaling
    from geoforest_cli.estimators.methods import build

    scaling = Scaling.fit(points[train], "standardise")
    model = build("knn", {}, seed=2).fit(scaling.apply(points[train]), labels[train])
    return model.predict(scaling.apply(points[test]))
