"""Schedulers and workers of dask in processes of their own, for tests."""

import contextlib
import os
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).parents[4]
PATIENCE = 120.0


class Cluster:
    """A scheduler and its workers, which can be killed one by one.

    Parameters
    ----------
    folder : Path
        For what they write.
    environment : str
        Variables of all of them.
    """

    def __init__(self, folder, **environment):
        self.folder = Path(folder)
        self._environment = environment
        self._processes = []
        file = self.folder / "scheduler.json"
        self.start("scheduler", "--port", "0", "--dashboard-address", "127.0.0.1:0",
                   "--scheduler-file", str(file))  # fmt: skip
        self._file = file
        wait_for(lambda: file.exists() and file.read_text().endswith("}"))
        self.address = next(
            word for word in file.read_text().split('"') if word.startswith("tcp://")
        )

    def start(self, role, *words, sources=ROOT, **environment):
        """Start a scheduler or a worker with some sources of geoforest's."""
        log = (self.folder / f"{role}-{len(self._processes)}.log").open("wb")
        code = (
            f"import sys; sys.argv[0] = 'dask-{role}'; "
            f"from distributed.cli.dask_{role} import main; main()"
        )
        with log:
            process = subprocess.Popen(
                [sys.executable, "-c", code, "--host", "127.0.0.1", *words],
                cwd=self.folder, stdin=subprocess.DEVNULL, stdout=log, stderr=log,
                start_new_session=True,
                env={**os.environ, "PYTHONPATH": str(sources), **self._environment, **environment},
            )  # fmt: skip
        self._processes.append(process)
        return process

    def worker(self, name, *words, nanny=True, **more):
        """Start a worker with one slot, and perhaps a nanny that starts it again when it dies."""
        return self.start(
            "worker", self.address, "--nthreads", "1", "--name", name, "--no-dashboard",
            "--nanny" if nanny else "--no-nanny",
            "--local-directory", str(self.folder / name), *words, **more,
        )  # fmt: skip

    def kill_scheduler(self):
        """Kill what all others talk to."""
        _end(self._processes[0])

    def close(self):
        """End all that was started."""
        for process in reversed(self._processes):
            _end(process)


def _end(process):
    with contextlib.suppress(OSError):
        os.killpg(process.pid, 9)
    process.wait()


def wait_for(condition):
    """Wait until something is so."""
    until = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < until
        time.sleep(0.05)
