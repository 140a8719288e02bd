"""Expansion of short forms: groups of methods, lists of methods and metrics.

After it each claim names one metric, one method, and every baseline with its variant.
"""

from __future__ import annotations

from collections.abc import Mapping
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
    children = {key: child for key, child in config.value.items() if key != "groups"}
    claims = children.get("claims")
    groups = config.mapping.get("groups")
    if groups is not None and groups.value and not groups.mapping:
        raise groups.position.error("groups must be a mapping (name: methods)")
    if claims is None or not isinstance(claims.value, list):
        return replace(config, value=children)  # the schema says what is wrong
    methods = children.get("methods")
    names = _Names(groups.mapping if groups else {}, methods.mapping if methods else {})
    problems: list[ConfigError] = []
    plain: list[Node] = []
    for claim in claims.value:
        try:
            plain += names.plain(claim) if claim.mapping else [claim]
        except ConfigError as problem:
            problems.append(problem)
    if problems:
        raise ConfigErrors(problems)
    return replace(config, value=children | {"claims": replace(claims, value=plain)})


@dataclass(frozen=True)
class _Names:
    """The groups and methods that a claim can name."""

    groups: Mapping[str, Node]
    methods: Mapping[str, Node]

    def plain(self, claim: Node) -> list[Node]:
        """Return a claim for each method and metric that a claim names, its baselines listed."""
        claims = [claim]
        method, metric = claim.mapping.get("method"), claim.mapping.get("metric")
        if method is not None and (isinstance(method.value, str | list) or method.get("names")):
            claims = [self._of_method(claim, node) for node in self.choose(method, None, None)]
        if metric is not None and isinstance(metric.value, list):
            if not metric.value:
                raise metric.position.error("metric must name at least one metric")
            claims = [_of_metric(claim, item) for claim in claims for item in metric.value]
        return [self._with_baselines(claim) for claim in claims]

    def choose(self, node: Node, variant: Any, own_name: Any) -> list[Node]:
        """Return name and variant of each method of a selection; `own_name` is the claim's own."""
        name = node.value
        if isinstance(name, list):
            return [method for item in name for method in self.choose(item, variant, own_name)]
        if isinstance(name, dict) and "names" in name:
            return self._selected(node, variant, own_name)
        if isinstance(name, dict):
            given = node.get("variant") if "variant" in name else variant
            return [_method(node.get("name"), given, name.get("name", node))]
        if name == ALL_OTHERS:
            return self._others(node, variant, own_name)
        if name in self.groups:
            members = {key: child for key, child in self.groups.items() if key != name}
            return _Names(members, self.methods).choose(self.groups[name], variant, own_name)
        if name not in self.methods:
            choices = [*self.methods, *self.groups, ALL_OTHERS]
            raise node.position.error(unknown("method or group", name, choices))
        variants = _variants(self.methods[name])
        if variant is None and len(variants) > 1:
            raise node.position.error(f"the method {name!r} needs a variant")
        return [_method(name, variant or variants[0], node)]

    def _selected(self, node: Node, variant: Any, own_name: Any) -> list[Node]:
        for key, child in node.value.items():
            if key not in _SELECTION:
                raise (child.key or child.position).error(unknown("key", key, _SELECTION))
        variant = node.get("variant") if "variant" in node.value else variant
        but = self.choose(node.value["but"], variant or "", own_name) if "but" in node.value else []
        left_out = [method.get("name") for method in but]
        methods = self.choose(node.value["names"], variant, own_name)
        return [method for method in methods if method.get("name") not in left_out]

    def _others(self, node: Node, variant: Any, own_name: Any) -> list[Node]:
        others = [
            _method(name, variant, node)
            for name, method in self.methods.items()
            if name != own_name and variant in _variants(method)
        ]
        if not others:
            reason = f": no other method has the variant {variant!r}" if variant else ""
            raise node.position.error(f"{ALL_OTHERS}{reason or ' needs a variant'}")
        return others

    def _of_method(self, claim: Node, method: Node) -> Node:
        name = str(method.get("name"))
        settings = self.methods.get(name)
        label = str(settings.get("label") or name) if settings is not None else name
        key = claim.value["method"].key
        return _for_one(claim, "method", replace(method, key=key), name, label)

    def _with_baselines(self, claim: Node) -> Node:
        than = claim.value.get("than")
        if than is None or not _is_short(than):
            return claim
        method = claim.find(("method",))
        method_key = (method.get("variant"), method.get("name")) if method else (None, None)
        return replace(
            claim, value=claim.value | {"than": replace(than, value=self.choose(than, *method_key))}
        )


def _variants(method: Node) -> list[str]:
    node = method.mapping.get("variants")
    return list(node.mapping) if node is not None and node.mapping else ["recommended"]


def _method(name: Any, variant: Any, where: Node) -> Node:
    values = {"name": name, "variant": variant}
    children = {key: replace(where, value=value) for key, value in values.items()}
    return replace(where, value=children)


def _of_metric(claim: Node, metric: Node) -> Node:
    name = str(metric.data)
    key = claim.value["metric"].key
    return _for_one(claim, "metric", replace(metric, key=key), name, name.replace("_", " "))


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


def _is_short(than: Node) -> bool:
    """Return whether baselines are more than a list of plain methods."""
    if isinstance(than.value, list):
        return any(_is_short(item) for item in than.value)
    return isinstance(than.value, str) or "names" in than.mapping
