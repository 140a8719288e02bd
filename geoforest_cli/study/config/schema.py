"""Keys and values of a config."""

from __future__ import annotations

import re
from typing import Annotated, Any, Literal

from pydantic import (
    BeforeValidator,
    ByteSize,
    Field,
    TypeAdapter,
    ValidationError,
    field_validator,
)

from geoforest_cli.core.models import Model
from geoforest_cli.study.config.answer import AnswerTemplate, as_list
from geoforest_cli.study.repetition import Split, Unit

__all__ = ["Case", "Config", "Method", "Model", "Variant", "VariantName"]

VariantName = Literal["as_written", "as_run", "recommended"]
_SIZE = TypeAdapter(ByteSize)
_MAX_BYTES = 10**15  # bytes; the store holds no number beyond 2^63
_LONGEST = 1e9  # seconds


def _mapping(value: Any) -> Any:
    """`as_run:` without anything after it means: nothing to add."""
    return {} if value is None else value


def _bytes(value: Any) -> Any:
    if value is None or (isinstance(value, int) and not isinstance(value, bool)):
        return value
    try:
        # pydantic reads as far as it understands: "6 GB or so" is no size
        if isinstance(value, str) and re.fullmatch(ByteSize.byte_string_pattern, value.strip()):
            return int(_SIZE.validate_python(value))
    except (ValidationError, OverflowError):
        pass
    allowed = "a number and a unit (kB, MB, GB, TB, KiB, MiB, GiB, TiB), such as '6 GB'"
    raise ValueError(f"a size is {allowed}, not {value!r}")


Mapping_ = Annotated[dict[str, Any], BeforeValidator(_mapping)]
Values = Annotated[tuple[Any, ...], BeforeValidator(as_list), Field(min_length=1)]
Positive = Annotated[int, Field(ge=1)]


class Case(Model):
    """Other parameters or repetitions at some grid points.

    Attributes
    ----------
    when : dict
        Grid parameter -> values at which the case applies.
    leave_out : bool
        Run nothing there: it would take too long.
    """

    when: dict[str, Values] = Field(min_length=1)
    params: Mapping_ = Field(default_factory=dict)
    repetitions: Positive | None = None
    leave_out: bool = False


class Variant(Model):
    """One variant of a method: what it adds to the method's parameters.

    Attributes
    ----------
    sample : dict
        Other parameters of the experiment for this variant's cells: a sample of another size, say.
    """

    params: Mapping_ = Field(default_factory=dict)
    sample: Mapping_ = Field(default_factory=dict)
    cases: tuple[Case, ...] = ()
    repetitions: Positive | None = None


class Method(Model):
    """A method of a config.

    Attributes
    ----------
    use : str, optional
        Its name in the table of methods; by default the key in the config.
    label : str, optional
        Its name in figures.
    from_grid : dict
        Parameter of the method -> the grid parameter it takes its values from.
    variants : dict
        Without any it has one, "recommended".
    """

    use: str | None = None
    label: str | None = None
    from_grid: dict[str, str] = Field(default_factory=dict)
    params: Mapping_ = Field(default_factory=dict)
    variants: dict[VariantName, Annotated[Variant, BeforeValidator(_mapping)]] = Field(
        default={"recommended": Variant()}, min_length=1
    )


class Config(Model):
    """A config with one profile applied.

    Attributes
    ----------
    grid : dict
        Parameter -> values; every combination is a grid point.
    also : tuple of dict
        Further grids: each replaces the values of some of the grid's parameters.
    repetitions : int
        Of each method at each grid point.
    timeout : float
        Seconds a cell may take.
    memory : int, optional
        Bytes a cell may hold.
    leave_out : tuple of str
        Methods that are not run; claims may still name them.
    unit : {"sample", "split", "seed", "query"}, optional
        What a repetition is, see `geoforest_cli.study.repetition`; by default the experiment's.
    split : Split, optional
        For splits of one table, the share of it that is tested or trained on.
    sentences : dict
        Key -> a sentence of the paper that claims are parts or readings of.
    claims, published : tuple of dict
        Checked, like the sentences, by those who read them.
    question, answer
        What a reader asks of the artifact, and the sentence that answers it, filled in from
        claims and rows; no part of what a cell is.
    figure, more_figures : dict
        What the experiment's ``draw`` is told; each further figure has a name.
    """

    title: str
    paper: str | None = None
    artifact: str | None = None
    about: str = ""
    question: str = ""
    answer: AnswerTemplate | None = None
    experiment: str
    seed: Annotated[int, Field(ge=0)] = 0
    repetitions: Positive = 1
    timeout: Annotated[float, Field(gt=0, le=_LONGEST)] = 3600.0
    memory: Annotated[int, Field(gt=0, le=_MAX_BYTES)] | None = None
    params: Mapping_ = Field(default_factory=dict)
    grid: dict[str, Values] = Field(min_length=1)
    also: tuple[dict[str, Values], ...] = ()
    methods: dict[str, Method] = Field(min_length=1)
    leave_out: tuple[str, ...] = ()
    unit: Unit | None = None
    split: Split | None = None
    sentences: dict[str, dict[str, Any]] = Field(default_factory=dict)
    claims: tuple[dict[str, Any], ...] = ()
    published: tuple[dict[str, Any], ...] = ()
    figure: Mapping_ = Field(default_factory=dict)
    more_figures: dict[str, Mapping_] = Field(default_factory=dict)

    _size = field_validator("memory", mode="before")(_bytes)

    @property
    def grids(self) -> tuple[dict[str, tuple[Any, ...]], ...]:
        """The grid, and one for each item of `also`."""
        return tuple({**self.grid, **other} for other in ({}, *self.also))

    @property
    def grid_values(self) -> dict[str, tuple[Any, ...]]:
        """Every value that a grid parameter takes."""
        by_parameter: dict[str, list[Any]] = {name: [] for name in self.grid}
        for grid in self.grids:
            for name, values in grid.items():
                by_parameter[name] += [value for value in values if value not in by_parameter[name]]
        return {name: tuple(values) for name, values in by_parameter.items()}
