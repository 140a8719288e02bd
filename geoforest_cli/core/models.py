"""The base of all models that check what a user wrote."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel, ConfigDict, GetCoreSchemaHandler

__all__ = ["Model"]

_CONTAINERS = frozenset({"tuple", "list", "set", "frozenset"})
_NO_SCHEMA = frozenset({"default", "metadata", "serialization"})


def _accept_lists(schema: Any) -> None:
    """Let a list stand for any container: strict mode takes tuples for tuples only."""
    if isinstance(schema, dict):
        if schema.get("type") in _CONTAINERS:
            schema["strict"] = False
        for key, part in schema.items():
            if key not in _NO_SCHEMA:
                _accept_lists(part)
    elif isinstance(schema, list | tuple):
        for part in schema:
            _accept_lists(part)


class Model(BaseModel):
    """Unknown keys are refused, and nothing is converted but int to float and list to tuple.

    Examples
    --------
    >>> class Params(Model):
    ...     k: tuple[int, ...]
    ...     scale: float = 1.0
    >>> Params(k=[5, 10], scale=2)
    Params(k=(5, 10), scale=2.0)
    """

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)

    @classmethod
    def __get_pydantic_core_schema__(
        cls, source: type[BaseModel], handler: GetCoreSchemaHandler
    ) -> Any:
        schema = handler(source)
        _accept_lists(schema)
        return schema
