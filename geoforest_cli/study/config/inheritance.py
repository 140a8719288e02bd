"""Methods and figures that say ``like: <name>``, written out."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from geoforest_cli.core.suggestions import unknown
from geoforest_cli.core.yaml_loader import Node
from geoforest_cli.study.config.merge import merge

__all__ = ["inherit"]


def inherit(config: Node) -> Node:
    """Let every method and figure that says ``like: <name>`` have what the other has.

    A method has everything of the other but its label; each of its own keys replaces that of the
    other, but parameters are merged. A figure has everything of the other; ``figure`` is the
    config's own.

    Raises
    ------
    ConfigError
        For an unknown name, or things that are like each other.
    """
    figure = config.mapping.get("figure")
    first = {"figure": figure} if figure is not None and isinstance(figure.value, dict) else {}
    children = dict(config.value)
    for section, kind, others in (("methods", "method", {}), ("more_figures", "figure", first)):
        node = children.get(section)
        if node is not None and node.mapping:
            children[section] = replace(node, value=_written_out(node.mapping, others, kind))
    return replace(config, value=children)


def _written_out(
    items: Mapping[str, Node], others: Mapping[str, Node], kind: str
) -> dict[str, Node]:
    known = {**others, **items}
    done: dict[str, Node] = {}

    def settle(name: str, above: tuple[str, ...]) -> Node:
        item = known[name]
        if name not in items or "like" not in item.mapping:
            return item
        if name not in done:
            like = item.mapping["like"]
            other = like.data
            if other in (*above, name):
                chain = " is like ".join((*above, name, str(other)))
                raise like.position.error(f"a {kind} cannot be like itself: {chain}")
            names = [one for one in known if one != name]
            if other not in names:
                raise like.position.error(unknown(kind, other, names))
            done[name] = _inherited(item, settle(other, (*above, name)), other, kind)
        return done[name]

    return {name: settle(name, ()) for name in items}


def _inherited(item: Node, other: Node, name: str, kind: str) -> Node:
    """Return a method or figure with what it has not itself from another one."""
    children = dict(other.mapping)
    if kind == "method":
        children.pop("label", None)
        children = {"use": Node(name, item.position, other.key)} | children
    for key, child in item.mapping.items():
        if key != "like":
            children[key] = merge(children.get(key), child) if key == "params" else child
    return replace(item, value=children)
