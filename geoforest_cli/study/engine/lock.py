"""One run at a time per results folder."""

from __future__ import annotations

import errno
import os
import platform
from collections.abc import Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager, suppress
from pathlib import Path

import filelock

from geoforest_cli.core.errors import UserError
from geoforest_cli.core.files import write_atomically

__all__ = ["hold"]

_NO_FLOCK = frozenset({errno.ENOSYS, errno.EOPNOTSUPP, errno.ENOTSUP, errno.ENOLCK})


@contextmanager
def hold(folder: Path) -> Iterator[None]:
    """Hold the folder's lock; the system lets go of it however this process ends.

    Where the file system has no such locks, a file stands for the lock, and it may outlive a
    process that is killed.

    Parameters
    ----------
    folder : Path
        An existing results folder; the lock is its file ``.lock``, or ``.lock.soft`` where files
        cannot be locked. ``.lock.pid`` says who holds it.

    Raises
    ------
    UserError
        When another process holds it, or the folder cannot be written to.
    """
    holder = folder / ".lock.pid"
    with ExitStack() as stack:
        try:
            stack.enter_context(_taken(folder, holder))
            write_atomically(holder, f"{os.getpid()} {platform.node()}")
        except OSError as error:
            raise UserError(
                f"{folder} cannot be locked for a run ({error.strerror or error}): "
                "make it writable, or choose another folder with --results"
            ) from error
        try:
            yield
        finally:
            with suppress(OSError):
                holder.unlink()


def _taken(folder: Path, holder: Path) -> AbstractContextManager[object]:
    """Take the lock without waiting; leaving the context that is returned lets go of it."""
    path = folder / ".lock"
    try:
        lock = filelock.FileLock(path, blocking=False, thread_local=False, fallback_to_soft=False)
        return lock.acquire()
    except filelock.Timeout:
        raise UserError(
            f"{_in_use(folder, holder)}; wait for it to end, or choose another folder with "
            "--results"
        ) from None
    except OSError as error:
        if error.errno not in _NO_FLOCK:
            raise
    soft = folder / ".lock.soft"
    try:
        return filelock.SoftFileLock(soft, blocking=False, thread_local=False).acquire()
    except filelock.Timeout:
        raise UserError(
            f"{_in_use(folder, holder)}; wait for it to end, or, if that process is gone, "
            f"remove {soft}"
        ) from None


def _in_use(folder: Path, holder: Path) -> str:
    try:
        process, _, host = holder.read_text(encoding="utf-8").partition(" ")
    except OSError:
        process, host = "unknown", platform.node()
    where = "" if host == platform.node() else f" on {host}"
    return f"{folder} is in use by another run of geoforest (process {process}{where})"
