"""The methods on a user's table, from Python.

`find_neighbors` lists the nearest rows of every row, as ``geoforest neighbors`` does, and
`compare_neighbors` compares methods;
`find_columns` ranks columns by how surely they depend on others, and sorts them into groups, as
``geoforest columns`` does; `find_neighbors_by_group` lists neighbours in each of these;
`find_directions` finds combinations of columns, as ``geoforest directions`` does;
`cross_validate` classifies rows, as ``geoforest classify`` does. All take a path, a DataFrame
or an array, and refuse what is wrong in one sentence (`geoforest_cli.core.errors.UserError`) before
anything is computed. Names are imported when they are first used.

Examples
--------
>>> import numpy as np, pandas as pd
>>> from geoforest_cli import tables
>>> t = np.linspace(0, 1, 120)
>>> helix = pd.DataFrame({"x": np.cos(12 * t), "y": np.sin(12 * t), "z": t})
>>> result = tables.find_neighbors(helix, k=3, method="isomap", params={"n_neighbors": 5})
>>> sorted(result.indices[60].tolist())
[59, 61, 62]
>>> result.frame().columns.tolist()
['id', 'rank', 'neighbor', 'distance']
>>> mixed = helix.assign(coin=np.random.default_rng(1).integers(0, 2, 120))
>>> tables.find_columns(mixed, "pairs").selected
('x', 'y', 'z')
>>> turn = np.where(t < 0.5, "lower", "upper")
>>> tables.cross_validate(helix, turn, method="knn", folds=3).accuracy > 0.9
True
>>> tables.find_neighbors(helix, k=120)
Traceback (most recent call last):
geoforest_cli.core.errors.DataError: k=120: the DataFrame has 120 rows, so that 1 to 119 are \
possible
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from geoforest_cli.tables.choices import (
        ADJUST,
        EACH,
        LEVEL,
        SCREEN,
        Adjust,
        NeighborScreen,
        ScreenMethod,
        parse_group,
    )
    from geoforest_cli.tables.classification import cross_validate
    from geoforest_cli.tables.classification_result import ClassificationResult, require_importances
    from geoforest_cli.tables.columns import ColumnRanking, find_columns
    from geoforest_cli.tables.comparison import compare_neighbors
    from geoforest_cli.tables.comparison_result import WITHOUT_LABEL, Comparison
    from geoforest_cli.tables.dialect import ReadingOptions
    from geoforest_cli.tables.directions import Directions, find_directions
    from geoforest_cli.tables.header import require_request
    from geoforest_cli.tables.kinds import reading_options
    from geoforest_cli.tables.map_options import require_color, require_map
    from geoforest_cli.tables.messages import MAX_NAMES, argument_format, format_names, max_names
    from geoforest_cli.tables.neighbors import Neighbors, find_neighbors, find_neighbors_by_group
    from geoforest_cli.tables.options import Missing, read_table, require_all_rows
    from geoforest_cli.tables.parameters import parse_pairs
    from geoforest_cli.tables.partitioned.neighbors import find_neighbors_in_parts
    from geoforest_cli.tables.reading import TableLike, open_table
    from geoforest_cli.tables.scaling import Scale
    from geoforest_cli.tables.table import UserTable
    from geoforest_cli.tables.writers import require_output, require_picture, write_table

__all__ = [
    "ADJUST",
    "EACH",
    "LEVEL",
    "MAX_NAMES",
    "SCREEN",
    "WITHOUT_LABEL",
    "Adjust",
    "ClassificationResult",
    "ColumnRanking",
    "Comparison",
    "Directions",
    "Missing",
    "NeighborScreen",
    "Neighbors",
    "ReadingOptions",
    "Scale",
    "ScreenMethod",
    "TableLike",
    "UserTable",
    "argument_format",
    "compare_neighbors",
    "cross_validate",
    "find_columns",
    "find_directions",
    "find_neighbors",
    "find_neighbors_by_group",
    "find_neighbors_in_parts",
    "format_names",
    "max_names",
    "open_table",
    "parse_group",
    "parse_pairs",
    "read_table",
    "reading_options",
    "require_all_rows",
    "require_color",
    "require_importances",
    "require_map",
    "require_output",
    "require_picture",
    "require_request",
    "write_table",
]

_PLACES = {
    "classification": ("cross_validate",),
    "classification_result": ("ClassificationResult", "require_importances"),
    "choices": (
        "ADJUST",
        "EACH",
        "LEVEL",
        "SCREEN",
        "Adjust",
        "NeighborScreen",
        "ScreenMethod",
        "parse_group",
    ),
    "columns": (
        "ColumnRanking",
        "find_columns",
    ),
    "comparison": ("compare_neighbors",),
    "comparison_result": ("WITHOUT_LABEL", "Comparison"),
    "dialect": ("ReadingOptions",),
    "directions": (
        "Directions",
        "find_directions",
    ),
    "header": ("require_request",),
    "kinds": ("reading_options",),
    "map_options": ("require_color", "require_map"),
    "messages": (
        "MAX_NAMES",
        "argument_format",
        "format_names",
        "max_names",
    ),
    "neighbors": (
        "Neighbors",
        "find_neighbors",
        "find_neighbors_by_group",
    ),
    "options": (
        "Missing",
        "read_table",
        "require_all_rows",
    ),
    "parameters": ("parse_pairs",),
    "partitioned.neighbors": ("find_neighbors_in_parts",),
    "reading": ("TableLike", "open_table"),
    "scaling": ("Scale",),
    "table": ("UserTable",),
    "writers": (
        "require_output",
        "require_picture",
        "write_table",
    ),
}


def __getattr__(name: str) -> Any:
    for place, names in _PLACES.items():
        if name in names:
            return getattr(import_module(f"{__name__}.{place}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
