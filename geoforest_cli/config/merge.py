"""Laying profiles and overrides over a config, places included."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from geoforest_cli.config.yaml_loader import Document, Path_, Place, parse
from geoforest_cli.errors import ConfigError, UserError
from geoforest_cli.hints import suggest, unknown

__all__ = ["apply_overrides", "apply_profile", "profile_names"]

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
        For an unknown profile, or a profile that leaves out an unknown method.
    """
    names = profile_names(document)
    if profile not in names:
        raise document.place(("profiles",), key=True).error(unknown("profile", profile, names))
    changes = (document.data.get("profiles") or {}).get(profile) or {}
    prefix: Path_ = ("profiles", profile)
    if not isinstance(changes, dict):
        raise document.place(prefix).error(f"the profile {profile!r} must be a mapping")
    left_out = changes.get("leave_out") or []
    result = Document(document.file, {k: v for k, v in document.data.items() if k != "profiles"})
    result.keys, result.values = dict(document.keys), dict(document.values)
    for key, value in changes.items():
        if key != "leave_out":
            _lay(result, (key,), value, document, (*prefix, key))
    _leave_out(result, left_out, document, (*prefix, "leave_out"))
    return result


def _lay(target: Document, path: Path_, value: Any, source: Document, origin: Path_) -> None:
    """Put `value`, which stands at `origin` in `source`, at `path`; mappings are merged."""
    parent = _at(target.data, path[:-1])
    old = parent.get(path[-1])
    if origin in source.keys:
        target.keys[path] = source.keys[origin]
    if isinstance(value, dict) and isinstance(old, dict):
        parent[path[-1]] = dict(old)
        for key, item in value.items():
            _lay(target, (*path, key), item, source, (*origin, key))
        return
    for table in (target.keys, target.values):
        for known in [p for p in table if p[: len(path)] == path and p != path]:
            del table[known]
    parent[path[-1]] = value
    for there, table in ((target.keys, source.keys), (target.values, source.values)):
        for known, place in list(table.items()):
            if known[: len(origin)] == origin:
                there[(*path, *known[len(origin) :])] = place


def _at(data: Any, path: Path_) -> Any:
    for part in path:
        data = data[part]
    return data


def _leave_out(target: Document, names: Any, source: Document, origin: Path_) -> None:
    methods = target.data.get("methods")
    if not isinstance(names, list):
        raise source.place(origin).error("leave_out must be a list of methods")
    for i, name in enumerate(names):
        if not isinstance(methods, dict) or name not in methods:
            place = source.place((*origin, i))
            raise place.error(unknown("method", name, methods or {}))
    if names:
        target.data["methods"] = {k: v for k, v in methods.items() if k not in names}


def apply_overrides(document: Document, overrides: Iterable[str]) -> None:
    """Set values given as KEY=VALUE, the key a path such as params.n or methods.gf.use.

    Raises
    ------
    UserError, ConfigError
        For a malformed override, or a path that leads nowhere, with a spelling hint.
    """
    for override in overrides:
        path, separator, text = override.partition("=")
        place = Place(f"--set {override}")
        if not separator or not path:
            raise UserError(f"--set {override}: an override is KEY=VALUE, params.n=500 say")
        try:
            value = parse(text, place.file)
        except ConfigError as error:
            raise place.error(error.message) from None
        _set(document, tuple(path.split(".")), value, place)


def _set(document: Document, parts: tuple[str, ...], value: Document, place: Place) -> None:
    path: Path_ = ()
    data = document.data
    for i, part in enumerate(parts):
        key: str | int = int(part) if isinstance(data, list) and part.isdigit() else part
        last = i == len(parts) - 1
        known = (
            data if isinstance(data, dict) else range(len(data)) if isinstance(data, list) else ()
        )
        if key not in known and not (last and isinstance(data, dict)):
            near = suggest(part, map(str, known))
            hint = f"; did you mean {near!r}?" if near else ""
            where = ".".join(map(str, path)) or "the config"
            raise place.error(f"{where} has no {part!r}{hint}")
        path = (*path, key)
        if last:
            data[key] = value.data
        else:
            data[key] = data[key].copy() if isinstance(data[key], dict | list) else data[key]
            data = data[key]
    for table in (document.keys, document.values):
        for known_path in [p for p in table if p[: len(path)] == path]:
            del table[known_path]
    document.keys[path] = document.values[path] = place
    for known_path in value.values:
        document.values[*path, *known_path] = place
    for known_path in value.keys:
        document.keys[*path, *known_path] = place
