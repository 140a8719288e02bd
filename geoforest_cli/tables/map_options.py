"""What a map is asked for, looked at before anything long is computed."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from geoforest_cli.tables.header import require_color_among
from geoforest_cli.tables.writers import require_picture

if TYPE_CHECKING:
    from geoforest_cli.tables.reading import RawTable

__all__ = ["PAGE", "require_color", "require_map"]

PAGE = ".html"


def require_map(path: str | os.PathLike[str], *others: object) -> Path:
    """Return the path of a map, with an ending, if one can be written there.

    Parameters
    ----------
    path, *others
        As for `require_picture`; the path may also end in .html.

    Raises
    ------
    DataError
        As `require_picture`.

    Examples
    --------
    >>> require_map("near").name, require_map("near.html").name
    ('near.png', 'near.html')
    """
    return require_picture(path, *others, more=(PAGE,))


def require_color(table: RawTable, color: str) -> None:
    """Refuse a column that the table does not have: worth asking before a long computation.

    Raises
    ------
    DataError
    """
    require_color_among(list(table.frame.columns), table.name, color)
