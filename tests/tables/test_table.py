"""A user's table: every kind of file, everything that is left out or refused."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from geoforest_cli.core.errors import DataError
from tests.tables.helpers import read_table


@pytest.fixture
def frame():
    rng = np.random.default_rng(0)
    table = pd.DataFrame(rng.normal(size=(20, 3)), columns=["a", "b", "c"])
    return table.assign(name=[f"r{i}" for i in range(20)], same=1.0)


@pytest.mark.parametrize("kind", ["csv", "csv.gz", "tsv", "parquet"])
def test_kinds_of_files(tmp_path, frame, kind):
    path = tmp_path / f"table.{kind}"
    if kind == "parquet":
        frame.to_parquet(path)
    else:
        frame.to_csv(path, index=False, sep="\t" if kind == "tsv" else ",")
    table = read_table(path, identifier="name")
    assert table.columns == ("a", "b", "c")
    assert np.allclose(table.points, frame[["a", "b", "c"]])
    assert list(table.ids) == list(frame["name"])
    assert any("same in every row" in note for note in table.notes)


def test_arrays(tmp_path):
    array = np.random.default_rng(0).normal(size=(6, 2)).astype(np.float32)
    np.save(tmp_path / "x.npy", array)
    table = read_table(tmp_path / "x.npy", ["1"])
    assert table.points.dtype == np.float32
    assert table.columns == ("1",)
    assert table.ids.tolist() == list(range(6))
    np.save(tmp_path / "y.npy", np.zeros(4))
    with pytest.raises(DataError, match="1 dimensions"):
        read_table(tmp_path / "y.npy")


def test_text_columns_are_left_out_unless_asked_for(tmp_path, frame):
    path = tmp_path / "t.csv"
    frame.to_csv(path, index=False)
    table = read_table(path)
    assert any("not numeric: name" in note for note in table.notes)
    with pytest.raises(DataError, match="'name' is not numeric"):
        read_table(path, ["a", "name"])
    with pytest.raises(DataError, match="did you mean 'name'"):
        read_table(path, identifier="nam")
    with pytest.raises(DataError, match="no column is left"):
        read_table(path, ["same"])


@pytest.mark.parametrize(("bad", "words"), [(np.nan, "missing"), (np.inf, "infinite")])
def test_gaps_are_refused_with_their_row(tmp_path, frame, bad, words):
    frame.loc[4, "b"] = bad
    path = tmp_path / "t.parquet"
    frame.to_parquet(path)
    with pytest.raises(DataError, match=f"'b' has 1 {words} value, in row 4 "):
        read_table(path)
    assert read_table(path, ["a", "c"]).points.shape == (20, 2)


def test_identifiers(tmp_path, frame):
    path = tmp_path / "t.csv"
    frame.assign(name="x").to_csv(path, index=False)
    assert any("repeat a name" in note for note in read_table(path, identifier="name").notes)
    frame.assign(name=[None, *frame["name"][1:]]).to_csv(path, index=False)
    with pytest.raises(DataError, match="empty cells"):
        read_table(path, identifier="name")


@pytest.mark.parametrize(
    ("name", "text", "words"),
    [
        ("t.doc", "", "one of .csv"),
        ("t.csv", "", "the file has no column"),
        ("t.csv", "a,b\n", "no rows"),
        ("t.parquet", "x", "cannot be read as parquet"),
    ],
)
def test_unreadable_files(tmp_path, name, text, words):
    (tmp_path / name).write_text(text)
    with pytest.raises(DataError, match=words):
        read_table(tmp_path / name)
    with pytest.raises(DataError, match=f"there is no file .*{name if name != 't.doc' else ''}"):
        read_table(tmp_path / "other.csv")


def test_frames_and_arrays_are_left_as_they_are(frame):
    before = frame.copy()
    frame.columns = pd.Index([0, 1, 2, "name", "same"])
    table = read_table(frame, identifier="name")
    assert table.columns == ("0", "1", "2")
    assert list(frame.columns) == [0, 1, 2, "name", "same"]
    assert np.array_equal(table.points, before[["a", "b", "c"]])
    shuffled = frame.sample(frac=1.0, random_state=0)
    assert read_table(shuffled).ids.tolist() == list(range(20))
    assert list(read_table(shuffled, identifier="name").ids) == list(shuffled["name"])
    assert np.array_equal(read_table([[1, 2], [3, 5]]).points, [[1.0, 2.0], [3.0, 5.0]])


@pytest.mark.parametrize(
    ("table", "words"),
    [
        (np.zeros(4), "the array has 1 dimensions"),
        (np.zeros((0, 3)), "the array: the table has no rows"),
        (np.array([["a"], ["b"]]), "the array: no column is left.*not numeric: 0"),
        (np.array([[1j], [2j]]), "the array: the column '0' has complex numbers"),
        (pd.DataFrame({"z": [1 + 1j, 2] * 9, "x": range(18)}), "'z' has complex numbers"),
        (pd.DataFrame(), "the DataFrame: the table has no rows"),
        (pd.DataFrame([[1, 2]], columns=["x", "x"]), "duplicate column 'x'"),
        (pd.DataFrame([[1, 2]], columns=[1, "1"]), "duplicate column '1'"),
        (
            pd.DataFrame({"x": pd.array([1, None, 3], "Int64")}),
            "'x' has 1 missing value, in row 1 ",
        ),
    ],
)
def test_frames_and_arrays_that_are_refused(table, words):
    with pytest.raises(DataError, match=words):
        read_table(table)


@pytest.mark.parametrize(
    ("rows", "values", "category"),
    [(60, 20, True), (60, 21, False), (6, 3, True), (6, 4, False), (7, 4, False), (60, 1, False)],
)
def test_a_category_has_few_values_that_come_again(rows, values, category):
    words = [f"w{i % values:02d}" for i in range(rows)]
    table = read_table(pd.DataFrame({"x": np.arange(rows), "word": words}))
    marks = [name for name in table.columns if name != "x"]
    assert marks == ([f"word=w{i:02d}" for i in range(values)] if category else [])


def test_values_of_a_category_are_numbered_by_the_alphabet():
    words = ["pear", "fig", None, "apple", "fig", "pear"]
    frame = pd.DataFrame({"x": np.arange(6.0), "fruit": words, "y": [1.0, 2, 3, 4, 5, 7]})
    codes = read_table(frame, missing="keep", category_codes=True)
    assert codes.columns == codes.sources == ("x", "fruit", "y")
    expected = [2, 1, np.nan, 0, 1, 2]
    assert np.array_equal(codes.points[:, 1], expected, equal_nan=True)
    assert np.array_equal(codes.points[:, 2], frame["y"])
    marks = read_table(frame, missing="keep")
    assert marks.columns == ("x", "fruit=apple", "fruit=fig", "fruit=pear", "y")
    assert marks.sources == ("x", "fruit", "fruit", "fruit", "y")
    assert np.array_equal(marks.points[2, 1:4], [np.nan] * 3, equal_nan=True)
    assert np.nansum(marks.points[:, 1:4], axis=0).tolist() == [1, 2, 2]
    some = marks.select_columns(np.array([True, False, True, False, False]))
    assert (some.columns, some.sources) == (("x", "fruit=fig"), ("x", "fruit"))
    assert np.array_equal(some.points, marks.points[:, [0, 2]], equal_nan=True)


def test_missing_values_pass_where_they_are_allowed_and_infinite_ones_do_not(frame):
    frame.loc[4, "b"] = np.nan
    table = read_table(frame, identifier="name", missing="keep")
    assert np.argwhere(np.isnan(table.points)).tolist() == [[4, 1]]
    frame.loc[2, "c"] = np.inf
    with pytest.raises(DataError, match="'c' has 1 infinite value, in row 2 "):
        read_table(frame, missing="keep")


def test_names_of_rows_are_numbered_anew(frame):
    """A frame that was sorted, or cut, has an index of its own."""
    part = frame.sort_values("a").iloc[3:9]
    table = read_table(part, identifier="name")
    assert table.ids.index.tolist() == list(range(6))
    assert table.ids.tolist() == part["name"].tolist()
    assert table.columns == ("a", "b", "c")
    numbered = frame.assign(number=np.arange(20.0) ** 2)
    assert read_table(numbered, identifier="number").columns == ("a", "b", "c")


def test_precision_is_kept(frame):
    narrow = frame[["a", "b"]].astype(np.float32)
    assert read_table(narrow).points.dtype == np.float32
    assert read_table(narrow.assign(c=frame["c"])).points.dtype == np.float64


def test_hints_name_the_argument(frame):
    frame.loc[4, "b"] = np.nan
    with pytest.raises(DataError, match=r"column out \(columns\) or leave these rows out$"):
        read_table(frame)
    with pytest.raises(DataError, match=r"out \(missing='drop'\)$"):
        read_table(frame, remedies=("drop",))


def test_text_that_is_the_same_in_every_row_is_told_so():
    frame = pd.DataFrame({"x": [1.0, 2, 4], "region": "north", "name": ["a", "b", "c"]})
    assert read_table(frame).left_out == {
        "region": "the same in every row", "name": "not numeric",
    }  # fmt: skip


WIDE = st.lists(st.integers(0, 2**53), min_size=3, max_size=12, unique=True)


@given(WIDE, st.sampled_from([(-(2**63), "int64"), (2**53, "int64"), (2**63, "uint64"),
                              (2**60, "Int64")]))  # fmt: skip
def test_whole_numbers_above_what_a_float_holds_keep_their_digits(steps, offset):
    start, kind = offset
    frame = pd.DataFrame({"a": pd.array([start + step for step in steps], dtype=kind)})
    table = read_table(frame.assign(b=np.arange(len(steps))))
    assert table.points[:, 0].tolist() == [step - min(steps) for step in steps]
    told = "Counted from the smallest value, as whole numbers above 2^53 are rounded: a."
    assert told in table.notes


@pytest.mark.parametrize("values", [[0, 2**53, 5], [-(2**53), 0, 5], [0, 2**53 + 2, 2**60]])
def test_other_whole_numbers_stay_as_they_are(values):
    table = read_table(pd.DataFrame({"a": values}))
    assert table.points[:, 0].tolist() == [float(value) for value in values]
    assert not table.notes


def test_a_missing_value_is_kept_where_large_whole_numbers_are_shifted():
    frame = pd.DataFrame({"a": pd.array([2**60, None, 2**60 + 1], dtype="Int64"), "b": [1, 2, 4]})
    empty = frame.assign(c=pd.array([None, None, None], dtype="Int64"))
    table = read_table(empty, missing="keep")
    assert table.columns == ("a", "b")
    np.testing.assert_array_equal(table.points[:, 0], [0, np.nan, 1])


@pytest.mark.parametrize("rows", [1, 2, 3])
def test_text_of_one_row_is_not_the_same_in_every_row(rows):
    frame = pd.DataFrame({"x": np.arange(rows) ** 2, "region": "north"})
    reason = "not numeric" if rows == 1 else "the same in every row"
    assert read_table(frame).left_out == {"region": reason}


@pytest.mark.parametrize(
    ("classes", "others", "many"),
    [(5, 0, False), (6, 0, True), (6, 5, True), (6, 6, False), (7, 6, True), (1, 0, False)],
)
def test_more_than_five_and_half_of_the_columns_are_counts(classes, others, many):
    rng = np.random.default_rng(0)
    counts = pd.DataFrame(rng.integers(0, 4, (40, classes))).add_prefix("c")
    more = pd.DataFrame(rng.normal(size=(40, others))).add_prefix("x")
    (note,) = read_table(pd.concat([counts, more], axis=1)).notes
    said = f"{classes} of {classes + others} columns have few whole values: counts are features"
    assert note.startswith(said) == many
    assert ("may be classes (text or few whole values): c0" in note) == (not many)


@pytest.mark.parametrize("row", [0, 98, 99, 100, 101, 148])
def test_one_step_back_anywhere_is_no_order(row):
    """The first hundred rows tell most columns, the others are looked at as well."""
    numbers = np.arange(150.0) ** 2
    swapped = np.r_[numbers[:row], numbers[row + 1], numbers[row], numbers[row + 2 :]]
    noise = np.random.default_rng(0).normal(size=150)
    for values, told in ((numbers, True), (-numbers, True), (swapped, False), (-swapped, False)):
        notes = read_table(pd.DataFrame({"x": noise, "t": values})).notes
        assert any("rise or fall with the rows, as times may: t" in one for one in notes) == told


@pytest.mark.parametrize("step", [1e-6, 0.3, 1.0, 40.0])
def test_what_rises_by_little_rises(step):
    rng = np.random.default_rng(0)
    times = 0.5 + step * np.cumsum(rng.uniform(0.5, 1, 40))
    for values in (times, -times):
        notes = read_table(pd.DataFrame({"x": rng.normal(size=40), "t": values})).notes
        assert [one.split(", as ")[1].split(";")[0] for one in notes] == ["times may: t"]
