"""The methods on a user's own table, from Python.

`find_neighbors` lists the nearest rows of every row, as ``geoforest neighbors`` does, and
`compare_neighbors` holds methods against each other;
`find_columns` ranks columns by how surely they depend on others, as ``geoforest columns`` does;
`cross_validate` classifies rows, as ``geoforest classify`` does. All take a path, a DataFrame
or an array, and refuse what is wrong in one sentence (`geoforest_cli.errors.UserError`) before
anything is computed.

Examples
--------
>>> import numpy as np, pandas as pd
>>> from geoforest_cli import own_data
>>> t = np.linspace(0, 1, 120)
>>> helix = pd.DataFrame({"x": np.cos(12 * t), "y": np.sin(12 * t), "z": t})
>>> found = own_data.find_neighbors(helix, k=3, method="isomap", params={"n_neighbors": 5})
>>> sorted(found.indices[60].tolist())
[59, 61, 62]
>>> found.frame().columns.tolist()
['id', 'rank', 'neighbor', 'distance']
>>> mixed = helix.assign(coin=np.random.default_rng(1).integers(0, 2, 120))
>>> own_data.find_columns(mixed, "pairs").selected
('x', 'y', 'z')
>>> turn = np.where(t < 0.5, "lower", "upper")
>>> own_data.cross_validate(helix, turn, method="knn", folds=3).accuracy > 0.9
True
>>> own_data.find_neighbors(helix, k=120)
Traceback (most recent call last):
geoforest_cli.errors.DataError: k=120: the DataFrame has 120 rows, so that 1 to 119 are possible
"""

from geoforest_cli.own_data.blocks import require_output, require_picture, write_blocks
from geoforest_cli.own_data.classes import Classes, cross_validate, require_importances
from geoforest_cli.own_data.columns import Columns, find_columns
from geoforest_cli.own_data.comparing import Comparison, compare_neighbors
from geoforest_cli.own_data.dialect import Reading
from geoforest_cli.own_data.neighbors import Missing, Neighbors, find_neighbors
from geoforest_cli.own_data.parameters import parse_pairs
from geoforest_cli.own_data.scaling import Scale
from geoforest_cli.own_data.screens import ADJUST, LEVEL, SCREEN, Adjust, Which
from geoforest_cli.own_data.table import UserTable, read_table
from geoforest_cli.own_data.wording import MOST_NAMES, most_names, spelling

__all__ = [
    "ADJUST",
    "LEVEL",
    "MOST_NAMES",
    "SCREEN",
    "Adjust",
    "Classes",
    "Columns",
    "Comparison",
    "Missing",
    "Neighbors",
    "Reading",
    "Scale",
    "UserTable",
    "Which",
    "compare_neighbors",
    "cross_validate",
    "find_columns",
    "find_neighbors",
    "most_names",
    "parse_pairs",
    "read_table",
    "require_importances",
    "require_output",
    "require_picture",
    "spelling",
    "write_blocks",
]
