"""Which linear combinations of columns carry structure."""

from geoforest_cli.estimators.directions.screen import DirectionScreen

__all__ = ["DirectionScreen"]
