"""Linear combinations of columns that carry structure."""

from geoforest_cli.estimators.directions.screen import DirectionScreen

__all__ = ["DirectionScreen"]
