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
    from geoforest_cli.tables import figures
    from geoforest_cli.tables.classification import cross_validate
    from geoforest_cli.tables.columns import find_columns
    from geoforest_cli.tables.comparison import compare_neighbors
    from geoforest_cli.tables.directions import find_directions
    from geoforest_cli.tables.neighbors import find_neighbors, find_neighbors_by_group
    from geoforest_cli.tables.options import read_table
    from geoforest_cli.tables.partitioned.neighbors import find_neighbors_in_parts
    from geoforest_cli.tables.reading import open_table

__all__ = [
    "compare_neighbors", "cross_validate", "figures", "find_columns", "find_directions",
    "find_neighbors", "find_neighbors_by_group", "find_neighbors_in_parts", "open_table",
    "read_table",
]  # fmt: skip

_MODULES = {
    "compare_neighbors": "comparison",
    "cross_validate": "classification",
    "find_columns": "columns",
    "find_directions": "directions",
    "find_neighbors": "neighbors",
    "find_neighbors_by_group": "neighbors",
    "find_neighbors_in_parts": "partitioned.neighbors",
    "open_table": "reading",
    "read_table": "options",
}


def __getattr__(name: str) -> Any:
    if name == "figures":
        return import_module(f"{__name__}.figures")
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_MODULES[name]}"), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
