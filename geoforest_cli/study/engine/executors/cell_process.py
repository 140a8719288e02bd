"""Inside the child process: takes one cell after the other until its driver is gone."""

from __future__ import annotations

import contextlib
import ctypes
import faulthandler
import functools
import gc
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
import warnings
from collections.abc import Callable
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any, Literal

import psutil
from threadpoolctl import threadpool_limits

from geoforest_cli.core import user_modules
from geoforest_cli.core.errors import UserError
from geoforest_cli.core.processor import kernels, processor
from geoforest_cli.estimators.methods import METHODS
from geoforest_cli.study.engine.executors.compilation import Compiling
from geoforest_cli.study.engine.executors.contract import Outcome, Status
from geoforest_cli.study.engine.executors.environment import versions
from geoforest_cli.study.engine.row_checks import require_complete, tidy_rows
from geoforest_cli.study.experiment import Experiment
from geoforest_cli.study.plan import experiments
from geoforest_cli.study.plan.cells import Job

__all__ = ["PINS", "STOP", "main", "read_tail", "run_job"]

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
STOP = b""
_LONGEST_OUTPUT = 20_000
_LONGEST_SENTENCE = 1_000
_PR_SET_PDEATHSIG, _PR_SET_CHILD_SUBREAPER = 1, 36
_LONG_CELL = 0.2  # seconds: after shorter cells there is little garbage

Phase = Literal["started", "compiling", "compiled"]


def main(connection: Connection, driver: int, log: int) -> None:
    """Run jobs as they arrive until the driver is gone.

    Parameters
    ----------
    connection : Connection
        Pickled jobs come in; JSON goes out: a phase when a cell begins and when kernels are being
        compiled, then the fields of the cell's outcome.
    driver : int
        The driver's process id.
    log : int
        Descriptor of the file that receives what the cell prints, and the traceback of a crash.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
    _die_with(driver)
    _enable_tracebacks()
    warnings.formatwarning = _in_one_line
    jobs: queue.SimpleQueue[bytes] = queue.SimpleQueue()
    threading.Thread(target=_listen, args=(connection, jobs), daemon=True).start()
    sending = threading.Lock()

    def send(content: object) -> None:
        with sending:
            connection.send_bytes(json.dumps(content).encode())

    while True:
        message = jobs.get()
        if message == STOP:
            return
        os.ftruncate(log, 0)
        os.lseek(log, 0, os.SEEK_SET)
        with warnings.catch_warnings():  # each cell shows its own warnings
            outcome = run_job(functools.partial(pickle.loads, message), send)
        _kill_descendants()
        if outcome.seconds > _LONG_CELL:
            # what is left now are modules and caches: without them a collection takes no time
            gc.collect()
            gc.freeze()
        sys.stdout.flush()
        sys.stderr.flush()
        send({**vars(outcome), "inner": {}, "output": read_tail(log)})


def run_job(unpack: Callable[[], Job], report: Callable[[Phase], None]) -> Outcome:
    """Run one job in this process; whatever it raises becomes its outcome.

    Parameters
    ----------
    unpack : callable
        Returns the job.
    report : callable
        Called with "started" when everything is loaded and the cell itself begins, and with
        "compiling" and "compiled" around every compilation of kernels.
    """
    _reset_peak_memory()
    key, rows, started, compiling_seconds = "", [], time.perf_counter(), 0.0
    status: Status = "ok"
    error = trace = ""
    try:
        job = unpack()
        key = job.key
        setting = job.cell.setting
        folder = setting.experiment.parent
        with user_modules.searched_in(*setting.folders), user_modules.importing_from(folder):
            experiment, code = _loaded(setting.experiment)
            setting.refuse_changes(code)
            task = job.cell.task(job.inner, experiment)
            setting.refuse_other_files(experiment.used(task.params))
            METHODS[task.method].load()
            _limit_threads(len(sys.modules))
            with Compiling(report) as compiling:
                report("started")
                started = time.perf_counter()
                try:
                    returned = experiment.run_cell(task)
                finally:
                    compiling_seconds = compiling.seconds
            rows = tidy_rows(returned, (*setting.inner_names, *setting.detail))
            require_complete(rows, experiment.yields, job.inner)
    except MemoryError as problem:
        status, error, trace = "out_of_memory", _sentence(problem), _trace()
    except BaseException as problem:  # a cell may raise anything, SystemExit too
        status, error, trace = "failed", _sentence(problem), _trace()
    seconds = max(0.0, time.perf_counter() - started - compiling_seconds)
    return Outcome(key, status, rows, {}, seconds, _peak_memory(), error, trace, _made_with())


@functools.cache
def _loaded(path: Path) -> tuple[Experiment[Any], str]:
    """Return the experiment of a file as it is when this process first needs it."""
    experiment = experiments.load(path)
    return experiment, experiments.code_of(experiment, path)


@functools.lru_cache(maxsize=1)
def _limit_threads(_modules: int) -> None:
    """Pin the thread pools of libraries; once more only after something was imported."""
    threadpool_limits(limits=1)
    if (numba := sys.modules.get("numba")) is not None:
        numba.set_num_threads(1)


def read_tail(log: int) -> str:
    """Return the end of a worker's log, given its file descriptor."""
    size = os.fstat(log).st_size
    if not size:
        return ""
    data = os.pread(log, _LONGEST_OUTPUT, max(0, size - _LONGEST_OUTPUT))
    return data.decode("utf-8", errors="replace").strip()


def _listen(connection: Connection, jobs: queue.SimpleQueue[bytes]) -> None:
    with contextlib.suppress(EOFError, OSError):
        while True:
            jobs.put(connection.recv_bytes())
    os._exit(1)  # the driver is gone


def _die_with(driver: int) -> None:
    """Ask the kernel for a SIGKILL when the thread that started us dies: no code has to run.

    That thread lives as long as the executor, see
    :mod:`geoforest_cli.study.engine.executors.launcher`.
    The thread in :func:`_listen` does the same everywhere, but only once a compiled kernel lets
    go of the interpreter lock.
    """
    if sys.platform == "linux":
        system = ctypes.CDLL(None)
        system.prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
        # what a cell leaves behind stays a child of this process, however it was started
        system.prctl(_PR_SET_CHILD_SUBREAPER, 1)
    if os.getppid() != driver:
        os._exit(1)


def _kill_descendants() -> None:
    """End what the cell has started and left running."""
    with contextlib.suppress(ChildProcessError):  # there is none: the rule
        os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT)
        for descendant in psutil.Process().children(recursive=True):
            with contextlib.suppress(psutil.Error):
                descendant.kill()
        while True:
            os.waitpid(-1, 0)


def _in_one_line(message: Warning | str, category: type[Warning], *_: Any, **__: Any) -> str:
    name = "Note" if category is UserWarning else category.__name__
    return f"{name}: {' '.join(str(message).split())}\n"


def _enable_tracebacks() -> None:
    # they go to stderr, which is the log
    faulthandler.enable()
    faulthandler.register(signal.SIGUSR1)


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
    # at its full length a message may be larger than all rows together
    text = " ".join(str(problem)[: 10 * _LONGEST_SENTENCE].split())
    if len(text) > _LONGEST_SENTENCE:
        text = f"{text[:_LONGEST_SENTENCE]} ... ({len(str(problem))} characters)"
    if not isinstance(problem, UserError):
        name = type(problem).__name__
        text = f"{name}: {text}" if text else name
    return _writable(text)


def _trace() -> str:
    return _writable(traceback.format_exc()[-_LONGEST_OUTPUT:])


def _writable(text: str) -> str:
    """Return the text with halves of surrogate pairs spelled out: UTF-8 has no place for them."""
    return text.encode("utf-8", "backslashreplace").decode("utf-8")


@functools.cache
def _made_with() -> dict[str, str]:
    machine = {"processor": processor(), "kernels": kernels()}
    return {**machine, "python": platform.python_version(), **versions()}
