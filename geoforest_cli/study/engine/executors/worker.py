"""Cells on a worker of dask: local executors of one process each, one per slot.

The worker itself never runs a cell: whatever a cell does, the worker lives.
"""

from __future__ import annotations

import contextlib
import pickle
from dataclasses import replace
from pathlib import Path

from geoforest_cli.core.errors import UserError
from geoforest_cli.study.engine.executors.contract import Outcome
from geoforest_cli.study.engine.executors.local import LocalExecutor
from geoforest_cli.study.engine.executors.payload import Folders, Payload, unpack, with_folders

__all__ = ["end_idle", "prepare", "run_cell"]

_folders: dict[str, Folders] = {}  # by the digest of what was unpacked
_idle: list[LocalExecutor] = []


def prepare(payload: Payload) -> str:
    """Make this worker ready for the cells of a run; say in a sentence why it cannot run them."""
    from distributed import get_worker

    folder = Path(get_worker().local_directory)
    try:
        if payload.digest not in _folders:
            _folders[payload.digest] = unpack(payload, folder)
    except UserError as error:
        return str(error)
    except OSError as error:
        return f"{folder} cannot be written: {error.strerror}"
    return ""


def run_cell(digest: str, packed: bytes) -> Outcome | None:
    """Run one cell in a process of this worker, which stays for the next one.

    There is no outcome if the scheduler has cancelled the task (the run is stopped, the driver has
    gone, or the worker is leaving), or if this worker is a new one at an old address.

    Parameters
    ----------
    digest : str
        Of what was unpacked for the run.
    packed : bytes
        The pickled job: nothing on the way imports what it needs.
    """
    from distributed import get_worker

    worker = get_worker()
    key = worker.get_current_task()
    if digest not in _folders:
        return None
    job = with_folders(pickle.loads(packed), _folders[digest])  # noqa: S301 - the driver's

    def stopping() -> bool:
        task = worker.state.tasks.get(key)
        return task is None or task.state != "executing"

    try:
        executor = _idle.pop()
    except IndexError:
        executor = LocalExecutor(1)
    try:
        with contextlib.closing(executor.run([job], stopping)) as events:
            outcome = next((event for event in events if isinstance(event, Outcome)), None)
        return outcome and replace(outcome, inner={})
    finally:
        _idle.append(executor)


def end_idle() -> None:
    """End the processes that run nothing."""
    while _idle:
        _idle.pop().close()
