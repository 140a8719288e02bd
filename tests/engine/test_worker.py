import os
import pickle

import pytest

from geoforest_cli.engine import worker
from tests.engine import toy


@pytest.fixture
def protocol(tmp_path):
    worker.load_run_cell.cache_clear()
    return toy.write_protocol(tmp_path)


def _run(cell):
    told = []
    return worker.run_cell(lambda: cell, lambda: told.append(cell.key)), told


def test_a_cell_becomes_an_outcome(protocol):
    outcome, told = _run(toy.ToyCell("a", protocol, number=3))
    assert (outcome.key, outcome.status, outcome.error) == ("a", "ok", "")
    assert [row["value"] for row in outcome.rows] == [1.0, 2.0]
    assert outcome.seconds >= 0
    assert outcome.peak_memory > 1_000_000
    assert told == ["a"]


@pytest.mark.parametrize(
    ("action", "status", "error"),
    [
        ("broken", "failed", "ValueError: no such luck"),
        ("absurd", "out_of_memory", "MemoryError: Unable to allocate 7 TB"),
        ("leave", "failed", "SystemExit: enough"),
    ],
)
def test_whatever_it_raises_is_caught(protocol, action, status, error):
    outcome, _ = _run(toy.ToyCell("a", protocol, action=action))
    assert (outcome.status, outcome.error, outcome.rows) == (status, error, [])
    assert f"in {action}" in outcome.traceback


@pytest.mark.parametrize("text", ["import nowhere_to_be_found", "run_cell = ", "RUN = 1"])
def test_a_module_that_cannot_be_used_fails_its_cells(tmp_path, text):
    path = tmp_path / "hopeless.py"
    path.write_text(text)
    outcome, told = _run(toy.ToyCell("a", path))
    assert outcome.status == "failed"
    assert told == []


def test_a_cell_that_cannot_be_unpacked_fails():
    outcome = worker.run_cell(lambda: pickle.loads(b"junk"), lambda: None)
    assert (outcome.key, outcome.status) == ("", "failed")


def test_an_experiment_is_imported_once(protocol):
    first = worker.load_run_cell(protocol)
    worker.load_run_cell.cache_clear()
    assert worker.load_run_cell(protocol) is first


def test_only_the_end_of_a_long_log_is_kept(tmp_path):
    path = tmp_path / "log"
    path.write_bytes(b"a" * 50_000 + b"\xff end\n")
    descriptor = os.open(path, os.O_RDONLY)
    text = worker.read_tail(descriptor)
    os.close(descriptor)
    assert len(text) <= 20_000
    assert text.endswith("� end")
