"""Files that appear only when they are whole."""

import csv

import pandas as pd
import pytest
from matplotlib.figure import Figure

from geoforest_cli.core.errors import DataError
from geoforest_cli.tables.figures import write_figure
from geoforest_cli.tables.writers import require_output, require_picture, write_table


def blocks():
    yield pd.DataFrame({"id": ["a", "b"], "x": [0.1, 0.2]})
    yield pd.DataFrame({"id": ["c"], "x": [0.3]})


@pytest.mark.parametrize("suffix", ["csv", "TSV", "parquet"])
def test_blocks_become_one_table(tmp_path, suffix):
    path = tmp_path / f"t.{suffix}"
    write_table(path, blocks())
    if suffix == "parquet":
        table = pd.read_parquet(path)
    else:
        table = pd.read_csv(path, sep="\t" if suffix == "TSV" else ",")
    assert table["id"].tolist() == ["a", "b", "c"]
    assert table["x"].tolist() == [0.1, 0.2, 0.3]
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("suffix", ["csv", "parquet"])
def test_the_old_file_stays_when_a_block_fails(tmp_path, suffix):
    path = tmp_path / f"t.{suffix}"
    path.write_text("old")

    def broken():
        yield pd.DataFrame({"x": [1]})
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        write_table(path, broken())
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


def links(folder):
    """Paths of one file: itself, by a detour, a symbolic link, a hard link."""
    table = folder / "t.csv"
    table.write_text("a,b\n1,2\n3,5\n2,4\n")
    (folder / "link.csv").symlink_to(table)
    (folder / "hard.csv").hardlink_to(table)
    (folder / "sub").mkdir()
    names = ("t.csv", "sub/../t.csv", "link.csv", "hard.csv")
    return table, [folder / name for name in names]


def test_the_table_that_was_read_is_not_written_over(tmp_path, monkeypatch):
    table, paths = links(tmp_path)
    monkeypatch.chdir(tmp_path / "sub")
    for path in paths:
        with pytest.raises(DataError, match="which would be lost"):
            require_output(path, table)
        with pytest.raises(DataError, match="which would be lost"):
            require_output(table, str(path))
    assert require_output(tmp_path / "o.csv", None) == tmp_path / "o.csv"


@pytest.mark.parametrize(
    ("require", "name", "words"),
    [
        (require_output, "t.xlsx", r"not '\.xlsx'"),
        (require_output, "nowhere/t.csv", "there is no folder"),
        (require_picture, "p.jpg", r"a picture is .png, .svg or .pdf, not '.jpg'"),
        (require_picture, "t.csv", "a picture is .png"),
        (require_picture, "p.v2", r"not '.v2'"),
        (require_picture, "nowhere/p.png", "there is no folder .*nowhere"),
        (require_picture, "there.png", "a folder is there"),
    ],
)
def test_files_that_cannot_be_written(tmp_path, require, name, words):
    (tmp_path / "there.png").mkdir()
    with pytest.raises(DataError, match=words):
        require(tmp_path / name)


def test_pictures_have_the_ending_that_they_are_given(tmp_path):
    def draw(text):
        figure = Figure()
        figure.suptitle(text, parse_math=False)
        return figure

    begins = {"png": b"\x89PNG", "svg": b"<svg", "pdf": b"%PDF", "": b"\x89PNG"}
    for ending, begin in begins.items():
        asked = require_picture(tmp_path / (f"p.{ending}" if ending else "q"))
        written = write_figure(asked, draw, "$\\frac{")
        assert written == (asked if ending else tmp_path / "q.png")
        assert written.read_bytes().startswith(begin)
    assert {path.name for path in tmp_path.iterdir()} == {"p.png", "p.svg", "p.pdf", "q.png"}


HIDDEN = ["\n=1", "\r\n=1", " =1", "\u00a0=1", "\u200b=1", "\ufeff@x", "\u202e-x", "\x00=1", "\x1b+x",
          "\uff1d1+1", "\uff0b1+x", "\uff0d1+x", "\uff20SUM(1)", "\ufe66x", " \u200b\uff1dx", "\nplain",
          "\u00ad=1", "\u2a75x", "-x"]  # fmt: skip
PLAIN = [
    "-5",
    "+3.5",
    "-1e-3",
    " -5",
    "\n-5",
    "-inf",
    "a=b",
    "\u00e9",
    " x",
    "",
    "\u2212x",
    "\ufeffx",
]


@pytest.mark.parametrize("suffix", ["csv", "tsv"])
def test_a_formula_behind_unseen_or_in_other_letters_is_none(tmp_path, suffix):
    path = tmp_path / f"t.{suffix}"
    texts = [*HIDDEN, *PLAIN]
    with pytest.warns(UserWarning, match="have a ' before them"):
        write_table(path, [pd.DataFrame({"id": texts, "x": 1})])
    mark = "\t" if suffix == "tsv" else ","
    with path.open(encoding="utf-8", newline="") as file:
        written = [line[0] for line in csv.reader(file, delimiter=mark)][1:]
    assert written == [*(f"'{text}" for text in HIDDEN), *PLAIN]


def test_names_of_columns_are_no_formulas(tmp_path):
    names = ["=1+1", "\n=2", "\uff1d3", "ok"]
    frame = pd.DataFrame([[0.123456789, "x", 2, 3]] * 2, columns=names)
    with pytest.warns(UserWarning, match="texts such as '=1"):
        write_table(tmp_path / "t.csv", [frame, frame], ("=1+1",))
    table = pd.read_csv(tmp_path / "t.csv")
    assert list(table) == [*(f"'{name}" for name in names[:3]), "ok"]
    assert table["'=1+1"].tolist() == [0.1234568] * 4
    write_table(tmp_path / "t.parquet", [frame])
    assert list(pd.read_parquet(tmp_path / "t.parquet")) == names


def test_a_name_that_is_too_long_is_told_in_short():
    for require, ending in ((require_output, ".csv"), (require_picture, ".png")):
        with pytest.raises(DataError, match=r"the name is too long for a file$") as error:
            require("a b " * 25_000 + ending)
        assert len(str(error.value)) < 300
