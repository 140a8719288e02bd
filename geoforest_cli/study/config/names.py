"""What may be the name of a config, profile, figure or method: they become names of files."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from geoforest_cli.core.errors import ConfigError
from geoforest_cli.core.yaml_loader import Node

__all__ = ["misnamed"]

_LETTERS = "letters A to Z, digits, _ and -, at most 100"
_NAME = re.compile(r"[A-Za-z0-9_-]{1,100}")
# one of a user's own may be the key itself: package.module:Class
_METHOD_LETTERS = "letters A to Z, digits, _, -, and . and : as in my_module:Class"
_METHOD = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.:-]{0,199}")


def misnamed(path: Path, original: Node, document: Node) -> Iterator[ConfigError]:
    """Find names that would leave their folder, or that a table cannot hold as they are.

    Parameters
    ----------
    path : Path
        The config: its results lie in a folder of its name.
    original, document : Document
        Before and after a profile and overrides were merged into it.

    Yields
    ------
    ConfigError
    """
    if not _NAME.fullmatch(path.stem):
        yield ConfigError(
            f"the name of a config, here {path.stem!r}, names its folder of results: {_LETTERS}",
            path,
        )
    for node, section, kind, pattern, allowed in (
        (original, "profiles", "profile", _NAME, _LETTERS),
        (document, "more_figures", "figure", _NAME, _LETTERS),
        (document, "methods", "method", _METHOD, _METHOD_LETTERS),
    ):
        for name in _keys(node, section):
            if not pattern.fullmatch(name):
                position = node.locate((section, name), key=True)
                yield position.error(f"the name of a {kind} is {allowed}, not {name!r}")


def _keys(document: Node, section: str) -> tuple[str, ...]:
    node = document.mapping.get(section)
    return tuple(node.mapping) if node is not None else ()
