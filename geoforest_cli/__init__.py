"""Geodesic learning with forests and spheres.

`run` and `results` are the Python side of ``geoforest run``. The estimators stand here too, as in
``from geoforest_cli import GeodesicForest``. All are imported when they are first used.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from geoforest_cli.estimators.adaptive import AdaptiveNeighbors
    from geoforest_cli.estimators.directions import DirectionScreen
    from geoforest_cli.estimators.forests.classifiers import (
        MorfClassifier,
        RandomForestClassifier,
        SporfClassifier,
    )
    from geoforest_cli.estimators.forests.geodesic_forest import GeodesicForest
    from geoforest_cli.estimators.forests.geodesic_neighbors import GeodesicNeighbors
    from geoforest_cli.estimators.forests.leaf_mates import LeafMates
    from geoforest_cli.estimators.forests.learned_neighbors import LearnedNeighbors
    from geoforest_cli.estimators.forests.regressor import RandomForestRegressor
    from geoforest_cli.estimators.forests.smerf import Smerf
    from geoforest_cli.estimators.forests.structured_forest import StructuredGeodesicForest
    from geoforest_cli.estimators.relational.estimators import EdgePartition, NodeAttributeModel
    from geoforest_cli.estimators.screening import (
        ColumnScreen,
        CorrelationScreen,
        ForestScreen,
        PairScreen,
        ScreenedNeighbors,
    )
    from geoforest_cli.estimators.spherelets.estimators import GraphGeodesic, SphericalDistance
    from geoforest_cli.study.results import results
    from geoforest_cli.study.session import run

__all__ = [
    "AdaptiveNeighbors",
    "ColumnScreen",
    "CorrelationScreen",
    "DirectionScreen",
    "EdgePartition",
    "ForestScreen",
    "GeodesicForest",
    "GeodesicNeighbors",
    "GraphGeodesic",
    "LeafMates",
    "LearnedNeighbors",
    "MorfClassifier",
    "NodeAttributeModel",
    "PairScreen",
    "RandomForestClassifier",
    "RandomForestRegressor",
    "ScreenedNeighbors",
    "Smerf",
    "SphericalDistance",
    "SporfClassifier",
    "StructuredGeodesicForest",
    "__version__",
    "results",
    "run",
]

_PLACES = {
    "study.results": ("results",),
    "study.session": ("run",),
    "estimators.adaptive": ("AdaptiveNeighbors",),
    "estimators.directions": ("DirectionScreen",),
    "estimators.forests.classifiers": (
        "MorfClassifier",
        "RandomForestClassifier",
        "SporfClassifier",
    ),
    "estimators.forests.geodesic_forest": ("GeodesicForest",),
    "estimators.forests.geodesic_neighbors": ("GeodesicNeighbors",),
    "estimators.forests.leaf_mates": ("LeafMates",),
    "estimators.forests.learned_neighbors": ("LearnedNeighbors",),
    "estimators.forests.regressor": ("RandomForestRegressor",),
    "estimators.forests.smerf": ("Smerf",),
    "estimators.forests.structured_forest": ("StructuredGeodesicForest",),
    "estimators.relational.estimators": ("EdgePartition", "NodeAttributeModel"),
    "estimators.screening": (
        "ColumnScreen",
        "CorrelationScreen",
        "ForestScreen",
        "PairScreen",
        "ScreenedNeighbors",
    ),
    "estimators.spherelets.estimators": ("GraphGeodesic", "SphericalDistance"),
}

__version__ = "0.3.0"


def __getattr__(name: str) -> Any:
    for module, names in _PLACES.items():
        if name in names:
            return getattr(import_module(f"{__name__}.{module}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
