"""Values and defaults of the options of screens and groups: imports nothing slow."""

from __future__ import annotations

from numbers import Integral, Real
from typing import Literal, get_args

from geoforest_cli.core.errors import UserError
from geoforest_cli.core.suggestions import unknown
from geoforest_cli.tables.messages import as_argument

__all__ = [
    "ADJUST",
    "EACH",
    "LEVEL",
    "SCREEN",
    "Adjust",
    "Group",
    "NeighborScreen",
    "ScreenMethod",
    "parse_group",
    "require_level",
    "require_screen",
    "require_seed",
]

ScreenMethod = Literal["pairs", "correlation", "forest", "auto", "both"]
NeighborScreen = Literal["auto", "pairs", "correlation", "forest", "both", "none"]
Adjust = Literal["fdr", "fwer"]
Group = str | int

SCREEN: ScreenMethod = "both"
LEVEL = 0.01
ADJUST: Adjust = "fwer"
EACH = "each"
_SEEDS = 2**32
_DIGITS = 9  # of a number of columns


def parse_group(text: str | None) -> Group | None:
    """Return the number of a group where a command line says one, else the name of a column.

    Examples
    --------
    >>> parse_group("2"), parse_group("width"), parse_group(None)
    (2, 'width', None)
    """
    if text is None or not text.isdecimal() or len(text) > _DIGITS:
        return text
    return int(text)


def require_screen(argument: str, screen: str, adjust: str = ADJUST) -> None:
    """Refuse an unknown screen or correction; `argument` is what the user's call names the screen.

    Raises
    ------
    UserError
    """
    for name, value, what, allowed in (
        (argument, screen, "screen", get_args(ScreenMethod)),
        ("adjust", adjust, "correction", get_args(Adjust)),
    ):
        if value not in allowed:
            raise UserError(f"{as_argument(name)}: {unknown(what, value, allowed)}")


def require_level(level: float) -> None:
    """Refuse a level that is no probability.

    Raises
    ------
    UserError
    """
    if not isinstance(level, Real) or not 0 < level < 1:
        raise UserError(f"{as_argument('level', level)}: a level lies between 0 and 1")


def require_seed(seed: int) -> None:
    """Refuse a seed that no generator takes.

    Raises
    ------
    UserError

    Examples
    --------
    >>> require_seed(-1)
    Traceback (most recent call last):
    geoforest_cli.core.errors.UserError: seed=-1: a seed is a whole number from 0 to 4294967295
    """
    if not isinstance(seed, Integral) or not 0 <= seed < _SEEDS:
        allowed = f"a whole number from 0 to {_SEEDS - 1}"
        raise UserError(f"{as_argument('seed', seed)}: a seed is {allowed}")
