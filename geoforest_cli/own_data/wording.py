"""How sentences name an argument: as a Python call has it, or as a command line's options.

Notes and errors of `own_data` name what the user can change. Who calls it from somewhere else
than Python sets `spelling` to the words of that place.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextvars import ContextVar

from geoforest_cli.terminal import harmless

__all__ = [
    "MOST_NAMES",
    "OnNote",
    "Spelling",
    "in_row",
    "listed",
    "most_names",
    "silent",
    "spell",
    "spelling",
]

MOST_NAMES = 10

Spelling = Callable[[str, object], str]
OnNote = Callable[[str], None]


def _as_python(argument: str, value: object) -> str:
    return argument if value is None else f"{argument}={value!r}"


spelling: ContextVar[Spelling] = ContextVar("spelling", default=_as_python)
most_names: ContextVar[int] = ContextVar("most_names", default=MOST_NAMES)


def spell(argument: str, value: object = None) -> str:
    """Return an argument in the user's words, with its value if one is given.

    Parameters
    ----------
    argument : str
        Its name in the Python call.
    value : object, optional
        A mapping for ``params``.

    Examples
    --------
    >>> print(spell("folds"), spell("k", 5), spell("params", {"max_depth": None}))
    folds k=5 params={'max_depth': None}
    >>> token = spelling.set(lambda argument, value: f"--{argument} {value}")
    >>> print(spell("k", 5))
    --k 5
    >>> spelling.reset(token)
    """
    return spelling.get()(argument, value)


def silent(note: str) -> None:
    """Take a note and say nothing."""
    del note


def in_row(number: int) -> str:
    """Return the place of a row in words: rows count from 0, as in all output.

    Examples
    --------
    >>> in_row(16)
    'row 16 (rows count from 0)'
    """
    return f"row {number} (rows count from 0)"


def listed(names: Sequence[str], most: int | None = None) -> str:
    r"""Return names in a row, the first ones if they are many.

    Parameters
    ----------
    names : sequence of str
    most : int, optional
        By default what `most_names` holds: 10, unless the user wants them all.

    Examples
    --------
    >>> listed(["a", "b", "c"])
    'a, b, c'
    >>> print(listed(["a", "two\nlines"]))
    a, two\nlines
    >>> listed([f"x{i}" for i in range(2000)], most=3)
    'x0, x1, x2 and 1997 more'
    """
    most = most_names.get() if most is None else most
    names = [harmless(f'"{name}"' if "," in name else name, one_line=True) for name in names]
    if len(names) <= most + 1:
        return ", ".join(names)
    return f"{', '.join(names[:most])} and {len(names) - most} more"
