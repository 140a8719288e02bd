"""Geodesic learning with forests and spheres.

`run` and `results` are the Python side of ``geoforest run``; both are imported when they are
first used.
"""

from importlib.metadata import PackageNotFoundError, version
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from geoforest_cli.study import results, run

__all__ = ["__version__", "results", "run"]

try:
    __version__ = version("geoforest")
except PackageNotFoundError:
    __version__ = "0+unknown"


def __getattr__(name: str) -> Any:
    if name in {"results", "run"}:
        from geoforest_cli import study

        return getattr(study, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
