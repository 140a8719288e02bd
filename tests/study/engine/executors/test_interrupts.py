"""Ctrl-C reaches all processes of a terminal, those too that are only just being started."""

import contextlib
import multiprocessing.util as starting
import sys

from geoforest_cli.study.engine import driver
from geoforest_cli.study.engine.executors.local import LocalExecutor
from geoforest_cli.study.engine.store import Store
from tests.study.engine import toy

# what a child is between its fork and its own first line: whatever comes is the kernel's to handle
_HIT = """
import os, signal, sys
signal.signal(signal.SIGINT, signal.SIG_DFL)
os.kill(os.getpid(), signal.SIGINT)
os.execv(sys.argv[1], sys.argv[1:])
"""


def test_an_interrupt_at_the_start_leaves_no_crashed_cell(tmp_path, monkeypatch):
    start = starting.spawnv_passfds

    def hit(path, command, descriptors):
        before = [sys.executable, "-c", _HIT] if "--multiprocessing-fork" in command else []
        return start(path, [*before, *command], descriptors)

    monkeypatch.setattr(starting, "spawnv_passfds", hit)
    plan = toy.make_plan(tmp_path)
    for ran in (6, 0):
        with contextlib.closing(LocalExecutor(2)) as executor:
            result = driver.run(plan, tmp_path / "results", executor)
        assert [failure.error for failure in result.failed] == []
        assert result.ran == ran
    with Store(tmp_path / "results" / "toy" / "cells.sqlite") as store:
        assert [record.status for record in store.summaries()] == ["ok"] * 6
