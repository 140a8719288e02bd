"""Places in a page that a command writes, between two comments."""

from __future__ import annotations

from geoforest_cli.errors import UserError

__all__ = ["filled", "marks"]


def marks(name: str) -> tuple[str, str]:
    """Return the comments before and after a place."""
    return f"<!-- {name}: written by make docs -->\n", f"<!-- end of {name} -->\n"


def filled(text: str, name: str, content: str) -> str:
    r"""Return a page with other content between the marks of a place.

    Raises
    ------
    UserError
        If the marks are not there.

    Examples
    --------
    >>> start, end = marks("outcome")
    >>> filled(f"a\n{start}old\n{end}b\n", "outcome", "new\n") == f"a\n{start}new\n{end}b\n"
    True
    """
    start, end = marks(name)
    before, begun, rest = text.partition(start)
    _, ended, after = rest.partition(end)
    if not begun or not ended:
        raise UserError(f"the text has no place for the {name}, between {start!r} and {end!r}")
    return f"{before}{start}{content}{end}{after}"
