"""Figures of results on a user's table."""

from geoforest_cli.tables.figures.columns import draw_columns
from geoforest_cli.tables.figures.results import (
    draw_comparison,
    draw_directions,
    draw_importances,
    write_figure,
)
from geoforest_cli.tables.figures.row_map import write_map

__all__ = [
    "draw_columns",
    "draw_comparison",
    "draw_directions",
    "draw_importances",
    "write_figure",
    "write_map",
]
