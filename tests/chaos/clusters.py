"""The same ordeal on a cluster: drivers, workers of dask, their nannies and children are hit."""

from __future__ import annotations

import contextlib
import signal
import subprocess
import time
from pathlib import Path

import psutil

from tests.chaos.kills import Victim
from tests.study.engine.executors.clusters import Cluster

# who is hit -> with what
BLOWS = {
    "driver": ("KILL", "TERM", "INT", "HUP"),
    "dask worker": ("KILL", "TERM", "SEGV", "STOP"),
    "nanny": ("KILL", "TERM", "STOP"),
    "child of a worker": ("KILL", "SEGV", "STOP"),
}
WORKERS = 2


class ClusterVictim(Victim):
    """A config that is run on the workers of a scheduler, while they are hit."""

    def __init__(self, folder: Path, seed: int) -> None:
        home = folder / "cluster"
        home.mkdir()
        log = folder / "log"
        self._cluster = Cluster(home, TOY_LOG=str(log), TOY_SECONDS="0.2")
        self._nannies: list[subprocess.Popen[bytes]] = []
        self._started = 0
        super().__init__(folder, seed)

    def close(self) -> None:
        """End the scheduler and all workers."""
        self._cluster.close()

    def _start(self, name: str) -> subprocess.Popen[str]:
        self._replenish()
        return super()._start(name)

    def _run(self, name: str) -> subprocess.CompletedProcess[str]:
        self._replenish()
        return super()._run(name)

    def _replenish(self) -> None:
        """Start workers in the place of those that were killed."""
        alive = [nanny for nanny in self._nannies if nanny.poll() is None]
        while len(alive) < WORKERS:
            self._started += 1
            alive.append(self._cluster.worker(f"w{self._started}"))
        self._nannies = alive

    def _strike(self, process: subprocess.Popen[str], who: str, blow: signal.Signals) -> bool:
        try:
            driver = [psutil.Process(process.pid)]
            hit = driver if who == "driver" else self._of_the_cluster(who)
            for member in hit:
                member.send_signal(blow)
            if blow == signal.SIGSTOP:
                time.sleep(0.3)
                for member in hit:
                    member.send_signal(signal.SIGCONT)
            return bool(hit)
        except (psutil.Error, OSError):
            return False

    def _of_the_cluster(self, who: str) -> list[psutil.Process]:
        """One process of that kind, if there is one now."""
        nannies = [psutil.Process(nanny.pid) for nanny in self._nannies if nanny.poll() is None]
        if who == "nanny":
            alive = nannies
        else:
            workers = [
                each for nanny in nannies for each in nanny.children() if _is(each, "spawn_main")
            ]
            if who == "dask worker":
                alive = workers
            else:
                alive = [each for w in workers for each in w.children() if _is(each, "spawn_main")]
        return [self._random.choice(alive)] if alive else []

    def _blows(self) -> dict[str, tuple[str, ...]]:
        return BLOWS

    def _words(self) -> list[str]:
        return ["--executor", "dask", "--scheduler", self._cluster.address]


def _is(process: psutil.Process, word: str) -> bool:
    with contextlib.suppress(psutil.Error):
        return any(word in part for part in process.cmdline())
    return False
