"""What a config may say."""

from __future__ import annotations

import re
from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, field_validator, model_validator

__all__ = ["Case", "Config", "Method", "Model", "Variant", "VariantName"]

VariantName = Literal["as_written", "as_run", "recommended"]
_UNITS = {"B": 1, "KB": 10**3, "MB": 10**6, "GB": 10**9, "TB": 10**12}
_SIZE = re.compile(r"\s*([0-9.]+)\s*([KMGT]?B)\s*\Z", re.IGNORECASE)


class Model(BaseModel):
    """Base of all that a config holds: unknown keys are refused, nothing is converted."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)


def _tuple(value: Any) -> Any:
    """YAML has lists only; frozen models hold tuples."""
    return tuple(value) if isinstance(value, list) else value


def _mapping(value: Any) -> Any:
    """`as_run:` without anything after it means: nothing to add."""
    return {} if value is None else value


def _bytes(value: Any) -> Any:
    if not isinstance(value, str):
        return value
    match = _SIZE.match(value)
    if match is None:
        raise ValueError(f"a size is a number and a unit, such as '6 GB', not {value!r}")
    return int(float(match[1]) * _UNITS[match[2].upper()])


Mapping_ = Annotated[dict[str, Any], BeforeValidator(_mapping)]
Values = Annotated[tuple[Any, ...], BeforeValidator(_tuple), Field(min_length=1)]
Positive = Annotated[int, Field(ge=1)]


class Case(Model):
    """Other parameters or repetitions at some grid points.

    Attributes
    ----------
    when : dict
        Grid parameter -> values at which the case applies.
    """

    when: dict[str, Values] = Field(min_length=1)
    params: Mapping_ = {}
    repetitions: Positive | None = None


class Variant(Model):
    """One variant of a method: what it adds to the method's parameters."""

    params: Mapping_ = {}
    cases: Annotated[tuple[Case, ...], BeforeValidator(_tuple)] = ()
    repetitions: Positive | None = None


class Method(Model):
    """A method of a config.

    Attributes
    ----------
    use : str, optional
        Its name in the table of methods; by default the key in the config.
    label : str, optional
        Its name in figures.
    """

    use: str | None = None
    label: str | None = None
    params: Mapping_ = {}
    variants: dict[VariantName, Annotated[Variant, BeforeValidator(_mapping)]] = Field(min_length=1)


class Config(Model):
    """A config with one profile applied."""

    title: str
    paper: str | None = None
    artifact: str | None = None
    about: str = ""
    experiment: str
    seed: Annotated[int, Field(ge=0)] = 0
    repetitions: Positive = 1
    timeout: Annotated[float, Field(gt=0)] = 3600.0
    memory: Annotated[int, Field(gt=0)] | None = None
    params: Mapping_ = {}
    grid: dict[str, Values] = Field(min_length=1)
    methods: dict[str, Method] = Field(min_length=1)
    claims: Annotated[tuple[dict[str, Any], ...], BeforeValidator(_tuple)] = ()
    published: Annotated[tuple[dict[str, Any], ...], BeforeValidator(_tuple)] = ()
    figure: Mapping_ = {}

    _size = field_validator("memory", mode="before")(_bytes)

    @field_validator("grid")
    @classmethod
    def _distinct(cls, grid: dict[str, tuple[Any, ...]]) -> dict[str, tuple[Any, ...]]:
        for name, values in grid.items():
            for i, value in enumerate(values):
                if value in values[:i]:
                    raise ValueError(f"{value!r} stands twice in grid.{name}")
        return grid

    @model_validator(mode="after")
    def _apart(self) -> Config:
        both = sorted(set(self.params) & set(self.grid))
        if both:
            raise ValueError(f"{both[0]!r} stands both in params and in grid")
        return self
