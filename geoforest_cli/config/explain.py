"""From a pydantic error to a sentence that points at the line, with a spelling hint."""

from __future__ import annotations

import types
import typing
from collections.abc import Callable, Iterable
from typing import Any

from pydantic import BaseModel, ValidationError

from geoforest_cli.config.yaml_loader import Document, Path_
from geoforest_cli.errors import ConfigError
from geoforest_cli.hints import suggest, unknown

__all__ = ["explain"]

_WORDS = {
    "int_type": "must be a whole number",
    "int_from_float": "must be a whole number",
    "float_type": "must be a number",
    "string_type": "must be text",
    "bool_type": "must be true or false",
    "dict_type": "must be a mapping (key: value)",
    "model_type": "must be a mapping (key: value)",
    "model_attributes_type": "must be a mapping (key: value)",
    "tuple_type": "must be a list",
    "list_type": "must be a list",
}


Locate = Callable[[Path_], Path_]


def explain(
    error: ValidationError, document: Document, model: type[BaseModel], locate: Locate
) -> list[ConfigError]:
    """Return one error with its place for each problem that pydantic found.

    Parameters
    ----------
    error : pydantic.ValidationError
    document : Document
        What was validated.
    model : type
        The model: its fields are what a misspelt key is compared with.
    locate : callable
        From a location in the model to a path in the document.
    """
    found: dict[tuple[Path_, bool], list[dict[str, Any]]] = {}
    for problem in error.errors(include_url=False):
        about_key = problem["type"] in {"extra_forbidden", "missing"}
        loc = problem["loc"] if about_key else _written(problem["loc"], document, locate)
        found.setdefault((loc, about_key), []).append(dict(problem))
    return [
        _about_key(loc, problems[0], document, model, locate)
        if about_key
        else _about_value(loc, problems, document, locate)
        for (loc, about_key), problems in found.items()
    ]


def _about_value(
    loc: Path_, problems: list[dict[str, Any]], document: Document, locate: Locate
) -> ConfigError:
    place = document.place(locate(loc), key=problems[0]["loc"][-1:] == ("[key]",))
    return place.error(f"{_name(loc)} {_why(problems)}")


def _written(loc: Path_, document: Document, locate: Locate) -> Path_:
    """Cut off what pydantic adds to a location: the members of a union, the key marker."""
    for end in range(len(loc), 0, -1):
        path = locate(loc[:end])
        if path in document.values or path in document.keys:
            return loc[:end]
    return loc[:1]


def _name(loc: Path_) -> str:
    return ".".join(map(str, loc)) or "the config"


def _about_key(
    loc: Path_, problem: dict[str, Any], document: Document, model: type[BaseModel], locate: Locate
) -> ConfigError:
    if problem["type"] == "extra_forbidden":
        place = document.place(locate(loc), key=True)
        return place.error(unknown("key", loc[-1], _fields(model, loc[:-1])))
    parent = locate(loc)[:-1]
    written = [str(key[-1]) for key in document.keys if key[:-1] == parent]
    known = set(_fields(model, loc[:-1]))
    near = suggest(str(loc[-1]), [key for key in written if key not in known])
    hint = f"; {near!r} looks like it" if near else ""
    return document.place(parent, key=True).error(f"the key {loc[-1]!r} is missing{hint}")


def _why(problems: list[dict[str, Any]]) -> str:
    """Join what the members of a union each ask for."""
    value = problems[0]["input"]
    literals = [p for p in problems if p["type"] == "literal_error"]
    asks = [_ask(p) for p in problems if p["type"] != "literal_error"]
    choices: list[str] = []
    for p in literals:
        choices += [
            c.strip().strip("'") for c in p["ctx"]["expected"].replace(" or ", ", ").split(",")
        ]
    if choices:
        asks.append(("must be one of " if not asks else "one of ") + ", ".join(choices))
    text = " or ".join(dict.fromkeys(asks))
    if problems[0]["type"] in {"value_error", "assertion_error"}:
        return text
    near = suggest(value, choices) if isinstance(value, str) else None
    hint = f"; did you mean {near!r}?" if near else ""
    return f"{text}, not {_show(value)}{hint}"


def _ask(problem: dict[str, Any]) -> str:
    kind, context = problem["type"], problem.get("ctx", {})
    if kind in {"value_error", "assertion_error"}:
        return f"is wrong: {context['error']}"
    if kind in _WORDS:
        return _WORDS[kind]
    signs = {"ge": "at least", "gt": "greater than", "le": "at most", "lt": "less than"}
    for key, words in signs.items():
        if key in context:
            return f"must be {words} {context[key]}"
    if kind == "too_short":
        return "must not be empty"
    message: str = problem["msg"]
    return f"is wrong ({message[0].lower()}{message[1:]})"


def _show(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:57]}..."


def _fields(model: Any, path: Iterable[Any]) -> list[str]:
    """Names of the fields that may stand at a path inside a model."""
    for part in path:
        if isinstance(model, type) and issubclass(model, BaseModel) and part in model.model_fields:
            model = model.model_fields[part].annotation
        model = _inside(model)
    if isinstance(model, type) and issubclass(model, BaseModel):
        return list(model.model_fields)
    return []


def _inside(annotation: Any) -> Any:
    """Return the model among an annotation's arguments, if there is one."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return annotation
    origin = typing.get_origin(annotation)
    if origin is None and not isinstance(annotation, types.UnionType):
        return annotation
    for argument in reversed(typing.get_args(annotation)):
        found = _inside(argument)
        if isinstance(found, type) and issubclass(found, BaseModel):
            return found
    return annotation
