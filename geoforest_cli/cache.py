"""The user's cache folder: data sets, parsed copies, exact geodesics."""

import os
from pathlib import Path

__all__ = ["cache_folder"]


def cache_folder() -> Path:
    """Return $XDG_CACHE_HOME/geoforest, by default ~/.cache/geoforest."""
    cache = os.environ.get("XDG_CACHE_HOME", "")
    return (Path(cache) if cache else Path.home() / ".cache") / "geoforest"
