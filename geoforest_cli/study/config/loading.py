"""Configs: strict YAML in, a validated config out."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from geoforest_cli.core.errors import ConfigError, ConfigErrors
from geoforest_cli.core.escaping import shortened
from geoforest_cli.core.explanation import explain
from geoforest_cli.core.suggestions import unknown
from geoforest_cli.core.validation_messages import keys_at
from geoforest_cli.core.yaml_loader import KeyPath, Node, Position, parse
from geoforest_cli.study.config import expansion, extend
from geoforest_cli.study.config.artifacts import find
from geoforest_cli.study.config.find import known_configs
from geoforest_cli.study.config.schema import Config
from geoforest_cli.study.frames import each_of

__all__ = [
    "Config",
    "LoadedConfig",
    "find",
    "known_configs",
    "open_config",
    "profiles_of",
    "refuse",
]

_LETTERS = "letters A to Z, digits, _ and -, at most 100"
_NAME = re.compile(r"[A-Za-z0-9_-]{1,100}")
# one of a user's own may be the key itself: package.module:Class
_METHOD_LETTERS = "letters A to Z, digits, _, -, and . and : as in my_module:Class"
_METHOD = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.:-]{0,199}")


@dataclass(frozen=True)
class LoadedConfig:
    """A validated config and the text it came from.

    Attributes
    ----------
    document : Node
        Merged with what it extends, the profile and the overrides, its short forms expanded.
    base_grid : dict
        The values of the grid of the file itself and of its ``also``, without profile and
        overrides.
    parents : tuple of Path
        The files that it extends.
    """

    path: Path
    config: Config
    document: Node
    base_grid: dict[str, Any]
    parents: tuple[Path, ...] = ()

    @property
    def folders(self) -> tuple[Path, ...]:
        """The folder of the config, then those of the files it extends, each once."""
        folders = (path.resolve().parent for path in (self.path, *self.parents))
        return tuple(dict.fromkeys(folders))

    def locate(self, loc: KeyPath, message: str) -> Position:
        """Return the position of a problem: of the key, if it is about the key."""
        about_key = bool(loc) and message.startswith("unknown") and f" {loc[-1]!r}" in message
        return self.document.locate(loc, key=about_key)


def open_config(name: str | Path, profile: str, overrides: Sequence[str] = ()) -> LoadedConfig:
    """Read and validate a config with one profile.

    Raises
    ------
    UserError
        With one sentence for every problem, each with its file, line and column.
    """
    path = find(name)
    extended = extend.open_document(path)
    document = extend.apply_profile(extended.document, profile)
    for override in overrides:
        document = _overridden(document, override)
    refuse(_misnamed(path, extended.document, document))
    document = expansion.expand(document)
    try:
        config = Config.model_validate(document.data)
    except ValidationError as error:
        problems = explain(error, document, Config, lambda loc: loc, _more_keys)
        raise ConfigErrors(_sorted(problems)) from None
    base_grid = _values_of(extended.document.data)
    return LoadedConfig(path, config, document, base_grid, extended.parents)


def profiles_of(name: str | Path) -> tuple[str, ...]:
    """Return the names of a config's profiles."""
    return extend.profile_names(extend.open_document(find(name)).document)


def refuse(problems: Iterable[ConfigError]) -> None:
    """Raise all problems at once, each once, in the order of the file."""
    listed = {str(problem): problem for problem in problems}
    if listed:
        raise ConfigErrors(_sorted(listed.values()))


def _sorted(problems: Iterable[ConfigError]) -> list[ConfigError]:
    return sorted(problems, key=lambda error: (str(error.file), error.line or 0, error.column or 0))


def _more_keys(loc: KeyPath) -> tuple[str, ...]:
    """Return the keys that are allowed somewhere, but removed before the schema is applied."""
    return () if loc else ("profiles", extend.KEY, *expansion.KEYS)


def _values_of(data: dict[str, Any]) -> dict[str, Any]:
    """Return the values of each grid parameter, those of ``also`` too, as they are written."""
    also = data.get("also")
    values: dict[str, Any] = {}
    for grid in (data.get("grid"), *(also if isinstance(also, list) else ())):
        for name, given in grid.items() if isinstance(grid, dict) else ():
            values[name] = [*values.get(name, ()), *each_of(given)]
    return values


def _overridden(config: Node, override: str) -> Node:
    """Return the config with a value given as KEY=VALUE, such as methods.gf.use=umap.

    Raises
    ------
    ConfigError
        If it is malformed, or its path leads nowhere, with a spelling hint.
    """
    path, separator, text = override.partition("=")
    position = Position(f"--set {shortened(override)}")
    if not separator or not path:
        raise position.error("an override is KEY=VALUE, such as params.n=500")
    try:
        value = _moved(parse(text, position.file), position)
    except ConfigError as error:
        raise position.error(error.message) from None
    for section in ("params", "grid"):
        node = config.mapping.get(section)
        if path not in Config.model_fields and node is not None and path in node.mapping:
            raise position.error(f"unknown key {path!r}; did you mean '{section}.{path}'?")
    return _set(config, (), path.split("."), value)


def _moved(node: Node, position: Position) -> Node:
    """Return a node that stands at a position as a whole."""
    value = node.value
    if isinstance(value, dict):
        value = {key: _moved(child, position) for key, child in value.items()}
    elif isinstance(value, list):
        value = [_moved(child, position) for child in value]
    return Node(value, position, position)


def _set(node: Node, path: tuple[str, ...], parts: Sequence[str], value: Node) -> Node:
    """Return a mapping with a value at a path; keys that the schema has are added on the way."""
    key, *rest = parts
    if rest:
        child = node.mapping.get(key)
        allowed = dict.fromkeys((*node.mapping, *keys_at(Config, path)))
        if key not in allowed:
            kind = f"key of {'.'.join(path)}" if path else "key"
            raise value.position.error(unknown(kind, key, allowed))
        if child is None or child.value is None:
            child = Node({}, value.position, value.position)
        if not isinstance(child.value, dict):
            raise value.position.error(f"{'.'.join((*path, key))} is a list or a single value")
        value = _set(child, (*path, key), rest, value)
    return replace(node, value={**node.mapping, key: value})


def _misnamed(path: Path, original: Node, document: Node) -> Iterator[ConfigError]:
    """Find names that would leave their folder, or that a table cannot hold as they are.

    Parameters
    ----------
    path : Path
        The config: its results lie in a folder of its name.
    original, document : Node
        Before and after a profile and overrides were merged into it.
    """
    if not _NAME.fullmatch(path.stem):
        kind = f"the name of a config, here {path.stem!r}, names its folder of results"
        yield ConfigError(f"{kind}: {_LETTERS}", path)
    for node, section, kind, pattern, allowed in (
        (original, "profiles", "profile", _NAME, _LETTERS),
        (document, "more_figures", "figure", _NAME, _LETTERS),
        (document, "methods", "method", _METHOD, _METHOD_LETTERS),
    ):
        for name in node.mapping[section].mapping if section in node.mapping else ():
            if not pattern.fullmatch(name):
                position = node.locate((section, name), key=True)
                yield position.error(f"the name of a {kind} is {allowed}, not {name!r}")
