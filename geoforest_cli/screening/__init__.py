"""Which columns depend on others: before any method runs."""

from geoforest_cli.screening.columns import ColumnScreen
from geoforest_cli.screening.forest import ForestScreen
from geoforest_cli.screening.neighbors import ScreenedNeighbors
from geoforest_cli.screening.pairs import PairScreen

__all__ = ["ColumnScreen", "ForestScreen", "PairScreen", "ScreenedNeighbors"]
