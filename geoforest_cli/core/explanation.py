"""From a pydantic error to a sentence that points at the line, with a spelling hint."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from pydantic import BaseModel, ValidationError

from geoforest_cli.core.annotations import choices
from geoforest_cli.core.errors import ConfigError
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
    problems = error.errors(include_url=False)
    extra = [p for p in problems if p["type"] in {"extra_forbidden", "invalid_key"}]
    missing = [p for p in problems if p["type"] == "missing" and isinstance(p["loc"][-1], str)]
    values: dict[KeyPath, list[Problem]] = {}
    for problem in problems:
        if problem not in extra and problem not in missing:
            values.setdefault(_written(problem["loc"], document, locate), []).append(problem)
    errors: list[ConfigError] = []
    explained = set()
    for problem in extra:
        loc = problem["loc"]
        known = [*keys_at(model, loc[:-1]), *more_keys(loc[:-1])]
        explained.add((*loc[:-1], suggest(str(loc[-1]), known)))
        position = document.locate(key_path(locate(loc)), key=True)
        errors.append(position.error(unknown("key", loc[-1], known)))
    for problem in missing:
        loc = problem["loc"]
        if loc not in explained:  # a misspelt key is one mistake, not two
            parent = locate(loc)[:-1]
            inside = f" in {_name(parent)}" if parent else ""
            message = f"the key {loc[-1]!r} is missing{inside}"
            errors.append(document.locate(parent, key=True).error(message))
    for loc, several in values.items():
        path = locate(loc)
        message = _why(several, annotation_at(model, loc), _name(path))
        about_key = several[0]["loc"][-1:] == ("[key]",)
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
    own = [str(p["ctx"]["error"]) for p in problems if p["type"] in _OWN_MESSAGES]
    if own:
        return own[0] if own[0].startswith("unknown ") else f"{name}: {own[0]}"
    if "[key]" in problems[0]["loc"]:
        allowed = str(problems[0].get("ctx", {}).get("expected", ""))
        words = re.findall(r"'([^']*)'", allowed)
        return unknown(f"key of {name.rpartition('.')[0]}", problems[0]["input"], words)
    value = problems[0]["input"]
    allowed = describe(annotation)
    if allowed and all(_TYPE_ERRORS.fullmatch(p["type"]) for p in problems):
        near = suggest(value, choices(annotation)) if isinstance(value, str) else None
        return f"{name} must be {allowed}, not {_show(value)}{_hint(value, near, annotation)}"
    reason = " or ".join(dict.fromkeys(_lowered(p["msg"]) for p in problems))
    return f"{name} is wrong ({reason})"


def _hint(value: Any, near: str | None, annotation: Any) -> str:
    if near:
        return f"; did you mean {near!r}?"
    if not isinstance(value, str):
        return ""
    words = {"no": "false", "off": "false", "yes": "true", "on": "true"}
    if annotation is bool and value.lower() in words:
        return f"; did you mean {words[value.lower()]}?"
    return " (text)" if value[:1].isdigit() else ""


def _lowered(message: str) -> str:
    return message[:1].lower() + message[1:]


def _show(value: Any) -> str:
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    text = repr(list(value) if isinstance(value, tuple) else value)
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 3]}..."
