"""Parameters of estimators: checked in `fit` by their annotations.

The annotations are the only place that says what a parameter may be: they validate configs too.
"""

from __future__ import annotations

from typing import Annotated, Any

import numpy as np
from pydantic import Field, ValidationError
from pydantic_core import ErrorDetails

from geoforest_cli.core.annotations import choices
from geoforest_cli.core.errors import InvalidParameterError
from geoforest_cli.core.registry import init_parameters, parameter_model
from geoforest_cli.core.suggestions import suggest
from geoforest_cli.core.validation_messages import describe

__all__ = [
    "Jobs",
    "PositiveFloat",
    "PositiveInt",
    "Seed",
    "TwoOrMore",
    "check_parameters",
    "seed_31_bits",
]

PositiveInt = Annotated[int, Field(ge=1)]
PositiveFloat = Annotated[float, Field(gt=0)]
TwoOrMore = Annotated[int, Field(ge=2)]
Seed = int | None
Jobs = Annotated[int, Field(le=-1)] | Annotated[int, Field(ge=1)] | None


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
    geoforest_cli.core.errors.InvalidParameterError: The 'trees' parameter of Forest must be a \
whole number of at least 1. Got 0 instead.
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


def seed_31_bits(random_state: Seed) -> Seed:
    """Return a seed that every package takes.

    Examples
    --------
    >>> seed_31_bits(2**40 + 5), seed_31_bits(None)
    (5, None)
    """
    return None if random_state is None else int(random_state) % 2**31


def _sentence(annotation: Any, value: object, problem: ErrorDetails) -> str:
    if problem["type"] == "value_error":
        # a validator of its own, which says what is wrong
        return f"is {value!r}: {problem['ctx']['error']}"
    near = suggest(value, choices(annotation)) if isinstance(value, str) else None
    hint = f" Did you mean {near!r}?" if near else ""
    return f"must be {describe(annotation, nothing='None')}. Got {value!r} instead.{hint}"


def _plain(value: Any) -> Any:
    """Return numpy's numbers and arrays as Python's."""
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, np.ndarray):
        return value.tolist()
    if type(value) in {list, tuple}:
        return [_plain(item) for item in value]
    return value
