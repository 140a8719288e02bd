"""Configs: strict YAML in, a validated config out."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from geoforest_cli.core.errors import ConfigError, ConfigErrors
from geoforest_cli.core.explanation import explain
from geoforest_cli.core.yaml_loader import KeyPath, Node, Position
from geoforest_cli.study.config import expansion, extend
from geoforest_cli.study.config.artifacts import find
from geoforest_cli.study.config.find import known_configs
from geoforest_cli.study.config.merge import apply_overrides, apply_profile, profile_names
from geoforest_cli.study.config.names import misnamed
from geoforest_cli.study.config.schema import Config
from geoforest_cli.study.frames import several

__all__ = [
    "Config",
    "LoadedConfig",
    "find",
    "known_configs",
    "open_config",
    "profiles_of",
    "refuse",
]


@dataclass(frozen=True)
class LoadedConfig:
    """A validated config and the text it came from.

    Attributes
    ----------
    document : Document
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
    original = extended.document
    document = apply_overrides(apply_profile(original, profile), overrides)
    refuse(misnamed(path, original, document))
    document = expansion.expand(document)
    try:
        config = Config.model_validate(document.data)
    except ValidationError as error:
        problems = explain(error, document, Config, lambda loc: loc, _more_keys)
        raise ConfigErrors(_sorted(problems)) from None
    return LoadedConfig(path, config, document, _values_of(original.data), extended.parents)


def _values_of(data: dict[str, Any]) -> dict[str, Any]:
    """Return the values of each grid parameter, those of ``also`` too, as they are written."""
    also = data.get("also")
    known: dict[str, Any] = {}
    for grid in (data.get("grid"), *(also if isinstance(also, list) else ())):
        for name, values in grid.items() if isinstance(grid, dict) else ():
            known[name] = [*known.get(name, ()), *several(values)]
    return known


def profiles_of(name: str | Path) -> tuple[str, ...]:
    """Return the names of a config's profiles."""
    return profile_names(extend.open_document(find(name)).document)


def refuse(problems: Iterable[ConfigError]) -> None:
    """Raise all problems at once, each once, in the order of the file."""
    listed = {str(one): one for one in problems}
    if listed:
        raise ConfigErrors(_sorted(listed.values()))


def _more_keys(loc: KeyPath) -> tuple[str, ...]:
    """Return the keys that are allowed somewhere, but removed before the schema is applied."""
    return () if loc else ("profiles", extend.KEY, *expansion.KEYS)


def _sorted(problems: Iterable[ConfigError]) -> list[ConfigError]:
    return sorted(problems, key=lambda one: (str(one.file), one.line or 0, one.column or 0))
