"""A method and its parameters as a user names them, checked before anything runs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from pydantic import BaseModel, ValidationError

from geoforest_cli.core.errors import UserError
from geoforest_cli.core.registry import parameter_model
from geoforest_cli.core.suggestions import missing, unknown
from geoforest_cli.core.validation_messages import annotation_at, describe
from geoforest_cli.core.yaml_loader import parse
from geoforest_cli.estimators.methods import KINDS, METHODS, Kind, kind_of
from geoforest_cli.tables.choices import require_seed
from geoforest_cli.tables.messages import as_argument

__all__ = ["accepts_missing", "checked", "parse_pairs", "require_method", "require_seed"]


def parse_pairs(pairs: Iterable[str]) -> dict[str, Any]:
    """Read parameters that are written NAME=VALUE, the value in YAML.

    Raises
    ------
    UserError
        For a pair without "=", or a value that is not YAML.

    Examples
    --------
    >>> parse_pairs(["n_estimators=500", "max_search=null", "projection=axis"])
    {'n_estimators': 500, 'max_search': None, 'projection': 'axis'}
    """
    params = {}
    for pair in pairs:
        name, equals, value = pair.partition("=")
        argument = as_argument("params", pair)
        if not equals:
            raise UserError(f"{argument}: a parameter is NAME=VALUE, such as n_estimators=500")
        params[name] = parse(value, argument).data
    return params


def checked(
    method: str,
    params: Mapping[str, Any] | None,
    kind: Kind,
    shape: tuple[int, int] | None = None,
) -> dict[str, Any]:
    """Return the parameters if they suit the method.

    Parameters
    ----------
    method : str
        A name of the table of methods.
    params : mapping, optional
        The user's parameters.
    kind : str
        What the method has to be.
    shape : tuple of int, optional
        Height and width of images: the ``image_shape`` of methods that have one.

    Raises
    ------
    UserError
        For a method that is unknown or of another kind, or a parameter that is wrong.

    Examples
    --------
    >>> checked("isomap", {"n_neighbors": 5}, "neighbors")
    {'n_neighbors': 5}
    >>> checked("k_means", {"k": 5}, "clusters")
    Traceback (most recent call last):
    geoforest_cli.core.errors.UserError: params={'k': 5}: k_means has no parameter 'k' (known: \
rescale, starts)
    """
    require_method(method, kind)
    model = parameter_model(METHODS[method].load())
    given = dict(params or {})
    if shape is not None and "image_shape" in model.model_fields:
        given.setdefault("image_shape", shape)
        _fit_patches(model, given, shape)
    for name, value in given.items():
        if name not in model.model_fields:
            argument = as_argument("params", {name: value})
            raise UserError(f"{argument}: {missing(method, 'parameter', name, model.model_fields)}")
    try:
        model.model_validate(given)
    except ValidationError as error:
        raise UserError(_sentence(method, given, model, error.errors()[0])) from None
    return given


def _fit_patches(model: type[BaseModel], given: dict[str, Any], shape: tuple[int, int]) -> None:
    """Make default patches no larger than the images."""
    for name, most in zip(("patch_height", "patch_width"), shape, strict=True):
        default = model.model_fields[name].default if name in model.model_fields else None
        if isinstance(default, tuple) and default[1] > most:
            given.setdefault(name, (min(default[0], most), most))


def require_method(method: str, kind: Kind) -> None:
    """Refuse a method that is unknown or of another kind.

    Raises
    ------
    UserError
    """
    fitting = [name for name, entry in METHODS.items() if entry.kind == kind]
    if method not in METHODS:
        raise UserError(f"{as_argument('method')}: {unknown('method', method, fitting)}")
    if (other := kind_of(method)) not in {kind, None}:
        raise UserError(f"{as_argument('method', method)}: {_kind_message(other, kind, fitting)}")


def _kind_message(actual: Kind | None, wanted: Kind, fitting: Iterable[str]) -> str:
    """Say what a method of another kind is, and who takes it."""
    about, verb = KINDS[actual] if actual is not None else ("something else", "")
    function = {"neighbors": "find_neighbors", "classify": "cross_validate"}
    who = f"{as_argument(function[verb])} takes it" if verb in function else "a config takes it"
    what, _ = KINDS[wanted]
    return f"it is among the {about.lower()}: {who}; the {what.lower()} are {', '.join(fitting)}"


def _sentence(
    method: str, given: Mapping[str, Any], model: type[BaseModel], problem: Mapping[str, Any]
) -> str:
    name = str(problem["loc"][0]) if problem["loc"] else ""
    allowed = describe(annotation_at(model, (name,))) if name else ""
    if name not in given:
        way = f" ({as_argument('shape')})" if name == "image_shape" else ""
        what = f"{name} must be given{way}" if name else problem["msg"]
        return f"{as_argument('method', method)}: {what}"
    return f"{as_argument('params', {name: given[name]})}: {name} " + (
        f"must be {allowed}" if allowed else problem["msg"]
    )


def accepts_missing(method: str) -> bool:
    """Return whether a method takes missing values.

    Examples
    --------
    >>> accepts_missing("rf"), accepts_missing("knn")
    (True, False)
    """
    return "missing" in parameter_model(METHODS[method].load()).model_fields
