"""Duties of every executor, and what the local one does beside."""

import contextlib
import logging
import os
import subprocess
import sys
import time
from dataclasses import replace

import psutil
import pytest

from geoforest_cli.study.engine.executors import local
from geoforest_cli.study.engine.executors.contract import Outcome, Refused, Started
from geoforest_cli.study.engine.executors.dask import DaskExecutor
from geoforest_cli.study.engine.executors.local import LocalExecutor
from tests.study.engine import toy
from tests.study.engine.executors.clusters import ROOT, wait_for


def dask_executor(slots):
    """One worker with so many threads in this process; its cells run in children all the same."""
    distributed = pytest.importorskip("distributed")
    cluster = distributed.LocalCluster(
        n_workers=1, threads_per_worker=slots, processes=False, dashboard_address="127.0.0.1:0",
        silence_logs=logging.CRITICAL, memory_limit=0,
    )  # fmt: skip
    return DaskExecutor(distributed.Client(cluster, set_as_default=False), cluster)


@pytest.fixture(params=[LocalExecutor, pytest.param(dask_executor, marks=pytest.mark.nightly)])
def executor(request):
    """Makes each executor with a number of slots; a new one is one more parameter."""
    made = []

    def make(slots):
        made.append(request.param(slots))
        return made[-1]

    yield make
    for instance in made:
        instance.close()


@pytest.mark.parametrize(
    ("action", "status", "why"),
    [
        ("broken", "failed", "ValueError: no such luck"),
        ("stray", "failed", "the column 'colour', which is neither an inner parameter nor"),
        ("absurd", "out_of_memory", "Unable to allocate 7 TB"),
        ("vanish", "crashed", "its process ended with exit status 7"),
        ("segfault", "crashed", "its process died of SIGSEGV"),
    ],
)
def test_a_bad_cell_has_its_status_and_the_others_go_on(executor, tmp_path, action, status, why):
    jobs = [
        toy.job(tmp_path, "a", number=1),
        toy.job(tmp_path, "b", action=action),
        toy.job(tmp_path, "c", number=2),
    ]
    ends = toy.outcomes(executor(1), jobs)
    assert {key: end.status for key, end in ends.items()} == {"a": "ok", "b": status, "c": "ok"}
    assert why in ends["b"].error
    assert "\n" not in ends["b"].error
    assert ends["c"].rows == [
        {"k": 1, "metric": "third", "value": 2 / 3},
        {"k": 2, "metric": "third", "value": 4 / 3},
    ]


@pytest.mark.parametrize(
    ("action", "status"), [("forget", "ok"), ("vanish_with_a_heir", "crashed")]
)
def test_what_a_cell_has_started_ends_with_it(executor, tmp_path, action, status):
    jobs = [toy.job(tmp_path, "a", action=action, log=str(tmp_path / "log"))]
    outcomes = toy.outcomes(executor(1), jobs)
    assert outcomes["a"].status == status
    _gone(int((tmp_path / "log.pid").read_text()))


def _gone(process):
    """Wait until a process has ended; a zombie has."""
    with contextlib.suppress(psutil.NoSuchProcess):
        child = psutil.Process(process)
        for _ in range(600):
            if child.status() == psutil.STATUS_ZOMBIE:
                return
            time.sleep(0.05)
        pytest.fail(f"process {process} still runs")


def test_a_cell_over_its_timeout_is_killed_even_in_a_tight_loop(executor, tmp_path):
    jobs = [toy.job(tmp_path, "a", action="spin", timeout=0.5), toy.job(tmp_path, "b")]
    outcomes = toy.outcomes(executor(1), jobs)
    assert outcomes["a"].status == "timeout"
    assert outcomes["a"].error == "it took more than its 0.5 s"
    assert "in _spin" in outcomes["a"].traceback
    assert outcomes["b"].status == "ok"


def test_a_cell_over_its_memory_bound_is_killed(executor, tmp_path):
    jobs = [
        toy.job(tmp_path, "a", action="greedy", memory=600_000_000),
        toy.job(tmp_path, "b", memory=600_000_000),
    ]
    outcomes = toy.outcomes(executor(1), jobs)
    assert outcomes["a"].status == "out_of_memory"
    assert outcomes["a"].error.endswith("its bound is 600 MB")
    assert outcomes["b"].status == "ok"


def test_what_a_cell_prints_comes_with_its_outcome(executor, tmp_path, capfd):
    outcomes = toy.outcomes(executor(1), [toy.job(tmp_path, "a", action="chatty")])
    assert set(outcomes["a"].output.splitlines()) == {"hello", "careful"}
    assert capfd.readouterr() == ("", "")


def test_two_slots_run_at_once(executor, tmp_path):
    gate = tmp_path / "gate"
    jobs = [toy.job(tmp_path, key, action="waiting", gate=str(gate)) for key in "ab"]
    started, done = set(), set()
    for event in executor(2).run(jobs):
        if isinstance(event, Started):
            started.add(event.key)
        elif isinstance(event, Outcome):
            done.add(event.key)
        if len(started) == 2:
            gate.touch()
    assert done == {job.key for job in jobs}


def test_closing_ends_the_cells_in_flight(executor, tmp_path):
    jobs = [toy.job(tmp_path, key, action="spin") for key in "ab"]
    events = executor(2).run(jobs)
    while len(children := _children()) < 2:
        next(events)
    events.close()
    for child in children:
        _gone(child.pid)


def _children():
    return [child for child in psutil.Process().children() if _is_child(child)]


def _is_child(process):
    with contextlib.suppress(psutil.Error):
        return any("spawn_main" in part for part in process.cmdline())
    return False


def test_edited_code_ends_the_run_in_a_sentence(executor, tmp_path):
    jobs = [toy.job(tmp_path, key) for key in "ab"]
    path = toy.write_protocol(tmp_path)
    events = executor(1).run(jobs)
    path.write_text(toy.PROTOCOL.replace("/ 3", "/ 4"))
    with pytest.raises(Refused, match=f"{path.name} was edited since this run began: run it again"):
        list(events)


def test_a_process_that_ends_without_an_error_has_crashed(tmp_path):
    (job,) = jobs = [toy.job(tmp_path, "a", action="vanish", number=0)]
    assert job.cell.setting.params["number"] == 0
    assert toy.outcomes(LocalExecutor(1), jobs)["a"].error == "its process ended with exit status 0"


def test_a_process_that_died_between_two_cells_is_replaced(tmp_path):
    with contextlib.closing(LocalExecutor(1)) as executor:
        for label in "ab":
            events = [*executor.run([toy.job(tmp_path, label)])]
            assert [event.status for event in events if isinstance(event, Outcome)] == ["ok"]
            for child in _children():
                child.kill()
            time.sleep(0.3)


_DRIVER = """
import sys
from tests.study.engine import toy
from tests.study.engine.executors.clusters import ROOT, wait_for
from geoforest_cli.study.engine.executors.local import LocalExecutor
folder = sys.argv[1]
for _ in LocalExecutor(1).run([toy.job(folder, "a", action="linger", log=folder + "/log")]):
    pass
"""


def test_a_killed_driver_takes_its_cells_and_children_along(tmp_path):
    # no `if __name__ == "__main__":`, and not needed
    (tmp_path / "script.py").write_text(_DRIVER)
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    driver = subprocess.Popen(
        [sys.executable, "script.py", tmp_path], cwd=tmp_path, env=environment
    )
    file = tmp_path / "log.pid"
    wait_for(lambda: file.exists() and file.read_text())
    (cell,) = (child for child in psutil.Process(driver.pid).children() if _is_child(child))
    driver.kill()
    driver.wait()
    _gone(cell.pid)
    _gone(int(file.read_text()))


def test_a_process_has_one_thread_and_one_order_of_words(tmp_path):
    """The order of a set of words is that of their hashes."""
    before = os.environ.get("PYTHONHASHSEED")
    job = toy.job(tmp_path, "a", action="environment")
    output = toy.outcomes(LocalExecutor(1), [job])["a"].output
    assert output.split() == ["0", "1", "1", "1", "1"]
    assert os.environ.get("PYTHONHASHSEED") == before


def test_what_measures_time_starts_anew_after_another_experiment(tmp_path):
    (tmp_path / "other").mkdir()
    first, other = (toy.job(folder, "a", action="pid") for folder in (tmp_path, tmp_path / "other"))
    setting = replace(first.cell.setting, measured="abacus")
    timed = replace(first, cell=replace(first.cell, setting=setting))
    with contextlib.closing(LocalExecutor(1)) as executor:
        pids = [
            event.rows[0]["value"]
            for job in (first, timed, other, timed)
            for event in executor.run([job])
            if isinstance(event, Outcome)
        ]
    assert pids[0] == pids[1] == pids[2] != pids[3]


def test_children_stay_for_the_next_run_until_the_end(tmp_path):
    executor = LocalExecutor(1)
    pids = []
    for label in "ab":
        job = toy.job(tmp_path, label, action="pid")
        outcomes = [e for e in executor.run([job]) if isinstance(e, Outcome)]
        pids.append(outcomes[0].rows[0]["value"])
    assert pids[0] == pids[1]
    assert [child.pid for child in _children()] == [pids[0]]
    executor.close()
    executor.close()
    assert _children() == []


def test_no_more_cells_at_once_than_the_machine_holds(monkeypatch, tmp_path):
    monkeypatch.setattr(local, "cores", lambda: 8)
    monkeypatch.setattr(local, "machine_memory", lambda: 20 * 10**9)
    plain = [toy.job(tmp_path, "a"), toy.job(tmp_path, "b", memory=2 * 10**9)]
    large = [*plain, toy.job(tmp_path, "c", memory=6 * 10**9)]
    assert LocalExecutor().slots(plain) == (8, "")
    assert LocalExecutor().slots([]) == (8, "")
    assert LocalExecutor(3).slots(large) == (3, "")
    assert LocalExecutor().slots(large) == (
        3, "3 cells at once instead of 8: 6.00 GB each, of the 20.00 GB here",
    )  # fmt: skip
    huge = [toy.job(tmp_path, "d", memory=30 * 10**9)]
    assert LocalExecutor(4).slots(huge)[0] == 1


def test_cells_that_measure_time_run_alone(tmp_path):
    job = toy.job(tmp_path, "a")
    setting = replace(job.cell.setting, measured="abacus")
    measured = replace(job, cell=replace(job.cell, setting=setting))
    assert measured.key != job.key
    for jobs in (2, 4):
        slots = LocalExecutor(jobs).slots([measured])
        assert slots == (1, "cells that measure time run one at a time")
    assert LocalExecutor(1).slots([measured]) == (1, "")


def test_quotas_and_affinity_count(monkeypatch, tmp_path):
    monkeypatch.setattr("joblib.cpu_count", lambda: 1)
    assert LocalExecutor().slots([toy.job(tmp_path, "a")]) == (1, "")
    limit = tmp_path / "memory.max"
    limit.write_text("4000000000\n")
    monkeypatch.setattr(local, "_CGROUPS", (str(limit), str(tmp_path / "none")))
    assert local.machine_memory() == 4_000_000_000
    limit.write_text("max\n")
    assert local.machine_memory() == psutil.virtual_memory().total
