"""What may be a name: those of files and folders, and those that stand in tables."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from geoforest_cli.config.yaml_loader import Document
from geoforest_cli.errors import ConfigError

__all__ = ["misnamed"]

_LETTERS = "letters A to Z, digits, _ and -, at most 100"
_NAME = re.compile(r"[A-Za-z0-9_-]{1,100}")
# one of a user's own may be the key itself: package.module:Class
_METHOD = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.:-]{0,199}")


def misnamed(path: Path, original: Document, document: Document) -> Iterator[ConfigError]:
    """Find names that would leave their folder, or that a table cannot hold as they are.

    Parameters
    ----------
    path : Path
        The config: its results lie in a folder of its name.
    original, document : Document
        Before and after a profile and overrides were laid over it.

    Yields
    ------
    ConfigError
    """
    if not _NAME.fullmatch(path.stem):
        yield ConfigError(
            f"the name of a config, here {path.stem!r}, names its folder of results: {_LETTERS}",
            path,
        )
    for name in _keys(original, "profiles"):
        if not _NAME.fullmatch(name):
            place = original.place(("profiles", name), key=True)
            yield place.error(f"the name of a profile is {_LETTERS}, not {name!r}")
    for name in _keys(document, "more_figures"):
        if not _NAME.fullmatch(name):
            place = document.place(("more_figures", name), key=True)
            yield place.error(f"the name of a figure is {_LETTERS}, not {name!r}")
    for name in _keys(document, "methods"):
        if not _METHOD.fullmatch(name):
            place = document.place(("methods", name), key=True)
            yield place.error(
                "the name of a method is letters A to Z, digits, _, -, and . and : as in "
                f"my_module:Class, not {name!r}"
            )


def _keys(document: Document, section: str) -> Iterator[str]:
    found: Any = document.data.get(section)
    if isinstance(found, dict):
        yield from (key for key in found if isinstance(key, str))
