import io
from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console

from geoforest_cli.study.engine.executors.contract import Outcome
from geoforest_cli.study.engine.progress import (
    BarProgress,
    LineProgress,
    Progress,
    duration_text,
    make_progress,
)

CELL = SimpleNamespace(key="c[1]", describe=lambda: "cell c[1]")


def _console(**options):
    return Console(file=io.StringIO(), width=200, **options)


def _drive(progress):
    progress.note("2 cells at once instead of 8")
    progress.begin("noise", 4, 2)
    progress.started(CELL)
    progress.tick(90.0)
    progress.finished(CELL, Outcome("k", "out_of_memory", error="it took [all]", output="hi\nho"))
    progress.tick(1.0)
    progress.finished(CELL, Outcome("l", "ok"))
    progress.tick(0.0)
    progress.end()


def test_lines_say_how_far_it_is_and_what_failed():
    console = _console()
    _drive(LineProgress(console))
    assert console.file.getvalue().splitlines() == [
        "2 cells at once instead of 8",
        "noise: 4 cells, 2 of them done before",
        "cell c[1] | hi",
        "cell c[1] | ho",
        "cell c[1]: out of memory: it took [all]",
        "noise: 3 of 4 cells done, 1 failed, about 1 s left",
        "noise: 4 of 4 cells done, 1 failed",
    ]


def _told_twice(progress):
    progress.begin("noise", 3, 0)
    for name, output in (("a", "slow\nhi"), ("b", "slow"), ("c", "slow\n\nslow\nho")):
        cell = SimpleNamespace(key=name, describe=lambda name=name: name)
        progress.finished(cell, Outcome(name, "ok", output=output))
    progress.end()


def test_a_line_that_many_cells_print_is_shown_once_and_counted():
    console = _console()
    _told_twice(LineProgress(console))
    assert console.file.getvalue().splitlines() == [
        "noise: 3 cells",
        "a | slow",
        "a | hi",
        "c | ho",
        "noise: 2 of 3 cells printed what another had printed before; it is shown once",
    ]


def test_below_the_bar_too_and_the_count_is_not_wiped_with_it(monkeypatch):
    monkeypatch.setenv("TERM", "xterm")
    console = _console(force_terminal=True, no_color=True)
    _told_twice(BarProgress(console))
    shown = console.file.getvalue()
    assert shown.count("slow") == 1
    assert shown.endswith("it is shown once\n")


def test_nothing_is_said_to_a_library_user(capfd):
    _drive(Progress())
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize(
    ("terminal", "ci", "term", "kind"),
    [
        (True, None, "xterm", BarProgress),
        (True, "false", "xterm", BarProgress),
        (True, "true", "xterm", LineProgress),
        (True, None, "dumb", LineProgress),
        (False, None, "xterm", LineProgress),
    ],
)
def test_a_bar_only_where_somebody_watches(monkeypatch, terminal, ci, term, kind):
    monkeypatch.setenv("TERM", term)
    monkeypatch.delenv("CI", raising=False)
    if ci:
        monkeypatch.setenv("CI", ci)
    assert type(make_progress(_console(force_terminal=terminal))) is kind


SECONDS = {"s": 1, "min": 60, "h": 3600}


@given(st.floats(0, 1e7) | st.integers(0, 10_000).map(float))
def test_a_duration_in_words_is_the_duration(seconds):
    words = duration_text(seconds).split()
    parts = list(zip(map(int, words[::2]), words[1::2], strict=True))
    units = [unit for _, unit in parts]
    assert units in (["s"], ["min", "s"], ["h", "min"])
    assert all(0 <= number < 60 for number, unit in parts if unit != "h")
    assert parts[0][0] >= 1
    finest = SECONDS[units[-1]]
    # half a second is lost before minutes are made of it
    said = sum(number * SECONDS[unit] for number, unit in parts)
    assert abs(said - max(1.0, seconds)) <= finest / 2 + (finest > 1) / 2
