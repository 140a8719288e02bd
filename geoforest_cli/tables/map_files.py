"""The map of lists of neighbours, from their graph to a file."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from geoforest_cli.core.errors import UserError
from geoforest_cli.core.escaping import escape_control_characters
from geoforest_cli.tables.arrays import values_of
from geoforest_cli.tables.header import require_color_among
from geoforest_cli.tables.map_colors import MapColors, map_colors
from geoforest_cli.tables.map_figure import RowMap, write_figure
from geoforest_cli.tables.map_layout import MapLayout, lay_out
from geoforest_cli.tables.map_page import write_page
from geoforest_cli.tables.messages import as_argument
from geoforest_cli.tables.neighbor_lists import Neighbors
from geoforest_cli.tables.writers import MAP_PAGE, require_map

__all__ = ["row_map", "write_map"]


def write_map(found: Neighbors, path: Path, color: str | npt.ArrayLike | None, seed: int) -> Path:
    """Write the map of lists of neighbours, as `Neighbors.draw` does."""
    file = require_map(path, found.source)
    colors = _colors(found, color)
    rows = row_map(found, lay_out(found.distances, found.indices, seed), colors)
    if file.suffix.lower() == MAP_PAGE:
        write_page(rows, file)
    else:
        write_figure(rows, file)
    return file


def row_map(found: Neighbors, layout: MapLayout, colors: MapColors) -> RowMap:
    """Return what the map of lists of neighbours shows."""
    n, k = found.indices.shape
    p = len(found.columns)
    name = "" if found.source is None else f" of {found.source.name}"
    title = (
        f"{n:,} rows{name}: {k} neighbour{'s' if k > 1 else ''} each, "
        f"by {p} column{'s' if p > 1 else ''}"
    )
    caption = "UMAP's layout of the neighbours. Axes and long distances have no meaning."
    if layout.parts > 1:
        caption += f" No neighbours connect its {layout.parts:,} parts."
    compared = {name.partition("=")[0] for name in found.columns} | set(found.columns)
    if colors.name in compared:
        caption += " The colour is one of the columns compared."
    return RowMap(
        escape_control_characters(title, one_line=True), found.ids, layout, colors, caption
    )


def _colors(found: Neighbors, color: str | npt.ArrayLike | None) -> MapColors:
    """Return the colours of a column of the table, of given values, or else of its label."""
    n = len(found.indices)
    label = found.label if color is None else color
    if label is None:
        return MapColors(texts=[""] * n)
    if not isinstance(label, str):
        if np.shape(label) != (n,):
            raise UserError(
                f"{as_argument('color')}: {n} rows have neighbours, and the values have the shape "
                f"{np.shape(label)}"
            )
        values = label if isinstance(label, pd.Series) else values_of(label)
        return map_colors(values.rename(str(values.name or "value")), label=False)
    assert found.table is not None
    require_color_among(list(found.table.columns), "the table", label)
    column: pd.Series[Any] = found.table[label].iloc[found.rows]
    return map_colors(column, label=label == found.label)
