"""Geodesic learning with forests and spheres."""

from importlib.metadata import PackageNotFoundError, version

__all__ = ["__version__"]

try:
    __version__ = version("geoforest")
except PackageNotFoundError:
    __version__ = "0+unknown"
