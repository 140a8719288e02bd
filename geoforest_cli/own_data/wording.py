"""How sentences name an argument: as a Python call has it, or as a command line's options.

Notes and errors of `own_data` name what the user can change. Who calls it from somewhere else
than Python sets `spelling` to the words of that place.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextvars import ContextVar

__all__ = ["OnNote", "Spelling", "listed", "silent", "spell", "spelling"]

_MOST_NAMES = 10

Spelling = Callable[[str, object], str]
OnNote = Callable[[str], None]


def _as_python(argument: str, value: object) -> str:
    return argument if value is None else f"{argument}={value!r}"


spelling: ContextVar[Spelling] = ContextVar("spelling", default=_as_python)


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


def listed(names: Sequence[str], most: int = _MOST_NAMES) -> str:
    """Return names in a row, the first ones if they are many.

    Examples
    --------
    >>> listed(["a", "b", "c"])
    'a, b, c'
    >>> listed([f"x{i}" for i in range(2000)], most=3)
    'x0, x1, x2 and 1997 more'
    """
    if len(names) <= most + 1:
        return ", ".join(names)
    return f"{', '.join(names[:most])} and {len(names) - most} more"
