"""What a command refuses before anything slow is imported, and what it leaves to the readers."""

import csv
import io
import os
import subprocess
import sys

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from geoforest_cli.core.errors import DataError
from geoforest_cli.tables import read_table
from geoforest_cli.tables.dialect import ReadingOptions, count_rows, first_line
from geoforest_cli.tables.header import without_blanks
from tests.cli.test_start import LISTED
from tests.e2e.inside import ROOT, geoforest

TABLE = "name,a,b,c\n" + "".join(f"r{i},{i * i % 7},{i}.5,{i % 2}\n" for i in range(12))
CALLS = [
    ("neighbors no.csv -o o.csv", "there is no file no.csv"),
    ("neighbors t.csv -o o.csv --method isomp", "did you mean 'isomap'?"),
    ("neighbors t.csv -o o.csv --method rf", "geoforest classify takes it"),
    ("neighbors t.csv -o o.csv --mising drop", "Did you mean '--missing'?"),
    ("neighbors t.csv -o o.csv --k 12", "No such option '--k'. Did you mean '-k'?"),
    ("neighbors t.csv -o o.csv -k 12", "-k 12: t.csv has 12 rows, so that 1 to 11 are possible"),
    ("neighbors t.csv -o o.csv --id nam", "unknown column 'nam'; did you mean 'name'?"),
    ("neighbors t.csv -o o.csv --columns a,d", "unknown column 'd'"),
    ("neighbors t.csv --picture m.png --color nam", "--color nam: unknown column 'nam'; did you"),
    ("neighbors t.csv -o o.csv --sheet s", "--sheet s: that is for .xlsx, .xlsm, not for .csv"),
    ("neighbors t.csv -o o.csv --seed -1", "--seed -1: a seed is"),
    ("neighbors t.csv -o o.csv --shape axb", "a shape is HEIGHTxWIDTH"),
    ("neighbors t.csv -o o.xls", "the output is .parquet"),
    ("neighbors two.csv -o o.csv", "duplicate column 'a' (columns 1 and 3"),
    ("columns t.csv --method piars", "--method: unknown screen 'piars'; did you mean 'pairs'?"),
    ("columns t.csv --level 2", "--level 2.0: a level lies between 0 and 1"),
    ("columns t.csv --exclude d", "unknown column 'd'"),
    ("directions t.csv --label kind", "unknown column 'kind'"),
    ("classify t.csv --label d", "unknown column 'd'"),
    ("classify t.csv --label c --id nam", "unknown column 'nam'; did you mean 'name'?"),
    ("classify t.csv --label c --method isomap", "geoforest neighbors takes it"),
]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    path = tmp_path_factory.mktemp("early")
    (path / "t.csv").write_text(TABLE)
    (path / "two.csv").write_text(TABLE.replace("name,a,b,c", "a,b,a,c"))
    return path


def test_a_mistake_is_said_before_anything_slow_is_imported(folder):
    code = (
        "import contextlib, sys\n"
        "from geoforest_cli.cli.main import main\n"
        "for words in sys.argv[1:]:\n"
        "    sys.argv = ['geoforest', *words.split()]\n"
        "    with contextlib.suppress(SystemExit):\n"
        "        main()\n"
        f"    print([one for one in {LISTED} if one in sys.modules])\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, *(words for words, _ in CALLS)],
        cwd=folder, capture_output=True, text=True, check=True, timeout=120,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )  # fmt: skip
    said = zip(CALLS, done.stdout.splitlines(), strict=True)
    assert [one for one in said if one[1] != "[]"] == []


@pytest.mark.parametrize(("words", "said"), CALLS)
def test_it_is_one_sentence_and_exit_status_2(folder, words, said):
    done = geoforest(*words.split(), cwd=folder)
    assert done.returncode == 2
    assert said in done.stderr.splitlines()[-1]


WORDS = st.text(st.characters(codec="utf-8", exclude_characters="\r\x00"), min_size=1, max_size=5)


@settings(max_examples=80, deadline=None)
@given(st.lists(WORDS, min_size=2, max_size=4, unique=True), st.sampled_from([",", ";", "\t"]))
def test_the_first_line_has_the_names_that_the_reader_finds(tmp_path_factory, names, sep):
    text = io.StringIO()
    writer = csv.writer(text, delimiter=sep, lineterminator="\n")
    writer.writerows([names, *([0.5 * i + j for j in range(len(names))] for i in (3, 1, 2))])
    path = tmp_path_factory.mktemp("t") / "t.csv"
    path.write_text(text.getvalue(), encoding="utf-8", newline="")
    found = first_line(path, ",", ReadingOptions())
    rows = count_rows(path, ReadingOptions())
    try:
        table = read_table(path)
    except DataError:
        return
    assert found is None or tuple(without_blanks(found)) == table.columns
    assert rows in {None, 3}


@pytest.mark.parametrize(
    ("content", "options"),
    [
        (b"x", {}),
        (b"", {}),
        (b'"a,b\n1,2\n', {}),
        ("k\u00f6ln,b\n1,2\n".encode("latin-1"), {}),
        (b"\x1f\x8bno gzip", {}),
    ],
)
def test_what_the_first_line_does_not_show_is_left_to_the_reader(tmp_path, content, options):
    (tmp_path / "t.csv").write_bytes(content)
    assert first_line(tmp_path / "t.csv", ",", ReadingOptions(**options)) is None


def test_a_table_of_one_row_has_no_neighbours(tmp_path):
    (tmp_path / "t.csv").write_text("a,b\n1,2\n")
    (tmp_path / "u.csv").write_text('a,b\n"1",2\n"3",4\n')
    for words in (("-k", 1), ("-k", 5)):
        done = geoforest("neighbors", "t.csv", *words, "-o", "o.csv", cwd=tmp_path)
        assert (done.returncode, done.stderr) == (
            2, "Error: t.csv has one row only, which has no neighbours\n",
        )  # fmt: skip
    done = geoforest("neighbors", "u.csv", "-k", "2", "-o", "o.csv", cwd=tmp_path)
    assert "-k 2: u.csv has 2 rows, so that 1 is possible" in done.stderr
