"""The child process: takes one cell after the other until its driver is gone."""

from __future__ import annotations

import contextlib
import ctypes
import faulthandler
import functools
import gc
import importlib.metadata
import importlib.util
import json
import os
import pickle
import platform
import queue
import resource
import signal
import sys
import threading
import time
import traceback
from collections.abc import Callable
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any, cast

from threadpoolctl import threadpool_limits

from geoforest_cli.engine.executor import Cell, Outcome, Status
from geoforest_cli.engine.tidy import tidy_rows
from geoforest_cli.errors import UserError

__all__ = ["GOODBYE", "PINS", "RunCell", "load_run_cell", "main", "read_tail", "run_cell"]

_THREADS = (
    "OMP_NUM_THREADS",
    "OPENBLAS_NUM_THREADS",
    "MKL_NUM_THREADS",
    "BLIS_NUM_THREADS",
    "VECLIB_MAXIMUM_THREADS",
    "NUMEXPR_NUM_THREADS",
    "NUMBA_NUM_THREADS",
    "LOKY_MAX_CPU_COUNT",
)
# the hash seed fixes the order of sets of strings, on which an experiment may depend unaware
PINS = {**dict.fromkeys(_THREADS, "1"), "PYTHONHASHSEED": "0", "MPLBACKEND": "Agg"}
_PACKAGES = ("geoforest", "numpy", "scipy", "numba", "scikit-learn", "umap-learn", "pynndescent")
GOODBYE = b""
_LONGEST_OUTPUT = 20_000
_PR_SET_PDEATHSIG = 1

RunCell = Callable[[Any], Any]


def main(connection: Connection, driver: int, log: Connection) -> None:
    """Run cells as they arrive until the driver is gone.

    Parameters
    ----------
    connection : Connection
        Pickled cells come in; JSON goes out: ``{"started": true}`` when a cell begins, then the
        fields of its :class:`~geoforest_cli.engine.executor.Outcome`.
    driver : int
        The driver's process id.
    log : Connection
        Wraps the file that receives what the cell, or the interpreter in its last moment, prints.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
    _die_with(driver)
    _redirect_output(log.fileno())
    cells: queue.SimpleQueue[bytes] = queue.SimpleQueue()
    threading.Thread(target=_listen, args=(connection, cells), daemon=True).start()
    announce = functools.partial(connection.send_bytes, b'{"started": true}')
    while True:
        message = cells.get()
        if message == GOODBYE:
            return
        os.ftruncate(log.fileno(), 0)
        os.lseek(log.fileno(), 0, os.SEEK_SET)
        outcome = run_cell(functools.partial(pickle.loads, message), announce)
        # what is left now are modules and caches: without them a collection takes no time
        gc.collect()
        gc.freeze()
        sys.stdout.flush()
        sys.stderr.flush()
        reply = {**vars(outcome), "output": read_tail(log.fileno())}
        connection.send_bytes(json.dumps(reply).encode())


def run_cell(unpack: Callable[[], Cell], announce: Callable[[], None]) -> Outcome:
    """Run one cell in this process; whatever it raises becomes its outcome.

    Parameters
    ----------
    unpack : callable
        Returns the cell.
    announce : callable
        Called when the experiment is loaded and the cell itself begins.
    """
    _reset_peak_memory()
    key, rows, started = "", [], time.perf_counter()
    status: Status = "ok"
    error = trace = ""
    try:
        cell = unpack()
        key = cell.key
        task = cell.task()
        run = load_run_cell(Path(cell.experiment_path))
        announce()
        started = time.perf_counter()
        with threadpool_limits(limits=1):
            _pin_numba()
            rows = tidy_rows(run(task), (*cell.inner, *cell.detail))
    except MemoryError as problem:
        status, error, trace = "out_of_memory", _sentence(problem), traceback.format_exc()
    except BaseException as problem:  # a cell may raise anything, SystemExit too
        status, error, trace = "failed", _sentence(problem), traceback.format_exc()
    seconds = time.perf_counter() - started
    return Outcome(key, status, rows, seconds, _peak_memory(), error, trace, _versions())


@functools.cache
def load_run_cell(path: Path) -> RunCell:
    """Return the ``run_cell`` of the experiment module at that path, imported once.

    The config imports the module too, to validate parameters; then it is the same module.
    """
    for module in list(sys.modules.values()):
        if getattr(module, "__file__", None) == str(path):
            return cast("RunCell", module.run_cell)
    spec = importlib.util.spec_from_file_location(f"_experiment_{path.stem}", path)
    if spec is None or spec.loader is None:
        raise UserError(f"{path} is not a Python module")
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return cast("RunCell", module.run_cell)


def read_tail(log: int) -> str:
    """Return the end of a worker's log, given its file descriptor."""
    size = os.fstat(log).st_size
    data = os.pread(log, _LONGEST_OUTPUT, max(0, size - _LONGEST_OUTPUT))
    return data.decode("utf-8", errors="replace").strip()


def _listen(connection: Connection, cells: queue.SimpleQueue[bytes]) -> None:
    with contextlib.suppress(EOFError, OSError):
        while True:
            cells.put(connection.recv_bytes())
    os._exit(1)  # the driver is gone: nobody wants this cell any more


def _die_with(driver: int) -> None:
    """Ask the kernel for a SIGKILL when the driver dies: no code has to run for that.

    The thread in :func:`_listen` does the same everywhere, but only once a compiled kernel lets
    go of the interpreter lock.
    """
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != driver:
        os._exit(1)


def _redirect_output(log: int) -> None:
    os.dup2(log, 1)
    os.dup2(log, 2)
    faulthandler.enable()
    faulthandler.register(signal.SIGUSR1)


def _pin_numba() -> None:
    if (numba := sys.modules.get("numba")) is not None:
        numba.set_num_threads(1)


def _reset_peak_memory() -> None:
    with contextlib.suppress(OSError):
        Path("/proc/self/clear_refs").write_text("5", encoding="ascii")


def _peak_memory() -> int:
    with contextlib.suppress(OSError):
        for line in Path("/proc/self/status").read_text(encoding="ascii").splitlines():
            if line.startswith("VmHWM:"):
                return int(line.split()[1]) * 1024
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else peak * 1024


def _sentence(problem: BaseException) -> str:
    text = " ".join(str(problem).split())
    if isinstance(problem, UserError):
        return text
    name = type(problem).__name__
    return f"{name}: {text}" if text else name


@functools.cache
def _versions() -> dict[str, str]:
    versions = {"python": platform.python_version()}
    for package in _PACKAGES:
        with contextlib.suppress(importlib.metadata.PackageNotFoundError):
            versions[package] = importlib.metadata.version(package)
    return versions
