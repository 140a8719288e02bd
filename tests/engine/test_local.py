import os

import psutil
import pytest

from geoforest_cli.engine import local
from geoforest_cli.engine.executor import Outcome, Started
from geoforest_cli.engine.local import LocalExecutor
from tests.engine import toy


@pytest.fixture
def protocol(tmp_path):
    return toy.write_protocol(tmp_path)


@pytest.mark.parametrize(
    ("action", "status", "why"),
    [
        ("broken", "failed", "ValueError: no such luck"),
        ("leave", "failed", "SystemExit: enough"),
        ("nothing", "failed", "run_cell must return a list of rows, not None"),
        ("stray", "failed", "the column 'colour', which is not in the grid"),
        ("absurd", "out_of_memory", "Unable to allocate 7 TB"),
        ("vanish", "crashed", "its process ended with exit status 7"),
        ("segfault", "crashed", "its process died of SIGSEGV"),
    ],
)
def test_a_bad_cell_has_its_status_and_the_others_go_on(protocol, action, status, why):
    cells = [
        toy.ToyCell("a", protocol, number=1),
        toy.ToyCell("b", protocol, action=action),
        toy.ToyCell("c", protocol, number=2),
    ]
    found = toy.outcomes(LocalExecutor(1), cells)
    assert {key: one.status for key, one in found.items()} == {"a": "ok", "b": status, "c": "ok"}
    assert why in found["b"].error
    assert "\n" not in found["b"].error
    assert found["c"].rows == [
        {"k": 1, "metric": "third", "value": 2 / 3},
        {"k": 2, "metric": "third", "value": 4 / 3},
    ]


def test_failures_and_crashes_carry_a_traceback(protocol):
    cells = [toy.ToyCell(name, protocol, action=name) for name in ("broken", "segfault")]
    found = toy.outcomes(LocalExecutor(1), cells)
    assert "in broken" in found["broken"].traceback
    assert "in segfault" in found["segfault"].traceback


def test_a_cell_over_its_timeout_is_killed_even_in_a_tight_loop(protocol):
    cells = [
        toy.ToyCell("a", protocol, action="spin", timeout=0.5),
        toy.ToyCell("b", protocol),
    ]
    found = toy.outcomes(LocalExecutor(1), cells)
    assert found["a"].status == "timeout"
    assert found["a"].error == "it took more than its 0.5 s"
    assert "in spin" in found["a"].traceback
    assert found["b"].status == "ok"


def test_an_experiment_that_never_loads_is_given_up(tmp_path, monkeypatch):
    monkeypatch.setattr(local, "_LOADING", 0.5)
    path = tmp_path / "endless.py"
    path.write_text("while True: pass\n")
    found = toy.outcomes(LocalExecutor(1), [toy.ToyCell("a", path)])
    assert found["a"].status == "timeout"
    assert found["a"].error == "it took more than 0.5 s to start"


def test_a_cell_over_its_memory_bound_is_killed(protocol):
    cells = [
        toy.ToyCell("a", protocol, action="greedy", memory=400_000_000),
        toy.ToyCell("b", protocol, memory=400_000_000),
    ]
    found = toy.outcomes(LocalExecutor(1), cells)
    assert found["a"].status == "out_of_memory"
    assert found["a"].error.endswith("its bound is 400 MB")
    assert found["b"].status == "ok"


def test_workers_are_reused_unless_too_much_is_left_in_them(protocol):
    cells = [
        toy.ToyCell("a", protocol, action="pid", memory=10**10),
        toy.ToyCell("b", protocol, action="hoard", memory=10**10),
        toy.ToyCell("c", protocol, action="pid", memory=290_000_000),
    ]
    found = toy.outcomes(LocalExecutor(1), cells)
    pids = [found[key].rows[0]["value"] for key in "abc"]
    assert pids[0] == pids[1] != pids[2]


def test_peak_memory_is_of_the_cell_and_not_of_the_process(protocol):
    cells = [
        toy.ToyCell("a", protocol, action="good"),
        toy.ToyCell("b", protocol, action="hoard"),
    ]
    found = toy.outcomes(LocalExecutor(1), cells)
    assert found["b"].peak_memory > found["a"].peak_memory + 100_000_000
    assert found["a"].peak_memory > 1_000_000


def test_inner_threads_are_pinned(protocol, monkeypatch):
    monkeypatch.setenv("OMP_NUM_THREADS", "2")
    found = toy.outcomes(LocalExecutor(1), [toy.ToyCell("a", protocol, action="threads")])
    assert found["a"].rows == [{"metric": "threads", "value": 1.0}]
    assert os.environ["OMP_NUM_THREADS"] == "2"


def test_what_a_cell_prints_comes_with_its_outcome(protocol, capfd):
    found = toy.outcomes(LocalExecutor(1), [toy.ToyCell("a", protocol, action="chatty")])
    assert set(found["a"].output.splitlines()) == {"hello", "careful"}
    assert capfd.readouterr() == ("", "")


def test_versions_come_from_the_worker(protocol):
    found = toy.outcomes(LocalExecutor(1), [toy.ToyCell("a", protocol)])
    assert {"python", "numpy"} <= set(found["a"].versions)


def test_two_jobs_run_at_once(protocol, tmp_path):
    gate = tmp_path / "gate"
    cells = [toy.ToyCell(key, protocol, action="waiting", gate=str(gate)) for key in "ab"]
    started, done = set(), set()
    for event in LocalExecutor(2).run(cells, {}):
        if isinstance(event, Started):
            started.add(event.key)
        elif isinstance(event, Outcome):
            done.add(event.key)
        if started == {"a", "b"}:
            gate.touch()
    assert done == {"a", "b"}


def test_closing_ends_the_cells_in_flight(protocol):
    cells = [toy.ToyCell(key, protocol, action="spin") for key in "ab"]
    events = LocalExecutor(2).run(cells, {})
    started = 0
    while started < 2:
        started += isinstance(next(events), Started)
    children = _workers()
    assert len(children) == 2
    events.close()
    assert not any(child.is_running() for child in children)


def _workers():
    return [
        child
        for child in psutil.Process().children()
        if any("spawn_main" in part for part in child.cmdline())
    ]
