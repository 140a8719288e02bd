"""Expansion of short forms: groups of methods, lists of methods and metrics.

After it each claim names one metric, one method, and every rival with its variant.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from geoforest_cli.core.errors import ConfigError, ConfigErrors
from geoforest_cli.core.suggestions import unknown
from geoforest_cli.core.yaml_loader import Node

__all__ = ["KEYS", "expand"]

KEYS = ("groups",)
ALL_OTHERS = "all_others"
_SELECTION = ("names", "variant", "but")


def expand(config: Node) -> Node:
    """Return a config with plain claims, and without groups.

    - ``than`` may be the name of a group, ``all_others`` (every other method of the config that
      has the variant), ``{names: <those, or a list>, variant: ..., but: [...]}``, or a list of
      these and of plain methods. Without a variant it is that of the claim's own method.
    - ``method`` may be a list of names, or such a mapping with names: a claim for each; so may
      ``metric``. ``{method}`` and ``{metric}`` stand for them in id, says and expect, for a
      method's label in the last two; an id without them gets ``_<name>`` at its end.

    Raises
    ------
    ConfigErrors
        With one sentence for every problem, each with its position.
    """
    groups = _groups(config)
    children = {key: child for key, child in config.value.items() if key != "groups"}
    claims = children.get("claims")
    if (
        claims is not None
        and isinstance(claims.value, list)
        and all(isinstance(claim.value, dict) for claim in claims.value)
    ):  # else the schema says what is wrong
        methods = children.get("methods")
        names = _Names(groups, methods.mapping if methods else {})
        children["claims"] = replace(claims, value=_plain_claims(claims.value, names))
    return replace(config, value=children)


def _groups(config: Node) -> Mapping[str, Node]:
    groups = config.mapping.get("groups")
    if groups is None or groups.value is None:
        return {}
    if not isinstance(groups.value, dict):
        raise groups.position.error("groups must be a mapping (name: methods)")
    if ALL_OTHERS in groups.value:
        position = groups.locate((ALL_OTHERS,), key=True)
        raise position.error(f"no group can be called {ALL_OTHERS!r}: it has a meaning already")
    return groups.value


def _plain_claims(claims: list[Node], names: _Names) -> list[Node]:
    problems: list[ConfigError] = []
    plain: list[Node] = []
    for claim in claims:
        try:
            for of_method in _of_each_method(claim, names):
                plain += [_with_rivals(one, names) for one in _of_each_metric(of_method)]
        except ConfigError as problem:
            problems.append(problem)
    if problems:
        raise ConfigErrors(problems)
    return plain


@dataclass(frozen=True)
class _Names:
    """The groups and methods that a claim can name."""

    groups: Mapping[str, Node]
    methods: Mapping[str, Node]

    def choose(
        self, node: Node, variant: Any, own: Any, inside: tuple[str, ...] = ()
    ) -> Iterator[Node]:
        """Yield name and variant of each method of a selection; `own` is the claim's own."""
        name = node.value
        if isinstance(name, list):
            for item in name:
                yield from self.choose(item, variant, own, inside)
        elif isinstance(name, dict) and "names" in name:
            yield from self._selected(node, variant, own, inside)
        elif isinstance(name, dict):
            given = node.get("variant") if "variant" in name else variant
            yield _method(node.get("name"), given, name.get("name", node))
        elif name == ALL_OTHERS:
            yield from self._others(node, variant, own)
        elif name in inside:
            raise node.position.error(f"the group {name!r} contains itself")
        elif name in self.groups:
            yield from self.choose(self.groups[name], variant, own, (*inside, name))
        elif name in self.methods:
            variants = _variants(self.methods[name])
            if variant is None and len(variants) > 1:
                raise node.position.error(f"the method {name!r} needs a variant")
            yield _method(name, variant or variants[0], node)
        else:
            known = [*self.methods, *self.groups, ALL_OTHERS]
            raise node.position.error(unknown("method or group", name, known))

    def _selected(
        self, node: Node, variant: Any, own: Any, inside: tuple[str, ...]
    ) -> Iterator[Node]:
        for key in node.value:
            if key not in _SELECTION:
                raise node.locate((key,), key=True).error(unknown("key", key, _SELECTION))
        if "variant" in node.value:
            variant = node.get("variant")
        left_out: list[Any] = []
        if "but" in node.value:
            but = self.choose(node.value["but"], variant or "", own, inside)
            left_out = [method.get("name") for method in but]
        for method in self.choose(node.value["names"], variant, own, inside):
            if method.get("name") not in left_out:
                yield method

    def _others(self, node: Node, variant: Any, own: Any) -> Iterator[Node]:
        if variant is None:
            raise node.position.error(f"{ALL_OTHERS} needs a variant")
        others = [
            _method(name, variant, node)
            for name, method in self.methods.items()
            if name != own and variant in _variants(method)
        ]
        if not others:
            message = f"{ALL_OTHERS}: no other method has the variant {variant!r}"
            raise node.position.error(message)
        yield from others


def _variants(method: Node) -> list[str]:
    node = method.mapping.get("variants")
    return list(node.mapping) if node is not None and node.mapping else ["recommended"]


def _method(name: Any, variant: Any, where: Node) -> Node:
    values = {"name": name, "variant": variant}
    position = where.position
    children = {key: Node(value, position, where.key) for key, value in values.items()}
    return Node(children, position, where.key)


def _of_each_method(claim: Node, names: _Names) -> Iterator[Node]:
    """Yield the claim once for each method it names."""
    node = claim.value.get("method")
    short = node is not None and (isinstance(node.value, str | list) or "names" in node.mapping)
    if node is None or not short:
        yield claim
        return
    for method in names.choose(node, None, None):
        name = method.get("name")
        known = names.methods.get(str(name))
        label = known.get("label") if known is not None else None
        yield _for_one(
            claim, "method", replace(method, key=node.key), str(name), str(label or name)
        )


def _of_each_metric(claim: Node) -> Iterator[Node]:
    """Yield the claim once for each metric it names."""
    node = claim.value.get("metric")
    if node is None or not isinstance(node.value, list):
        yield claim
        return
    if not node.value:
        raise node.position.error("metric must name at least one metric")
    for item in node.value:
        name = str(item.data)
        metric = replace(item, key=node.key)
        yield _for_one(claim, "metric", metric, name, name.replace("_", " "))


def _for_one(claim: Node, key: str, value: Node, name: str, words: str) -> Node:
    """Return a copy of a claim that is about one of several methods or metrics."""
    children, mark = dict(claim.value), f"{{{key}}}"
    for text in ("id", "says", "expect"):
        old = claim.get(text)
        if isinstance(old, str):
            new = old.replace(mark, name if text == "id" else words)
            if text == "id" and mark not in old:
                new = f"{old}_{name}"
            children[text] = replace(children[text], value=new)
    return replace(claim, value=children | {key: value})


def _with_rivals(claim: Node, names: _Names) -> Node:
    than = claim.value.get("than")
    if than is None or not _is_short(than):
        return claim
    method = claim.find(("method",))
    own = (method.get("variant"), method.get("name")) if method else (None, None)
    rivals = list(names.choose(than, *own))
    return replace(claim, value=claim.value | {"than": replace(than, value=rivals)})


def _is_short(than: Node) -> bool:
    """Whether rivals are more than a list of plain methods."""
    if isinstance(than.value, list):
        return any(_is_short(item) for item in than.value)
    return isinstance(than.value, str) or "names" in than.mapping
