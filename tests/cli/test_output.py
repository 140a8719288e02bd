"""Names and output of others are shown, not obeyed; the end of the command line."""

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from click import unstyle
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

from geoforest_cli.cli import main as entry
from geoforest_cli.cli.main import cli
from geoforest_cli.cli.output import print_table
from geoforest_cli.core.errors import DataError, UserError
from geoforest_cli.core.escaping import escape_control_characters, escaped_json

ROOT = Path(__file__).parents[2]
EVIL = "\x1b]0;owned\x07\x1b[2J\x9b2J\u202ex\r"


def unsafe(text):
    return [
        letter
        for letter in text
        if letter in EVIL.replace("]0;owned", "").replace("[2J", "") and letter not in "2Jx"
    ]


@given(st.text(st.characters(codec=None)))
def test_nothing_that_a_terminal_obeys_is_left(text):
    shown = escape_control_characters(text)
    assert not any(letter < " " and letter not in "\t\n" for letter in shown)
    assert not any("\x7f" <= letter <= "\x9f" or "\u202a" <= letter <= "\u202e" for letter in shown)
    assert "\n" not in escape_control_characters(text, one_line=True)
    shown.encode()
    content = {text: [text]}
    escaped = escaped_json(content)
    assert json.loads(escaped) == content
    assert "\x9b" not in escaped
    escaped.encode()


def test_names_of_columns_are_shown_escaped(tmp_path):
    rng = np.random.default_rng(0)
    t = rng.uniform(0, 6, 80)
    names = [f"{EVIL[:-1]}a", "b\nc", "same\x1b[31m"]
    frame = pd.DataFrame(np.c_[np.cos(t), np.sin(t), np.ones(80)], columns=names)
    frame.to_csv(tmp_path / "t.csv", index=False)
    done = CliRunner().invoke(cli, ["columns", str(tmp_path / "t.csv"), "--method", "pairs"])
    assert done.exit_code == 0, done.output
    assert r"\x1b]0;owned\x07" in done.stdout
    assert r"b\nc" in done.stdout
    assert r"same\x1b[31m" in done.stderr
    assert not unsafe(done.output)
    assert len(done.stdout.splitlines()) == 5  # a header, two columns, a summary, a group


@pytest.mark.parametrize("words", [["--help"], ["list", "metrics"]])
def test_a_reader_that_has_gone_is_left_quietly(words):
    code = (
        "import os, sys\n"
        "read, write = os.pipe(); os.close(read); os.dup2(write, 1)\n"
        "from geoforest_cli.cli.main import main\n"
        f"sys.argv = ['geoforest', *{words!r}]; main()"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (141, "")


def test_a_table_that_nobody_reads_is_left_quietly(monkeypatch, capfd):
    def unread(*_, **__):
        raise BrokenPipeError

    monkeypatch.setattr("geoforest_cli.cli.check.check.callback", lambda **_: unread())
    monkeypatch.setattr("sys.argv", ["geoforest", "check", "noise"])
    with pytest.raises(SystemExit) as caught:
        entry.main()
    assert caught.value.code == 141
    assert capfd.readouterr().err == ""


_CLOSED = """
import sys
from geoforest_cli.cli.main import main
sys.argv[1:], told = ["list", "metrics"], sys.argv[1]
try:
    main()
except SystemExit as end:
    with open(told, "w") as file:
        streams = [stream.fileno() for stream in (sys.stdin, sys.stdout, sys.stderr)]
        file.write(f"{end.code} {streams} {file.fileno() > 2}")
"""


@pytest.mark.parametrize("closed", ["<&- >&- 2>&-", ">&-", "2>&-", "<&-"])
def test_no_file_takes_the_place_of_a_closed_stream(tmp_path, closed):
    """Output, by libraries too, would be written into it."""
    command = ["bash", "-c", f'exec "$@" {closed}', "bash", sys.executable, "-c", _CLOSED]
    report = tmp_path / "told"
    subprocess.run([*command, report], cwd=ROOT, capture_output=True, check=True)
    assert report.read_text() == "0 [0, 1, 2] True"


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="Linux has it")
def test_an_output_that_is_full_is_told():
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(
            [sys.executable, "-m", "geoforest_cli", "list", "metrics"],
            cwd=ROOT, stdout=full, stderr=subprocess.PIPE, text=True, check=False,
        )  # fmt: skip
    assert (done.returncode, done.stderr) == (1, "Error: the output: No space left on device\n")


@pytest.mark.parametrize(
    ("verb", "words", "message"),
    [
        ("neighbors", ["-o", "t.csv", "-k", "1"], "which would be lost"),
        ("neighbors", ["-o", "no/o.csv", "-k", "1"], "there is no folder no"),
        ("neighbors", ["-o", "o.csv", "--seed", "-1"], "--seed -1: a seed is a whole number"),
        ("neighbors", ["-o", "o.csv", "-k", "1", "--method", "isomap"], "isomap needs a 20 x 20"),
        ("neighbors", ["-o", "o.csv", "-k", "2"], "-k 2: 2 neighbours of each of 20 rows"),
        ("classify", ["--label", "b", "-o", "link.csv"], "which would be lost"),
        ("classify", ["--label", "b", "-o", "no/o.csv"], "there is no folder no"),
        ("classify", ["--label", "b", "--picture", "p.gif"], "a picture is .png, .svg or .pdf"),
        ("columns", ["-o", "o.csv", "--picture", "no/p.png"], "there is no folder no"),
        ("columns", ["-o", "./t.csv"], "which would be lost"),
        ("directions", ["-o", "o.csv", "--picture", "no/p.png"], "there is no folder no"),
    ],
)
def test_what_cannot_end_well_does_not_begin(tmp_path, monkeypatch, verb, words, message):
    """Outputs, seeds and sizes: told in options, before any method is made."""

    class Little:
        available = 780  # the table itself takes 766

    def not_to_be_called(*_, **__):
        raise AssertionError

    monkeypatch.setattr("psutil.virtual_memory", Little)
    for name in ("neighbors.build", "cross_validation.build"):
        monkeypatch.setattr(f"geoforest_cli.tables.{name}", not_to_be_called)
    monkeypatch.chdir(tmp_path)
    table = "a,b\n" + "".join(f"{number},{'xy'[number % 2]}\n" for number in range(20))
    (tmp_path / "t.csv").write_text(table)
    (tmp_path / "link.csv").symlink_to("t.csv")
    done = CliRunner().invoke(cli, [verb, "t.csv", *words])
    assert isinstance(done.exception, UserError | DataError)
    assert message in str(done.exception)
    assert (tmp_path / "t.csv").read_text() == table
    assert {path.name for path in tmp_path.iterdir()} == {"t.csv", "link.csv"}


@pytest.mark.parametrize(
    ("terminal", "ruled", "width", "lines"),
    [
        (
            True,
            True,
            20,
            [" name        n", " ─────────────", " a size   12.5", "           3.1"],
        ),
        (True, True, 11, None),
        (False, True, 11, ["name       n", "a size  12.5", "         3.1"]),
        (True, False, 11, ["name       n", "a size  12.5", "         3.1"]),
    ],
)
def test_a_table_on_a_terminal_is_ruled_and_fits(
    monkeypatch, capsys, terminal, ruled, width, lines
):
    if terminal:
        monkeypatch.setenv("FORCE_COLOR", "1")
        monkeypatch.setenv("TERM", "xterm")
    else:
        monkeypatch.delenv("FORCE_COLOR", raising=False)
    monkeypatch.setenv("COLUMNS", str(width))
    rows = [["a size", "12.5"], ["", "3.1"]]
    print_table(["name", "n"], rows, right={1}, ruled=ruled)
    out = capsys.readouterr().out
    assert ("\x1b[1m" in out) == (terminal and ruled)
    shown = [line.rstrip() for line in unstyle(out).splitlines() if line.strip()]
    if lines is None:
        assert max(map(len, shown)) <= width
        assert "…" in shown[2]
        assert len(shown) == 4
    else:
        assert shown == lines
