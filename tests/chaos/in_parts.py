"""Tables in parts: spoilt ones for `tests.chaos.fuzz`, and calls that are hit for `kills`."""

from __future__ import annotations

import contextlib
import logging
import os
import random
import shlex
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from unittest import mock

import numpy as np
import pandas as pd
import psutil

from geoforest_cli.core import dask_client
from tests.chaos.kills import Tally
from tests.chaos.spoils import SPOILS

PATIENCE = 300.0  # seconds until an end is called a hang
_SPOILT_JSON = ("", "{", "[1]", "null", '"x"', '{"k": 1}', "[" * 50_000, "\x00", '{"kept": 3}')
# what looks for a record of a store finds none in Parquet
_SPOILS = [spoil for kind, spoil in SPOILS.items() if "record" not in kind]
_OPTIONS = (
    ("-k", ("0", "3", "1000000", "x")),
    ("--cell-rows", ("99", "100", "-1", "1e9", "x")),
    ("--id", ("a", "zz", "")),
    ("--columns", ("a", "a,zz", "")),
    ("--scheduler", ("", "nowhere", "tcp://127.0.0.1:1")),
    ("--param", ("n_estimators=0", "n_estimators=2", "screen=auto", "x")),
    ("--method", ("euclidean", "geodesic_forest")),
    ("--jobs", ("0", "1")),
    ("--compare", ()),
)


@contextlib.contextmanager
def one_client() -> Iterator[None]:
    """Let all calls of this process share workers, which take seconds to start."""
    import distributed

    with (
        distributed.Client(
            processes=False,
            n_workers=1,
            threads_per_worker=1,
            dashboard_address="127.0.0.1:0",
            silence_logs=logging.CRITICAL,
        ) as client,
        mock.patch.object(dask_client, "start", return_value=(client, None)),
        mock.patch.object(dask_client, "close"),
    ):
        yield


def write_parts(folder: Path, rows: int = 240) -> Path:
    """Write three files of a helix, anew."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    rng = np.random.default_rng(0)
    t = rng.uniform(0, 12, rows)
    frame = pd.DataFrame({"a": np.cos(t), "b": np.sin(t), "c": t, "d": rng.normal(size=rows)})
    for number, part in enumerate(np.array_split(np.arange(rows), 3)):
        frame.iloc[part].to_parquet(folder / f"p{number}.parquet", index=False)
    return folder


def spoilt_parts(folder: Path, chance: random.Random) -> list[str]:
    """Write a table in parts with something wrong; return a call that reads it."""
    parts, out = write_parts(folder / "parts"), folder / "near"
    shutil.rmtree(out, ignore_errors=True)
    path = parts / f"p{chance.randrange(3)}.parquet"
    kind = chance.choice(["bytes", "values", "manifest", "options", "options"])
    words: list[str] = []
    if kind == "bytes":
        spoil = chance.choice([*_SPOILS, lambda _data, _chance: bytearray()])
        path.write_bytes(spoil(bytearray(path.read_bytes()), chance))
    elif kind == "values":
        _spoil_values(path, chance)
    elif kind == "manifest":
        out.mkdir()
        (out / "_manifest.json").write_text(chance.choice(_SPOILT_JSON), encoding="utf-8")
    else:
        name, values = chance.choice(_OPTIONS)
        words = [name, *([chance.choice(values)] if values else [])]
    few = ["--param", "n_estimators=3"] if "--param" not in words else []
    return [*_call(parts, out), *few, *words]


def good_parts(folder: Path) -> list[str]:
    """Write a table in parts; return a call that reads it."""
    return [*_call(write_parts(folder / "good"), folder / "found"), "--param", "n_estimators=3"]


def _call(parts: Path, out: Path) -> list[str]:
    return ["neighbors", str(parts), "-o", str(out), "-k", "3", "--cell-rows", "100"]


def _spoil_values(path: Path, chance: random.Random) -> None:
    frame = pd.read_parquet(path)
    column = chance.choice(list(frame))
    spoilt = {
        "missing": lambda: frame.assign(**{column: np.nan}),
        "infinite": lambda: frame.assign(**{column: np.inf}),
        "text": lambda: frame.assign(**{column: "x"}),
        "constant": lambda: frame.assign(**{column: 1.0}),
        "other name": lambda: frame.rename(columns={column: "\x1b[31m"}),
        "no rows": lambda: frame.iloc[:0],
        "one column": lambda: frame[[column]],
        "whole numbers": lambda: frame.assign(**{column: range(len(frame))}),
    }
    chance.choice(list(spoilt.values()))().to_parquet(path, index=False)


class PartsVictim:
    """A table in parts whose neighbours are looked for, hit, and looked for again until done."""

    def __init__(self, folder: Path, seed: int) -> None:
        self._random = random.Random(seed)
        self._parts, self._folder = write_parts(folder / "parts", 1200), folder
        self.tally, self._blow = Tally(), "not hit"
        self._end(self._start(folder / "whole"))
        self._expected = self._files(folder / "whole")

    def endure(self, kills: int) -> None:
        """Let so many blows fall on the driver or a worker; each call ends in the same files."""
        fallen = number = 0
        while fallen < kills:
            out = self._folder / f"out{number}"
            for _ in range(min(3, kills - fallen)):
                fallen += self._hit(out)
            self._finish(out)
            number += 1

    def starved(self) -> None:
        """Look on a disk that is full soon, then with room."""
        out = self._folder / "starved"
        process = self._start(out, self._random.choice([4, 20, 60]))  # of 1024 bytes a file
        self._end(process)
        self.tally["tables in parts: full disks"] += 1
        self._finish(out)

    def _hit(self, out: Path) -> int:
        process = self._start(out)
        time.sleep(self._random.uniform(1.0, 6.0))
        who = self._random.choice(["driver", "worker"])
        blow = self._random.choice([signal.SIGKILL, signal.SIGTERM, signal.SIGINT])
        fallen = 0
        with contextlib.suppress(psutil.Error, IndexError):
            family = psutil.Process(process.pid).children(recursive=True)
            workers = [one for one in family if "spawn_main" in " ".join(one.cmdline())]
            victim = self._random.choice(workers).pid if who == "worker" else process.pid
            if process.poll() is None:
                os.kill(victim, blow)
                self._blow = f"tables in parts: {blow.name} to {who}"
                self.tally[self._blow] += 1
                fallen = 1
        self._end(process)
        return fallen

    def _finish(self, out: Path) -> None:
        self._blow = "not hit"
        self._end(self._start(out))
        files = self._files(out)
        self.tally["lost"] += len(set(self._expected) - set(files))
        self.tally["different"] += files != self._expected

    def _start(self, out: Path, blocks: int | None = None) -> subprocess.Popen[str]:
        words = ["neighbors", str(self._parts), "-o", str(out), "-k", "3", "--cell-rows", "150"]
        words += ["--param", "n_estimators=40", "--jobs", "2"]
        command = [sys.executable, "-m", "geoforest_cli", *words]
        if blocks is not None:
            command = ["bash", "-c", f"ulimit -f {blocks} && exec {shlex.join(command)}"]
        return subprocess.Popen(
            command, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            start_new_session=True,
        )  # fmt: skip

    def _end(self, process: subprocess.Popen[str]) -> None:
        try:
            _, stderr = process.communicate(timeout=PATIENCE)
        except subprocess.TimeoutExpired:
            self.tally["hangs"] += 1
            os.killpg(process.pid, signal.SIGKILL)
            _, stderr = process.communicate()
        self.tally.look_for_tracebacks(stderr, self._blow)

    @staticmethod
    def _files(out: Path) -> dict[str, bytes]:
        return {path.name: path.read_bytes() for path in sorted(out.glob("part-*.parquet"))}
