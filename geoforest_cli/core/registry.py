"""Tables of things that a config can name, imported only when they are used."""

from __future__ import annotations

import functools
import importlib
import importlib.metadata
import importlib.util
import inspect
import sys
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Generic, TypeVar

import pydantic

from geoforest_cli.core import suggestions, user_modules
from geoforest_cli.core.errors import Unavailable, UserError
from geoforest_cli.core.models import Model

__all__ = ["Entry", "Registry", "init_parameters", "parameter_model"]

_SET_BY_ENGINE = frozenset({"random_state", "n_jobs", "verbose"})
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
    version : int or str
        Changes when its results do; cells that used it are then computed again. That of a user's
        own is the digest of its file.
    cite : tuple of str
        What to cite, in BibTeX.

    Examples
    --------
    >>> Entry("root", "math:sqrt", "the square root").load()(9.0)
    3.0
    """

    name: str
    target: str
    about: str
    version: int | str = 1
    cite: tuple[str, ...] = ()

    def load(self) -> Any:
        """Import and return the thing itself.

        Raises
        ------
        Unavailable
            If something it needs is not installed.
        UserError
            If the module does not have it.
        """
        module, _, attribute = self.target.partition(":")
        file = user_modules.find_module(module) if self.name == self.target else None
        try:
            loaded = user_modules.load(*file) if file else importlib.import_module(module)
        except ImportError as error:
            cause = " ".join(str(error).split())
            raise Unavailable(f"{self.name!r} cannot be loaded here: {cause}") from error
        if not hasattr(loaded, attribute):
            public = [name for name in vars(loaded) if not name.startswith("_")]
            raise UserError(
                f"{self.name!r}: {suggestions.unknown(f'name in {module}', attribute, public)}"
            )
        return getattr(loaded, attribute)


E = TypeVar("E", bound=Entry)


class _Parameters(Model):
    """Base of the models that are built from a signature."""

    model_config = pydantic.ConfigDict(arbitrary_types_allowed=True)


class Registry(Mapping[str, E], Generic[E]):
    """A table of entries of one kind.

    Parameters
    ----------
    kind : str
        What an entry is, in the singular: "method".
    entries : iterable of Entry
        Their order is kept.
    make_entry : callable, optional
        Makes an entry of a user's own thing from that entry's name, target, about and version;
        then ``my_module:MyThing`` names one beside the config, and packages can bring more
        through the entry points of the group ``geoforest.<kind>s``.

    Examples
    --------
    >>> shapes = Registry("shape", [Entry("helix", "math:sin", "a spiral")])
    >>> list(shapes)
    ['helix']
    >>> shapes["helx"]
    Traceback (most recent call last):
    geoforest_cli.core.errors.UserError: unknown shape 'helx'; did you mean 'helix'? (known: helix)
    """

    def __init__(
        self,
        kind: str,
        entries: Iterable[E] = (),
        make_entry: Callable[[str, str, str, str], E] | None = None,
    ) -> None:
        self.kind = kind
        self._make_entry = make_entry
        self._entries = {entry.name: entry for entry in entries}

    def __getitem__(self, name: str) -> E:
        if name in self._all_entries:
            return self._all_entries[name]
        if self._make_entry is not None and ":" in name:
            return self._of_the_user(name)
        raise UserError(suggestions.unknown(self.kind, name, self._all_entries))

    def __contains__(self, name: object) -> bool:
        return name in self._all_entries or (self._make_entry is not None and ":" in str(name))

    def __iter__(self) -> Iterator[str]:
        return iter(self._all_entries)

    def __len__(self) -> int:
        return len(self._all_entries)

    def check(self, name: str) -> str:
        """Return the name if it is known, for use as a pydantic validator.

        Raises
        ------
        ValueError
            With a spelling hint.
        """
        try:
            entry = self[name]
            if ":" in name:
                entry.load()
        except UserError as error:
            raise ValueError(str(error)) from None
        return name

    @functools.cached_property
    def _all_entries(self) -> Mapping[str, E]:
        """The table's own entries, then those that installed packages bring."""
        brought: dict[str, E] = {}
        if self._make_entry is not None:
            for point in importlib.metadata.entry_points(group=f"geoforest.{self.kind}s"):
                package = point.dist.name if point.dist else point.module
                version = f"{package} {point.dist.version}" if point.dist else ""
                about = f"from the package {package}"
                brought[point.name] = self._make_entry(point.name, point.value, about, version)
        return self._entries | brought | self._entries

    def _of_the_user(self, name: str) -> E:
        module, _, attribute = name.partition(":")
        user_module = user_modules.find_module(module)
        path, root = user_module or (_installed(module), None)
        if path is None or not attribute:
            message = f"unknown {self.kind} {name!r}"
            where = "beside the config or among the installed packages"
            if _is_standard(module):
                raise UserError(f"{message}: {module!r} belongs to Python's standard library")
            raise UserError(f"{message}: there is no module {module!r} {where}")
        assert self._make_entry is not None
        installed = user_modules.is_installed(path) and not user_module
        version = _package(module.partition(".")[0]) if installed else ""
        version = version or user_modules.digest(path, root)
        return self._make_entry(name, name, f"user-defined, in {path.name}", version)


def _is_standard(module: str) -> bool:
    return module.partition(".")[0] in sys.stdlib_module_names


def _installed(module: str) -> Path | None:
    if not user_modules.is_module_name(module) or _is_standard(module):
        return None
    try:
        spec = importlib.util.find_spec(module)
    except (ImportError, ValueError):
        return None
    is_python = spec is not None and spec.origin is not None and spec.origin.endswith(".py")
    return Path(str(spec.origin)) if spec is not None and is_python else None


@functools.cache
def _package(module: str) -> str:
    """Return name and version of the package that has a module; empty if there is none."""
    packages = importlib.metadata.packages_distributions().get(module, [])
    return f"{packages[0]} {importlib.metadata.version(packages[0])}" if packages else ""


def init_parameters(cls: Any) -> Mapping[str, inspect.Parameter]:
    """Return the parameters of a class's ``__init__``, or of a function, annotations evaluated."""
    if not isinstance(cls, type):
        return inspect.signature(cls, eval_str=True).parameters
    # a class may show another signature, with shorter annotations
    init = inspect.getattr_static(cls, "__init__")
    if init is object.__init__:
        return {}
    _, *parameters = inspect.signature(init, eval_str=True).parameters.values()
    return {parameter.name: parameter for parameter in parameters}


@functools.cache
def parameter_model(cls: type, *, every: bool = False) -> type[pydantic.BaseModel]:
    """Return the model of a class's parameters, built from its annotated ``__init__``.

    Unknown parameters are refused and nothing is converted but int to float. What the engine sets
    itself, ``random_state``, ``n_jobs`` and ``verbose``, is left out unless `every` parameter is
    asked for.

    Examples
    --------
    >>> from typing import Annotated
    >>> class Method:
    ...     def __init__(self, trees: Annotated[int, pydantic.Field(ge=1)] = 300): ...
    >>> parameter_model(Method)(trees=5).model_dump()
    {'trees': 5}
    """
    fields: dict[str, Any] = {}
    for name, parameter in init_parameters(cls).items():
        if parameter.kind in _NAMED and (every or name not in _SET_BY_ENGINE):
            nothing = inspect.Parameter.empty
            annotation = Any if parameter.annotation is nothing else parameter.annotation
            default = ... if parameter.default is nothing else parameter.default
            fields[name] = (annotation, default)
    with warnings.catch_warnings():
        # a parameter may have the name of something that pydantic's models have, such as "copy"
        warnings.simplefilter("ignore", UserWarning)
        return pydantic.create_model(f"{cls.__name__}Parameters", __base__=_Parameters, **fields)
