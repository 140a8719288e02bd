"""Configs: strict YAML in, a validated config out."""

from __future__ import annotations

import copy
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from geoforest_cli.config.explain import explain
from geoforest_cli.config.find import find, known_configs
from geoforest_cli.config.merge import apply_overrides, apply_profile, profile_names
from geoforest_cli.config.schema import Config
from geoforest_cli.config.yaml_loader import Document, Path_, Place, read
from geoforest_cli.errors import ConfigError, ConfigErrors

__all__ = ["Config", "Opened", "find", "known_configs", "open_config", "profiles_of", "refuse"]


@dataclass(frozen=True)
class Opened:
    """A validated config and the text it came from.

    Attributes
    ----------
    document : Document
        With the profile and the overrides laid over it.
    base_grid : dict
        The values of the grid of the file itself and of its ``also``, without profile and
        overrides.
    """

    path: Path
    config: Config
    document: Document
    base_grid: dict[str, Any]

    def place(self, loc: Path_, message: str) -> Place:
        """Return where a problem stands: on the key, if it is about the key."""
        about_key = bool(loc) and message.startswith("unknown") and f" {loc[-1]!r}" in message
        return self.document.place(loc, key=about_key)


def open_config(name: str | Path, profile: str, overrides: Sequence[str] = ()) -> Opened:
    """Read and validate a config with one profile.

    Raises
    ------
    UserError
        With one sentence for every problem, each with its file, line and column.
    """
    path = find(name)
    original = _top(read(path))
    document = apply_profile(original, profile)
    document.data = copy.deepcopy(document.data)
    apply_overrides(document, overrides)
    try:
        config = Config.model_validate(document.data)
    except ValidationError as error:
        problems = explain(error, document, Config, lambda loc: loc, more_keys=("profiles",))
        raise ConfigErrors(_sorted(problems)) from None
    return Opened(path, config, document, _values_of(original.data))


def _values_of(data: dict[str, Any]) -> dict[str, Any]:
    """Return the values of each grid parameter, those of ``also`` too, as they are written."""
    also = data.get("also")
    found: dict[str, Any] = {}
    for grid in (data.get("grid"), *(also if isinstance(also, list) else ())):
        for name, values in grid.items() if isinstance(grid, dict) else ():
            several = values if isinstance(values, list) else [values]
            found[name] = [*found.get(name, ()), *several]
    return found


def profiles_of(name: str | Path) -> tuple[str, ...]:
    """Return the names of a config's profiles."""
    return profile_names(_top(read(find(name))))


def refuse(problems: Iterable[ConfigError]) -> None:
    """Raise all problems at once, each told once, in the order of the file."""
    listed = {str(one): one for one in problems}
    if listed:
        raise ConfigErrors(_sorted(listed.values()))


def _top(document: Document) -> Document:
    if document.data is None:
        raise ConfigError("the config is empty", document.file, 1, 1)
    if not isinstance(document.data, dict):
        found = "a list" if isinstance(document.data, list) else f"{document.data!r:.40}"
        raise document.place(()).error(f"a config is a mapping (key: value), not {found}")
    return document


def _sorted(problems: Iterable[ConfigError]) -> list[ConfigError]:
    return sorted(problems, key=lambda one: (str(one.file), one.line or 0, one.column or 0))
