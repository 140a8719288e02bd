"""When the driver estimates and writes, when lines are printed, with a clock that a test turns."""

import io
from types import SimpleNamespace

import pytest
from rich.console import Console

from geoforest_cli.study.engine import driver, progress
from geoforest_cli.study.engine.executors.contract import Outcome


@pytest.fixture
def now(monkeypatch):
    clock = [1000.0]
    for module in (driver, progress):
        monkeypatch.setattr(
            module, "time", SimpleNamespace(monotonic=lambda: clock[0], sleep=lambda _: None)
        )
    return clock


@pytest.fixture
def made(monkeypatch, now):
    """A driver whose store and estimator write down what they are asked."""
    monkeypatch.setattr(driver.provenance, "origin", lambda _: {"commit": "c"})
    estimates, written = [], []

    def left(elapsed, jobs, slots):
        estimates.append((elapsed, list(jobs), slots))
        return 10.0 * len(estimates)

    store = SimpleNamespace(summaries=list, put=lambda held, origin: written.append((held, origin)))
    estimator = SimpleNamespace(left=left)
    instance = driver._Driver(SimpleNamespace(path=None), store, driver.Hooks(), estimator)
    return SimpleNamespace(driver=instance, estimates=estimates, written=written)


def test_the_time_left_is_estimated_at_once_and_then_at_times(made, now):
    waiting, running = {"a": "job a", "b": "job b"}, {"a": 990.0}
    ask = made.driver._time_left
    assert ask(waiting, running, 2) == 10.0
    assert made.estimates == [({"a": 10.0}, ["job a"], 2)]
    now[0] += driver._ESTIMATE_INTERVAL
    assert ask(waiting, running, 2) == 10.0
    now[0] += 0.01
    assert ask(waiting, {}, 2) == 20.0
    assert ask(waiting, {}, 2) == 20.0
    assert made.estimates[1:] == [({}, [], 2)]


def test_outcomes_are_written_together_and_at_the_end_at_once(made, now):
    write, held = made.driver._write, made.driver._held
    held.append("first")
    write()
    assert made.written == []
    now[0] += driver._WRITE_INTERVAL
    write()
    assert made.written == [(["first"], {"commit": "c"})]
    assert made.driver._held == []
    write(at_once=True)
    assert len(made.written) == 1
    made.driver._held.append("second")
    write()
    assert len(made.written) == 1
    write(at_once=True)
    assert made.written[1:] == [(["second"], {"commit": "c"})]


def cell(name):
    return SimpleNamespace(key=name, describe=lambda: f"cell {name}")


def test_a_line_comes_at_every_tenth_and_after_half_a_minute(now):
    console = Console(file=io.StringIO(), width=200)
    shown = progress.LineProgress(console)
    shown.begin("noise", 30, 3)
    shown.started(cell("x"))
    shown.tick(None)
    for number in range(3):
        shown.finished(cell(number), Outcome(str(number), "ok"))
        shown.tick(61.0)
    now[0] += 30.0
    shown.tick(50.0)
    now[0] += 0.5
    shown.tick(40.0)
    shown.tick(30.0)
    shown.started(cell("y"))
    now[0] += 30.5
    shown.tick(None)
    assert console.file.getvalue().splitlines() == [
        "noise: 30 cells, 3 of them done before",
        "noise: 6 of 30 cells done, about 1 min 1 s left, now cell x",
        "noise: 6 of 30 cells done, about 40 s left, now cell x",
        "noise: 6 of 30 cells done, now cell x; cell y",
    ]


def test_the_bar_lists_what_runs_below_it_and_no_more_than_eight(monkeypatch):
    monkeypatch.setenv("TERM", "xterm")
    console = Console(file=io.StringIO(), width=60, force_terminal=True, no_color=True)
    display = progress.BarProgress(console)
    display.begin("noise", 30, 3)
    for number in range(10):
        display.started(cell(f"{number}\n"))
    display.finished(cell("0\n"), Outcome("k", "failed", error="no"))
    display.tick(None)
    bar, *rest = display._bar.get_renderables()
    display.end()
    assert [text.plain for text in rest] == [f"  cell {number}\\n" for number in range(1, 9)]
    assert {(text.no_wrap, text.overflow, text.style) for text in rest} == {
        (True, "ellipsis", "dim")
    }
    (task,) = display._bar.tasks
    assert (task.description, task.total, task.completed) == ("noise", 30, 4)
    assert task.fields == {"failed": "1 failed", "left": ""}
    assert bar.row_count == 1
