"""Tables that would be misread in silence are refused, or a note says how they are read."""

import bisect
import contextlib
import gzip

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from geoforest_cli.core.errors import DataError
from geoforest_cli.study.engine.executors import cell_process
from geoforest_cli.tables import cross_validate, find_columns, find_neighbors
from geoforest_cli.tables.arrow import read_parquet
from tests.tables.helpers import read_table
from tests.tables.test_excel import workbook

BODY = "5.1,3.5,1.4,0.2\n4.9,3.0,1.4,0.2\n6.3,2.9,5.6,1.8\n7.1,3.9,6.6,2.8\n"


def read(folder, text, name="t.csv", **options):
    (folder / name).write_text(text)
    return read_table(folder / name, **options)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("a,b\n1,2,3\n4,5,6\n", "the rows have more values than the first line has names"),
        ("a,b\nr1,1,2\nr2,4,5\n", "the rows have more values than the first line has names"),
        ("a,b\n1,2,3,4\n4,5,6,7\n", "the rows have more values than the first line has names"),
        ("a,b\n0,1,2\n1,4,5\n", "more values than the first line has names"),
        ("a,b\n1,2,\n4,5,6\n", "more values than the first line has names"),
        ("5.0,3.2,1.6,0.3\n" + BODY, r"first line \(5.0, 3.2, 1.6, ...\) .* looks like a row"),
        ("r0,5.0,3.2\nr1,5.1,3.5\nr2,4.9,3.0\n", "looks like a row"),
        ("0,7,0,3\n1,9,0,2\n0,5,1,3\n2,6,3,4\n", "looks like a row"),
        ("3,1.5,2.5\n1,9.5,8.1\n2,7.5,9.9\n", "looks like a row"),
        ("a,b,a\n1,2,3\n4,5,6\n", "duplicate column 'a'"),
        ('"a,b",c,"a,b"\n1,2,3\n4,5,6\n', "duplicate column 'a,b'"),
    ],
)
def test_a_first_line_that_does_not_name_every_column(tmp_path, text, words):
    with pytest.raises(DataError, match=words):
        read(tmp_path, text)
    with pytest.raises(DataError, match=r"t\.tsv: "):
        read(tmp_path, text.replace(",", "\t").replace('"a\tb"', "a"), "t.tsv")


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


def test_rows_that_end_with_a_separator(tmp_path):
    assert read(tmp_path, "a,b\n1,2,\n4,5,\n").points.tolist() == [[1, 2], [4, 5]]


def test_a_first_line_that_may_be_either_is_told(tmp_path):
    table = read(tmp_path, "3,5,9\n0,200,50\n17,0,0\n255,9,31\n")
    assert table.columns == ("3", "5", "9")
    assert table.notes == ("The first line (3, 5, 9) is taken for the names of the columns.",)


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
    some = read_table(tmp_path / "t.csv", ["a"])
    assert some.notes == ()  # who names columns has left out the others
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
    swapped = frame.assign(id=frame["id"].mask(frame["id"] == 20, 21))
    for other in (swapped, frame[:9]):
        assert read_table(other).notes == ()


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


def test_ids_and_ranks_in_no_order_are_no_row_numbers():
    rng = np.random.default_rng(1)
    frame = pd.DataFrame({"a": rng.normal(size=30), "id": rng.permutation(30) + 100})
    (note,) = read_table(frame).notes
    assert note.startswith(
        "Used as features, though they are whole numbers of which each comes once, as ids or "
        "ranks: id; "
    )
    assert read_table(frame.assign(id=2 * frame["id"])).notes == ()


def test_many_columns_of_counts_are_told_in_one_sentence():
    counts = np.random.default_rng(2).poisson(3, size=(200, 30))
    frame = pd.DataFrame(counts).add_prefix("gene")
    (note,) = read_table(frame).notes
    assert note.startswith("30 of 30 columns have few whole values: counts are features, ")
    few = frame.assign(**{f"x{i}": np.random.default_rng(i).normal(size=200) for i in range(30)})
    (note,) = read_table(few[[*few.columns[:5], *few.columns[30:]]]).notes
    assert "they may be classes (text or few whole values): gene0, " in note


def test_numbers_of_another_byte_order_are_the_same_numbers(tmp_path):
    X = np.random.default_rng(0).normal(size=(40, 3))
    y = (X[:, 0] > 0).astype(float)
    for kind in (">f8", ">f4", ">i2"):
        big = (100 * np.c_[X, y]).astype(kind)
        np.save(tmp_path / "big.npy", big)
        np.save(tmp_path / "little.npy", big.astype(big.dtype.newbyteorder("<")))
        found = [
            find_neighbors(tmp_path / f"{name}.npy", 3, "euclidean", identifier="1")
            for name in ("big", "little")
        ]
        assert np.array_equal(found[0].distances, found[1].distances)
        assert found[0].ids.tolist() == found[1].ids.tolist()
        assert read_table(big).points.dtype == (np.float32 if kind == ">f4" else np.float64)
        classes = cross_validate(tmp_path / "big.npy", "3", "knn", folds=2)
        assert classes.accuracy > 0.7
    assert read_table(pd.DataFrame(X.astype(">f8"))).points.dtype.isnative


def test_complex_files_are_refused_with_few_values_too(tmp_path):
    np.save(tmp_path / "z.npy", np.tile([[1j, 2.0], [3.0, 4.0]], (20, 1)))
    with pytest.raises(DataError, match=r"z.npy: the column '0' has complex numbers"):
        read_table(tmp_path / "z.npy")


class Free:
    def __init__(self, monkeypatch):
        self.available = 60_000_000
        monkeypatch.setattr("psutil.virtual_memory", lambda: self)


def packed(path, piece, times):
    """Write a file that is the same piece again and again; each is packed by itself, once."""
    head, body = gzip.compress(b"a,b\n"), gzip.compress(piece)
    with path.open("wb") as file:
        file.write(head)
        for _ in range(times):
            file.write(body)
    return path


@pytest.mark.parametrize("name", ["t.csv.gz", "t.TSV.GZ"])
@pytest.mark.parametrize(
    ("piece", "times"),
    [(b"0,0\n" * 250_000, 200), (b"0,0\n" * 250_000, 8_000), (bytes(1_000_000), 200)],
    ids=["200 MB of zeros", "8 GB of zeros", "200 MB of NUL"],
)
def test_a_packed_table_that_outgrows_the_memory_is_left_soon(
    tmp_path, monkeypatch, name, piece, times
):
    if "TSV" in name:
        piece = piece.replace(b",", b"\t")
    path = packed(tmp_path / name, piece, times)
    assert path.stat().st_size < 20_000_000
    Free(monkeypatch)
    cell_process._reset_peak_memory()
    before = cell_process._peak_memory()
    words = r"^\S+/t\S+: expands to more than 0\.\d GB of text, and what is read so far takes 0\.1 GB, and 0\.1 GB are free; leave rows or"
    with pytest.raises(DataError, match=words):
        read_table(path)
    assert cell_process._peak_memory() - before < 150_000_000


@pytest.mark.parametrize("kind", ["csv", "tsv", "csv.gz", "parquet", "npy"])
def test_a_table_may_take_what_is_free_and_no_more(tmp_path, monkeypatch, kind):
    """A number takes its text and 16 bytes; files of numbers say themselves what they take."""
    path = tmp_path / f"t.{kind}"
    frame = pd.DataFrame(np.arange(40.0).reshape(20, 2), columns=["a", "b"])
    if kind == "parquet":
        frame.to_parquet(path, compression=None)
    elif kind == "npy":
        np.save(path, frame)
    else:
        frame.to_csv(path, index=False, sep="\t" if kind == "tsv" else ",")
    text = len(frame.to_csv(index=False)) + 42 * 16
    free = Free(monkeypatch)
    free.available = path.stat().st_size if kind == "npy" else text
    if kind == "parquet":

        def is_enough(available):
            free.available = available
            with contextlib.suppress(DataError):
                return len(read_parquet(path)) == 20  # by this process, which is quicker
            return False

        free.available = bisect.bisect_left(range(20_000), True, key=is_enough)
        assert 640 + 320 < free.available < 640 + 2 * path.stat().st_size
    assert read_table(path).points.shape == (20, 2)
    free.available -= 1
    with pytest.raises(DataError, match=rf"^\S+/t\.{kind}: .* takes 0\.0 GB, and 0\.0 GB are free"):
        read_table(path)


def test_a_packed_table_that_is_broken_off(tmp_path):
    path = packed(tmp_path / "t.csv.gz", b"0,0\n1,2\n" * 1_000, 1)
    path.write_bytes(path.read_bytes()[:-12])
    with pytest.raises(DataError, match="cannot be read as csv"):
        read_table(path)


def test_a_first_column_without_a_name_that_repeats_is_no_numbering(tmp_path):
    repeated = read(tmp_path, ",a,b\n1,4,2\n2,1,3\n2,5,9\n4,2,1\n")
    assert repeated.columns == ("Unnamed: 0", "a", "b")
    assert not any("without a name" in note for note in repeated.notes)
    numbered = read(tmp_path, ",a,b\n1,4,2\n2,1,3\n3,5,9\n4,2,1\n")
    assert numbered.columns == ("a", "b")


def test_a_value_longer_than_any_table_needs_is_refused_soon(tmp_path):
    """64 MB are said to be too much before the parser takes several times as much for them."""
    path = packed(tmp_path / "t.csv.gz", b"0" * 1_000_000, 300)
    words = r"expands to more than 0\.1 GB of text, and has a value of more than 64 MB, which no"
    with pytest.raises(DataError, match=words):
        read_table(path)
    with (tmp_path / "t.csv").open("wb") as file:
        file.write(b"a,b\n1,")
        file.truncate(70_000_000)
    with pytest.raises(DataError, match=r"t\.csv: has a value of more than 64 MB"):
        read_table(tmp_path / "t.csv")


@pytest.mark.parametrize("name", ["t.csv.zst", "t.TSV.ZST"])
def test_a_text_packed_by_zstandard(tmp_path, name):
    import pyarrow as pa

    text = "name,a,b\n007,1.5,2\n8,3,4\n9,5,7\n".replace(",", "\t" if "TSV" in name else ",")
    with pa.CompressedOutputStream(str(tmp_path / name), "zstd") as file:
        file.write(text.encode())
    table = read_table(tmp_path / name, identifier="name")
    assert table.points.tolist() == [[1.5, 2], [3, 4], [5, 7]]
    assert table.ids.tolist() == ["007", "8", "9"]
    (tmp_path / name).write_bytes(b"no such thing")
    with pytest.raises(DataError, match=rf"{name}: cannot be read as \w+ \(\S.+\)$"):
        read_table(tmp_path / name)


NUMBERS = [[1.5, 2, "u"], [3.5, 4, "v"], [2.5, 9, "u"], [0.5, 1, "v"]]


def as_csv(rows, path):
    pd.DataFrame(rows).to_csv(path.with_suffix(".csv"), index=False, header=False)
    return path.with_suffix(".csv")


def as_workbook(rows, path):
    return workbook(path.with_suffix(".xlsx"), one=rows)


@pytest.mark.parametrize("write", [as_csv, as_workbook])
@pytest.mark.parametrize(
    "above",
    [
        [["x", "y", "kind"], ["cm", "kg", ""]],
        [["Trial of May", None, None], ["x", "y", "kind"]],
    ],
    ids=["units", "title"],
)
def test_names_or_units_among_the_rows_are_refused(tmp_path, write, above):
    path = write([*above, *NUMBERS], tmp_path / "t")
    for missing in ("refuse", "impute", "drop"):
        with pytest.raises(DataError, match=r"is text above numbers, as names or units"):
            read_table(path, missing=missing)
    path = write([["x", "y", "kind"], *NUMBERS], tmp_path / "t")
    assert read_table(path).columns == ("x", "y", "kind=u", "kind=v")


@pytest.mark.parametrize("first", [["?", "?"], ["x1", 2.0]])
def test_a_first_row_that_is_missing_or_has_a_number_is_a_row(tmp_path, first):
    path = as_csv([["x", "y"], first, [1, 2], [3, 5], [2, 9], [4, 1]], tmp_path / "t")
    assert read_table(path, missing="drop").points.shape == (4, 2)


def test_names_that_differ_by_blanks_alone_are_one_name(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text(" a,a ,c\n" + "1,2,3\n" * 12, encoding="utf-8")
    for call in (find_columns, find_neighbors):
        with pytest.raises(DataError, match=r"duplicate column 'a' \(columns 1 and 2\)"):
            call(path)


@pytest.mark.parametrize("content", ["", "\n", "  \n\n"])
def test_an_empty_file_says_so(tmp_path, content):
    path = tmp_path / "t.csv"
    path.write_text(content, encoding="utf-8")
    with pytest.raises(DataError, match=r"t.csv: the file has no column: it is empty, or blank$"):
        find_columns(path)
