"""Cells that behave badly on demand, and plans of them; everything else is the real thing."""

import contextlib
from datetime import datetime
from pathlib import Path

from geoforest_cli.core import user_modules
from geoforest_cli.study import plan as planning
from geoforest_cli.study.engine.executors.contract import Outcome, Slots, Started, never
from geoforest_cli.study.plan import experiments
from geoforest_cli.study.plan.cells import Cell, Job, Setting

PROTOCOL = """
import os, signal, sys, time
from pathlib import Path
from geoforest_cli.study.experiment import Experiment, Inner, Params, Row


class ToyParams(Params):
    action: str = "good"
    number: float = 1.0
    a: int = 0
    k: Inner[int] = (1, 2)
    log: str = ""
    gate: str = ""


class Toy(Experiment[ToyParams]):
    methods = ("neighbors",)
    yields = ("third", "pid", "m")

    def run_cell(self, task):
        if task.params.log:
            with Path(task.params.log).open("a") as file:
                file.write(f"{task.params.a}\\n")
        return globals()["_" + task.params.action](task.params)


def _good(params):
    return [Row("third", params.number / 3 * k, k=k) for k in params.k]

def _sleep(params):
    time.sleep(params.number)
    return _good(params)

def _waiting(params):
    while not Path(params.gate).exists():
        time.sleep(0.01)
    return _good(params)

def _broken(params):
    raise ValueError("no such\\n   luck")

def _leave(params):
    sys.exit("enough")

def _vanish(params):
    os._exit(7 if params.number else 0)

def _linger(params):
    _leave_one_behind(params)
    while True:
        pass

def _environment(params):
    names = [f"{name}_NUM_THREADS" for name in ("OMP", "OPENBLAS", "MKL", "NUMBA")]
    print(*(os.environ[name] for name in ("PYTHONHASHSEED", *names)))
    return _good(params)

def _segfault(params):
    os.kill(os.getpid(), signal.SIGSEGV)
    time.sleep(60)

def _greedy(params):
    held = []
    while True:
        held.append(bytearray(b"x") * 10_000_000)
        time.sleep(0.002)

def _absurd(params):
    raise MemoryError("Unable to allocate 7 TB")

def _spin(params):
    while True:
        pass

def _nothing(params):
    return None

def _stray(params):
    return [Row("m", 1.0, colour="red")]

def _pid(params):
    return [Row("pid", os.getpid(), k=k) for k in params.k]

def _leave_one_behind(params):
    one = os.fork()
    if not one:
        time.sleep(600)
        os._exit(0)
    Path(params.log + ".pid").write_text(str(one))

def _forget(params):
    _leave_one_behind(params)
    return _good(params)

def _vanish_with_a_heir(params):
    _leave_one_behind(params)
    os._exit(7)

def _chatty(params):
    print("hello")
    print("careful", file=sys.stderr)
    return _good(params)

def _compiling(params):
    import numba
    from numba.core import event
    with event.trigger_event("numba:compile"):
        time.sleep(params.number)
    return _good(params)
"""

# for what is not about a method: a child that imports scikit-learn takes a second to start
METHOD = """
class Still:
    kind = "neighbors"

    def fit(self, X):
        return self

    def kneighbors(self, X=None, n_neighbors=None):
        raise AssertionError


class Quiet(Still):
    pass
"""
STILL = "toy_method:Still"

CONFIG = """
title: toy
experiment: ./toy_protocol.py
timeout: 600
grid: {a: [0, 1, 2, 3, 4, 5], k: [1]}
methods:
  still: {use: "toy_method:Still", variants: {as_written: {}}}
profiles:
  smoke: {grid: {a: [0, 1]}}
"""


def write_protocol(folder):
    """Write the experiment module and return its path."""
    path = Path(folder) / "toy_protocol.py"
    if not path.exists():
        path.write_text(PROTOCOL)
    return path.resolve()


def write_method(folder):
    """Write the module of the methods and return its path."""
    path = Path(folder) / "toy_method.py"
    if not path.exists():
        path.write_text(METHOD)
    return path.resolve()


def job(folder, label, inner=None, timeout=600.0, memory=None, use=STILL, path=None, **params):
    """A job of the toy experiment."""
    path = path or write_protocol(folder)
    version = user_modules.digest(write_method(folder)) if use == STILL else 1
    try:
        experiment = experiments.load(path)
        code = experiments.code_of(experiment, path)
        valid = experiment.params(**params).model_dump(exclude={"k"})
    except Exception:
        code, valid = "0", params
    setting = Setting(
        experiment=path,
        folders=(Path(folder),),
        code=code,
        params={**valid, "a": params.get("a", 0)},
        drawn={},
        point={},
        used={},
        use=use,
        method_version=version,
        method_params={},
        variant="as_written",
        inner_names=("k",),
        detail=(),
        seed=hash_of(label),
        timeout=timeout,
        memory=memory,
    )
    return Job(Cell(setting, 0), inner or {"k": (1, 2)}, label)


def job_with_numba(folder, **given):
    """A job "a" whose experiment imports numba before its cell begins."""
    write_protocol(folder).write_text("import numba\n" + PROTOCOL)
    return job(folder, "a", **given)


def hash_of(label):
    """A number that tells the labels of a test apart."""
    return sum(ord(letter) * 31**position for position, letter in enumerate(label))


def make_plan(folder, *changes, name="toy", profile="paper", overrides=()):
    """A plan of the toy experiment; `changes` are pairs of texts in its config."""
    write_protocol(folder)
    write_method(folder)
    text = CONFIG
    for old, new in changes:
        assert old in text
        text = text.replace(old, new)
    path = Path(folder) / f"{name}.yaml"
    path.write_text(text)
    return planning.load(path, profile, overrides)


def outcomes(executor, jobs):
    """Run the jobs and return their outcomes by label."""
    labels = {job.key: job.label for job in jobs}
    with contextlib.closing(executor):
        events = list(executor.run(jobs))
    return {labels[event.key]: event for event in events if hasattr(event, "status")}


class Inline:
    """An executor without processes: every job is done at once, its rows what `value` says."""

    def __init__(self, status=lambda job: "ok", value=lambda job: 1.0):
        self.status, self.value = status, value
        self.ran = []

    def slots(self, jobs):
        return Slots(1)

    def run(self, jobs, stopping=never, draining=never):
        for job in jobs:
            if stopping() or draining():
                return
            yield Started(job.key)
            yield None
            self.ran.append((job.label, job.inner))
            yield outcome(job, self.status(job), self.value(job))


class Clock:
    """Stands for `datetime` in the store: a test says how late it is."""

    def __init__(self):
        self.second = 0

    def now(self, zone):
        return datetime(2024, 1, 1, 0, 0, self.second, tzinfo=zone)


def outcome(job, status="ok", value=1.0, seconds=2.0):
    """Return what a worker would tell of a job."""
    rows = [{"k": k, "metric": "m", "value": value} for k in job.inner["k"]]
    fine = status == "ok"
    return Outcome(
        job.key, status, rows if fine else [], job.inner, seconds, error="" if fine else "bad luck",
        made_with={"numpy": "2", "processor": "abacus"},
    )  # fmt: skip
