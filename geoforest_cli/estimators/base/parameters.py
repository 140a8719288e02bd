"""Parameters of estimators: checked in `fit` by their annotations, in scikit-learn's words.

The annotations are the only place that says what a parameter may be: they validate configs too.
"""

from __future__ import annotations

import typing
from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Literal

import numpy as np
from pydantic import Field, TypeAdapter, ValidationError
from sklearn.utils import check_random_state

from geoforest_cli.core.annotations import choices, members, split
from geoforest_cli.core.errors import InvalidParameterError
from geoforest_cli.core.registry import init_parameters, parameter_model
from geoforest_cli.core.suggestions import suggest

__all__ = [
    "Jobs",
    "PositiveFloat",
    "PositiveInt",
    "Seed",
    "TwoOrMore",
    "check_argument",
    "check_parameters",
    "describe",
    "root_seed",
    "seed_31_bits",
]

PositiveInt = Annotated[int, Field(ge=1)]
PositiveFloat = Annotated[float, Field(gt=0)]
TwoOrMore = Annotated[int, Field(ge=2)]
Seed = int | None
Jobs = Annotated[int, Field(le=-1)] | Annotated[int, Field(ge=1)] | None
_NUMBERS = {int: "an int", float: "a float"}


def check_parameters(estimator: Any) -> None:
    """Refuse a parameter that its annotation in ``__init__`` does not allow.

    Numpy's integers and floats are ints and floats, and an int is a float too; a bool is neither.

    Raises
    ------
    InvalidParameterError

    Examples
    --------
    >>> class Forest:
    ...     def __init__(self, trees: Annotated[int, Field(ge=1)] = 300): self.trees = trees
    >>> check_parameters(Forest(np.int64(5)))
    >>> check_parameters(Forest(0))
    Traceback (most recent call last):
    geoforest_cli.core.errors.InvalidParameterError: The 'trees' parameter of Forest must be an \
int in the range [1, inf). Got 0 instead.
    """
    cls: type = type(estimator)
    model = parameter_model(cls, every=True)
    values = {name: getattr(estimator, name) for name in model.model_fields}
    try:
        model.model_validate({name: _plain(value) for name, value in values.items()})
    except ValidationError as error:
        problem = error.errors()[0]
        name = str(problem["loc"][0])
        annotation = init_parameters(cls)[name].annotation
        sentence = _sentence(annotation, values[name], problem)
        raise InvalidParameterError(
            f"The {name!r} parameter of {cls.__name__} {sentence}"
        ) from None


def check_argument(name: str, value: object, annotation: Any) -> None:
    """Refuse an argument of a method that an annotation does not allow, as `check_parameters`.

    Raises
    ------
    InvalidParameterError

    Examples
    --------
    >>> check_argument("weights", "gpa", Literal["uniform", "gap"])
    Traceback (most recent call last):
    geoforest_cli.core.errors.InvalidParameterError: The 'weights' argument must be a str among \
{'uniform', 'gap'}. Got 'gpa' instead. Did you mean 'gap'?
    """
    try:
        TypeAdapter(annotation).validate_python(_plain(value), strict=True)
    except ValidationError as error:
        sentence = _sentence(annotation, value, error.errors()[0])
        raise InvalidParameterError(f"The {name!r} argument {sentence}") from None


def seed_31_bits(random_state: Seed) -> Seed:
    """Return a seed that every package takes.

    Examples
    --------
    >>> seed_31_bits(2**40 + 5), seed_31_bits(None)
    (5, None)
    """
    return None if random_state is None else int(random_state) % 2**31


def root_seed(random_state: Any) -> int:
    """Return the seed that a scikit-learn random_state stands for.

    Examples
    --------
    >>> root_seed(5), root_seed(None) == root_seed(None)
    (5, False)
    """
    if isinstance(random_state, int | np.integer):
        return int(random_state)
    return int(check_random_state(random_state).randint(0, 2**31 - 1))


def _sentence(annotation: Any, value: object, problem: Mapping[str, Any]) -> str:
    if problem["type"] == "value_error":
        # a validator of its own, which says what is wrong
        return f"is {value!r}: {problem['ctx']['error']}"
    suggestion = suggest(value, choices(annotation)) if isinstance(value, str) else None
    hint = f" Did you mean {suggestion!r}?" if suggestion else ""
    return f"must be {describe(annotation)}. Got {value!r} instead.{hint}"


def _plain(value: Any) -> Any:
    """Return numpy's numbers and arrays as Python's."""
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, np.ndarray):
        return value.tolist()
    if type(value) in {list, tuple}:
        return [_plain(item) for item in value]
    return value


def describe(annotation: Any) -> str:
    """Return what a parameter may be, in scikit-learn's words.

    Examples
    --------
    >>> describe(Annotated[int, Field(ge=1)] | Literal["sqrt", "all"] | None)
    "an int in the range [1, inf), a str among {'sqrt', 'all'} or None"
    >>> describe(Annotated[float, Field(gt=0, le=1)])
    'a float in the range (0.0, 1.0]'
    >>> describe(bool)
    "an instance of 'bool'"
    """
    words = ", ".join(map(repr, choices(annotation)))
    kinds = list(dict.fromkeys(_described(kind, words) for kind in members(annotation)))
    return f"{', '.join(kinds[:-1])} or {kinds[-1]}" if len(kinds) > 1 else kinds[0]


def _described(annotation: Any, words: str) -> str:
    base, bounds = split(annotation)
    if typing.get_origin(base) is Literal:
        return f"a str among {{{words}}}"
    if base is type(None):
        return "None"
    if base in _NUMBERS and bounds:
        return f"{_NUMBERS[base]} in the range {_range(base, bounds)}"
    if typing.get_origin(base) is tuple:
        return f"a tuple ({', '.join(describe(item) for item in typing.get_args(base))})"
    kind = typing.get_origin(base) or base
    return f"an instance of {getattr(kind, '__name__', str(kind))!r}"


def _range(base: type, bounds: Sequence[Any]) -> str:
    low, high = "(-inf", "inf)"
    for bound in bounds:
        if hasattr(bound, "ge"):
            low = f"[{base(bound.ge)}"
        elif hasattr(bound, "gt"):
            low = f"({base(bound.gt)}"
        elif hasattr(bound, "le"):
            high = f"{base(bound.le)}]"
        elif hasattr(bound, "lt"):
            high = f"{base(bound.lt)})"
    return f"{low}, {high}"
