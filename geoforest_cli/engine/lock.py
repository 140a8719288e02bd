"""One run at a time per results folder."""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from geoforest_cli.errors import UserError

__all__ = ["hold"]


@contextmanager
def hold(folder: Path) -> Iterator[None]:
    """Hold the folder's lock; the system lets go of it however this process ends.

    Parameters
    ----------
    folder : Path
        An existing results folder; the lock is its file ``.lock``.

    Raises
    ------
    UserError
        When another process holds it.
    """
    with (folder / ".lock").open("a+", encoding="utf-8") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            file.seek(0)
            holder = file.read().strip() or "unknown"
            raise UserError(
                f"{folder} is in use by another run of geoforest (process {holder}); "
                "wait for it to end, or choose another folder with --results"
            ) from None
        file.truncate(0)
        file.write(str(os.getpid()))
        file.flush()
        yield
