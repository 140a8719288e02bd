"""Columns that depend on others: before any method runs."""

from geoforest_cli.estimators.screening.columns import ColumnScreen
from geoforest_cli.estimators.screening.correlation import CorrelationScreen
from geoforest_cli.estimators.screening.forest import ForestScreen
from geoforest_cli.estimators.screening.neighbors import ScreenedNeighbors
from geoforest_cli.estimators.screening.pairs import PairScreen

__all__ = ["ColumnScreen", "CorrelationScreen", "ForestScreen", "PairScreen", "ScreenedNeighbors"]
