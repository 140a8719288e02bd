"""A table with classes that lies beside a config."""

import os

import numpy as np
import pandas as pd
import pytest

from geoforest_cli.core import user_modules
from geoforest_cli.core.errors import DataError
from geoforest_cli.tables.labelled import TABLES, labelled


@pytest.fixture
def write(tmp_path):
    """Write a table; names of tables mean those of this folder."""

    def make(frame, name="t.csv"):
        frame.to_csv(tmp_path / name, index=False)
        return tmp_path / name

    with user_modules.searched_in(tmp_path):
        yield make


def _frame(classes, **more):
    x = np.arange(len(classes), dtype=float) ** 2
    return pd.DataFrame({"x": x, "class": classes, "y": -x[::-1], **more})


def test_classes_are_numbered_in_the_order_of_their_names(write):
    write(_frame(["plum", "apple", "plum", "fig", "apple", "fig"]))
    table = labelled("t.csv", "class")
    assert table.names == ("apple", "fig", "plum")
    assert table.classes.tolist() == [2, 0, 2, 1, 0, 1]
    assert table.points[:, 0].tolist() == [0, 1, 4, 9, 16, 25]
    assert table.points.shape == (6, 2)


def test_the_version_of_a_table_is_that_of_what_it_holds(write, tmp_path):
    path = write(_frame(["a", "b", "a", "b"]))
    version = TABLES["t.csv"].version
    write(_frame(["a", "b", "a", "b"]), "copy.csv")
    assert TABLES["copy.csv"].version == version
    assert version.startswith("3 ")
    before = path.stat()
    write(_frame(["a", "b", "b", "a"]))
    # of the same size
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns + 1))
    assert TABLES["t.csv"].version != version
    assert labelled("t.csv", "class").classes.tolist() == [0, 1, 1, 0]


def test_tables_that_are_not_there(write):
    write(_frame(["a", "b"]))
    with pytest.raises(DataError, match=r"unknown table 'tt.csv'; did you mean 't.csv'"):
        labelled("tt.csv", "class")
    with pytest.raises(DataError, match="unknown column 'clas'; did you mean 'class'"):
        labelled("t.csv", "clas")
    with pytest.raises(DataError, match="'class' is the label and cannot be one of the columns"):
        labelled("t.csv", "class", ("x", "class"))
    write(_frame(["a", None, "b", "b"]))
    with pytest.raises(DataError, match="the label 'class' is missing in row 1 "):
        labelled("t.csv", "class")
