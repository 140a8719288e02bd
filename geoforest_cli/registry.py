"""Tables of things that a config can name, imported only when they are used."""

from __future__ import annotations

import functools
import importlib
import inspect
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import pydantic

from geoforest_cli import hints
from geoforest_cli.errors import Unavailable, UserError
from geoforest_cli.strict import Model

__all__ = ["Entry", "Registry", "parameter_model"]

_SET_BY_ENGINE = frozenset({"random_state", "n_jobs"})
_NAMED = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)


@dataclass(frozen=True)
class Entry:
    """One thing a config can name.

    Attributes
    ----------
    name : str
        What configs call it.
    target : str
        ``"package.module:attribute"``, imported by `load`.
    about : str
        One line for ``geoforest list``.
    version : int
        Raised when its results change; cells that used it are then computed again.
    cite : tuple of str
        What to cite, in BibTeX.
    extra : mapping
        What the kind of thing needs beside that.

    Examples
    --------
    >>> Entry("root", "math:sqrt", "the square root").load()(9.0)
    3.0
    """

    name: str
    target: str
    about: str
    version: int = 1
    cite: tuple[str, ...] = ()
    extra: Mapping[str, Any] = field(default_factory=dict)

    def load(self) -> Any:
        """Import and return the thing itself.

        Raises
        ------
        Unavailable
            If something it needs is not installed.
        """
        module, _, attribute = self.target.partition(":")
        try:
            return getattr(importlib.import_module(module), attribute)
        except ImportError as error:
            cause = " ".join(str(error).split())
            raise Unavailable(f"{self.name!r} cannot be loaded here: {cause}") from error


class _Parameters(Model):
    """Base of the models that are built from a signature."""

    model_config = pydantic.ConfigDict(arbitrary_types_allowed=True)


class Registry(Mapping[str, Entry]):
    """A table of entries of one kind.

    Parameters
    ----------
    kind : str
        What an entry is, in the singular: "method".
    entries : iterable of Entry
        Their order is kept.

    Examples
    --------
    >>> shapes = Registry("shape", [Entry("helix", "math:sin", "a spiral")])
    >>> list(shapes)
    ['helix']
    >>> shapes["helx"]
    Traceback (most recent call last):
    geoforest_cli.errors.UserError: unknown shape 'helx'; did you mean 'helix'? (known: helix)
    """

    def __init__(self, kind: str, entries: Iterable[Entry] = ()) -> None:
        self.kind = kind
        self._entries: dict[str, Entry] = {}
        for entry in entries:
            if entry.name in self._entries:
                raise ValueError(f"two entries of the {kind} table are called {entry.name!r}")
            self._entries[entry.name] = entry

    def __getitem__(self, name: str) -> Entry:
        try:
            return self._entries[name]
        except KeyError:
            raise UserError(hints.unknown(self.kind, name, self._entries)) from None

    def __contains__(self, name: object) -> bool:
        return name in self._entries

    def __iter__(self) -> Iterator[str]:
        return iter(self._entries)

    def __len__(self) -> int:
        return len(self._entries)

    def __repr__(self) -> str:
        return f"Registry({self.kind!r}, {list(self._entries)})"

    def check(self, name: str) -> str:
        """Return the name if it is known, for use as a pydantic validator.

        Raises
        ------
        ValueError
            With a spelling hint.
        """
        if name not in self._entries:
            raise ValueError(hints.unknown(self.kind, name, self._entries))
        return name


@functools.cache
def parameter_model(cls: type) -> type[pydantic.BaseModel]:
    """Return the model of a class's parameters, built from its annotated ``__init__``.

    Unknown parameters are refused and nothing is converted but int to float. What the engine
    sets itself, ``random_state`` and ``n_jobs``, is left out.

    Examples
    --------
    >>> from typing import Annotated
    >>> class Method:
    ...     def __init__(self, trees: Annotated[int, pydantic.Field(ge=1)] = 300): ...
    >>> parameter_model(Method)(trees=5).model_dump()
    {'trees': 5}
    """
    fields: dict[str, Any] = {}
    for name, parameter in inspect.signature(cls, eval_str=True).parameters.items():
        if parameter.kind in _NAMED and name not in _SET_BY_ENGINE:
            nothing = inspect.Parameter.empty
            annotation = Any if parameter.annotation is nothing else parameter.annotation
            default = ... if parameter.default is nothing else parameter.default
            fields[name] = (annotation, default)
    return pydantic.create_model(f"{cls.__name__}Parameters", __base__=_Parameters, **fields)
