"""Cells on a cluster: what travels, who may help, and what is lost with a worker: nothing."""

import ast
import contextlib
import inspect
import os
import shutil
import signal
import subprocess
import sys
import threading
from dataclasses import replace
from types import SimpleNamespace

import pytest

pytest.importorskip("distributed")

from geoforest_cli.core.errors import MachineError, Unavailable, UserError
from geoforest_cli.study.engine.driver import Hooks, run
from geoforest_cli.study.engine.executors import dask, environment
from geoforest_cli.study.engine.executors.contract import Slots
from geoforest_cli.study.engine.executors.dask import DaskExecutor
from geoforest_cli.study.engine.executors.local import LocalExecutor
from geoforest_cli.study.engine.progress import Progress
from geoforest_cli.study.engine.store import Store
from geoforest_cli.study.plan import load
from tests.study.engine import toy
from tests.study.engine.executors.clusters import ROOT, Cluster, wait_for


@pytest.fixture(scope="module")
def cluster(tmp_path_factory):
    made = Cluster(tmp_path_factory.mktemp("cluster"))
    yield made
    made.close()


@pytest.fixture
def executor(cluster):
    with contextlib.closing(DaskExecutor.connect(cluster.address)) as made:
        yield made


def _wait_for_workers(executor, number):
    wait_for(lambda: len(executor._client.scheduler_info(n_workers=-1)["workers"]) == number)


SOURCES = "geoforest's sources"

# who may help, and what happens to those who do

GATED = """
import os, time
from pathlib import Path
from geoforest_cli.study.experiment import Experiment, Params, Row


class GatedParams(Params):
    a: int
    gate: str


class Gated(Experiment[GatedParams]):
    methods = ("neighbors",)
    yields = ("m",)

    def run_cell(self, task):
        time.sleep(0.01)
        last = (task.params.a, task.repetition) == LAST
        while last and not Path(task.params.gate).exists():
            time.sleep(0.02)
        return [Row("m", task.method_seed / 7 + task.sample_seed / 3)]

    def draw(self, context):
        from geoforest_cli.study.figures.context import NothingToDraw
        raise NothingToDraw("rows are what it is about")
"""

CONFIG = """
title: gated
experiment: ./gated.py
repetitions: {repetitions}
timeout: 600
grid: {{a: {values}}}
params: {{gate: {gate}}}
methods:
  still: {{use: "toy_method:Still", variants: {{as_written: {{}}}}}}
profiles: {{smoke: {{}}}}
"""


def _gated(folder, values, repetitions):
    """A plan whose last cell waits for a file."""
    gate = folder / "gate"
    toy.write_method(folder)
    (folder / "gated.py").write_text(GATED.replace("LAST", str((values - 1, repetitions - 1))))
    text = CONFIG.format(repetitions=repetitions, values=list(range(values)), gate=gate)
    path = folder / "gated.yaml"
    path.write_text(text)
    return load(path, "paper", ()), gate


class _Heard(Progress):
    """Progress that keeps notes, and does something after some cells."""

    def __init__(self, after, tick):
        self.notes, self.count = [], 0
        self._after, self._tick = after, tick

    def note(self, sentence):
        self.notes.append(sentence)

    def finished(self, job, outcome):
        self.count += 1
        self._after.get(self.count, lambda: None)()

    def tick(self, left):
        self._tick()


def _kill(process):
    with contextlib.suppress(OSError):
        os.killpg(process.pid, 9)


@pytest.mark.nightly
def test_lost_late_and_unlike_workers_yield_the_local_bytes(cluster, executor, tmp_path):
    plan, gate = _gated(tmp_path, 12, 8)
    other = tmp_path / "other"
    shutil.copytree(ROOT / "geoforest_cli", other / "geoforest_cli")
    (other / "geoforest_cli" / "core" / "more.py").write_text("MORE = 1\n")
    workers = [cluster.worker(name, nanny=False) for name in ("first", "second", "third")]
    _wait_for_workers(executor, 3)

    def come_and_go():
        _kill(workers[0])
        workers.append(cluster.worker("late", nanny=False))
        workers.append(cluster.worker("unlike", nanny=False, sources=other))

    def open_the_gate():
        if heard.notes:
            gate.touch()

    heard = _Heard(after={20: come_and_go, 60: lambda: _kill(workers[1])}, tick=open_the_gate)
    there = run(plan, tmp_path / "there", executor, hooks=Hooks(heard))
    for worker in workers:
        _kill(worker)
    with contextlib.closing(LocalExecutor(2)) as local:
        here = run(plan, tmp_path / "here", local)
    assert (there.ran, there.failed) == (96, ())
    assert (there.folder / "rows.csv").read_bytes() == (here.folder / "rows.csv").read_bytes()
    assert there.mixture == here.mixture
    # a busy cluster may have more to say
    assert any("gets no cells: it has geoforest's sources" in said for said in heard.notes)
    _wait_for_workers(executor, 0)


@pytest.mark.nightly
def test_cells_that_measure_time_are_refused(executor, tmp_path):
    job = toy.job(tmp_path, "a")
    setting = replace(job.cell.setting, measured="abacus")
    with pytest.raises(UserError, match="cells that measure time run on this machine, alone"):
        executor.slots([replace(job, cell=replace(job.cell, setting=setting))])


@pytest.mark.nightly
def test_sources_and_packages_decide_whether_a_worker_is_like_us(monkeypatch, tmp_path):
    ours = environment.describe(("numpy", "scipy", "numba"))
    assert {"python", "numpy", "scipy", "numba", SOURCES} <= set(ours)
    package = tmp_path / "geoforest_cli"
    shutil.copytree(ROOT / "geoforest_cli", package, ignore=shutil.ignore_patterns("__pycache__"))
    code = f"import sys; sys.path.insert(0, {str(tmp_path)!r}); print(eval(sys.argv[1]))"
    source = inspect.getsource(environment)
    text = dask._DESCRIBE.format(text=source, packages=("numpy", "scipy", "numba"))

    def theirs():
        done = subprocess.run(
            [sys.executable, "-I", "-c", code, text], capture_output=True, text=True, check=True
        )
        return ast.literal_eval(done.stdout)

    assert environment.differences(ours, theirs()) == ""
    (package / "__pycache__").mkdir()
    (package / "__pycache__" / "x.pyc").write_text("compiled")
    (package / "_experiments").mkdir()
    (package / "_experiments" / "mine.py").write_text("bundled = True")
    (package / "cli" / "more.py").write_text("MORE = 1")
    assert environment.differences(ours, theirs()) == ""
    (package / "problems" / "more.py").write_text("MORE = 1")
    said = environment.differences(ours, theirs())
    assert said.startswith("geoforest's sources ")
    assert said.endswith(f"instead of {ours[SOURCES]}")


def test_without_dask_one_sentence(monkeypatch):
    monkeypatch.setitem(sys.modules, "distributed", None)
    for make in (DaskExecutor.start, lambda: DaskExecutor.connect("tcp://127.0.0.1:1")):
        with pytest.raises(Unavailable, match=r"dask is not installed here: pip install"):
            make()


@pytest.mark.nightly
def test_where_no_scheduler_answers_one_sentence(monkeypatch):
    monkeypatch.setattr("geoforest_cli.core.dask_client.CONNECT_TIMEOUT", 0.5)
    for address in ("tcp://127.0.0.1:1", "nonsense://x"):
        with pytest.raises(UserError, match=f"no dask scheduler answers at '{address}'"):
            DaskExecutor.connect(address)
    assert threading.active_count() < 50


# the command line

_MAIN = (
    "import signal; signal.signal(signal.SIGINT, signal.default_int_handler); "
    "from geoforest_cli.cli.main import main; main()"
)


def _command(folder, results, *words):
    return {
        "args": [sys.executable, "-c", _MAIN, "run", "gated.yaml", "--results", results, *words],
        "cwd": folder, "text": True, "stderr": subprocess.PIPE, "stdout": subprocess.PIPE,
        "env": {**os.environ, "PYTHONPATH": str(ROOT), "CI": "true"},
    }  # fmt: skip


@pytest.mark.nightly
def test_a_cluster_of_this_machine_is_stopped_and_goes_on(tmp_path):
    plan, gate = _gated(tmp_path, 6, 4)
    words = ["--executor", "dask", "--jobs", "2"]
    process = subprocess.Popen(**_command(tmp_path, "there", *words), start_new_session=True)
    store = tmp_path / "there" / "gated" / "cells.sqlite"
    wait_for(lambda: store.exists() and _marks(store) == 23)  # the last waits for the gate
    os.killpg(process.pid, signal.SIGINT)  # as a terminal does: the workers get it too
    _, errors = process.communicate(timeout=60)
    assert process.returncode == 130, errors
    assert "Traceback" not in errors
    assert _marks(store) == 23
    gate.touch()
    words[-1] = "1"
    done = subprocess.run(**_command(tmp_path, "there", *words), check=False)
    assert (done.returncode, "Traceback" in done.stderr) == (0, False), done.stderr
    with contextlib.closing(LocalExecutor(1)) as local:
        run(plan, tmp_path / "here", local)
    rows = [
        (tmp_path / name / "gated" / "paper" / "rows.csv").read_bytes()
        for name in ("here", "there")
    ]
    assert rows[0] == rows[1]


def _marks(path):
    with Store(path) as opened:
        return len(list(opened.summaries()))


def test_the_threads_of_all_workers_are_counted():
    threads = {f"tcp://{n}": {"nthreads": 1 + n % 3} for n in range(12)}

    def scheduler_info(n_workers):
        shown = len(threads) if n_workers == -1 else n_workers  # as distributed cuts it off
        return {"workers": dict(list(threads.items())[:shown])}

    executor = DaskExecutor(SimpleNamespace(scheduler_info=scheduler_info))
    assert executor.slots([]) == Slots(24)
    threads.clear()
    assert executor.slots([]) == Slots(1)


def test_a_result_that_left_with_its_worker_is_computed_again(tmp_path):
    class Left:
        status = "finished"

        def done(self):
            return True

        def result(self, timeout):
            raise TimeoutError(f"timed out after {timeout} s.")

    job = toy.job(tmp_path, "a")
    run = dask._DaskRun(SimpleNamespace(status="running"), [])
    run._tasks[Left()] = job, set()
    assert [*run._receive()] == []
    assert [*run._pending] == [job]


@pytest.mark.nightly
def test_a_vanished_scheduler_is_one_sentence_and_cells_are_kept(tmp_path):
    (tmp_path / "cluster").mkdir()
    made = Cluster(tmp_path / "cluster")
    made.worker("only")
    open_gate = ("methods:", f"params: {{action: waiting, gate: '{tmp_path / 'gate'}'}}\nmethods:")
    plan = toy.make_plan(tmp_path, open_gate)

    class Killing(Progress):
        def started(self, job):
            made.kill_scheduler()

    with (
        contextlib.closing(made),
        contextlib.closing(DaskExecutor.connect(made.address)) as executor,
        pytest.raises(MachineError, match="scheduler"),
    ):
        run(plan, tmp_path / "results", executor, hooks=Hooks(Killing()))
    (tmp_path / "gate").touch()
    with contextlib.closing(LocalExecutor(2)) as local:
        assert run(plan, tmp_path / "results", local).failed == ()
