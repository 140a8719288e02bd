"""Merging mappings, profiles and overrides: functions from YAML nodes to YAML nodes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from geoforest_cli.core.errors import ConfigError
from geoforest_cli.core.escaping import shortened
from geoforest_cli.core.suggestions import unknown
from geoforest_cli.core.validation_messages import keys_at
from geoforest_cli.core.yaml_loader import KeyPath, Node, Position, parse
from geoforest_cli.study.config.schema import Config

__all__ = ["apply_overrides", "apply_profile", "merge", "merge_mappings", "profile_names"]

_ALWAYS = ("smoke", "paper")


def merge(old: Node | None, new: Node) -> Node:
    """Return the new node; if both are mappings, the old one with the keys of the new one."""
    if old is None or not isinstance(old.value, dict) or not isinstance(new.value, dict):
        return new
    return Node(merge_mappings(old.value, new.value), old.position, new.key)


def merge_mappings(old: dict[str, Node], new: dict[str, Node]) -> dict[str, Node]:
    """Return the old mapping with the keys of the new one; mappings within are merged."""
    return old | {key: merge(old.get(key), child) for key, child in new.items()}


def profile_names(config: Node) -> tuple[str, ...]:
    """Return the profiles of a config: smoke and paper are always offered."""
    profiles = config.mapping.get("profiles")
    if profiles is None or not profiles.value:
        return _ALWAYS
    if not isinstance(profiles.value, dict):
        raise profiles.position.error("profiles must be a mapping (name: changes)")
    return tuple(dict.fromkeys((*_ALWAYS, *profiles.value)))


def apply_profile(config: Node, profile: str) -> Node:
    """Return the config with one profile merged into it.

    Raises
    ------
    ConfigError
        For an unknown profile, or one that is not a mapping.
    """
    names = profile_names(config)
    if profile not in names:
        raise config.locate(("profiles",), key=True).error(unknown("profile", profile, names))
    children = {key: child for key, child in config.value.items() if key != "profiles"}
    changes = config.find(("profiles", profile))
    if changes is None or not changes.value:
        return replace(config, value=children)
    if not isinstance(changes.value, dict):
        message = f"the profile {profile!r} must be a mapping (key: value)"
        raise changes.position.error(message)
    if "profiles" in changes.value:
        position = changes.locate(("profiles",), key=True)
        raise position.error("a profile cannot hold profiles")
    return replace(config, value=merge_mappings(children, changes.value))


def apply_overrides(config: Node, overrides: Iterable[str]) -> Node:
    """Return the config with values given as KEY=VALUE, such as params.n=5 or methods.gf.use=umap.

    Raises
    ------
    ConfigError
        For a malformed override, or a path that leads nowhere, with a spelling hint.
    """
    for override in overrides:
        path, separator, text = override.partition("=")
        position = Position(f"--set {shortened(override)}")
        if not separator or not path:
            raise position.error("an override is KEY=VALUE, such as params.n=500")
        try:
            value = _moved(parse(text, position.file), position)
        except ConfigError as error:
            raise position.error(error.message) from None
        parts = path.split(".")
        _refuse_parameter_without_section(config, parts, position)
        config = _set(config, (), parts, value)
    return config


def _refuse_parameter_without_section(
    config: Node, parts: Sequence[str], position: Position
) -> None:
    """Refuse ``n=100`` where ``params.n=100`` or ``grid.n=[100]`` is meant."""
    if len(parts) > 1 or parts[0] in keys_at(Config, ()):
        return
    for section in ("params", "grid"):
        node = config.find((section,))
        if node is not None and isinstance(node.value, dict) and parts[0] in node.value:
            raise position.error(f"unknown key {parts[0]!r}; did you mean '{section}.{parts[0]}'?")


def _moved(node: Node, position: Position) -> Node:
    """Return a node that stands at a position as a whole."""
    value = node.value
    if isinstance(value, dict):
        value = {key: _moved(child, position) for key, child in value.items()}
    elif isinstance(value, list):
        value = [_moved(child, position) for child in value]
    return Node(value, position, position)


def _set(node: Node, path: KeyPath, parts: Sequence[str], value: Node) -> Node:
    """Return a node with a value at a path; keys that the schema has are added on the way."""
    part, *rest = parts
    allowed = keys_at(Config, path) if isinstance(node.value, dict) else []
    key: str | int = part
    if rest or isinstance(node.value, list):
        key = _known_key(node, path, part, value.position, allowed)
    if rest:
        child = node.find((key,))
        if child is None or (child.value is None and key in allowed):
            child = Node({}, value.position, value.position)
        path = (*path, key)
        if not isinstance(child.value, dict | list):
            raise value.position.error(f"{'.'.join(map(str, path))} is a single value")
        value = _set(child, path, rest, value)
    if isinstance(node.value, list):
        items = list(node.value)
        items[int(key)] = value
        return replace(node, value=items)
    return replace(node, value={**node.value, key: value})


def _known_key(
    node: Node, path: KeyPath, part: str, position: Position, allowed: Iterable[str]
) -> str | int:
    """Return the key or index that a part of the path means."""
    name = ".".join(map(str, path))
    if isinstance(node.value, list):
        if part.isdecimal() and int(part) < len(node.value):
            return int(part)
        known = f"known: 0 to {len(node.value) - 1}"
        raise position.error(f"{name} has no item {part!r} ({known})")
    keys = dict.fromkeys((*node.value, *allowed))
    if part not in keys:
        raise position.error(unknown(f"key of {name}" if path else "key", part, keys))
    return part
