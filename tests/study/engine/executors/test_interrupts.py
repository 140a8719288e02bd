"""Ctrl-C reaches all processes of a terminal, those too that are only just being started."""

import contextlib
import os
import signal
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from geoforest_cli.study.engine import driver
from geoforest_cli.study.engine.executors import launcher as launcher_module
from geoforest_cli.study.engine.executors.child import Child
from geoforest_cli.study.engine.executors.launcher import Launcher
from geoforest_cli.study.engine.store import Store
from tests.study.engine import toy

ROOT = Path(__file__).parents[4]

# Ctrl-C means nothing to the driver here, so that it goes on starting children
_STARTS = """
import os, signal
signal.signal(signal.SIGINT, lambda *_: None)
from geoforest_cli.study.engine.executors.child import Child
from geoforest_cli.study.engine.executors.launcher import Launcher
print("ready", flush=True)
launcher = Launcher()
for _ in range(40):
    one = Child(launcher)
    print(one._process.poll(), launcher._reaper.poll(), flush=True)
    one.kill()
    launcher.close()
signal.signal(signal.SIGINT, signal.SIG_IGN)
"""
# what a child is between its fork and its own first line: whatever comes is the kernel's to handle
_HIT = """
import os, signal, sys
signal.signal(signal.SIGINT, signal.SIG_DFL)
os.kill(os.getpid(), signal.SIGINT)
os.execv(sys.argv[1], sys.argv[1:])
"""


def under_fire(code, *arguments):
    """Run a program in a session of its own, all of which is interrupted without a pause."""
    process = subprocess.Popen(
        [sys.executable, "-c", code, *map(str, arguments)],
        cwd=ROOT, stdout=subprocess.PIPE, text=True, start_new_session=True,
    )  # fmt: skip
    with process:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
        told: list[str] = []
        reader = threading.Thread(target=lambda: told.extend(process.stdout))
        reader.start()
        blows = 0
        while reader.is_alive():
            for _ in range(200):
                os.killpg(process.pid, signal.SIGINT)
            blows += 200
            reader.join(0.0005)
        reader.join()
    assert process.returncode == 0
    assert blows > 1_000
    return told


@pytest.fixture
def launcher():
    with contextlib.closing(Launcher()) as made:
        yield made


def test_a_process_is_started_where_no_interrupt_reaches_it(launcher, monkeypatch):
    blocked = []

    def start(*_, **__):
        blocked.append(signal.pthread_sigmask(signal.SIG_BLOCK, ()))
        raise OSError("not started")

    monkeypatch.setattr(launcher_module.subprocess, "Popen", start)
    with pytest.raises(OSError, match="not started"):
        launcher.start([sys.executable])
    assert signal.SIGINT in blocked[0]
    assert signal.SIGINT not in signal.pthread_sigmask(signal.SIG_BLOCK, ())


def test_neither_a_child_nor_the_reaper_dies_of_an_interrupt_while_it_is_started():
    assert under_fire(_STARTS) == ["None None\n"] * 40


def test_an_interrupt_at_the_start_leaves_no_crashed_cell(tmp_path, monkeypatch):
    start = subprocess.Popen

    def hit(command, **given):
        before = [sys.executable, "-c", _HIT] if command[0] == sys.executable else []
        return start([*before, *command], **given)

    monkeypatch.setattr(launcher_module.subprocess, "Popen", hit)
    plan = toy.make_plan(tmp_path)
    for ran in (6, 0):
        found = driver.run(plan, tmp_path / "results", jobs=2)
        assert [one.error for one in found.failed] == []
        assert found.ran == ran
    with Store(tmp_path / "results" / "toy" / "cells.sqlite") as store:
        assert [one.status for one in store.summaries()] == ["ok"] * 6


def test_a_child_that_is_running_is_not_ended_by_an_interrupt(launcher, tmp_path):
    gate = tmp_path / "gate"
    one = Child(launcher)
    try:
        one.assign(toy.job(tmp_path, "a", action="waiting", gate=str(gate)))
        while not list(one.events()):
            pass
        for _ in range(5):
            os.kill(one._process.pid, signal.SIGINT)
        gate.touch()
        found = []
        while not found:
            found = list(one.events())
        assert [event.status for event in found] == ["ok"]
    finally:
        one.kill()
        one.kill()
    assert not one.alive
