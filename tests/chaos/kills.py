"""Runs that are killed, starved, given spoilt stores and kept from writing; their ends are compared.

``python -m tests.chaos.kills --kills 100`` prints a table: how many signals of which kind, and how
many cells were lost, run twice or came out different, how many tracebacks and hangs were seen.
"""

from __future__ import annotations

import argparse
import collections
import os
import random
import re
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import psutil

from geoforest_cli.study.engine.store import Store
from tests.chaos.spoils import SPOILS
from tests.study.engine.toy import write_method

ROOT = Path(__file__).parents[2]
PATIENCE = 120.0  # seconds until an end is called a hang

EXPERIMENT = """
import os
import time
from geoforest_cli.study.experiment import Experiment, Params, Row


class ToyParams(Params):
    a: int


class Toy(Experiment[ToyParams]):
    methods = ("neighbors",)
    yields = ("m",)

    def run_cell(self, task):
        time.sleep(float(os.environ.get("TOY_SECONDS", "0.03")))
        with open(os.environ["TOY_LOG"], "a") as file:
            file.write(f"{task.params.a} {task.repetition}\\n")
        return [Row("m", task.method_seed / 7 + task.sample_seed / 3)]

    def draw(self, context):
        from geoforest_cli.study.figures.context import NothingToDraw
        raise NothingToDraw("rows are what it is about")
"""
CONFIG = """
title: killed
experiment: ./toy.py
repetitions: 4
timeout: 60
grid: {a: [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]}
methods:
  still: {use: "toy_method:Still", variants: {as_written: {}}}
profiles: {smoke: {}}
"""
CELLS = 40
# who is hit -> with what
BLOWS = {
    "driver": ("KILL", "TERM", "INT", "HUP"),
    "group of the driver": ("INT", "TERM"),
    "one child": ("KILL", "TERM", "SEGV", "STOP"),
    "all children": ("KILL",),
    "tracker": ("KILL",),
}


# Python's tracker of semaphores starts anew where it was killed, and does not know the old ones
_OF_TRACKER = re.compile(
    r'Traceback \(most recent call last\):\n  File "[^"]*resource_tracker\.py".*?\nKeyError: [^\n]*',
    re.DOTALL,
)


class Tally(collections.Counter[str]):
    """Counts of everything that may go wrong, beside those of what was tried."""

    WRONG = ("lost", "repeated", "different", "tracebacks", "unexplained", "hangs")

    @property
    def faultless(self) -> bool:
        """Return whether nothing went wrong."""
        return not any(self[name] for name in self.WRONG)

    def look_for_tracebacks(self, stderr: str, of: str = "") -> None:
        """Count what a call wrote if it holds a traceback, and print it."""
        if "Traceback" in _OF_TRACKER.sub("", stderr):
            self["tracebacks"] += 1
            print(f"{of}\n{stderr[-20_000:]}", file=sys.stderr, flush=True)

    def table(self) -> str:
        """Return one line per thing tried, and one per thing that may go wrong."""
        tried = sorted(name for name in self if name not in self.WRONG)
        return "\n".join(f"{name:32} {self[name]:6}" for name in (*tried, *self.WRONG))


class Victim:
    """A folder with a config that is run, hit, and run again until it is whole."""

    def __init__(self, folder: Path, seed: int) -> None:
        self.folder = folder
        self.tally = Tally()
        self._random = random.Random(seed)
        (folder / "toy.py").write_text(EXPERIMENT)
        write_method(folder)
        (folder / "killed.yaml").write_text(CONFIG)
        self.log = folder / "log"
        self.log.touch()
        self._finish("whole")
        self.expected = self._rows("whole")

    def run_once(self, name: str, kills: int) -> int:
        """Bring one results folder to its end through so many blows; return how many fell."""
        fallen = 0
        settled: set[str] = set()
        while fallen < kills and len(settled) < CELLS:
            ran = len(self._lines())
            fallen += self._disturbed(name)
            settled = self._account(name, settled, ran)
        ran = len(self._lines())
        self._finish(name)
        self._account(name, settled, ran)
        self.tally["different"] += self._rows(name) != self.expected
        self.tally["runs brought to an end"] += 1
        return fallen

    def endure(self, kills: int) -> None:
        """Bring results folders to their end until so many blows have fallen."""
        fallen = number = 0
        while fallen < kills:
            name = f"r{number}"
            fallen += self.run_once(name, min(8, kills - fallen))
            self.log.write_text("")
            shutil.rmtree(self.folder / name)
            number += 1

    def starved(self, name: str) -> None:
        """Run on a disk that is full soon, then with room."""
        limit = self._random.choice([8, 24, 40])  # of 1024 bytes a file
        done = self._below(f"ulimit -f {limit}", name)
        self.tally["full disks"] += 1
        self.tally.look_for_tracebacks(done.stderr)
        settled, ran = self._settled(name), len(self._lines())
        self._finish(name)
        self._account(name, settled, ran)
        self.tally["different"] += self._rows(name) != self.expected

    def damaged(self, name: str) -> None:
        """Damage the store in every way; a run says so or, if nothing reads that place, is right."""
        whole = self.folder / "whole"
        for kind, spoil in SPOILS.items():
            shutil.rmtree(self.folder / name, ignore_errors=True)
            shutil.copytree(whole, self.folder / name)
            path = self.folder / name / "killed" / "cells.sqlite"
            path.write_bytes(spoil(bytearray(path.read_bytes()), self._random))
            self.tally[f"stores with {kind}"] += 1
            self._judge(self._run(name), name)

    def forbidden(self, name: str) -> None:
        """Run where nothing can be written: each time a sentence, and no result is touched."""
        shutil.copytree(self.folder / "whole", self.folder / name)
        (self.folder / "file").touch()
        for target in ("file/results", "/proc/results"):
            self.tally["results in no folder"] += 1
            self._judge(self._run(target), name, refused=True)
        self.tally["files of no byte"] += 1
        self._judge(self._below("ulimit -f 0", name), name, refused=True)
        if os.geteuid():  # root writes to a folder whatever its mode
            (self.folder / name / "killed").chmod(0o555)
            self.tally["read-only folders"] += 1
            self._judge(self._run(name), name, refused=True)
            (self.folder / name / "killed").chmod(0o755)

    def _judge(
        self, done: subprocess.CompletedProcess[str], name: str, *, refused: bool = False
    ) -> None:
        """A run that ends in anything but the right rows says why, in one sentence."""
        self.tally.look_for_tracebacks(done.stderr)
        if done.returncode:
            # a library may warn before that of what it cannot do here
            said = [line.startswith("Error: ") for line in done.stderr.splitlines()]
            explained = done.returncode in (1, 2) and said[-1:] == [True] and sum(said) == 1
            self.tally["unexplained"] += not explained
        else:
            self.tally["unexplained"] += refused
        if refused or not done.returncode:
            self.tally["different"] += self._rows(name) != self.expected

    def _below(self, before: str, name: str) -> subprocess.CompletedProcess[str]:
        """Run after a command of the shell."""
        return subprocess.run(
            ["bash", "-c", f"{before} && exec {shlex.join(self._command(name))}"],
            env=self._environment(), cwd=self.folder, text=True,
            capture_output=True, check=False, timeout=PATIENCE,
        )  # fmt: skip

    def together(self, name: str) -> None:
        """Start two runs at once; one is refused, or comes when the other is done."""
        both = [self._start(name) for _ in range(2)]
        for process in both:
            self._end(process)
        self.tally["runs at once"] += 1
        self._finish(name)
        self.tally["different"] += self._rows(name) != self.expected
        lines = self._lines()
        self.tally["repeated"] += max(0, len(lines) - len(set(lines))) if name == "twice" else 0

    def _disturbed(self, name: str) -> int:
        process = self._start(name)
        time.sleep(self._random.uniform(0.5, 4.0))
        blows = self._blows()
        who = self._random.choice(list(blows))
        blow = self._random.choice(blows[who])
        fell = self._strike(process, who, getattr(signal, f"SIG{blow}"))
        if fell:
            self.tally[f"{blow} to {who}"] += 1
        self._end(process)
        return int(fell)

    def _strike(self, process: subprocess.Popen[str], who: str, blow: signal.Signals) -> bool:
        try:
            driver = psutil.Process(process.pid)
            family = driver.children()
            children = [
                child for child in family if any("spawn_main" in part for part in child.cmdline())
            ]
            trackers = [child for child in family if child not in children]
            if who == "group of the driver":
                os.killpg(process.pid, blow)
                return True
            hit = {"driver": [driver], "tracker": trackers, "all children": children}.get(who)
            hit = [self._random.choice(children)] if hit is None and children else hit or []
            for member in hit:
                member.send_signal(blow)
            if blow == signal.SIGSTOP:
                time.sleep(0.3)
                for member in hit:
                    member.send_signal(signal.SIGCONT)
            return bool(hit)
        except (psutil.Error, OSError):
            return False

    def _account(self, name: str, before: set[str], ran: int) -> set[str]:
        """Compare what is settled and what has run since with what was settled before."""
        after = self._settled(name)
        self.tally["lost"] += len(before - after)
        self.tally["repeated"] += len(before & set(self._lines()[ran:]))
        return after

    def _settled(self, name: str) -> set[str]:
        path = self.folder / name / "killed" / "cells.sqlite"
        if not path.exists():
            return set()
        with Store(path) as store:
            stored = [store.identity(mark.key) for mark in store.summaries() if mark.status == "ok"]
        return {f"{identity['params']['a']} {identity['repetition']}" for identity in stored}

    def _lines(self) -> list[str]:
        return self.log.read_text().splitlines()

    def _rows(self, name: str) -> bytes:
        return (self.folder / name / "killed" / "paper" / "rows.csv").read_bytes()

    def _finish(self, name: str) -> None:
        done = self._run(name)
        if done.returncode:
            message = f"exit status {done.returncode} of a run that nobody has hit: {done.stderr}"
            raise RuntimeError(message)

    def _run(self, name: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            self._command(name), env=self._environment(), cwd=self.folder, text=True,
            capture_output=True, check=False, timeout=PATIENCE,
        )  # fmt: skip

    def _start(self, name: str) -> subprocess.Popen[str]:
        return subprocess.Popen(
            self._command(name), env=self._environment(), cwd=self.folder, text=True,
            stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, start_new_session=True,
        )  # fmt: skip

    def _end(self, process: subprocess.Popen[str]) -> None:
        try:
            _, errors = process.communicate(timeout=PATIENCE)
            self.tally.look_for_tracebacks(errors)
        except subprocess.TimeoutExpired:
            self.tally["hangs"] += 1
            process.kill()
            process.communicate()

    def _command(self, name: str) -> list[str]:
        # an ignored SIGINT, as in a background job of a shell, would be inherited
        code = (
            "import signal; signal.signal(signal.SIGINT, signal.default_int_handler); "
            "from geoforest_cli.cli.main import main; main()"
        )
        words = ["run", "killed.yaml", *self._words(), "--retry-failed", "--results", name]
        return [sys.executable, "-c", code, *words]

    def _words(self) -> list[str]:
        return ["--jobs", "2"]

    def _blows(self) -> dict[str, tuple[str, ...]]:
        return BLOWS

    def _environment(self) -> dict[str, str]:
        paths = os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")])
        return {**os.environ, "PYTHONPATH": paths, "TOY_LOG": str(self.log), "CI": "true"}


def ordeal(folder: Path, kills: int, seed: int) -> Tally:
    """Let so many blows fall, then a full disk and two runs at once."""
    victim = Victim(folder, seed)
    victim.endure(kills)
    for number in range(max(1, kills // 25)):
        victim.log.write_text("")
        victim.starved(f"starved{number}")
        victim.log.write_text("")
        shutil.rmtree(folder / "twice", ignore_errors=True)
        victim.together("twice")
    return victim.tally


def privation(folder: Path, kills: int, seed: int) -> Tally:
    """Damage the store in every way, some times; then run where nothing can be written."""
    victim = Victim(folder, seed)
    for _ in range(max(1, kills // 25)):
        victim.damaged("damaged")
    victim.forbidden("forbidden")
    return victim.tally


def cluster(folder: Path, kills: int, seed: int) -> Tally:
    """Let half as many blows fall on a cluster."""
    from tests.chaos.clusters import ClusterVictim

    victim = ClusterVictim(folder, seed)
    try:
        victim.endure(max(1, kills // 2))
    finally:
        victim.close()
    return Tally({
        name if name in Tally.WRONG else f"on a cluster: {name}": count
        for name, count in victim.tally.items()
    })  # fmt: skip


# each in a folder of its own
PHASES: dict[str, Callable[[Path, int, int], Tally]] = {
    "Runs that are hit": ordeal,
    "Runs that cannot read or write": privation,
    "Runs on a cluster that is hit": cluster,
}


def main() -> None:
    """Print the table; exit status 1 if anything went wrong."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kills", type=int, default=100)
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    tally = Tally()
    for name, phase in PHASES.items():
        begun = time.monotonic()
        with tempfile.TemporaryDirectory() as folder:
            phase_tally = phase(Path(folder), given.kills, given.seed)
        tally.update(phase_tally)
        took = f"{(time.monotonic() - begun) / 60:.1f} min"
        print(f"{name}: {took}\n{phase_tally.table()}\n", file=sys.stderr, flush=True)
    print(tally.table())
    sys.exit(0 if tally.faultless else 1)


if __name__ == "__main__":
    main()
