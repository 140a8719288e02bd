"""Output of commands: lines without control characters, errors as sentences."""

from __future__ import annotations

import errno
import sqlite3
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import click

from geoforest_cli.core.errors import MachineError, UserError
from geoforest_cli.core.escaping import escape_control_characters, shorten_words, shortened

if TYPE_CHECKING:
    import pandas as pd

FAILED, WRONG, INTERRUPTED, BROKEN_PIPE = 1, 2, 130, 141

LONGEST = 4_000  # characters of a sentence
_MOST_LINES = 20

_MACHINE_ERRORS = {errno.ENOSPC, errno.EDQUOT, errno.EIO, errno.ENOMEM, errno.EMFILE, errno.ENFILE}
_DISK_ERRORS = {sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR, sqlite3.SQLITE_NOMEM}


def say(text: object, *, err: bool = False, one_line: bool = False) -> None:
    """Print a line with its control characters escaped; of an error, long words shortened.

    Parameters
    ----------
    text : object
    err : bool
        To standard error.
    one_line : bool
        Escape line ends as well.
    """
    shown = shorten_words(str(text)) if err else str(text)
    click.echo(escape_control_characters(shown, one_line=one_line), err=err)


def print_table(
    headers: Sequence[str],
    rows: Iterable[Sequence[str]],
    *,
    right: Collection[int] = (),
    ruled: bool = False,
) -> None:
    """Print a table in aligned columns.

    Parameters
    ----------
    headers : sequence of str
    rows : iterable of sequence of str
    right : collection of int
        Positions of the columns that are aligned at the right.
    ruled : bool
        On a terminal: a line below the headers, and cells shortened to the terminal's width.

    Examples
    --------
    >>> print_table(["column", "z"], [["height", "12.50"], ["", "3.10"]], right={1})
    column      z
    height  12.50
             3.10
    """
    from rich.box import SIMPLE_HEAD
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    console = Console(highlight=False)
    box = SIMPLE_HEAD if ruled and console.is_terminal else None
    if box is None:
        console = Console(highlight=False, width=100_000)  # nothing is cut off
    table = Table(box=box, pad_edge=False, header_style="bold" if box else "")
    for position, header in enumerate(headers):
        table.add_column(header, justify="right" if position in right else "left", no_wrap=True)
    for row in rows:
        table.add_row(*(Text(escape_control_characters(cell, one_line=True)) for cell in row))
    with console.capture() as captured:
        console.print(table)
    for line in captured.get().splitlines():
        click.echo(line.rstrip(), color=True)


def print_frame(
    frame: pd.DataFrame, formats: Mapping[str, str], what: str = "", widest: int = 60
) -> None:
    """Print the first 20 lines of a frame, and how many more there are.

    Parameters
    ----------
    frame : DataFrame
        Missing values are blank.
    formats : mapping
        Of numbers, by column.
    what : str
        The lines, in the plural.
    widest : int
        Characters of a text; longer ones are cut.
    """
    numbers = {i for i, kind in enumerate(frame.dtypes) if kind.kind in "iuf"}
    rows = (
        [_cell(value, formats.get(str(name), ""), widest) for name, value in line.items()]
        for line in frame.head(_MOST_LINES).astype(object).fillna("").to_dict("records")
    )
    print_table([str(name) for name in frame], rows, right=numbers)
    if (more := len(frame) - _MOST_LINES) > 0:
        say(f"and {more} more {what} (-o FILE has all)")


def _cell(value: Any, form: str, widest: int) -> str:
    if isinstance(value, str):
        shown = escape_control_characters(value, one_line=True)
        return shown if len(shown) <= widest else f"{shown[: widest - 1]}…"
    if isinstance(value, bool):
        return "yes" if value else "no"
    return format(value, form)


def sentence(error: BaseException) -> str:
    """Return an unexpected error as a sentence.

    Examples
    --------
    >>> print(sentence(OSError(errno.ENOSPC, "No space left on device", "rows.csv")))
    rows.csv: No space left on device
    >>> print(sentence(ValueError("no")))
    ValueError: no (geoforest --debug shows the traceback)
    """
    message = shortened(" ".join(str(error)[: 2 * LONGEST].split()), LONGEST)
    if isinstance(error, OSError) and error.strerror:
        target = "the output" if error.filename is None else shortened(str(error.filename))
        return f"{target}: {error.strerror}"
    if isinstance(error, MemoryError):
        return f"there is not enough memory{f' ({message})' if message else ''}"
    return f"{type(error).__name__}: {message} (geoforest --debug shows the traceback)"


def is_interrupt(error: BaseException) -> bool:
    """Return whether Ctrl-C is behind an error: Python before 3.12 wraps it while a class is made.

    Examples
    --------
    >>> error = RuntimeError("Error calling __set_name__")
    >>> error.__cause__ = KeyboardInterrupt()
    >>> is_interrupt(error), is_interrupt(RuntimeError("a defect of ours"))
    (True, False)
    """
    return any(isinstance(cause, KeyboardInterrupt) for cause in _causes(error))


def status(error: BaseException) -> int:
    """Return the exit status for an error: 2 if it is the user's and no machine is behind it.

    Examples
    --------
    >>> status(UserError("what was given is wrong")), status(ValueError("a defect of ours"))
    (2, 1)
    >>> error = UserError("the store cannot be used")
    >>> error.__cause__ = OSError(errno.ENOSPC, "No space left on device")
    >>> status(error)
    1
    """
    if isinstance(error, OSError) and error.errno == errno.ENAMETOOLONG:
        return WRONG
    if isinstance(error, MachineError) or not isinstance(error, UserError):
        return FAILED
    return FAILED if any(map(_is_of_machine, _causes(error))) else WRONG


def _causes(error: BaseException) -> Iterator[BaseException]:
    cause: BaseException | None = error
    while cause is not None:
        yield cause
        cause = cause.__cause__ or cause.__context__


def _is_of_machine(error: BaseException) -> bool:
    code = getattr(error, "sqlite_errorcode", None) or 0
    number = error.errno if isinstance(error, OSError) else None
    return number in _MACHINE_ERRORS or code & 0xFF in _DISK_ERRORS
