"""A user's table: every kind of file, everything that is left out or refused."""

import gzip
import os

import numpy as np
import pandas as pd
import pytest

from geoforest_cli.datasets import galaxy, mnist, uci
from geoforest_cli.datasets.user_table import read_table
from geoforest_cli.errors import DataError

needs_data = pytest.mark.skipif(
    "GEOFOREST_DATA" not in os.environ, reason="GEOFOREST_DATA is not set"
)


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
    with pytest.raises(DataError, match=f"'b' has 1 {words} value, in row 5"):
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
        ("t.xlsx", "", "one of .csv"),
        ("t.csv", "", "cannot be read"),
        ("t.csv", "a,b\n", "no rows"),
        ("t.parquet", "x", "cannot be read as parquet"),
    ],
)
def test_unreadable_files(tmp_path, name, text, words):
    (tmp_path / name).write_text(text)
    with pytest.raises(DataError, match=words):
        read_table(tmp_path / name)
    with pytest.raises(DataError, match=f"there is no file .*{name if name != 't.xlsx' else ''}"):
        read_table(tmp_path / "other.csv")


def test_galaxies_are_selected_and_sorted():
    row = dict.fromkeys(galaxy.VOTES, 0.1)
    table = pd.DataFrame([
        row | {"OBJID": 3, "SPIRAL": 0, "ELLIPTICAL": 1},
        row | {"OBJID": 1, "SPIRAL": 1, "ELLIPTICAL": 0},
        row | {"OBJID": 2, "SPIRAL": 0, "ELLIPTICAL": 0},
    ])  # fmt: skip
    chosen = galaxy.select(table)
    assert chosen.labels.tolist() == ["spiral", "elliptical"]
    assert chosen.points.shape == (2, 6)


def test_idx_files(tmp_path):
    path = tmp_path / "labels.gz"
    head = (2049).to_bytes(4, "big") + (3).to_bytes(4, "big")
    path.write_bytes(gzip.compress(head + bytes([7, 8, 9])))
    assert mnist.read_idx(path).tolist() == [7, 8, 9]
    path.write_bytes(gzip.compress(head + bytes([7, 8])))
    with pytest.raises(DataError, match="2 bytes"):
        mnist.read_idx(path)
    path.write_bytes(gzip.compress(b"something else"))
    with pytest.raises(DataError, match="not an idx file"):
        mnist.read_idx(path)
    path.write_bytes(b"plain")
    with pytest.raises(DataError, match="not a gzip file"):
        mnist.read_idx(path)


def test_bundled_digits():
    data = mnist.digits()
    assert data.train.shape == (1197, 64)
    assert data.test.shape == (600, 64)


@needs_data
def test_real_sets_hold_what_they_should(tmp_path, monkeypatch):
    assert np.allclose(uci.banknote().points.mean(axis=0), [0.434, 1.922, 1.398, -1.192], atol=1e-3)
    plant = uci.ccpp()
    assert plant.points[0].tolist() == [14.96, 41.76, 1024.07, 73.17]
    assert plant.response[0] == 463.26
    mixtures = uci.concrete()
    assert mixtures.response.min() == pytest.approx(2.3318, abs=1e-4)
    # the workbook itself, without the derived table beside it
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    original = uci._table("concrete", "no_such_copy.csv")
    assert np.allclose(original[:, :-1], mixtures.points)
    again = uci._table("concrete", "no_such_copy.csv", lambda _: pytest.fail("parsed twice"))
    assert np.array_equal(original, again)
    digits = mnist.mnist()
    assert np.bincount(digits.train_labels).tolist() == [
        5923, 6742, 5958, 6131, 5842, 5421, 5918, 6265, 5851, 5949
    ]  # fmt: skip
    assert digits.train.mean() == pytest.approx(33.3184, abs=1e-3)
