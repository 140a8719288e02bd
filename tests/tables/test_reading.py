"""Tables that would be misread in silence are refused, or a note says how they are read."""

import re

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pyarrow import feather

from geoforest_cli.core.errors import DataError
from geoforest_cli.tables.header import _header_is_data
from geoforest_cli.tables.reading import open_table
from tests.tables.helpers import read_table

BODY = "5.1,3.5,1.4,0.2\n4.9,3.0,1.4,0.2\n6.3,2.9,5.6,1.8\n7.1,3.9,6.6,2.8\n"


def read(folder, text, name="t.csv", **options):
    (folder / name).write_text(text)
    return read_table(folder / name, **options)


@pytest.mark.parametrize(
    "header",
    ["a,b,c,d", "0,1,2,3", "1,2,3,4", "2001,2002,2003,2004", "400.5,401,401.5,402", "a,a.1,2,3",
     "\ufeffa,b,c,d", " a,b,c,d", "q1,0.5,0.6,0.7"],
)  # fmt: skip
def test_first_lines_that_are_names(tmp_path, header):
    table = read(tmp_path, f"{header}\n{BODY}")
    assert table.columns == tuple(header.lstrip("\ufeff").strip().split(","))
    assert table.points.shape == (4, 4)
    assert table.notes == ()


@settings(max_examples=40, deadline=None)
@given(
    st.integers(2, 5).flatmap(
        lambda p: st.lists(
            st.lists(st.floats(-9, 9).map(lambda x: round(x, 3)), min_size=p, max_size=p),
            min_size=3, max_size=8,
        )
    )
)  # fmt: skip
def test_a_table_with_names_reads_as_it_is(tmp_path_factory, rows):
    frame = pd.DataFrame(rows).rename(columns="x{}".format)
    path = tmp_path_factory.mktemp("t") / "t.csv"
    frame.to_csv(path, index=False)
    table = read_table(path, keep_constant=True)
    assert table.columns == tuple(frame.columns)
    assert np.array_equal(table.points, frame)


def test_a_column_of_row_numbers_without_a_name_is_left_out(tmp_path):
    frame = pd.DataFrame(np.random.default_rng(0).normal(size=(9, 2)), columns=["a", "b"])
    frame.sample(frac=1, random_state=0).to_csv(tmp_path / "t.csv")
    table = read_table(tmp_path / "t.csv")
    assert table.columns == ("a", "b")
    assert table.notes == (
        "Left out, without a name, and the numbers of the rows or empty: 'Unnamed: 0'.",
    )
    part = read_table(tmp_path / "t.csv", ["a"])
    assert part.notes == ()  # who names columns has left out the others
    asked = read_table(tmp_path / "t.csv", ["Unnamed: 0", "a"])
    assert asked.columns == ("Unnamed: 0", "a")
    named = read_table(tmp_path / "t.csv", identifier="Unnamed: 0")
    assert sorted(named.ids) == list(range(9))
    assert asked.notes == named.notes == ()
    # the same frame, read by the user
    assert read_table(pd.read_csv(tmp_path / "t.csv")).columns == ("a", "b")
    # numbers that are no row numbers, and an empty column at the end
    table = read(tmp_path, ",a,\n0.5,1,\n0.7,2,\n0.5,4,\n")
    assert table.columns == ("Unnamed: 0", "a")
    assert "'Unnamed: 2'" in table.notes[0]


def test_a_column_that_counts_the_rows_is_used_and_told():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(
        {"a": rng.normal(size=30), "id": np.arange(7, 37), "b": rng.normal(size=30)}
    )
    note = (
        "Used as features, though the values are row numbers: id; identifier names the rows by a "
        "column, exclude leaves it out."
    )
    assert read_table(frame).notes == (note,)
    assert read_table(frame).columns == ("a", "id", "b")
    assert read_table(frame, identifier="id").notes == ()
    assert read_table(frame, ["a", "id"]).notes == ()  # the user's own choice
    gaps = frame.assign(a=frame["a"].where(frame.index != 1))
    assert read_table(gaps, missing="drop").notes[-1] == note
    two = read_table(frame.assign(line=np.arange(1, 31)))
    assert two.notes[-1].startswith(
        "Used as features, though the values are row numbers: id, line; "
    )
    assert read_table(frame[::-1]).notes == (note,)
    (swapped,) = read_table(frame.assign(id=frame["id"].mask(frame["id"] == 20, 21))).notes
    assert "count or name rows, as ids do: id; " in swapped
    assert read_table(frame[:9]).notes == ()


@pytest.mark.parametrize("rows", [10, 150])
def test_what_rises_or_falls_with_the_rows_is_told(rows):
    rng = np.random.default_rng(rows)
    times = 1.6e9 + np.cumsum(rng.uniform(1, 5, rows))
    frame = pd.DataFrame({"a": rng.normal(size=rows), "time": times, "b": rng.normal(size=rows)})
    said = (
        "Used as features, though the values rise or fall with the rows, as times may: time; "
        "identifier names the rows by a column, exclude leaves it out."
    )
    for other in (frame, frame[::-1], frame.assign(time=5 * np.arange(rows) + 3)):
        assert read_table(other).notes == (said,)
    # one step back, or twice the same, and a column may be anything
    for row in (5, rows - 1):
        for value in (times[row - 2], times[row - 1]):
            moved = frame.assign(time=np.where(np.arange(rows) == row, value, times))
            assert read_table(moved).notes == ()


NUMBERS = [[1.5, 2, "u"], [3.5, 4, "v"], [2.5, 9, "u"], [0.5, 1, "v"]]


@pytest.mark.parametrize("kind", ["csv.gz", "csv.zst", "parquet", "feather", "npy", "xlsx", "h5ad"])
def test_every_damaged_file_has_a_reason_and_one_wording(tmp_path, kind):
    path = tmp_path / f"t.{kind}"
    path.write_bytes(b"\x1f\x8b\x08 no such thing, for sure\n" * 3)
    ending = r"csv|gz|zst" if kind.startswith("csv") else kind
    with pytest.raises(
        DataError, match=rf"^{re.escape(str(path))}: cannot be read as ({ending}) \(\S.+\)$"
    ):
        read_table(path)


@pytest.mark.parametrize("kind", ["parquet", "feather"])
@pytest.mark.parametrize("columns", [2, 1200])
def test_text_that_is_no_utf_8_is_refused(tmp_path, kind, columns):
    starts = np.arange(4, dtype=np.int32)
    text = pa.StringArray.from_buffers(3, pa.py_buffer(starts), pa.py_buffer(b"a\xffb"))
    table = pa.table({**{f"x{i}": [1.0, 2.0, 3.0] for i in range(columns - 1)}, "who": text})
    path = tmp_path / f"t.{kind}"
    (pq.write_table if kind == "parquet" else feather.write_feather)(table, path)
    with pytest.raises(DataError, match=rf"^{path}: cannot be read as {kind} \(.*UTF8"):
        read_table(path)


NAMES = ["a", "b", "c", "d"]


def opened(folder, rows):
    path = folder / "t.csv"
    pd.DataFrame(rows).to_csv(path, index=False, header=False)
    return open_table(path)


@pytest.mark.parametrize(
    ("rows", "refused"),
    [
        ([["cm", "kg"], [1, 2], [3, 5]], True),
        ([["cm", "kg"], [1, 2]], False),  # two rows may be of anything
        ([["cm", "3"], [1, 2], [3, 5]], False),
        ([["cm", None], [1, 2], [3, 5]], False),
        ([["cm", "kg"], [1, "a"], [3, 5]], False),
        ([["cm", "kg"], [None, 2], [None, 5]], False),
        ([["cm", "kg"], [None, 2], [3, 5]], True),
        ([["?", "kg"], [1, 2], [3, 5]], False),
        ([["cm2", "kg"], [1, 2], [3, 5]], True),
    ],
)
def test_when_a_first_row_is_names_or_units(tmp_path, rows, refused):
    """Of two columns at least, all of them words above nothing but numbers."""
    rows = [["a", "b"], *rows]
    if refused:
        with pytest.raises(DataError, match="is text above numbers"):
            opened(tmp_path, rows)
    else:
        assert len(opened(tmp_path, rows).frame) == len(rows) - 1


@pytest.mark.parametrize(
    ("header", "said"),
    [
        (["0", "1", "2"], ""), (["1", "2", "3"], ""), (["2", "3", "4"], "may be one"),
        (["1", "3", "5"], "may be one"), (["5", "3", "1"], "may be one"),
        (["1", "5", "3"], "is one"),
        (["3", "3", "3"], "is one"), (["1.5", "2.5", "3.5"], "is one"), (["100", "200", "300"], ""),
        (["300", "200", "100"], ""), (["100", "300", "200"], "is one"),
        (["100.5", "101", "102"], ""),
        (["nan", "1", "2"], ""), (["inf", "1", "2"], ""), (["a", "1", "2"], ""),
        (["0", "90", "91"], ""), (["0", "9", "91"], "may be one"), (["91", "9", "0"], "may be one"),
        (["0", "91", "9"], "is one"),
    ],
)  # fmt: skip
def test_numbers_that_may_name_columns(header, said):
    """They rise or fall evenly, or lie where no value does."""
    frame = pd.DataFrame(np.tile(np.arange(10.0)[:, None], 3))
    assert _header_is_data(frame, header) == said


def _table(remarks: list[str], sep: str = ",", first: bool = False) -> str:
    lines = []
    for number, remark in enumerate(remarks):
        values = [f"{number * 0.37 % 1:.3f}", str(number)]
        lines.append(sep.join([remark, *values] if first else [*values, remark]))
    names = ["remark", "x", "y"] if first else ["x", "y", "remark"]
    return "\n".join([sep.join(names), *lines, ""])


@pytest.mark.parametrize("first", [False, True])
@pytest.mark.parametrize(("sep", "name"), [(",", "t.csv"), ("\t", "t.tsv"), (";", "t.csv")])
@pytest.mark.parametrize("far", [7, 40])
def test_rows_between_two_stray_quotes_are_not_one_value(tmp_path, first, sep, name, far):
    remarks = [f"fine {i}" for i in range(60)]
    (tmp_path / name).write_text(_table(remarks, sep, first))
    assert len(open_table(tmp_path / name).frame) == 60
    remarks[5], remarks[far] = '"good product', 'bad" one'
    (tmp_path / name).write_text(_table(remarks, sep, first))
    with pytest.raises(DataError, match=r"'remark' has a text of \d+ lines in row 5 .*a quote is"):
        open_table(tmp_path / name)


@pytest.mark.parametrize("text", ["Dear\nSir,\nall, well, so\nbye", "a\n1,x\nb", "a,1,2\nb,3,4"])
def test_a_text_of_several_lines_is_a_text(tmp_path, text):
    path = tmp_path / "t.csv"
    path.write_text(_table([f'"{text}"'] * 20))
    assert open_table(path).frame["remark"].tolist() == [text] * 20
