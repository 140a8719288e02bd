"""What a command refuses before anything slow is imported, and what it leaves to the readers."""

import os
import subprocess
import sys

import pytest

from tests.cli.test_start import LISTED
from tests.e2e.inside import ROOT, geoforest

TABLE = "name,a,b,c\n" + "".join(f"r{i},{i * i % 7},{i}.5,{i % 2}\n" for i in range(12))
CALLS = [
    ("neighbors no.csv -o o.csv", "there is no file no.csv"),
    ("neighbors t.csv -o o.csv --method isomp", "did you mean 'isomap'?"),
    ("neighbors t.csv -o o.csv --method rf", "geoforest classify takes it"),
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
    ("directions t.csv --label kind", "unknown column 'kind'"),
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
