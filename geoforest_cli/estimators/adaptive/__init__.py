"""Neighbours without settings: columns, scale and distance are chosen for the table."""

from geoforest_cli.estimators.adaptive.estimator import AdaptiveNeighbors

__all__ = ["AdaptiveNeighbors"]
