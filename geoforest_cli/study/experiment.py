"""Base classes of experiments: everything that a module of an experiment imports.

An experiment is a class. It names the kinds of method it can run, the metrics it yields and its
parameters; `run_cell` does the work of one cell. What is misspelt is an error when the
class is defined.
"""

from __future__ import annotations

import inspect
from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import (
    TYPE_CHECKING,
    Annotated,
    Any,
    ClassVar,
    Generic,
    Literal,
    TypeAlias,
    TypeVar,
    get_args,
    get_origin,
)

import numpy as np
from pydantic import AfterValidator, BaseModel, Field

from geoforest_cli.core import suggestions
from geoforest_cli.core.identity import derive_seed
from geoforest_cli.core.models import Model
from geoforest_cli.core.registry import Entry, Registry
from geoforest_cli.estimators import methods
from geoforest_cli.problems.manifolds import MANIFOLDS
from geoforest_cli.problems.manifolds.sample import SampleKind
from geoforest_cli.problems.metrics.kinds import MetricKind
from geoforest_cli.study.figures.options import Boxes, Curves, Scatter
from geoforest_cli.study.repetition import Unit

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from geoforest_cli.study.figures.context import Context

__all__ = [
    "AfterDraw",
    "Boxes",
    "Context",
    "Count",
    "Curves",
    "Experiment",
    "Inner",
    "ManifoldName",
    "Model",
    "Params",
    "Row",
    "Scatter",
    "Task",
    "Uses",
    "drawing",
]

T = TypeVar("T")
P_co = TypeVar("P_co", bound="Params", covariant=True)
Purpose: TypeAlias = Literal["sample", "method", "ties", "repetition"]
Scalar: TypeAlias = bool | int | float | str | None


_INNER, _AFTER_DRAW = "inner", "after draw"

Count: TypeAlias = Annotated[int, Field(ge=1)]
# a grid parameter that is evaluated inside the cell: many values, one fit
Inner: TypeAlias = Annotated[tuple[T, ...], _INNER]
# a parameter that acts on a sample once it is drawn: the draw is the same for all its values
AfterDraw: TypeAlias = Annotated[T, _AFTER_DRAW]


class Uses:
    """Mark a parameter that names something: its version becomes part of a cell's identity.

    Parameters
    ----------
    *registries : Registry
        Where the name is looked up; one that is in none of them brings nothing.
    """

    def __init__(self, *registries: Registry[Any]) -> None:
        self.registries = registries

    def entries(self, name: object) -> list[tuple[str, Entry]]:
        """Return what a name stands for, each with the kind of thing it is."""
        return [(r.kind, r[name]) for r in self.registries if isinstance(name, str) and name in r]


ManifoldName: TypeAlias = Annotated[str, AfterValidator(MANIFOLDS.check), Uses(MANIFOLDS)]


def __getattr__(name: str) -> Any:
    # a cell draws nothing: matplotlib and pandas are loaded where they are used
    if name == "Context":
        from geoforest_cli.study.figures.context import Context

        return Context
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def drawing(thing: T) -> T:
    """Mark a function or class that only draws: editing it makes no cell run again."""
    return thing


class Params(Model):
    """Parameters of one cell of an experiment; subclass it, one annotated field each."""


@dataclass(frozen=True, init=False, slots=True)
class Row:
    """One value of a cell.

    Parameters
    ----------
    metric : str
    value : float
    status : {"ok", "disconnected", "undefined"}
        Why there is no number, if there is none.
    **at
        Inner grid parameters and columns of detail that the value belongs to.

    Examples
    --------
    >>> Row("precision", 0.5, k=10).at
    {'k': 10}
    """

    metric: str
    value: float
    status: str
    at: Mapping[str, Scalar]

    def __init__(self, metric: str, value: float, status: str = "ok", **at: Scalar) -> None:
        for name, given in (("metric", metric), ("value", value), ("status", status), ("at", at)):
            object.__setattr__(self, name, given)


@dataclass(frozen=True)
class Task(Generic[P_co]):
    """Arguments of an experiment's `run_cell`.

    Attributes
    ----------
    params : Params
        The experiment's validated parameters at one grid point.
    method : str
        Registry name.
    method_params : dict
        Validated, defaults filled in.
    variant : {"as_written", "as_run", "recommended"}
    repetition : int
    sample_seed, method_seed, metric_seed, repetition_seed : int
        What `seed` and `rng` start from.
    """

    params: P_co
    method: str
    method_params: Mapping[str, Any]
    variant: str
    repetition: int
    sample_seed: int
    method_seed: int
    metric_seed: int
    repetition_seed: int = 0

    @property
    def sample_kind(self) -> SampleKind:
        """Kind of sample: the recommended variant uses the sample as written."""
        return "as_run" if self.variant == "as_run" else "as_written"

    @property
    def kind(self) -> methods.Kind | None:
        """Kind of the method: "neighbors", "metric" and so on."""
        return methods.kind_of(self.method)

    def build_method(self) -> Any:
        """Return a new instance of the method, seeded, on one thread."""
        return methods.build(self.method, self.method_params, seed=self.method_seed, n_jobs=1)

    def seed(self, purpose: Purpose, *at: int | str) -> int:
        """Return the random seed for one purpose.

        Parameters
        ----------
        purpose : {"sample", "method", "ties", "repetition"}
            A seed for the sample is the same for all methods of a grid point and repetition, one
            for the method for all versions and variants of a method there, one for the repetition
            for all its cells: for samples that are parts of one another. One for ties belongs to
            the method, variant, grid point and repetition.
        *at : int or str
            Tells apart several seeds for one purpose: ``task.seed("ties", k)``.

        Examples
        --------
        >>> task = Task(Params(), "euclidean", {}, "recommended", 0, 1, 2, 3)
        >>> task.seed("sample"), task.seed("sample", "test") == task.seed("sample", "train")
        (1, False)
        """
        seeds = {
            "sample": self.sample_seed,
            "method": self.method_seed,
            "ties": self.metric_seed,
            "repetition": self.repetition_seed,
        }
        if purpose not in seeds:
            raise ValueError(suggestions.unknown("purpose of a seed", purpose, seeds))
        if not at:
            return seeds[purpose]
        names = [part for part in at if isinstance(part, str)]
        numbers = [part for part in at if not isinstance(part, str)]
        return derive_seed(*names, seeds[purpose], *numbers)

    def rng(self, purpose: Purpose, *at: int | str) -> np.random.Generator:
        """Return NumPy's random generator for one purpose, see `seed`."""
        return np.random.default_rng(self.seed(purpose, *at))


class Experiment(ABC, Generic[P_co]):
    """A protocol: what one cell computes, and how the rows of all cells are drawn.

    Attributes
    ----------
    version : int
        Raised when the results change without a change of the experiment's own file.
    methods : tuple of str
        The kinds of method it can run.
    yields : tuple of str
        The metrics of its rows.
    detail : tuple of str
        Columns of rows that are too many for a table: one per point, say.
    uses : tuple of Entry
        What every cell uses without a parameter naming it: ``(MANIFOLDS["euler_spiral"],)``.
    measured : bool
        It measures time: its cells run alone, and their identity knows the processor.
    unit : {"sample", "split", "seed", "query"}
        What a repetition is, for the intervals of claims; a config can say otherwise.
    metric_kinds : mapping
        Metric -> `MetricKind`, for metrics that `METRIC_KINDS` does not know: shares, scores in a
        range and times are tested by rules of their own.
    figure : type
        What a config's ``figure`` section can say.

    Examples
    --------
    >>> class Sizes(Params):
    ...     n: Count
    >>> class Halves(Experiment[Sizes]):
    ...     methods = ("neighbors",)
    ...     yields = ("half",)
    ...     def run_cell(self, task):
    ...         return [Row("half", task.params.n / 2)]
    >>> class Halfs(Experiment[Sizes]):
    ...     methods = ("neighbors",)
    ...     yeilds = ("half",)
    Traceback (most recent call last):
    TypeError: Halfs has no attribute 'yeilds'; did you mean 'yields'?
    """

    version: ClassVar[int] = 1
    methods: ClassVar[tuple[str, ...]]
    yields: ClassVar[tuple[str, ...]]
    detail: ClassVar[tuple[str, ...]] = ()
    uses: ClassVar[tuple[Entry, ...]] = ()
    measured: ClassVar[bool] = False
    unit: ClassVar[Unit] = "sample"
    metric_kinds: ClassVar[Mapping[str, MetricKind]] = {}
    figure: ClassVar[type[BaseModel]] = Curves
    # derived when the class is defined
    params: ClassVar[type[Params]]
    inner: ClassVar[tuple[str, ...]]
    after_draw: ClassVar[frozenset[str]]

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        _refuse_unknown(cls)
        cls.params = _params_of(cls)
        cls.inner = _marked(cls.params, _INNER)
        cls.after_draw = frozenset(_marked(cls.params, _AFTER_DRAW))
        _require(cls)

    @abstractmethod
    def run_cell(self, task: Task[P_co]) -> list[Row]:
        """Do the work of one cell.

        The rows of one value of an inner parameter must not depend on which others are asked
        for: those that are missing are computed alone.
        """

    def draw(self, context: Context) -> Figure:
        """Draw the rows: curves, boxes or points, as the config's figure section says."""
        from geoforest_cli.study.figures import boxes, curves, scatter

        if self.figure is Scatter:
            return scatter.draw_scatter(context, Scatter.model_validate(context.options))
        if not context.options:
            return curves.draw(context, curves.default(context))
        options = self.figure.model_validate(context.options)
        if isinstance(options, Boxes):
            return boxes.draw_boxes(context, options)
        if isinstance(options, Curves):
            return curves.draw(context, options)
        raise TypeError(f"{type(self).__name__} must say how it draws: draw(self, context)")

    @classmethod
    def used(cls, params: Params) -> dict[str, Entry]:
        """Return the manifolds, data sets and so on that a cell with these parameters uses."""
        entries = {f"always {entry.name}": entry for entry in cls.uses}
        for parameter, field in cls.params.model_fields.items():
            for uses in _uses(field.annotation, field.metadata):
                for name in _texts(getattr(params, parameter)):
                    for kind, entry in uses.entries(name):
                        entries[f"{kind} {name}"] = entry
        return entries


def _uses(annotation: object, metadata: Iterable[object] = ()) -> list[Uses]:
    """Return what marks an annotation and its parts."""
    parts = [*metadata, *get_args(annotation)]
    return [use for part in parts for use in ([part] if isinstance(part, Uses) else _uses(part))]


def _texts(value: object) -> list[str]:
    """Return the texts that a value holds."""
    if isinstance(value, Mapping):
        value = list(value.values())
    if isinstance(value, list | tuple | set | frozenset):
        return [text for item in value for text in _texts(item)]
    return [value] if isinstance(value, str) else []


_PUBLIC = frozenset(name for name in vars(Experiment) if not name.startswith("_")) | frozenset(
    name for name in Experiment.__annotations__
)
_DERIVED = frozenset({"params", "inner", "after_draw", "used"})


def _refuse_unknown(cls: type) -> None:
    settable = _PUBLIC - _DERIVED
    for name in [*vars(cls), *inspect.get_annotations(cls)]:
        if not name.startswith("_") and name not in settable:
            suggestion = suggestions.suggest(name, settable)
            listing = f" (known: {', '.join(sorted(settable))})"
            hint = f"; did you mean {suggestion!r}?" if suggestion else listing
            raise TypeError(f"{cls.__name__} has no attribute {name!r}{hint}")


def _params_of(cls: type) -> type[Params]:
    for base in getattr(cls, "__orig_bases__", ()):
        if get_origin(base) is Experiment:
            (params,) = get_args(base)
            if isinstance(params, type) and issubclass(params, Params):
                return params
    name = cls.__name__
    raise TypeError(f"{name} does not say its parameters: class {name}(Experiment[MyParams])")


def _marked(params: type[Params], mark: str) -> tuple[str, ...]:
    return tuple(name for name, field in params.model_fields.items() if mark in field.metadata)


def _require(cls: type[Experiment[Any]]) -> None:
    for name in ("methods", "yields", "detail"):
        value = getattr(cls, name, None)
        if not isinstance(value, tuple) or not all(isinstance(item, str) for item in value):
            raise TypeError(f"{cls.__name__}.{name} must be a tuple of words, not {value!r}")
    kinds = get_args(methods.Kind)
    for kind in cls.methods:
        if kind not in kinds:
            message = suggestions.unknown("kind of method", kind, kinds)
            raise TypeError(f"{cls.__name__}.methods: {message}")
    if not isinstance(cls.version, int) or not isinstance(cls.measured, bool):
        message = "version must be a whole number and measured True or False"
        raise TypeError(f"{cls.__name__}: {message}")
    if getattr(cls.run_cell, "__isabstractmethod__", False):
        raise TypeError(f"{cls.__name__} lacks the method run_cell(self, task)")
