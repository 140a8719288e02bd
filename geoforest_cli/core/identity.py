"""Hash of what a cell is; and the seeds that come from the part of it that stays."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from typing import Any

__all__ = ["canonical", "derive_seed", "digest", "same_numbers"]


def canonical(value: Any) -> Any:
    """Return what is hashed for a value: mappings sorted, tuples as lists, numbers as they are.

    Values are validated before they are hashed, so that 70 written for a float is 70.0 already;
    and 2 projections are not the same as 2.0 times the square root.

    Examples
    --------
    >>> canonical({"b": (1.0, 2.5), "a": 3})
    {'a': 3, 'b': [1.0, 2.5]}
    """
    if isinstance(value, Mapping):
        return {str(key): canonical(value[key]) for key in sorted(value)}
    if isinstance(value, list | tuple):
        return [canonical(item) for item in value]
    if isinstance(value, set | frozenset):
        return sorted((canonical(item) for item in value), key=repr)
    return value


def digest(value: Any) -> str:
    """Return the sha256 of a value's canonical JSON, in hexadecimal digits."""
    text = json.dumps(canonical(value), separators=(",", ":"), default=str)
    return hashlib.sha256(text.encode()).hexdigest()


def derive_seed(*parts: Any) -> int:
    """Return a 63-bit seed that depends on nothing but the parts.

    Examples
    --------
    >>> derive_seed("sample", 1, {"n": 10}) == derive_seed("sample", 1, {"n": 10})
    True
    """
    return int(digest(list(parts))[:16], 16) >> 1


def same_numbers(value: Any) -> Any:
    """Return a value as YAML means it before it is validated: 70 and 70.0 are the same.

    Examples
    --------
    >>> same_numbers([70.0, True]) == same_numbers([70, True])
    True
    >>> same_numbers(1) == same_numbers(True)
    False
    """
    if isinstance(value, list | tuple):
        return tuple(same_numbers(item) for item in value)
    if isinstance(value, int | float) and not isinstance(value, bool):
        return ("number", float(value))
    return repr(value)
