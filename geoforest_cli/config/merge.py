"""Laying profiles and overrides over a config, places included."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from geoforest_cli.config.schema import Config
from geoforest_cli.config.wording import keys_at
from geoforest_cli.config.yaml_loader import Document, Path_, Place, parse
from geoforest_cli.errors import ConfigError
from geoforest_cli.hints import unknown

__all__ = ["apply_overrides", "apply_profile", "copy_places", "forget", "lay", "profile_names"]

_ALWAYS = ("smoke", "paper")


def profile_names(document: Document) -> tuple[str, ...]:
    """Return the profiles of a config: smoke and paper are always offered."""
    profiles = document.data.get("profiles") or {}
    if not isinstance(profiles, dict):
        raise document.place(("profiles",)).error("profiles must be a mapping (name: changes)")
    return tuple(dict.fromkeys((*_ALWAYS, *profiles)))


def apply_profile(document: Document, profile: str) -> Document:
    """Return the config with one profile laid over it; its places are the profile's.

    Raises
    ------
    ConfigError
        For an unknown profile, or one that is not a mapping.
    """
    names = profile_names(document)
    if profile not in names:
        raise document.place(("profiles",), key=True).error(unknown("profile", profile, names))
    changes = (document.data.get("profiles") or {}).get(profile) or {}
    prefix: Path_ = ("profiles", profile)
    if not isinstance(changes, dict):
        message = f"the profile {profile!r} must be a mapping (key: value)"
        raise document.place(prefix).error(message)
    if "profiles" in changes:
        place = document.place((*prefix, "profiles"), key=True)
        raise place.error("a profile cannot hold profiles")
    result = Document(document.file, {k: v for k, v in document.data.items() if k != "profiles"})
    result.keys, result.values = dict(document.keys), dict(document.values)
    for key, value in changes.items():
        lay(result, (key,), value, document, (*prefix, key))
    return result


def lay(target: Document, path: Path_, value: Any, source: Document, origin: Path_) -> None:
    """Put `value`, which stands at `origin` in `source`, at `path`; mappings are merged."""
    parent = _at(target.data, path[:-1])
    old = parent.get(path[-1])
    if origin in source.keys:
        target.keys[path] = source.keys[origin]
    if isinstance(value, dict) and isinstance(old, dict):
        parent[path[-1]] = dict(old)
        for key, item in value.items():
            lay(target, (*path, key), item, source, (*origin, key))
        return
    forget(target, path, old)
    parent[path[-1]] = value
    copy_places(target, path, value, source, origin)


def copy_places(target: Document, path: Path_, value: Any, source: Document, origin: Path_) -> None:
    """Let `value` at `path` stand where it stands at `origin` in another document."""
    for inside in _below(value):
        here, there = (*path, *inside), (*origin, *inside)
        if there in source.values:
            target.values[here] = source.values[there]
        if inside and there in source.keys:
            target.keys[here] = source.keys[there]


def forget(document: Document, path: Path_, value: Any) -> None:
    """Drop the places within a value that is about to be replaced."""
    for inside in _below(value):
        document.values.pop((*path, *inside), None)
        if inside:
            document.keys.pop((*path, *inside), None)


def _below(value: Any) -> Iterator[Path_]:
    """Yield the path of every value within a value, its own empty one first."""
    yield ()
    inside: Iterable[tuple[Any, Any]] = ()
    if isinstance(value, dict):
        inside = value.items()
    elif isinstance(value, list):
        inside = enumerate(value)
    for key, item in inside:
        for path in _below(item):
            yield (key, *path)


def _at(data: Any, path: Path_) -> Any:
    for part in path:
        data = data[part]
    return data


def apply_overrides(document: Document, overrides: Iterable[str]) -> None:
    """Set values given as KEY=VALUE, the key a path such as params.n or methods.gf.use.

    The document's data are changed in place.

    Raises
    ------
    ConfigError
        For a malformed override, or a path that leads nowhere, with a spelling hint.
    """
    for override in overrides:
        path, separator, text = override.partition("=")
        place = Place(f"--set {override}")
        if not separator or not path:
            raise place.error("an override is KEY=VALUE, such as params.n=500")
        try:
            value = parse(text, place.file)
        except ConfigError as error:
            raise place.error(error.message) from None
        _set(document, tuple(path.split(".")), value, place)


def _set(document: Document, parts: tuple[str, ...], value: Document, place: Place) -> None:
    """Put a value at a path; what the schema has but the config lacks on the way is added."""
    data: Any = document.data
    path: Path_ = ()
    for part in parts[:-1]:
        allowed = keys_at(Config, path)
        key = _known_key(data, path, part, place, (*data, *allowed))
        if isinstance(data, dict) and key in allowed and data.get(key) is None:
            data[key] = {}
        data, path = data[key], (*path, key)
        if not isinstance(data, dict | list):
            raise place.error(f"{'.'.join(map(str, path))} is a single value")
    key = parts[-1] if isinstance(data, dict) else _known_key(data, path, parts[-1], place, ())
    data[key] = value.data
    path = (*path, key)
    for table, given in ((document.keys, value.keys), (document.values, value.values)):
        for known_path in [p for p in table if p[: len(path)] == path]:
            del table[known_path]
        table[path] = place
        table.update({(*path, *inside): place for inside in given})


def _known_key(data: Any, path: Path_, part: str, place: Place, known: Iterable[Any]) -> str | int:
    """Return the key or index that a part of the path means."""
    if isinstance(data, list):
        if part.isdecimal() and int(part) < len(data):
            return int(part)
        name = ".".join(map(str, path))
        raise place.error(f"{name} has no item {part!r} (known: 0 to {len(data) - 1})")
    if part not in known:
        kind = f"key of {'.'.join(map(str, path))}" if path else "key"
        raise place.error(unknown(kind, part, dict.fromkeys(map(str, known))))
    return part
