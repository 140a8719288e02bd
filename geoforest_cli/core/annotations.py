"""Annotations of parameters, taken apart: alternatives, bounds, words."""

from __future__ import annotations

import types
import typing
from typing import Annotated, Any, Literal, Union

__all__ = ["choices", "members", "split"]


def members(annotation: Any) -> list[Any]:
    """Return the members of a union, those of unions within it too."""
    if typing.get_origin(annotation) in {Union, types.UnionType}:
        return [inner for part in typing.get_args(annotation) for inner in members(part)]
    if typing.get_origin(annotation) is Annotated:
        inner = typing.get_args(annotation)[0]
        if typing.get_origin(inner) in {Union, types.UnionType}:
            return members(inner)
    return [annotation]


def choices(annotation: Any) -> list[str]:
    """Return the texts that an annotation allows.

    Examples
    --------
    >>> choices(int | Literal["sqrt", "all"] | None)
    ['sqrt', 'all']
    """
    return [
        value
        for member in members(annotation)
        if typing.get_origin(member) is Literal
        for value in typing.get_args(member)
        if isinstance(value, str)
    ]


def split(annotation: Any) -> tuple[Any, list[Any]]:
    """Return the type proper, and its bounds, as `pydantic.Field` has them."""
    if typing.get_origin(annotation) is not Annotated:
        return annotation, []
    base, *metadata = typing.get_args(annotation)
    return base, [bound for item in metadata for bound in getattr(item, "metadata", [item])]
