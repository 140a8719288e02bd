"""Digits that are names keep their zeros; numbers that are spelt in two ways are refused."""

import gzip

import numpy as np
import pandas as pd
import pytest

from geoforest_cli.core import user_modules
from geoforest_cli.core.errors import DataError
from geoforest_cli.tables import compare_neighbors, cross_validate, find_neighbors
from geoforest_cli.tables.codes import text_kind
from geoforest_cli.tables.labelled import labelled
from geoforest_cli.tables.labels import class_names
from geoforest_cli.tables.reading import open_table
from tests.tables.helpers import read_table
from tests.tables.test_excel import workbook

NOTE = "Text, not numbers, because of leading zeros: {}."


@pytest.fixture
def write(tmp_path):
    """Write columns of words, and two of numbers, as a text."""

    def make(name="t.csv", encoding="utf-8", sep=",", **columns):
        n = len(next(iter(columns.values())))
        numbers = {"x": [str(i * i) for i in range(n)], "y": [f"{i % 3}.5" for i in range(n)]}
        rows = zip(*(columns | numbers).values(), strict=True)
        text = "\n".join(map(sep.join, [[*columns, *numbers], *rows])).encode(encoding)
        (tmp_path / name).write_bytes(gzip.compress(text) if name.endswith(".gz") else text)
        return tmp_path / name

    return make


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("2024-03-{:02}", "date"),
        ("{}.12.1987", "date"),
        ("3/{}/24", "date"),
        ("1999-12-{:02} 17:30", "date"),
        ("12:{:02}", "date"),
        ("12:{:02}:30.5", "date"),
        ("{} mm", "unit"),
        (" -{}.5kg", "unit"),
        ("{}.1.1", "text"),
        ("2300-{}-01", "text"),
        ("{} Elm Street", "text"),
        ("b{}", "text"),
    ],
)
def test_what_text_could_be_made_numbers(text, what):
    words = pd.Series([text.format(10 + i % 20) for i in range(120)], dtype=object)
    assert text_kind(words) == what
    # missing values say nothing, and one other word tells that it is text
    assert text_kind(words.where(words.index % 3 > 0)) == what
    assert text_kind(words.where(words.index != 5, "unknown word")) == "text"


def test_rows_are_named_as_the_file_names_them(write):
    names = ["007", "7", "7.0", "08", "NA", "nan", "None", "null", "1e5", "1E5", "0x10", " a",
             "9007199254740993", "18446744073709551617"]  # fmt: skip
    path = write(id=names)
    result = find_neighbors(path, 1, "euclidean", identifier="id")
    assert result.ids.tolist() == names
    assert list(dict.fromkeys(result.frame()["id"])) == names
    assert set(result.frame()["neighbor"]) <= set(names)


def test_cells_of_a_workbook_are_what_they_say(tmp_path):
    rows = [["id", "code", "x"], ["007", "01", 1], [7, 1, 5], ["NA", "2", 2], ["7.0", 2, 9]]
    path = workbook(tmp_path / "t.xlsx", s=rows)
    table = read_table(path, ["x"], "id")
    assert table.ids.tolist() == ["007", "7", "NA", "7.0"]
    assert set(open_table(path).frame["code"].map(str)) == {"01", "1", "2"}
    # numbers that are stored as text
    path = workbook(tmp_path / "t.xlsx", s=[["id", "x"], ["3", "1.5"], ["4", ""], ["5", "7"]])
    opened = open_table(path)
    assert opened.frame["x"].tolist()[::2] == [1.5, 7]
    assert opened.as_in_file("id").tolist() == [3, 4, 5]  # as in a text of the same cells


SPELT = "has '{}' and '{}', which are one number spelt in two ways; use one of them"


@pytest.mark.parametrize(
    ("words", "two"),
    [
        (["01", "1", "2"], ("01", "1")),
        (["1", "1.0", "2"], ("1", "1.0")),
        (["1e2", "100", "3"], ("100", "1e2")),
        (["+1", "1", "a"], ("+1", "1")),
        (["1", "01", ""], ("01", "1")),
    ],
)
def test_classes_that_are_one_number_are_refused(write, words, two):
    path = write(code=words * 4)
    drop = {"missing": "drop"} if "" in words else {}
    with pytest.raises(
        DataError, match=f"t.csv: the label 'code' {SPELT.format(*two)}".replace("+", r"\+")
    ):
        cross_validate(path, "code", "knn", folds=2, **drop)
    if drop:
        return
    with pytest.raises(DataError, match="spelt in two ways"):
        compare_neighbors(path, 2, label="code")
    with user_modules.searched_in(path.parent), pytest.raises(DataError, match="spelt in two ways"):
        labelled("t.csv", "code")


def test_classes_have_the_names_of_the_file(write, tmp_path):
    def names(path):
        return class_names(open_table(path), "code").tolist()

    words = ["01", "02", "10", "02"]
    assert names(write(code=words)) == words
    words = ["9007199254740993", "9007199254740992", "3", "4"]
    assert names(write(code=words)) == words
    assert names(write(code=["1", "", "2", "10"])) == ["1", None, "2", "10"]
    assert names(write(code=["True", "False", "True", "True"])) == ["True", "False", "True", "True"]
    rows = [["code", "x"], [1, 1], ["", 5], [2, 2]]
    assert names(workbook(tmp_path / "t.xlsx", s=rows)) == ["1", None, "2"]
    pd.DataFrame({"code": [1.0, np.nan, 2.0]}).to_parquet(tmp_path / "t.parquet")
    assert names(tmp_path / "t.parquet") == ["1.0", None, "2.0"]


def test_a_class_that_counts_as_missing_is_shown(write):
    path = write(code=["a", "b", "NA", "a", "b", "b"])
    with pytest.raises(DataError, match=r"is missing in row 2 \(.*\): 'NA' counts as missing"):
        cross_validate(path, "code", "knn", folds=2)
    with pytest.raises(DataError, match=r"row 2 \(.*\): 'NA' counts as missing"):
        compare_neighbors(path, 2, label="code")
    with (
        user_modules.searched_in(path.parent),
        pytest.raises(DataError, match="'NA' counts as missing"),
    ):
        labelled("t.csv", "code")
    path = write(code=["a", "b", "", "a", "b", "b"])
    with pytest.raises(DataError, match=r"is missing in row 2 \(rows count from 0\)$"):
        compare_neighbors(path, 2, label="code")
