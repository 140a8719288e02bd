"""What commands say: lines that a terminal shows as they are, errors as sentences."""

from __future__ import annotations

import errno
import sqlite3

import click

from geoforest_cli.errors import MachineError
from geoforest_cli.terminal import harmless

__all__ = ["BROKEN_PIPE", "FAILED", "INTERRUPTED", "WRONG", "say", "sentence", "status"]

FAILED, WRONG, INTERRUPTED, BROKEN_PIPE = 1, 2, 130, 141

_OF_THE_MACHINE = {errno.ENOSPC, errno.EDQUOT, errno.EIO, errno.ENOMEM, errno.EMFILE, errno.ENFILE}
_OF_ITS_DISK = {sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR, sqlite3.SQLITE_NOMEM}


def say(text: object, *, err: bool = False, one_line: bool = False) -> None:
    """Print a line; what a terminal would obey is written out.

    Parameters
    ----------
    text : object
    err : bool
        Beside the product.
    one_line : bool
        Write out line ends as well.
    """
    click.echo(harmless(str(text), one_line=one_line), err=err)


def sentence(error: BaseException) -> str:
    """Return an unexpected error as a sentence.

    Examples
    --------
    >>> print(sentence(OSError(errno.ENOSPC, "No space left on device", "rows.csv")))
    rows.csv: No space left on device
    >>> print(sentence(ValueError("no")))
    ValueError: no (geoforest --debug shows the traceback)
    """
    if isinstance(error, OSError) and error.strerror:
        place = "the output" if error.filename is None else error.filename
        return f"{place}: {error.strerror}"
    told = " ".join(str(error).split())
    if isinstance(error, MemoryError):
        return f"there is not enough memory{f' ({told})' if told else ''}"
    return f"{type(error).__name__}: {told} (geoforest --debug shows the traceback)"


def status(error: BaseException) -> int:
    """Return the exit status for an error of the user's: 1 if the machine's is behind it.

    Examples
    --------
    >>> status(ValueError("what was given is wrong"))
    2
    >>> error = ValueError("the store cannot be used")
    >>> error.__cause__ = OSError(errno.ENOSPC, "No space left on device")
    >>> status(error)
    1
    """
    if isinstance(error, MachineError):
        return FAILED
    cause: BaseException | None = error
    while cause is not None:
        if isinstance(cause, OSError) and cause.errno in _OF_THE_MACHINE:
            return FAILED
        code = getattr(cause, "sqlite_errorcode", None)
        if isinstance(code, int) and code & 0xFF in _OF_ITS_DISK:
            return FAILED
        cause = cause.__cause__ or cause.__context__
    return WRONG
