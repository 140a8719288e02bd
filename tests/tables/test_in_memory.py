"""Tables in memory: what holds numbers holds them whatever their type is."""

from decimal import Decimal

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from scipy import sparse

from geoforest_cli.core.errors import DataError
from geoforest_cli.tables import cross_validate, find_neighbors
from tests.tables.helpers import read_table

FRAME = pd.DataFrame(
    {
        "x": np.random.default_rng(0).normal(size=40),
        "n": np.random.default_rng(1).integers(0, 30, 40),
    }
).assign(flag=lambda frame: frame["x"] > 0, name=["u", "v"] * 20)


def as_objects(frame):
    return frame.astype(object)


def twice_turned(frame):
    return frame.T.T


def by_arrow(frame):
    return pa.Table.from_pandas(frame)


def with_arrow_types(frame):
    return frame.astype({"flag": pd.ArrowDtype(pa.bool_())})


class Streaming:
    """A table of another library, such as polars', which hands out Arrow's streams."""

    def __init__(self, frame):
        self._table = pa.Table.from_pandas(frame, preserve_index=False)

    def __arrow_c_stream__(self, requested_schema=None):
        return self._table.__arrow_c_stream__(requested_schema)


@pytest.mark.parametrize("made", [as_objects, twice_turned, by_arrow, with_arrow_types, Streaming])
def test_numbers_are_numbers_in_every_kind_of_table(made):
    table, expected = read_table(made(FRAME)), read_table(FRAME)
    assert table.columns == expected.columns == ("x", "n", "flag", "name=u", "name=v")
    np.testing.assert_array_equal(table.points, expected.points)


def test_truth_values_with_missing_ones_are_one_column(tmp_path):
    flag = FRAME["flag"].astype(object).where(np.arange(40) > 0, None)
    for frame in (FRAME.assign(flag=flag), FRAME.assign(flag=flag.astype("boolean"))):
        table = read_table(frame, missing="drop")
        assert table.columns[2] == "flag"
        np.testing.assert_array_equal(table.points[:, 2], FRAME["flag"][1:])
    words = FRAME["flag"].map({True: "TRUE", False: "FALSE"}).where(np.arange(40) > 0, None)
    FRAME.assign(flag=words).to_csv(tmp_path / "t.csv", index=False)
    assert read_table(tmp_path / "t.csv", missing="drop").columns[2] == "flag"


def test_decimals_of_a_parquet_file_are_numbers(tmp_path):
    price = [Decimal(f"{value:.2f}") for value in FRAME["x"]]
    frame = pd.DataFrame({"x": FRAME["x"], "price": [None, *price[1:]]})
    for table in (frame, tmp_path / "t.parquet"):
        frame.to_parquet(tmp_path / "t.parquet")
        result = read_table(table, missing="drop")
        np.testing.assert_allclose(result.points[:, 1], FRAME["x"][1:].round(2), atol=1e-9)


def test_what_a_mask_hides_is_missing():
    values = FRAME[["x", "n"]].to_numpy()
    values[0] = 1e20
    table = read_table(np.ma.masked_greater(values, 1e10), missing="drop")
    np.testing.assert_array_equal(table.points, FRAME[["x", "n"]][1:])


@pytest.mark.parametrize("nothing", [float("nan"), None, np.nan, pd.NA])
def test_a_class_that_is_missing_in_a_list_is_no_class(nothing):
    classes = [nothing, *FRAME["name"][1:]]
    with pytest.raises(DataError, match="row 0"):
        cross_validate(FRAME[["x", "n"]], classes, folds=2)
    result = cross_validate(FRAME[["x", "n"]], classes, folds=2, missing="drop")
    assert set(result.predictions["label"]) == {"u", "v"}


def test_an_index_with_a_name_is_a_column_of_a_parquet_file(tmp_path):
    frame = FRAME[["x", "n"]].set_axis([f"s{number}" for number in range(40)])
    frame.rename_axis("sample").to_parquet(tmp_path / "t.parquet")
    result = find_neighbors(tmp_path / "t.parquet", 2, identifier="sample")
    assert result.ids.tolist() == frame.index.tolist()
    frame.to_parquet(tmp_path / "t.parquet")
    assert read_table(tmp_path / "t.parquet").columns == ("x", "n")


def test_blanks_around_names_are_no_part_of_them(tmp_path):
    (tmp_path / "t.csv").write_text("x, y, z \n1,2,3\n4,5,7\n2,9,1\n")
    assert read_table(tmp_path / "t.csv").columns == ("x", "y", "z")
    # in Python they can be named
    assert read_table(pd.DataFrame({"x": [1, 2, 4], " x": [3, 5, 1]})).columns == ("x", " x")


@pytest.mark.parametrize(
    ("table", "words"),
    [
        (sparse.csr_array(np.eye(3)), "the table is a csr_array; a path, a DataFrame or an"),
        ({"x": [1, 2]}, "the table is a dict; a path, a DataFrame or an"),
        (FRAME["x"], "is a Series that Arrow does not take as one"),
        (pa.chunked_array([[1.0, 2.0]]), "is a ChunkedArray that Arrow does not take as one"),
        (None, "the table is a NoneType; a path, a DataFrame or an"),
        (pd.DataFrame(index=range(3)), "the table has no columns"),
        (pd.DataFrame({"x": []}), "the table has no rows"),
    ],
)
def test_what_is_no_table_is_said(table, words):
    with pytest.raises(DataError, match=words):
        find_neighbors(table, 1)


LEVELS = ["strongly disagree", "disagree", "neutral", "agree", "strongly agree"]


@pytest.mark.parametrize(
    ("categories", "ordered", "names"),
    [
        (LEVELS, True, LEVELS),
        (LEVELS, False, sorted(LEVELS)),
        ([12, 8, 9, 10, 11], False, ["8", "9", "10", "11", "12"]),
    ],
)
def test_a_category_keeps_the_order_that_it_has(categories, ordered, names):
    """A screen sees the numbers of its values."""
    codes = np.arange(40) % 5
    kind = pd.Categorical.from_codes(codes, categories, ordered=ordered)
    table = read_table(FRAME[["x"]].assign(kind=kind))
    assert table.columns == ("x", *(f"kind={name}" for name in names))
    values = np.array([str(categories[code]) for code in codes])
    np.testing.assert_array_equal(table.points[:, 1:], values[:, None] == np.array(names))


def test_an_index_of_texts_names_the_rows():
    rng = np.random.default_rng(0)
    names = [f"r{i}" for i in range(30)]
    frame = pd.DataFrame(rng.normal(size=(30, 3)), index=names, columns=list("abc"))
    result = find_neighbors(frame, 3, "euclidean")
    lines = result.frame()
    assert lines["id"].tolist() == np.repeat(names, 3).tolist()
    plain = find_neighbors(frame.reset_index(drop=True), 3, "euclidean")
    assert lines["neighbor"].tolist() == [names[i] for i in plain.frame()["neighbor"]]
    # rows that are left out are named by nobody
    gaps = frame.assign(a=frame["a"].where(frame["a"] != frame.loc["r7", "a"]))
    kept = find_neighbors(gaps, 3, "euclidean", missing="drop").frame()
    assert kept["id"].tolist() == [name for name in np.repeat(names, 3) if name != "r7"]
    predictions = cross_validate(frame, np.arange(30) % 2, "knn").predictions
    assert predictions["id"].tolist() == names
