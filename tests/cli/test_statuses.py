"""Every exit status of the command line: 0, 1, 2 and 130, and what leads to each."""

import errno
import gc
import signal
import sqlite3
import sys
import threading
from pathlib import Path
from types import SimpleNamespace

import click
import pandas as pd
import pytest
from click.testing import CliRunner

from geoforest_cli.cli import main as entry
from geoforest_cli.cli import run as verb
from geoforest_cli.cli.main import cli
from geoforest_cli.core.errors import MissingData, UserError
from geoforest_cli.study.engine.driver import Failure, RunResult
from geoforest_cli.study.results.record import RunRecord
from geoforest_cli.study.results.result import Result
from tests.study.claims.made import claim, judged

ENTRY = SimpleNamespace(method="gf", variant="as_run")
FAILED = (Failure(ENTRY, "timeout", "it took too long"),)


# as Python before 3.12 does where Ctrl-C comes while a class is made
WRAPPED = RuntimeError("Error calling __set_name__")
WRAPPED.__cause__ = KeyboardInterrupt()


class Made:
    """A study of which each part of the name says what becomes of it."""

    def __init__(self, name):
        self.words = name.split("-")
        self.plan = SimpleNamespace(name=name, notes=(), config=SimpleNamespace(figure={}))

    @classmethod
    def open(cls, name, profile, overrides, results):
        cls.seen.append((name, profile))
        assert (overrides, results) == ((), Path("results"))
        if name == "misspelt":
            raise UserError("unknown config 'misspelt'")
        return cls(name)

    def left_out(self):
        return {}

    def run(self, **_):
        if "lacking" in self.words:
            raise MissingData("nothing to be downloaded")
        if "broken" in self.words:
            raise RuntimeError("boom")
        if "wrapped" in self.words:
            raise WRAPPED
        failed = FAILED if "failed" in self.words else ()
        interrupted = "interrupted" in self.words
        return RunResult(Path("there"), pd.DataFrame(), 5, 1, 3, failed, interrupted)

    def render(self, done):
        assert not done.interrupted
        verdicts = {word.replace("_", " ") for word in self.words}
        states = ("supported", "refuted", "tie", "undecided", "not judged")
        # a reading of a sentence is no reason to fail
        claims = [claim(), claim(sentence="best", reading=True, verdict="refuted")]
        claims += [claim(verdict=state) for state in states if state in verdicts]
        record = RunRecord(
            name="made", profile="paper", config={"name": "made", "text": ""},
            claims=judged(*claims).claims, sentences=judged(*claims).sentences,
        )  # fmt: skip
        return Result(Path("there"), record, done.frame)


@pytest.fixture
def called(monkeypatch):
    monkeypatch.setattr(verb, "Study", Made)
    monkeypatch.setattr(Made, "seen", [], raising=False)

    monkeypatch.setattr(verb.formatting, "show_means", lambda *_: None)

    def call(*words):
        done = CliRunner().invoke(cli, ["run", *words])
        if isinstance(done.exception, UserError | RuntimeError):
            raise done.exception
        return done

    return call


@pytest.mark.parametrize(
    ("words", "status"),
    [
        (["fine"], 0),
        (["failed"], 1),
        (["fine", "failed", "fine"], 1),
        (["refuted-tie-undecided-not_judged"], 0),
        (["--check-claims", "supported"], 0),
        (["--check-claims", "failed-supported"], 1),
        (["--check-claims", "refuted"], 1),
        (["--check-claims", "not_judged"], 1),
        (["--check-claims", "fine", "tie", "fine"], 1),
        (["fine", "misspelt", "failed"], 2),
        (["fine", "broken"], 1),
        (["broken", "misspelt"], 2),
        (["fine", "lacking"], 2),
        (["--skip-missing-data", "fine", "lacking"], 0),
        (["--skip-missing-data", "lacking", "failed"], 1),
        (["interrupted"], 130),
        (["fine", "interrupted", "fine"], 130),
        (["fine", "--json"], 2),
        (["fine", "--jobs", "0"], 2),
        (["fine", "--scheduler", "tcp://127.0.0.1:1"], 2),
        (["fine", "--executor", "dask", "--scheduler", "tcp://127.0.0.1:1", "--jobs", "2"], 2),
        (["fine", "--executor", "slurm"], 2),
        (["--misspelt"], 2),
        ([], 2),
    ],
    ids=lambda given: " ".join(given) if isinstance(given, list) else None,
)
def test_run(called, words, status):
    assert called(*words).exit_code == status


def test_several_configs_run_whatever_becomes_of_the_others(called):
    done = called("broken", "misspelt", "lacking", "failed", "fine", "fine-too")
    assert [name for name, _ in Made.seen] == [
        "broken", "misspelt", "lacking", "failed", "fine", "fine-too",
    ]  # fmt: skip
    assert "2 of 6 configs ran." in done.output
    for line in (
        "failed: broken, failed", "wrong: misspelt", "without their data: lacking",
        "gf (as_run): 1 cell timeout: it took too long", "RuntimeError: boom",
    ):  # fmt: skip
        assert line in done.output


def test_a_config_whose_claims_are_not_supported_has_run(called):
    done = called("--check-claims", "fine", "tie", "failed")
    assert "2 of 3 configs ran." in done.output
    assert "with claims that are not supported: tie\nfailed: failed" in done.output


def test_an_interrupt_stops_all_and_says_what_is_kept(called):
    done = called("interrupted", "fine")
    assert [name for name, _ in Made.seen] == ["interrupted"]
    assert "4 of 5 cells are finished and kept in there" in done.output
    assert "Not begun: fine" in done.output
    assert "Not begun" not in called("fine", "interrupted").output


def test_an_interrupt_that_comes_as_another_error_stops_all_too(called):
    assert called("wrapped", "fine").exit_code != 0
    assert [name for name, _ in Made.seen] == ["wrapped"]


def test_the_size_is_the_papers_unless_another_is_given(called):
    called("fine")
    called("fine", "--profile", "smoke")
    assert Made.seen == [("fine", "paper"), ("fine", "smoke")]


def test_one_config_leaves_its_error_to_main(called):
    for name, problem in (("misspelt", UserError), ("lacking", MissingData)):
        with pytest.raises(problem):
            called(name)
    with pytest.raises(RuntimeError):
        called("broken")
    with pytest.raises(RuntimeError):
        CliRunner().invoke(cli, ["--debug", "run", "broken", "fine"], catch_exceptions=False)


FULL = OSError(errno.ENOSPC, "No space left on device", "r/figure.svg")


def caused(by):
    error = UserError("x/cells.sqlite cannot be used: database or disk is full")
    error.__cause__ = by
    return error


def full_store():
    connection = sqlite3.connect(":memory:")
    connection.execute("PRAGMA page_size = 512")
    connection.execute("PRAGMA max_page_count = 3")
    connection.execute("CREATE TABLE t (x)")
    with pytest.raises(sqlite3.OperationalError) as caught:
        connection.execute("INSERT INTO t VALUES (?)", ("x" * 9999,))
    return caught.value


@pytest.mark.parametrize(
    ("end", "status", "words"),
    [
        (None, 0, ""),
        (click.exceptions.Exit(3), 3, ""),
        (UserError("two\nlines"), 2, "Error: two"),
        (MissingData("no file"), 2, "Error: no file"),
        (click.UsageError("no such option"), 2, "no such option"),
        (click.ClickException("no"), 1, "no"),
        (click.Abort(), 130, "Interrupted."),
        (KeyboardInterrupt(), 130, "Interrupted."),
        (WRAPPED, 130, "Interrupted."),
        (MemoryError("too\nmuch"), 1, "there is not enough memory (too much)"),
        (RuntimeError("\x1b[2J"), 1, r"Error: RuntimeError: \x1b[2J (geoforest --debug"),
        (click.UsageError("no \x1b"), 2, r"no \x1b"),
        (FULL, 1, "Error: r/figure.svg: No space left on device\n"),
        (caused(None), 2, "Error: x/cells.sqlite"),
        (caused(full_store()), 1, "x/cells.sqlite cannot be used: database or disk is full\n"),
        (caused(sqlite3.OperationalError("unable to open database file")), 2, "Error: x/cells"),
        (caused(FULL), 1, "Error: x/cells"),
        (caused(PermissionError(errno.EACCES, "Permission denied")), 2, "Error: x/cells"),
    ],
    ids=repr,
)
def test_main(monkeypatch, capsys, end, status, words):
    def instead(_):
        if end is not None:
            raise end

    monkeypatch.setattr(entry.cli, "invoke", instead)
    monkeypatch.setattr("sys.argv", ["geoforest", "run"])
    with pytest.raises(SystemExit) as caught:
        entry.main()
    assert caught.value.code == status
    shown = capsys.readouterr().err
    assert words in shown
    assert bool(words) == bool(shown)
    assert "\x1b" not in shown
    if status in {1, 2} and isinstance(end, UserError | MemoryError | RuntimeError):
        monkeypatch.setattr("sys.argv", ["geoforest", "--debug", "run"])
        with pytest.raises(type(end)):
            entry.main()


@pytest.fixture
def interruptible():
    """Hear Ctrl-C, which a shell lets commands in the background ignore."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.usefixtures("interruptible")
def test_an_interrupt_during_a_callback_is_not_lost(monkeypatch, capsys):
    def interrupted(*_):
        gc.callbacks.remove(interrupted)
        raise KeyboardInterrupt

    def instead(_):
        gc.callbacks.append(interrupted)
        gc.collect()
        threading.Event().wait(60)  # the second one ends it

    monkeypatch.setattr(sys, "unraisablehook", sys.unraisablehook)
    monkeypatch.setattr(entry.cli, "invoke", instead)
    monkeypatch.setattr("sys.argv", ["geoforest", "run"])
    with pytest.raises(SystemExit) as caught:
        entry.main()
    assert (caught.value.code, capsys.readouterr().err) == (130, "Interrupted.\n")


def test_missing_data_name_the_option_that_passes_over_them(called):
    done = called("lacking", "fine")
    assert "nothing to be downloaded; --skip-missing-data runs the other configs" in done.output
    last = done.output.splitlines()[-1]
    assert last.startswith("With --skip-missing-data (make: ARGS=--skip-missing-data) configs")
    assert "With --skip-missing-data" not in called("broken", "fine").output
    assert "--skip-missing-data" not in called("--skip-missing-data", "lacking").output
