"""Words for what a field of a model allows."""

from __future__ import annotations

import typing
from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Literal

from pydantic import BaseModel
from pydantic.fields import FieldInfo

from geoforest_cli.core.annotations import members, split

__all__ = ["annotation_at", "describe", "keys_at"]

_SCALARS = {int: "a whole number", float: "a number", str: "text", bool: "true or false"}
_SIGNS = {"ge": "of at least", "gt": "above", "le": "of at most", "lt": "below"}
_LISTS = (list, tuple, set, frozenset, Sequence)


def describe(annotation: Any) -> str:
    """Return what a value may be, or "" if words fail.

    Examples
    --------
    >>> from pydantic import Field
    >>> describe(Annotated[int, Field(ge=1)] | Literal["sqrt", "all"] | None)
    'a whole number of at least 1, sqrt, all or null'
    >>> describe(Annotated[float, Field(gt=0, le=1)])
    'a number above 0 and of at most 1'
    """
    words = list(dict.fromkeys(_alternatives(annotation)))
    return f"{', '.join(words[:-1])} or {words[-1]}" if len(words) > 1 else "".join(words)


def _alternatives(annotation: Any) -> list[str]:
    words: list[str] = []
    for member in members(annotation):
        base, bounds = _split(member)
        if typing.get_origin(base) is Literal:
            words += [_plain(value) for value in typing.get_args(base)]
        elif base is type(None) or base is None:
            words.append("null")
        elif name := _name(base):
            words.append(" ".join((name, *bounds)))
    return words


def _split(annotation: Any) -> tuple[Any, list[str]]:
    """Return the type proper, and its bounds in words."""
    base, bounds = split(annotation)
    words: list[str] = []
    for bound in bounds:
        if hasattr(bound, "min_length"):
            words.append("that is not empty")
        signs = (name for name in _SIGNS if hasattr(bound, name))
        words += [f"{_SIGNS[name]} {getattr(bound, name):g}" for name in signs]
    return base, [" and ".join(words)] if words else []


def _name(base: Any) -> str:
    if base in _SCALARS:
        return _SCALARS[base]
    kind = typing.get_origin(base) or base
    if isinstance(kind, type) and issubclass(kind, (Mapping, dict, BaseModel)):
        return "a mapping (key: value)"
    return "a list" if kind in _LISTS else ""


def _plain(value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    return "null" if value is None else str(value)


def annotation_at(model: Any, path: Sequence[str | int]) -> Any:
    """Return the annotation at a path inside a model, or `Any` where there is none."""
    annotation = model
    for part in path:
        annotation = _step(annotation, part)
    return annotation


def keys_at(model: Any, path: Sequence[str | int]) -> list[str]:
    """Return the keys that may stand at a path inside a model."""
    for member in members(annotation_at(model, path)):
        base, _ = _split(member)
        if isinstance(base, type) and issubclass(base, BaseModel):
            return list(base.model_fields)
    return []


def _step(annotation: Any, part: str | int) -> Any:
    for member in members(annotation):
        base, _ = _split(member)
        if isinstance(base, type) and issubclass(base, BaseModel):
            if (field := base.model_fields.get(str(part))) is not None:
                return _annotated(field)
            continue
        kind, arguments = typing.get_origin(base), typing.get_args(base)
        if kind is tuple and arguments[1:] != (...,) and isinstance(part, int):
            return arguments[part] if part < len(arguments) else Any
        if kind in _LISTS and isinstance(part, int):
            return arguments[0]
        if isinstance(kind, type) and issubclass(kind, Mapping) and arguments:
            return arguments[0] if part == "[key]" else arguments[1]
    return Any


def _annotated(field: FieldInfo) -> Any:
    return Annotated[(field.annotation, *field.metadata)] if field.metadata else field.annotation
