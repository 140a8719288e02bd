"""The shape of images and series in the rows of a user's table."""

from __future__ import annotations

import re

from geoforest_cli.core.errors import UserError
from geoforest_cli.tables.messages import as_argument

__all__ = ["Shape", "require_columns", "require_no_screen", "sides"]

Shape = str | int | tuple[int, int]
_SHAPE = re.compile(r"(?:(\d{1,9})\s*x\s*)?(\d{1,9})", re.IGNORECASE)


def sides(shape: Shape | None) -> tuple[int, int] | None:
    """Return height and width of a shape as a user writes it, height 1 for a series.

    Raises
    ------
    UserError
        For what is no shape.

    Examples
    --------
    >>> sides("28x28"), sides(64), sides(None)
    ((28, 28), (1, 64), None)
    """
    if shape is None:
        return None
    if isinstance(shape, tuple | list) and len(shape) == 2:
        shape = f"{shape[0]}x{shape[1]}"
    match = _SHAPE.fullmatch(str(shape).strip())
    if match is None:
        argument = as_argument("shape", shape)
        raise UserError(f"{argument}: a shape is HEIGHTxWIDTH, such as 28x28, or a length")
    return int(match[1] or 1), int(match[2])


def require_columns(shape: Shape | None, p: int) -> None:
    """Refuse a shape that does not make p columns.

    Raises
    ------
    UserError
    """
    height, width = sides(shape) or (1, p)
    if height * width != p:
        made = f"that makes {height * width} columns, not {p}"
        raise UserError(f"{as_argument('shape', shape)}: {made}")


def require_no_screen(screen: str | None, shape: Shape | None) -> None:
    """Refuse to drop columns of images.

    Raises
    ------
    UserError
    """
    if screen is not None and shape is not None:
        raise UserError(
            f"{as_argument('screen', screen)}: a screen drops columns, and "
            f"{as_argument('shape', shape)} needs all of them"
        )
