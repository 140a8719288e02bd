"""What a map is asked for, looked at before anything long is computed."""

from __future__ import annotations

import os
from pathlib import Path

import pandas as pd

from geoforest_cli.core.errors import DataError
from geoforest_cli.core.suggestions import unknown
from geoforest_cli.tables.messages import as_argument
from geoforest_cli.tables.reading import RawTable
from geoforest_cli.tables.writers import require_picture

__all__ = ["PAGE", "require_color", "require_column", "require_map"]

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
    require_column(table.name, table.frame, color)


def require_column(name: str, frame: pd.DataFrame, color: str) -> None:
    """Refuse a column that a frame does not have; messages call it by this name."""
    if color not in frame.columns:
        place = as_argument("color", color)
        problem = unknown("column", color, list(frame.columns))
        raise DataError(f"{name}: {place}: {problem}")
