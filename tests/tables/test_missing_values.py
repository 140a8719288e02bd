"""Missing values: refused, dropped with their rows, and marks that stand for them."""

import itertools
import re

import numpy as np
import pandas as pd
import pytest
from sklearn.impute import KNNImputer

from geoforest_cli.core.errors import DataError, UserError
from geoforest_cli.tables import cross_validate, find_columns, find_neighbors, missing_values
from geoforest_cli.tables.column_notes import missing_code_notes
from geoforest_cli.tables.imputation import fill_missing
from geoforest_cli.tables.missing_values import uncompared_note
from tests.tables.helpers import read_table

N = 40


@pytest.fixture
def frame():
    rng = np.random.default_rng(0)
    table = pd.DataFrame(rng.normal(size=(N, 3)), columns=["a", "b", "c"])
    return table.assign(kind=np.where(table["a"] > 0, "up", "down"))


def marked(frame, mark, rows=(16, 20, 33)):
    words = [mark if i in rows else f"{value:.3f}" for i, value in enumerate(frame["a"])]
    return frame.assign(a=words)


@pytest.mark.parametrize(
    "word", ["12%", "-3 °C", "1,234", "1D3", "O.5", "'5", "1/2", "1:30", "1_000", "0x1F"]
)
def test_what_has_a_digit_is_not_missing(frame, word):
    with pytest.raises(DataError, match=re.escape(f"{word!r} in row 16 (rows count from 0) of")):
        read_table(marked(frame, word), missing="keep")
    # who says so leaves such rows out
    dropped = read_table(marked(frame, word), missing="drop")
    assert set(range(N)) - set(dropped.rows.tolist()) == {16, 20, 33}


@pytest.mark.parametrize("kind", [object, "str", "string"])
def test_numbers_in_brackets_stand_beside_missing_ones(kind):
    words = pd.Series(["(4)", None, *map(str, range(10))], dtype=kind)
    table = pd.DataFrame({"a": words, "b": np.arange(12.0) ** 2 % 7})
    points = read_table(table, missing="drop").points
    assert points[:2, 0].tolist() == [-4.0, 0.0]


def test_incomplete_rows_are_dropped_and_counted(frame):
    full = find_neighbors(frame, 3, "euclidean", columns=["a", "b"])
    gappy = frame.copy()
    gappy.loc[[4, 7], "b"] = np.nan
    gappy.loc[7, "a"] = np.nan
    gappy.loc[9, "c"] = np.nan  # of a column that is not used
    result = find_neighbors(gappy, 3, "euclidean", columns=["a", "b"], missing="drop", screen=None)
    assert result.notes == (
        "Left out, 2 of 40 rows miss values; the first is row 4 (rows count from 0).",
        "Rows without a value: b 2, a 1. Without the column b, 39 of 40 rows would stay (exclude='b').",
    )
    left = [i for i in range(N) if i not in (4, 7)]
    assert result.ids.tolist() == left
    by_hand = find_neighbors(frame.iloc[left], 3, "euclidean", columns=["a", "b"])
    assert np.array_equal(result.distances, by_hand.distances)
    lines = result.frame()
    assert set(lines["id"]) == set(lines["neighbor"]) | set(left) == set(left)
    assert not np.array_equal(full.distances[left], result.distances)
    named = gappy.assign(who=[f"p{i}" for i in range(N)])
    named.loc[4, "who"] = None  # an empty name of a row that goes
    names = find_neighbors(
        named, 3, "euclidean", columns=["a", "b"], identifier="who", missing="drop"
    )
    assert names.ids.tolist() == [f"p{i}" for i in left]


def test_columns_without_values_do_not_take_all_rows_along(frame):
    table = read_table(frame.assign(empty=np.nan), missing="drop")
    assert len(table.points) == N
    assert table.left_out == {"empty": "no value in any row"}
    frame.loc[::2, "a"] = np.nan
    frame.loc[1::2, "b"] = np.nan
    frame.loc[0, "b"] = np.nan
    with pytest.raises(
        DataError, match=r"no row is complete; the column 'b' misses most values, 21 of 40: leave"
    ):
        read_table(frame, missing="drop")
    with pytest.raises(DataError, match="infinite"):
        read_table(frame.assign(b=np.inf), ["b"], missing="drop")


def test_classify_drops_rows_without_a_value_or_a_label(frame):
    frame.loc[5, "b"] = np.nan
    frame.loc[[8, 9], "kind"] = None
    with pytest.raises(DataError, match=r"in row 8 \(.*out \(missing='drop'\)$"):
        cross_validate(frame, "kind", "knn", folds=2)
    result = cross_validate(frame, "kind", "knn", folds=2, missing="drop")
    left = [i for i in range(N) if i not in {5, 8, 9}]
    assert result.predictions["row"].tolist() == left
    assert result.predictions["label"].tolist() == frame["kind"].iloc[left].tolist()
    assert result.notes[:3] == (
        "Left out, 1 of 40 rows misses a value; the first is row 5 (rows count from 0).",
        "Rows without a value: b 1. Without the column b, 40 of 40 rows would stay (exclude='b').",
        "Left out, 2 more of 40 rows: the label 'kind' is missing.",
    )


def test_drop_names_the_columns_that_cost_rows(frame):
    frame.loc[:29, "c"] = np.nan
    frame.loc[[2, 35], "kind"] = None
    frame.loc[:9, "b"] = np.nan
    result = find_neighbors(frame, 3, "euclidean", missing="drop", screen=None)
    assert len(result.ids) == 9
    (note,) = [note for note in result.notes if note.startswith("Rows")]
    assert note == (
        "Rows without a value: c 30, b 10, kind 2. Without the column c, 29 of 40 rows would stay "
        "(exclude='c')."
    )


def test_columns_that_miss_values_are_counted_the_worst_named(frame):
    holes = frame.assign(note=np.where(np.arange(N) < 6, np.arange(N) % 2.0, np.nan))
    holes.loc[5, "b"] = np.nan
    with pytest.raises(DataError, match=r"in row 5 .*, and 1 more column has missing values too"):
        read_table(holes)
    notes = find_neighbors(holes, 3, "euclidean", missing="impute", screen=None).notes
    (message,) = [note for note in notes if note.startswith("Missing")]
    assert message.endswith("More than half is missing in note: exclude='note' leaves it out.")
    holes.loc[5, "kind"] = None
    with pytest.raises(DataError, match="and 2 more columns have missing values too; fill"):
        read_table(holes)


def test_missing_values_are_filled_as_scikit_learn_fills_them(frame):
    numbers = frame[["a", "b", "c"]].copy()
    holes = np.random.default_rng(3).random(numbers.shape) < 0.2
    gappy = numbers.mask(holes)
    data = read_table(gappy, missing="keep")
    filled, notes = fill_missing(data)
    spread = gappy.std(ddof=0).to_numpy()
    expected = KNNImputer(n_neighbors=5).fit_transform(gappy / spread) * spread
    np.testing.assert_allclose(filled.points, expected)
    assert np.array_equal(filled.points[~holes], numbers.to_numpy()[~holes])
    assert notes[0].startswith(
        f"Missing, filled by the mean of the 5 nearest rows that have one: {holes.sum()} "
    )
    assert fill_missing(read_table(numbers))[1] == []
    # the lists are those of the filled table
    result = find_neighbors(gappy, 4, "euclidean", missing="impute", screen=None)
    full = find_neighbors(filled.points, 4, "euclidean", screen=None)
    assert np.array_equal(result.indices, full.indices)
    assert notes[0] in result.notes


@pytest.mark.nightly
def test_of_many_rows_some_are_searched():
    t = np.random.default_rng(0).uniform(size=6000)
    gappy = pd.DataFrame({"t": t, "s": np.where(np.arange(6000) % 3 == 1, np.nan, 2 * t)})
    gappy["rare"] = np.where(np.arange(6000) == 5001, 4.0, np.nan)
    filled, _ = fill_missing(read_table(gappy, missing="keep", keep_constant=True))
    assert np.abs(filled.points[:, 1] - 2 * t).max() < 0.02
    assert set(filled.points[:, 2]) == {4.0}


def test_forests_classify_rows_with_missing_values(frame):
    frame["b"] = np.where(frame["kind"] == "up", frame["b"], np.nan)
    frame.loc[[3, 9], "c"] = np.nan
    few = {"n_estimators": 10}
    for method in ("rf", "sporf"):
        result = cross_validate(frame[["b", "c", "kind"]], "kind", method, folds=2, params=few)
        # that a value is missing nearly says it all
        assert result.accuracy > 0.8 > result.naive
        count = int(frame[["b", "c"]].isna().sum().sum())
        assert f"Missing: {count} of 80 values, in b, c; cuts send them" in result.notes[-1]
    scaled = cross_validate(
        frame[["b", "c", "kind"]], "kind", "sporf", folds=2, params=few, scale="standardise"
    )
    assert scaled.accuracy > 0.8
    for method, missing in (("knn", "auto"), ("rf", "refuse")):
        with pytest.raises(DataError, match="the column 'b' has"):
            cross_validate(frame, "kind", method, folds=2, missing=missing)
    with pytest.raises(UserError, match="missing='best': knn takes no missing values; rf and"):
        cross_validate(frame, "kind", "knn", missing="best")
    frame.loc[5, "kind"] = None
    with pytest.raises(DataError, match=r"in row 5 \(.*out \(missing='drop'\)$"):
        cross_validate(frame, "kind", folds=2)


@pytest.mark.parametrize(
    ("code", "others", "noted"),
    [
        (-999, [1.5, 2.0, 40.0], True), (-9999, [1, 2, 3], True), (99, [1, 2, 3, 4, 5], True),
        (99, [18, 60, 98], False), (-99, [-98, 0, 100], False), (-999, [-999], False),
        (9, [1, 2, 3], False), (-996, [1, 2, 3], False), (999999, [0.1, 0.2, 0.3], True),
        (-999, [1, np.nan, 3], True), (999, [-999, 1, 2], True), (-99, [4, 5], True),
        # two codes do not hide each other
        (98, [1, 5, 99], True), (99, [1, 5, 98], True), (-9, [1, 4, -8], True), (-8, [1, 7, -9], True),
        (-8, [1, 10], False), (888, [0.5, 2], True), (77, [50, 88, 99], False), (97, [1, 48.9], True),
        (97, [1, 49.1], False), (98, [1, 48], True), (-9, [1, 5, -8, -7], True), (99, [98, 60, 99], False),
        (9999999, [1, 2], False), (-9999999, [1, 2], False), (-999, [5, 5], False),
        # as far from the next value as that is from the other end
        (99, [1, 50], False), (99, [1.5, 50], True), (-99, [0, 99], False), (-99, [0, 98], True),
    ],
)  # fmt: skip
def test_numbers_that_may_stand_for_missing_values(code, others, noted):
    """The sign and the unit of the others do not matter, only how far they are."""
    column = np.tile([code, *others], 10).astype(float)
    notes = missing_code_notes(column[:, None], ["x"])
    said = f"{code} lies far from all other values of x: if it stands for a missing value, empty its cells."
    assert (said in notes) is noted


@pytest.mark.parametrize("at_once", [2, 512])
def test_pairs_that_share_too_few_rows_by_counting(monkeypatch, at_once):
    monkeypatch.setattr(missing_values, "_COLUMNS_AT_ONCE", at_once)
    names = list("abcdefg")
    for seed in range(12):
        rng = np.random.default_rng(seed)
        present = rng.random((14, 7)) < rng.choice([0.6, 0.75, 0.95], 7)
        pairs = [
            (names[first], names[other])
            for first, other in itertools.combinations(range(7), 2)
            if np.sum(present[:, first] & present[:, other]) < 6
        ]
        note = uncompared_note(np.where(present, 1.0, np.nan), names)
        assert bool(note) == bool(pairs)
        if pairs:
            assert note.startswith(f"{len(pairs)} pair")
            assert note.endswith(f"{pairs[0][0]} with {pairs[0][1]}.")


def test_rows_without_any_value_are_told(frame):
    """All of them are filled alike, and are each other's nearest."""
    gappy = frame[["a", "b", "c"]].copy()
    gappy.loc[[2, 9], :] = np.nan
    gappy.loc[5, "a"] = np.nan
    said = (
        "2 rows have no value in any column, the first is row 2 (rows count from 0): filled, they "
        "are alike; leave such rows out."
    )
    result = find_neighbors(gappy, 3, missing="impute", screen="none")
    assert said in result.notes
    assert len(result.rows) == len(frame)
    assert said not in find_columns(gappy).notes  # by the rows that each pair has
    only = find_neighbors(gappy.drop(2).reset_index(drop=True), 3, missing="impute").notes
    assert (
        sum(note.startswith("row 8 (rows count from 0) has no value in any") for note in only) == 1
    )
