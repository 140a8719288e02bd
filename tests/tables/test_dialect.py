"""Texts of other programs: separators, decimal commas, encodings; found, or asked for."""

import gzip

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from geoforest_cli.core.errors import DataError
from geoforest_cli.tables.dialect import (
    ReadingOptions,
    decimal_mark,
    detect_dialect,
)
from tests.tables.helpers import read_table

FRAME = pd.DataFrame(
    {"größe": [1.5, 2.25, -0.125, 7.0], "y": [1000.5, 3.0, 4.0, 1e-3], "who": list("abab")}
)


def written(path, sep=",", decimal=".", encoding="utf-8"):
    text = FRAME.to_csv(index=False, sep=sep, decimal=decimal).encode(encoding)
    path.write_bytes(gzip.compress(text) if path.suffix == ".gz" else text)
    return path


@pytest.mark.parametrize(
    ("name", "encoding", "sep", "decimal"),
    [
        ("t.csv", "utf-8", ",", "."), ("t.tsv", "utf-8", "\t", "."), ("t.csv.gz", "utf-8", ";", ","),
        ("t.csv", "utf-8-sig", ";", "."), ("t.csv", "cp1252", ";", ","), ("t.tsv", "utf-16", "|", ","),
        ("t.csv.gz", "cp1252", "\t", ","), ("t.csv", "utf-16", "\t", "."),
    ],
)  # fmt: skip
def test_a_table_is_the_same_however_it_is_written(tmp_path, name, encoding, sep, decimal):
    path = written(tmp_path / name, sep, decimal, encoding)
    table = read_table(path)
    assert table.columns == ("größe", "y", "who=a", "who=b")
    assert np.array_equal(table.points[:, :2], FRAME[["größe", "y"]])
    options = [
        f"encoding={encoding!r}" * (encoding in {"cp1252", "utf-16"}),
        f"sep={sep!r}" * (sep != ("\t" if name == "t.tsv" else ",")),
        f"decimal={decimal!r}" * (decimal == ","),
    ]
    words = " ".join(filter(None, options))
    notes = [note for note in table.notes if note.startswith("Read as")]
    assert notes == ([f"Read as the file shows ({words})."] if words else [])
    asked = read_table(path, sep=sep, decimal=decimal, encoding=encoding)
    assert np.array_equal(asked.points, table.points)
    assert not [note for note in asked.notes if note.startswith("Read as")]


@settings(max_examples=30, deadline=None)
@given(
    st.lists(
        st.tuples(*[st.floats(-99, 99).map(lambda x: round(x, 2))] * 3), min_size=2, max_size=9
    )
)
def test_decimal_commas_are_found_where_there_are_any(tmp_path_factory, rows):
    frame = pd.DataFrame(rows, columns=["a", "b", "c"])
    path = tmp_path_factory.mktemp("t") / "t.csv"
    frame.to_csv(path, index=False, sep=";", decimal=",")
    assert np.array_equal(read_table(path, keep_constant=True).points, frame)


@pytest.mark.parametrize("at", [100, 70_000, 140_000])
def test_a_letter_of_windows_is_found_wherever_it_stands(tmp_path, at):
    text = b"a,b\n" + b"1,2\n" * 40_000
    text = text[:at] + b"\xe9" + text[at:]
    (tmp_path / "t.csv").write_bytes(text)
    assert detect_dialect(tmp_path / "t.csv", ",", ReadingOptions()).encoding == "cp1252"
    (tmp_path / "t.csv.gz").write_bytes(gzip.compress(text, 1))
    assert detect_dialect(tmp_path / "t.csv.gz", ",", ReadingOptions()).encoding == "cp1252"
    # and one of UTF-8 that two pieces share is none
    whole = b"a," + b"x" * ((1 << 16) - 3) + "é\n1,2\n".encode()
    (tmp_path / "u.csv").write_bytes(whole)
    assert detect_dialect(tmp_path / "u.csv", ",", ReadingOptions()).encoding == "utf-8"


@pytest.mark.parametrize(
    ("columns", "sep", "mark"),
    [
        (["1,5 a b"], ";", "."),
        (["1,5 a"], ";", "."),
        (["1,5 2 a"], ";", ","),
        (["1,500 2,250 999"], ";", "."),
        (["1,500 2,250 1000"], ";", ","),
        (["1,500 2,250 1000"], "\t", "."),
        (["1,500 2,25"], "\t", ","),
        (["0,500 2,250"], "\t", ","),
        (["1,5 2", "0.5 1.0"], ";", "."),
        (["1,5 2", "0,5 2", "0.5 1.0"], ";", ","),
        (["1,500 2,250", "0.5 1.0"], ";", "."),
        (["1,5 2", "1 2"], ";", ","),
        # 1.234 may be a thousand and more
        (["1,5 2", "1.234 2.500"], ";", ","),
        (["1,5 2", "999.999 1.000"], ";", ","),
        (["1,5 2", "1000.001 1.000"], ";", "."),
        (["1,5 2", "-1.234 0.5"], ";", "."),
        (["1,5 2", "0.234 3.0"], ";", "."),
        (["1,234,567 1,5", "1,5 2"], ";", "."),
    ],
)
def test_where_commas_are_decimal(columns, sep, mark):
    assert decimal_mark([pa.chunked_array([words.split()]) for words in columns], [], sep) == mark


def test_a_table_on_its_side_is_refused_before_it_is_read(tmp_path):
    header = ",".join(f"c{i}" for i in range(150_000))
    (tmp_path / "t.csv").write_text(f"{header}\n{','.join('1' * 150_000)}\n")
    with pytest.raises(DataError, match=r"150,000 columns in 2 lines: .*turn it round"):
        read_table(tmp_path / "t.csv")
