"""Cells that behave badly on demand; importable by the workers too."""

from dataclasses import dataclass, field
from pathlib import Path
from types import SimpleNamespace

PROTOCOL = """
import os, signal, sys, time
from pathlib import Path

def run_cell(task):
    if task.log:
        with Path(task.log).open("a") as file:
            file.write(task.name + "\\n")
    return globals()[task.action](task)

def good(task):
    value = task.number / 3
    return [{"metric": "third", "value": value * k, "k": k} for k in task.ks]

def sleep(task):
    time.sleep(task.number)
    return good(task)

def waiting(task):
    while not Path(task.gate).exists():
        time.sleep(0.01)
    return good(task)

def broken(task):
    raise ValueError("no such\\n   luck")

def leave(task):
    sys.exit("enough")

def vanish(task):
    os._exit(7)

def segfault(task):
    os.kill(os.getpid(), signal.SIGSEGV)
    time.sleep(60)

def greedy(task):
    held = []
    while True:
        held.append(bytearray(b"x") * 10_000_000)
        time.sleep(0.002)

def absurd(task):
    raise MemoryError("Unable to allocate 7 TB")

def spin(task):
    while True:
        pass

def nothing(task):
    return None

def stray(task):
    return [{"metric": "m", "value": 1.0, "colour": "red"}]

def hoard(task):
    globals()["_held"] = bytearray(b"x") * 150_000_000
    return [{"metric": "pid", "value": os.getpid()}]

def pid(task):
    return [{"metric": "pid", "value": os.getpid()}]

def threads(task):
    import numpy
    from threadpoolctl import threadpool_info
    numpy.ones((2, 2)) @ numpy.ones((2, 2))
    most = max([1] + [one["num_threads"] for one in threadpool_info()])
    return [{"metric": "threads", "value": most}]

def chatty(task):
    print("hello")
    print("careful", file=sys.stderr)
    return good(task)
"""


@dataclass(frozen=True)
class ToyCell:
    """What the engine needs of a cell, and no more."""

    key: str
    experiment_path: Path
    action: str = "good"
    number: float = 1.0
    method: str = "toy"
    variant: str = "as_written"
    repetition: int = 0
    timeout: float = 600.0
    memory: int | None = None
    point: dict = field(default_factory=dict)
    inner: dict = field(default_factory=lambda: {"k": (1, 2)})
    detail: tuple = ()
    log: str = ""
    gate: str = ""

    @property
    def use(self):
        return self.method

    def task(self):
        return SimpleNamespace(
            name=self.key,
            action=self.action,
            number=self.number,
            ks=self.inner.get("k", ()),
            log=self.log,
            gate=self.gate,
        )

    def describe(self):
        return f"cell {self.key}"


def write_protocol(folder):
    """Write the experiment module and return its path."""
    path = Path(folder) / "toy_protocol.py"
    path.write_text(PROTOCOL)
    return path


def make_plan(folder, cells, name="toy", grid_columns=("a", "k")):
    """A plan of those cells."""
    path = Path(folder) / f"{name}.yaml"
    path.write_text("title: toy\n")
    return SimpleNamespace(
        config=SimpleNamespace(seed=1),
        profile="paper",
        name=name,
        path=path,
        cells=tuple(cells),
        grid_columns=grid_columns,
    )


def outcomes(executor, cells, expected=None):
    """Run the cells and return their outcomes by key."""
    events = executor.run(cells, expected or {})
    return {one.key: one for one in events if hasattr(one, "status")}
