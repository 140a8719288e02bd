"""Arguments in sentences: as a Python call has them, or as a command line's options.

Notes and errors of `own_data` name what the user can change. Who calls it from somewhere else
than Python sets `argument_format` to the words of that place.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from contextvars import ContextVar

from geoforest_cli.core.errors import DataError
from geoforest_cli.core.escaping import escape_control_characters, shortened

__all__ = [
    "MAX_NAMES",
    "ArgumentFormat",
    "Note",
    "OnNote",
    "TableWarning",
    "argument_format",
    "as_argument",
    "as_exclude",
    "format_names",
    "format_row",
    "ignore",
    "max_names",
    "strictly",
    "warn",
]

MAX_NAMES = 10
_GRAVE = frozenset({"leak", "id", "order"})
_MAX_ARGUMENT_LENGTH = 255  # characters of an argument with its value

ArgumentFormat = Callable[[str, object], str]
OnNote = Callable[[str], None]


class TableWarning(UserWarning):
    """A table makes a result too good: rows of one thing, an id as a feature, an order of time."""


class Note(str):
    """Sentence on a table, with its kind and the columns it is about.

    "leak", "id" and "order" of rows are grave: they make a result too good.

    Examples
    --------
    >>> note = Note("Left out, the same in every row: a.", "constant", ["a"])
    >>> note, note.kind, note.columns
    ('Left out, the same in every row: a.', 'constant', ('a',))
    """

    __slots__ = ("columns", "kind")
    kind: str
    columns: tuple[str, ...]

    def __new__(cls, sentence: str, kind: str = "", columns: Sequence[str] = ()) -> Note:
        """Keep what the sentence is about; unpickled, it comes afterwards."""
        note = super().__new__(cls, sentence)
        note.kind, note.columns = kind, tuple(columns)
        return note


def strictly(on_note: OnNote) -> OnNote:
    """Return what takes notes as `on_note` does, but raises grave ones.

    Examples
    --------
    >>> strictly(print)("Used, 2 of 2 columns: a, b.")
    Used, 2 of 2 columns: a, b.
    >>> strictly(print)(Note("Rows are in order of time.", "order"))
    Traceback (most recent call last):
    geoforest_cli.core.errors.DataError: Rows are in order of time. (strict)
    """

    def take(note: str) -> None:
        if isinstance(note, Note) and note.kind in _GRAVE:
            raise DataError(f"{note} ({as_argument('strict')})")
        on_note(note)

    return take


def _as_python(argument: str, value: object) -> str:
    return argument if value is None else f"{argument}={value!r}"


argument_format: ContextVar[ArgumentFormat] = ContextVar("argument_format", default=_as_python)
max_names: ContextVar[int] = ContextVar("max_names", default=MAX_NAMES)


def as_argument(argument: str, value: object = None) -> str:
    """Return an argument in the user's words, with its value if one is given.

    Parameters
    ----------
    argument : str
        Its name in the Python call.
    value : object, optional
        A mapping for ``params``.

    Examples
    --------
    >>> print(as_argument("folds"), as_argument("k", 5), as_argument("params", {"max_depth": None}))
    folds k=5 params={'max_depth': None}
    >>> token = argument_format.set(lambda argument, value: f"--{argument} {value}")
    >>> print(as_argument("k", 5))
    --k 5
    >>> argument_format.reset(token)
    """
    words = shortened(argument_format.get()(argument, value), _MAX_ARGUMENT_LENGTH)
    return escape_control_characters(words, one_line=True)


def as_exclude(names: Sequence[str]) -> str:
    """Return the argument that leaves columns out.

    Examples
    --------
    >>> print(as_exclude(["a"]), as_exclude(["a", "b"]))
    exclude='a' exclude=['a', 'b']
    """
    return as_argument("exclude", names[0] if len(names) == 1 else [*names])


def warn(note: str) -> None:
    """Warn of a grave note, and say nothing of others: where no one takes notes."""
    if isinstance(note, Note) and note.kind in _GRAVE:
        warnings.warn(note, TableWarning, stacklevel=2)


def ignore(*_: object) -> None:
    """Take a note, or a report of progress, and say nothing."""


def format_row(number: int) -> str:
    """Return the place of a row in words: rows count from 0, as in all output.

    Examples
    --------
    >>> format_row(16)
    'row 16 (rows count from 0)'
    """
    return f"row {number} (rows count from 0)"


def format_names(names: Sequence[str], most: int | None = None) -> str:
    r"""Return names in a row, the first ones if they are many.

    Parameters
    ----------
    names : sequence of str
    most : int, optional
        By default what `max_names` holds: 10, unless the user wants them all.

    Examples
    --------
    >>> format_names(["a", "b", "c"])
    'a, b, c'
    >>> print(format_names(["a", "two\nlines"]))
    a, two\nlines
    >>> format_names([f"x{i}" for i in range(2000)], most=3)
    'x0, x1, x2 and 1997 more'
    """
    most = max_names.get() if most is None else most
    names = [
        escape_control_characters(f'"{name}"' if "," in name else name, one_line=True)
        for name in map(shortened, names)
    ]
    if len(names) <= most + 1:
        return ", ".join(names)
    return f"{', '.join(names[:most])} and {len(names) - most} more"
