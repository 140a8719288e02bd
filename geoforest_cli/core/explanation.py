"""From a pydantic error to a sentence that points at the line, with a spelling hint."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from pydantic import BaseModel, ValidationError

from geoforest_cli.core.annotations import choices
from geoforest_cli.core.errors import ConfigError
from geoforest_cli.core.escaping import quoted
from geoforest_cli.core.suggestions import suggest, unknown
from geoforest_cli.core.validation_messages import annotation_at, describe, keys_at
from geoforest_cli.core.yaml_loader import KeyPath, Node

__all__ = ["explain", "key_path"]

Locate = Callable[[KeyPath], KeyPath]
Problem = Mapping[str, Any]

_OWN_MESSAGES = {"value_error", "assertion_error"}
_TYPE_ERRORS = re.compile(
    r".*_type|int_from_float|literal_error|greater_than.*|less_than.*|too_short"
)
_SWITCHES = {"no": "false", "off": "false", "yes": "true", "on": "true"}
_LONGEST = 60


def explain(
    error: ValidationError,
    document: Node,
    model: type[BaseModel],
    locate: Locate,
    more_keys: Callable[[KeyPath], Sequence[str]] = lambda _: (),
) -> list[ConfigError]:
    """Return one error with its place for each problem that pydantic found.

    Parameters
    ----------
    error : pydantic.ValidationError
    document : Node
        What was validated.
    model : type
        The model: its fields are what a misspelt key is compared with.
    locate : callable
        From a location in the model to a path in the document.
    more_keys : callable
        From the location of a mapping to the keys allowed there beside the model's own.
    """
    errors: list[ConfigError] = []
    missing: list[KeyPath] = []
    explained: set[KeyPath] = set()
    values: dict[KeyPath, list[Problem]] = {}
    for problem in error.errors(include_url=False):
        loc = problem["loc"]
        if problem["type"] in {"extra_forbidden", "invalid_key"}:
            keys = [*keys_at(model, loc[:-1]), *more_keys(loc[:-1])]
            explained.add((*loc[:-1], suggest(str(loc[-1]), keys) or ""))
            position = document.locate(key_path(locate(loc)), key=True)
            errors.append(position.error(unknown("key", loc[-1], keys)))
        elif problem["type"] == "missing" and isinstance(loc[-1], str):
            missing.append(loc)
        else:
            values.setdefault(_written(loc, document, locate), []).append(problem)
    for loc in missing:
        if loc not in explained:  # a misspelt key is one mistake, not two
            parent = locate(loc)[:-1]
            inside = f" in {_name(parent)}" if parent else ""
            message = f"the key {loc[-1]!r} is missing{inside}"
            errors.append(document.locate(parent, key=True).error(message))
    for loc, problems in values.items():
        path = locate(loc)
        message = _why(problems, annotation_at(model, loc), _name(path))
        about_key = problems[0]["loc"][-1:] == ("[key]",)
        errors.append(document.locate(path, key=about_key).error(message))
    return errors


def key_path(path: KeyPath) -> KeyPath:
    """Return the path of the key that an item of a list belongs to."""
    while path and isinstance(path[-1], int):
        path = path[:-1]
    return path


def _written(loc: KeyPath, document: Node, locate: Locate) -> KeyPath:
    """Cut off what pydantic adds to a location: the members of a union, the key marker."""
    for end in range(len(loc), 0, -1):
        path = locate(loc[:end])
        if document.find(path) is not None:
            return loc[:end]
    return loc[:1]


def _name(path: KeyPath) -> str:
    return ".".join(map(str, key_path(path))) or "the config"


def _why(problems: Sequence[Problem], annotation: Any, name: str) -> str:
    for problem in problems:
        if problem["type"] in _OWN_MESSAGES:
            sentence = str(problem["ctx"]["error"])
            return sentence if sentence.startswith("unknown ") else f"{name}: {sentence}"
    if "[key]" in problems[0]["loc"]:
        allowed = str(problems[0].get("ctx", {}).get("expected", ""))
        words = re.findall(r"'([^']*)'", allowed)
        return unknown(f"key of {name.rpartition('.')[0]}", problems[0]["input"], words)
    value = problems[0]["input"]
    allowed = describe(annotation)
    if allowed and all(_TYPE_ERRORS.fullmatch(p["type"]) for p in problems):
        return f"{name} must be {allowed}, not {_show(value)}{_hint(value, annotation)}"
    reason = " or ".join(dict.fromkeys(p["msg"][:1].lower() + p["msg"][1:] for p in problems))
    return f"{name} is wrong ({reason})"


def _hint(value: Any, annotation: Any) -> str:
    if not isinstance(value, str):
        return ""
    suggestion = suggest(value, choices(annotation))
    if annotation is bool:
        suggestion = _SWITCHES.get(value.lower())
        return f"; did you mean {suggestion}?" if suggestion else ""
    if suggestion:
        return f"; did you mean {suggestion!r}?"
    return " (text)" if value[:1].isdigit() else ""


def _show(value: Any) -> str:
    if value is None or isinstance(value, bool):
        return json.dumps(value)
    return quoted(list(value) if isinstance(value, tuple) else value, _LONGEST)
