"""The base of all estimators: each parameter is stated once, as an annotated field of its class."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, dataclass_transform

from sklearn.base import BaseEstimator

from geoforest_cli.estimators.base.parameters import check_parameters
from geoforest_cli.estimators.base.validation import require_numeric_columns

__all__ = ["Estimator"]

# the methods that take new rows
_OF_NEW_ROWS = {"predict", "predict_proba", "transform", "kneighbors", "apply"}


@dataclass_transform(kw_only_default=True, eq_default=False, field_specifiers=(field,))
class Estimator(BaseEstimator):
    """A scikit-learn estimator whose annotated fields are its parameters.

    ``__init__`` is generated from the fields of the class and of its parents, as by `dataclass`:
    keyword-only, but for those declared with ``field(default=..., kw_only=False)``. Names that are
    no parameters are annotated with `ClassVar`, or in `fit`. `fit` first refuses what the
    annotations do not allow. A subclass without one of its parent's parameters has an
    ``__init__`` of its own.

    Examples
    --------
    >>> class Mean(Estimator):
    ...     trimmed: bool = False
    ...     def fit(self, X, y=None): return self
    >>> Mean(trimmed=True)
    Mean(trimmed=True)
    >>> Mean(trimmed=3).fit([[1.0]])
    Traceback (most recent call last):
    geoforest_cli.core.errors.InvalidParameterError: The 'trimmed' parameter of Mean must be an \
instance of 'bool'. Got 3 instead.
    """

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        cls._annotation_texts = inspect.get_annotations(cls)
        # as objects: text would be evaluated in the module of a subclass that inherits the field
        cls.__annotations__ = inspect.get_annotations(cls, eval_str=True)
        if cls.__annotations__:
            dataclass(kw_only=True, eq=False, repr=False, init="__init__" not in vars(cls))(cls)
        cls.__signature__ = _readable_signature(cls)
        if "fit" in vars(cls):
            cls.fit = _checked(vars(cls)["fit"])
        for name in _OF_NEW_ROWS & vars(cls).keys():
            if inspect.isfunction(method := vars(cls)[name]):
                setattr(cls, name, _of_numbers(method))


def _readable_signature(cls: type) -> inspect.Signature:
    """Return the signature with annotations as they are written: "PositiveInt", say."""
    init = inspect.getattr_static(cls, "__init__")
    if init is object.__init__:
        return inspect.Signature()
    texts: dict[str, Any] = {}
    for base in reversed(cls.__mro__):
        texts |= vars(base).get("_annotation_texts", {})
    _, *parameters = inspect.signature(init).parameters.values()
    readable = [p.replace(annotation=texts.get(p.name, p.annotation)) for p in parameters]
    return inspect.Signature(readable)


def _of_numbers(method: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(method)
    def method_of_numbers(self: Any, *args: Any, **kwargs: Any) -> Any:
        require_numeric_columns(args[0] if args else kwargs.get("X"))
        return method(self, *args, **kwargs)

    return method_of_numbers


def _checked(fit: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(fit)
    def checked_fit(self: Any, *args: Any, **kwargs: Any) -> Any:
        check_parameters(self)
        require_numeric_columns(args[0] if args else kwargs.get("X"))
        return fit(self, *args, **kwargs)

    return checked_fit
