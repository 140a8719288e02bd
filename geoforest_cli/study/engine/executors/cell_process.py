"""Inside the child process: runs one cell after the other, and ends with its driver."""

from __future__ import annotations

import contextlib
import ctypes
import faulthandler
import functools
import math
import multiprocessing
import os
import platform
import re
import select
import signal
import sys
import time
import traceback
import warnings
from collections.abc import Callable, MutableSequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal

import psutil
from threadpoolctl import threadpool_limits

from geoforest_cli.core import user_modules
from geoforest_cli.core.errors import UserError
from geoforest_cli.core.processor import kernels, processor
from geoforest_cli.estimators.methods import METHODS
from geoforest_cli.study.engine.executors.compilation import Compiling
from geoforest_cli.study.engine.executors.contract import Outcome, Refused, Status
from geoforest_cli.study.engine.executors.environment import versions
from geoforest_cli.study.engine.row_checks import require_complete, tidy_rows
from geoforest_cli.study.experiment import Experiment, Task
from geoforest_cli.study.plan import experiments
from geoforest_cli.study.plan.cells import Job

__all__ = ["DEADLINE", "LOADING", "PHASE", "PID", "begin", "kill_group", "read_tail", "run_cell"]

PID, PHASE, DEADLINE = range(3)  # the numbers that a process shares with its driver
STARTING, RUNNING, COMPILING = range(3)  # phases
LOADING = 600.0  # seconds a process may take to start, to import an experiment, or to compile
_LONGEST_OUTPUT = 20_000
_LONGEST_SENTENCE = 1_000
_GUARD_INTERVAL = 0.2  # seconds
_PR_SET_CHILD_SUBREAPER = 36

Phase = Literal["started", "compiling", "compiled"]
Shared = MutableSequence[float]

_shared: list[Shared] = []


def begin(shared: Shared, log: str) -> None:
    """Prepare this process for cells: the initializer of its pool.

    Parameters
    ----------
    shared : array of float
        Its process id, the phase of its cell, and when the cell has to be done.
    log : str
        File that receives what a cell prints, and the traceback of a crash; its name is removed.
    """
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})  # its pool ignores it
    os.setsid()
    _start_guard()
    vars(multiprocessing.current_process())["_config"].pop(
        "daemon", None
    )  # cells may have children
    if sys.platform == "linux":
        # what a cell leaves behind stays a child of this process, however it was started
        ctypes.CDLL(None).prctl(_PR_SET_CHILD_SUBREAPER, 1)
    descriptor = os.open(log, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o600)
    Path(log).unlink()
    for standard in (1, 2):
        os.dup2(descriptor, standard)
    sys.stdout = sys.stderr = open(  # noqa: SIM115 - for the life of the process
        1, "w", buffering=1, encoding="utf-8", errors="backslashreplace", closefd=False
    )
    faulthandler.enable()
    faulthandler.register(signal.SIGUSR1)
    warnings.formatwarning = _in_one_line
    _shared[:] = [shared]
    shared[PID] = os.getpid()


def _start_guard() -> None:
    """Start the process that ends this one with its driver, and its group with this one.

    Nobody's child, so that it is none of what a cell has started.
    """
    worker, driver = os.getpid(), multiprocessing.parent_process()
    assert driver is not None
    if middle := os.fork():
        os.waitpid(middle, 0)
        return
    if not os.fork():
        os.dup2(driver.sentinel, 0)
        os.closerange(1, 256)
        while not select.select([0], [], [], _GUARD_INTERVAL)[0]:
            if not psutil.pid_exists(worker):
                break
        kill_group(worker)
    os._exit(0)


def kill_group(leader: int) -> None:
    """Kill a process, all that it has started, and what has lost its parent of that."""
    if leader > 1:  # to the kernel group 0 is this process's own, and 1 everybody
        with contextlib.suppress(psutil.Error):
            for descendant in psutil.Process(leader).children(recursive=True):
                with contextlib.suppress(psutil.Error):
                    descendant.kill()
        with contextlib.suppress(OSError):
            os.killpg(leader, signal.SIGKILL)


def run_cell(job: Job) -> Outcome:
    """Run a job in this process, within the limits that its driver watches.

    Raises
    ------
    Refused
        If the job cannot run as it was planned.
    """
    (shared,) = _shared
    remaining = job.timeout

    def report(phase: Phase) -> None:
        nonlocal remaining
        now = time.monotonic()
        if phase == "compiling":
            remaining, shared[DEADLINE] = shared[DEADLINE] - now, now + LOADING
        else:
            shared[DEADLINE] = now + remaining
        shared[PHASE] = COMPILING if phase == "compiling" else RUNNING

    os.ftruncate(1, 0)
    try:
        with warnings.catch_warnings():  # each cell shows its own warnings
            outcome = run_job(job, report)
    finally:
        shared[DEADLINE] = math.inf
        _kill_descendants()
    return replace(outcome, output=read_tail(1))


def run_job(job: Job, report: Callable[[Phase], None]) -> Outcome:
    """Run one job in this process; whatever it raises becomes its outcome.

    Parameters
    ----------
    job : Job
    report : callable
        Called with "started" when everything is loaded and the cell itself begins, and with
        "compiling" and "compiled" around every compilation of kernels.

    Raises
    ------
    Refused
        If the job cannot run as it was planned.
    """
    _reset_peak_memory()
    rows: list[dict[str, Any]] = []
    status: Status = "ok"
    error = trace = ""
    setting, started, compiling = job.cell.setting, time.perf_counter(), Compiling(report)
    folder = setting.experiment.parent
    try:
        with user_modules.searched_in(*setting.folders), user_modules.importing_from(folder):
            experiment, task = _prepared(job)
            with compiling:
                report("started")
                started = time.perf_counter()
                returned = experiment.run_cell(task)
        rows = tidy_rows(returned, (*setting.inner_names, *setting.detail))
        require_complete(rows, experiment.yields, job.inner)
    except Refused:
        raise
    except BaseException as problem:  # a cell may raise anything, SystemExit too
        status = "out_of_memory" if isinstance(problem, MemoryError) else "failed"
        rows, error = [], _sentence(problem)
        trace = _writable(traceback.format_exc()[-_LONGEST_OUTPUT:])
    seconds = max(0.0, time.perf_counter() - started - compiling.seconds)
    return Outcome(job.key, status, rows, {}, seconds, _peak_memory(), error, trace, _made_with())


def _prepared(job: Job) -> tuple[Experiment[Any], Task[Any]]:
    """Return the experiment and its task, if both are still what was planned."""
    setting = job.cell.setting
    try:
        experiment, code = _loaded(setting.experiment)
        setting.refuse_changes(code)
        task = job.cell.task(job.inner, experiment)
        setting.refuse_other_files(experiment.used(task.params))
        METHODS[task.method].load()
    except UserError as problem:
        raise Refused(_sentence(problem)) from None
    _limit_threads(len(sys.modules))
    return experiment, task


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
    """Return the end of a process's log, given its file descriptor."""
    data = os.pread(log, _LONGEST_OUTPUT, max(0, os.fstat(log).st_size - _LONGEST_OUTPUT))
    return data.decode("utf-8", errors="replace").strip()


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


def _reset_peak_memory() -> None:
    with contextlib.suppress(OSError):
        Path("/proc/self/clear_refs").write_text("5", encoding="ascii")


def _peak_memory() -> int:
    with contextlib.suppress(OSError):
        text = Path("/proc/self/status").read_text(encoding="ascii")
        return int(re.findall(r"VmHWM:\s*(\d+)", text)[0]) * 1024
    return 0  # the driver's looks have to do


def _sentence(problem: BaseException) -> str:
    # at its full length a message may be larger than all rows together
    text = " ".join(str(problem)[: 10 * _LONGEST_SENTENCE].split())
    if len(text) > _LONGEST_SENTENCE:
        text = f"{text[:_LONGEST_SENTENCE]} ... ({len(str(problem))} characters)"
    if not isinstance(problem, UserError):
        name = type(problem).__name__
        text = f"{name}: {text}" if text else name
    return _writable(text)


def _writable(text: str) -> str:
    """Return the text with halves of surrogate pairs spelled out: UTF-8 has no place for them."""
    return text.encode("utf-8", "backslashreplace").decode("utf-8")


@functools.cache
def _made_with() -> dict[str, str]:
    machine = {"processor": processor(), "kernels": kernels()}
    return {**machine, "python": platform.python_version(), **versions()}
