"""A user's table: every kind of file, everything that is left out or refused."""

import numpy as np
import pandas as pd
import pytest
from scipy.spatial.distance import pdist, squareform

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
    part = marks.select_columns(np.array([True, False, True, False, False]))
    assert (part.columns, part.sources) == (("x", "fruit=fig"), ("x", "fruit"))
    assert np.array_equal(part.points, marks.points[:, [0, 2]], equal_nan=True)


def test_a_column_of_nothing_is_empty_whatever_its_kind():
    frame = pd.DataFrame({"x": [1.5, 2, 4], "y": [3.0, 1, 2], "none": None, "nan": np.nan})
    table = read_table(frame, missing="keep")
    assert {table.kinds["none"], table.kinds["nan"]} == {"empty"}
    with pytest.raises(DataError, match="the column 'none' has no value in any row"):
        read_table(frame, columns=["x", "none"])


def test_precision_is_kept(frame):
    narrow = frame[["a", "b"]].astype(np.float32)
    assert read_table(narrow).points.dtype == np.float32
    assert read_table(narrow.assign(c=frame["c"])).points.dtype == np.float64


def test_text_that_is_no_unicode_is_shown():
    rows = [["a\ud800" if i % 2 else "b", float(i), float(i * i)] for i in range(40)]
    with pytest.raises(DataError, match=r"text that is no Unicode: 'a.ud800'"):
        read_table(rows)


def test_a_matrix_of_distances_is_told():
    lengths = pdist(np.random.default_rng(0).normal(size=(20, 3)))
    assert "zero on its diagonal, as distances are" in read_table(squareform(lengths)).notes[-1]
