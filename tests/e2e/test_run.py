"""The command ``run`` on a toy experiment: resume, kill, jobs, locks, failures."""

import json
import signal
import subprocess
import sys
import time
from pathlib import Path

import psutil
import pytest
from click.testing import CliRunner

from geoforest_cli.cli.figure import figure
from geoforest_cli.cli.run import run
from geoforest_cli.core.errors import UserError
from geoforest_cli.study.engine.store import Store
from tests.study.engine.toy import write_method

ROOT = Path(__file__).parents[2]
DEADLINE = 120.0

EXPERIMENT = """
import os
import time
from pathlib import Path

from geoforest_cli.study.experiment import Experiment, Inner, Params, Row


class ToyParams(Params):
    n: int
    a: int
    k: Inner[int]
    bad: str = ""


class Toy(Experiment[ToyParams]):
    methods = ("neighbors",)
    yields = ("m",)

    def run_cell(self, task):
        name = f"{task.params.a} {task.method} {task.variant} {task.repetition}"
        if os.environ.get("TOY_BAD") == name:
            raise ValueError("it was asked to fail")
        log = Path(os.environ["TOY_LOG"])
        gate = Path(os.environ["TOY_GATE"])
        while len(log.read_text().splitlines()) >= int(gate.read_text() or 0):
            time.sleep(0.01)
        with log.open("a") as file:
            file.write(name + "\\n")
        value = task.method_seed / 7 + task.sample_seed / 3
        return [Row("m", value / k, k=k) for k in task.params.k]

    def draw(self, context):
        from matplotlib.figure import Figure
        return Figure(figsize=(0.2, 0.2))
"""

CONFIG = """
title: A toy
paper: geodesic_forests
artifact: none
about: Nothing.
experiment: ./toy_experiment.py
seed: 7
repetitions: 3
timeout: 600
memory: 2 GB
params: {n: 5}
grid: {a: [3, 1], k: [1, 3]}
methods:
  still: {use: "toy_method:Still", variants: {as_written: {}, as_run: {}}}
  wild: {use: "toy_method:Quiet", variants: {as_written: {}}}
profiles:
  smoke: {repetitions: 1}
"""
CELLS = 2 * 3 * 3
# an ignored SIGINT, as in a background job of a shell, would be inherited
READY = """
import os
import signal
import sys

from geoforest_cli.cli.main import main


def first(number):
    os.fstat = fstat
    print("ready", file=sys.stderr, flush=True)
    return fstat(number)


signal.signal(signal.SIGINT, signal.default_int_handler)
# what main looks at first: an earlier signal would meet the interpreter, not us
fstat, os.fstat = os.fstat, first
main()
"""


class Toy:
    """A folder with the experiment, its config, a log of the cells run and a gate for them."""

    def __init__(self, folder, monkeypatch):
        self.folder = folder
        self.config = folder / "toy.yaml"
        self.config.write_text(CONFIG)
        (folder / "toy_experiment.py").write_text(EXPERIMENT)
        write_method(folder)
        self.log = folder / "log"
        self.log.touch()
        self.gate = folder / "gate"
        self.open_gate(10**6)
        monkeypatch.setenv("TOY_LOG", str(self.log))
        monkeypatch.setenv("TOY_GATE", str(self.gate))
        monkeypatch.setenv("PYTHONPATH", str(ROOT))
        monkeypatch.setenv("CI", "true")
        monkeypatch.chdir(folder)

    def open_gate(self, count):
        draft = self.folder / "gate.new"
        draft.write_text(str(count))
        draft.replace(self.gate)

    def ran(self):
        return self.log.read_text().splitlines()

    def invoke(self, *arguments, command=run):
        if command is run and "--jobs" not in arguments:
            arguments = (*arguments, "--jobs", "1")  # one child to start
        done = CliRunner().invoke(command, [str(self.config), *arguments])
        if not isinstance(done.exception, SystemExit | UserError | None):
            raise done.exception
        return done

    def start(self, *arguments):
        return subprocess.Popen(
            [sys.executable, "-c", READY, "run", str(self.config), *arguments],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def finished(self, results="results"):
        path = Path(results) / "toy" / "cells.sqlite"
        if not path.exists():
            return {}
        with Store(path) as store:
            return {record.key: store.identity(record.key) for record in store.summaries()}

    def csv(self, results="results"):
        return (Path(results) / "toy" / "paper" / "rows.csv").read_bytes()


@pytest.fixture
def toy(tmp_path, monkeypatch):
    return Toy(tmp_path, monkeypatch)


def wait_for(condition, process):
    """Wait until it holds; the process must not end before."""
    end = time.monotonic() + DEADLINE
    while not condition():
        assert process.poll() is None, process.communicate()
        assert time.monotonic() < end, "it did not happen"
        time.sleep(0.01)


def assert_gone(processes):
    _, alive = psutil.wait_procs(processes, timeout=DEADLINE)
    assert not alive


def test_a_run_from_config_to_results(toy):
    done = toy.invoke("--jobs", "2")
    assert done.exit_code == 0, done.output
    assert len(toy.ran()) == CELLS
    assert f"{CELLS} cells ({CELLS} run now, 0 kept)" in done.stdout
    lines = toy.csv().decode().splitlines()
    assert lines[0] == "a,k,method,variant,repetition,metric,value,status,cell"
    assert len(lines) == 1 + 2 * CELLS
    assert lines[1].startswith("3,1,still,as_run,0,m,")
    written = {path.name for path in Path("results/toy/paper").iterdir()}
    assert {"rows.parquet", "record.json", "summary.csv"} <= written
    facts = json.loads(Path("results/toy/paper/record.json").read_text())
    assert facts["config"]["seed"] == 7
    assert facts["cells"] == {"total": CELLS, "failed": []}
    assert facts["last_run"]["cells"] == CELLS
    assert facts["config"]["text"] == CONFIG


@pytest.mark.nightly
def test_three_kills_lose_nothing_and_leave_nobody(toy):
    assert toy.invoke("--jobs", "1", "--results", "whole").exit_code == 0
    toy.log.write_text("")
    settled = set()
    for goal in (4, 8, 12):
        toy.open_gate(goal)
        with toy.start("--jobs", "2") as process:
            wait_for(lambda goal=goal: len(toy.finished()) >= goal - 1, process)
            wait_for(lambda: len(psutil.Process(process.pid).children()) >= 2, process)
            family = psutil.Process(process.pid).children(recursive=True)
            process.kill()
        assert_gone(family)
        before = len(toy.ran())
        settled = {identity["label"] for identity in toy.finished().values()}
        assert len(settled) >= goal - 1
    toy.open_gate(10**6)
    assert toy.invoke("--jobs", "2").exit_code == 0
    again = {f"{identity['params']['a']} {identity['use']} {identity['variant']} {identity['repetition']}"
             for identity in toy.finished().values() if identity["label"] in settled}  # fmt: skip
    assert not again & set(toy.ran()[before:])
    assert len(toy.finished()) == CELLS
    assert toy.csv() == toy.csv("whole")


def test_a_failed_cell_is_a_row_until_it_is_retried(toy, monkeypatch):
    monkeypatch.setenv("TOY_BAD", "1 toy_method:Quiet as_written 2")
    first = toy.invoke()
    assert first.exit_code == 1
    assert len(toy.ran()) == CELLS - 1
    assert "ValueError: it was asked to fail" in first.stderr
    assert "Traceback" not in first.output
    failed = [line for line in toy.csv().decode().splitlines() if ",failed," in line]
    assert len(failed) == 1
    assert failed[0].startswith("1,,wild,as_written,2,,nan,failed,")
    monkeypatch.delenv("TOY_BAD")
    assert toy.invoke().exit_code == 1
    assert len(toy.ran()) == CELLS - 1
    assert toy.invoke("--retry-failed").exit_code == 0
    assert len(toy.ran()) == CELLS
    assert b"failed" not in toy.csv()


def test_ctrl_c_keeps_what_is_finished(toy):
    toy.open_gate(3)
    with toy.start("--jobs", "2") as process:
        wait_for(lambda: len(toy.finished()) >= 3, process)
        family = psutil.Process(process.pid).children(recursive=True)
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=DEADLINE)
    assert process.returncode == 130
    assert_gone(family)
    kept = len(toy.finished())
    assert f"Interrupted. {kept} of {CELLS} cells are finished" in errors
    assert "the same command goes on from there" in errors
    assert "Traceback" not in errors
    toy.open_gate(10**6)
    done = toy.invoke()
    assert f"({CELLS - kept} run now, {kept} kept)" in done.stdout


def test_a_second_run_on_the_same_results_is_refused(toy):
    toy.open_gate(1)
    with toy.start() as first:
        wait_for(lambda: len(toy.finished()) >= 1, first)
        with toy.start() as second:
            _, errors = second.communicate(timeout=DEADLINE)
        first.kill()
    assert second.returncode == 2
    assert f"in use by another run of geoforest (process {first.pid})" in errors
    assert len(errors.strip().splitlines()) == 2  # "ready", and the sentence


def test_figure_draws_from_the_store(toy):
    assert "nothing has been run" in str(toy.invoke(command=figure).exception)
    toy.invoke("--set", "grid.a=[3]")
    toy.invoke("--profile", "smoke")
    before = len(toy.ran())
    folder = Path("results/toy/paper")
    assert not folder.exists()
    drawn = toy.invoke(command=figure)
    assert drawn.exit_code == 0, drawn.output
    assert f"{CELLS - 12} of {CELLS} cells are missing" in drawn.stdout
    assert (folder / "record.json").exists()
    assert len(toy.ran()) == before


def test_an_edited_experiment_runs_anew(toy):
    toy.invoke()
    toy.log.write_text("")
    path = toy.folder / "toy_experiment.py"
    path.write_text("# a comment changes nothing\n" + path.read_text())
    assert f"(0 run now, {CELLS} kept)" in toy.invoke().stdout
    first = toy.csv()
    path.write_text(path.read_text().replace("value / k", "2 * value / k"))
    assert f"({CELLS} run now, 0 kept)" in toy.invoke().stdout
    ours = [line.split(",") for line in toy.csv().decode().splitlines()[1:]]
    old = [line.split(",") for line in first.decode().splitlines()[1:]]
    # the same seeds: exactly twice the value
    assert [float(line[6]) for line in ours] == [2 * float(line[6]) for line in old]


def test_the_python_side_gives_rows_claims_and_figure(toy):
    import geoforest_cli

    result = geoforest_cli.run(toy.config, profile="smoke", jobs=1)
    assert len(result.rows) == 12
    assert result.judged.claims == ()
    assert result.figure == Path("results/toy/smoke/figure.svg")
    assert result.caution == "profile smoke: too small to judge the paper"
    again = geoforest_cli.results("results/toy", profile="smoke")
    assert again.rows["value"].tolist() == result.rows["value"].tolist()
    assert again.figures == result.figures
    with pytest.raises(UserError, match="does not hold the results of a run"):
        geoforest_cli.results("results/toy")
