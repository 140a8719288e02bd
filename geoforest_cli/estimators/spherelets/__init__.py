"""Spherelets: geodesic distances through pieces of spheres (Li and Dunson 2019)."""

from geoforest_cli.estimators.spherelets.estimators import GraphGeodesic, SphericalDistance

__all__ = ["GraphGeodesic", "SphericalDistance"]
